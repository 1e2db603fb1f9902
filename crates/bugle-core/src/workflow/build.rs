//! Builders for definitions, used in tests and documentation.

use std::collections::BTreeMap;

use serde_json::Value;

use super::definition::{
    Arg, AtLimit, Check, Decider, Dispatch, DispatchWork, FanOut, Loop, Route, StepDef, StepText, TaskUse,
    WorkflowDef,
};
use super::shapes::with_identified_items;
use crate::expression::Expression;
use crate::name::{BadName, FieldName, StepId};
use crate::outcome::{Outcome, Target, Transitions};
use crate::role::AgentRole;
use crate::shape::{Field, Presence, Shape};
use crate::tool::ToolPolicy;

impl FanOut {
    /// The sub-agent's param that receives the item, if each item gets a sub-agent.
    pub fn item(&self) -> Option<&FieldName> {
        match self {
            Self::One => None,
            Self::ForEach { item, .. } | Self::Tasks { item, .. } => Some(item),
        }
    }

    /// The maximum number of sub-agents.
    pub fn limit(&self) -> Option<u32> {
        match self {
            Self::One => None,
            Self::ForEach { limit, .. } | Self::Tasks { limit, .. } => Some(*limit),
        }
    }
}

impl Dispatch {
    /// A dispatch of one sub-agent in this role.
    pub fn new(role: AgentRole, work: DispatchWork) -> Self {
        Self {
            role,
            work,
            fan_out: FanOut::One,
            when: None,
            quorum: None,
            model: None,
            with: BTreeMap::new(),
        }
    }
}

impl WorkflowDef {
    /// A workflow with these steps. The first step is the entry.
    pub fn new(steps: impl IntoIterator<Item = StepDef>) -> Self {
        Self {
            params: Vec::new(),
            decides: Decider::default(),
            steps: steps.into_iter().collect(),
        }
    }

    /// Adds a param.
    #[must_use]
    pub fn param(mut self, arg: Arg) -> Self {
        self.params.push(arg);
        self
    }

    /// The first step with this id.
    pub fn step(&self, id: &StepId) -> Option<&StepDef> {
        self.steps.iter().find(|step| step.id == *id)
    }
}

impl Arg {
    /// A required param.
    pub fn required(name: &str, shape: Shape) -> Result<Self, BadName> {
        Ok(Self {
            name: FieldName::new(name)?,
            shape,
            presence: Presence::Required,
            default: None,
            help: None,
        })
    }

    /// A param with a default.
    pub fn with_default(name: &str, shape: Shape, default: Value) -> Result<Self, BadName> {
        let arg = Self::required(name, shape)?;
        Ok(Self {
            presence: Presence::Optional,
            default: Some(default),
            ..arg
        })
    }
}

impl StepDef {
    /// A step with this id, title and text, after which the run ends.
    pub fn new(id: &str, title: &str, text: &str) -> Result<Self, BadName> {
        Ok(Self {
            id: StepId::new(id)?,
            title: title.to_owned(),
            phase: None,
            role: None,
            action: StepText::Inline(text.to_owned()),
            resources: Vec::new(),
            conventions: Vec::new(),
            forbid: Vec::new(),
            tools: ToolPolicy::default(),
            result: Vec::new(),
            merge: BTreeMap::new(),
            check: Vec::new(),
            expect: Vec::new(),
            ask: None,
            route: Vec::new(),
            repeat: None,
            gate: None,
            dispatch: None,
            task: Vec::new(),
            next: Transitions::linear(Target::End),
            on_error: None,
        })
    }

    /// Sets how the step uses the plan's tasks.
    #[must_use]
    pub fn using(mut self, uses: impl IntoIterator<Item = TaskUse>) -> Self {
        self.task.extend(uses);
        self
    }

    /// Maps `outcome` to the step `target`.
    pub fn with_transition(mut self, outcome: Outcome, target: &str) -> Result<Self, BadName> {
        *self.next.slot(outcome) = Some(Target::Step(StepId::new(target)?));
        Ok(self)
    }

    /// Maps `outcome` to the end of the run.
    #[must_use]
    pub fn ending(mut self, outcome: Outcome) -> Self {
        *self.next.slot(outcome) = Some(Target::End);
        self
    }

    /// Adds a required field to the result.
    pub fn returning(mut self, name: &str, shape: Shape) -> Result<Self, BadName> {
        let name = FieldName::new(name)?;
        self.result.push(Field {
            name,
            shape,
            presence: Presence::Required,
            help: None,
        });
        Ok(self)
    }

    /// Keeps the items of the list `field` across visits. The items' field `key` identifies an item.
    pub fn merging(mut self, field: &str, key: &str) -> Result<Self, BadName> {
        self.merge.insert(FieldName::new(field)?, FieldName::new(key)?);
        self.result = with_identified_items(self.result, &self.merge);
        Ok(self)
    }

    /// Accepts a result only if `that` is true. `say` describes the condition.
    #[must_use]
    pub fn checked(mut self, that: Expression, say: &str) -> Self {
        self.check.push(Check {
            that,
            say: say.to_owned(),
        });
        self
    }

    /// Repeats the step until `until` is true, at most `limit` times.
    #[must_use]
    pub fn repeated(mut self, until: Expression, limit: u32) -> Self {
        self.repeat = Some(Loop {
            until,
            limit,
            at_limit: AtLimit::Ok,
        });
        self
    }

    /// Ends the step with `outcome` if `when` is true.
    #[must_use]
    pub fn routed(mut self, when: Expression, outcome: Outcome) -> Self {
        self.route.push(Route { when, outcome });
        self
    }
}
