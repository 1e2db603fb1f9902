//! The values for guards and templates.

use serde_json::{Map, Value, json};

use super::child::Assignment;
use super::deferred::deferred_value;
use super::event::Origin;
use super::gate::rework;
use super::merge::changed_values;
use super::rounds::iteration;
use super::state::RunState;
use super::tasks::{plan_value, record_value, task_value};
use crate::expression::Type;
use crate::id::VisitNumber;
use crate::review::{Dispute, OpenFinding};
use crate::shape::Shape;
use crate::task::Board;
use crate::workflow::Workflow;

/// The values that a step can see: params, results of earlier steps, and the run's position.
#[derive(Debug, Clone, PartialEq)]
pub struct StepContext {
    params: Map<String, Value>,
    state: Map<String, Value>,
    visit: Value,
    /// The merged lists in full.
    changed: Map<String, Value>,
    /// The items of the merged lists that changed since the step's previous visit; `None` at the first visit.
    changed_since: Option<Map<String, Value>>,
    run: Value,
    gate: Option<Value>,
    task: Option<Value>,
    record: Value,
    deferred: Value,
}

/// The values for a visit's step. A reviewer also sees its gate's checks, and a fixing agent sees the findings.
pub fn context(state: &RunState, workflow: &Workflow, visit: VisitNumber) -> StepContext {
    let review = match &state.origin {
        Origin::Child(origin) => match &origin.assignment {
            Assignment::Review(brief) => Some(brief),
            Assignment::Plain | Assignment::Rework(_) => None,
        },
        Origin::Fresh | Origin::Task(_) | Origin::Fork { .. } => None,
    };
    let gate = match review {
        Some(brief) => {
            let disputed: Vec<Value> = brief.disputed.iter().map(with_evidence).collect();
            Some(json!({
                "name": brief.name, "iteration": brief.iteration, "checks": brief.checks,
                "disputed": disputed, "deferred": brief.deferred,
            }))
        }
        None => rework(state, workflow, visit).map(|brief| {
            let findings: Vec<Value> = brief.findings.iter().map(flat).collect();
            json!({ "name": brief.name, "iteration": brief.iteration, "findings": findings })
        }),
    };
    let step = state.visit(visit).map_or("", |visit| visit.step.as_str());
    let results = state.results_before(visit);
    let first = !results.contains_key(step);
    let before = state
        .passed(visit)
        .skip(1)
        .find(|passed| passed.step.as_str() == step)
        .map(|passed| passed.number);
    StepContext {
        params: state.params.clone(),
        state: results,
        visit: json!({
            "number": visit.0, "iteration": iteration(state, workflow, visit), "step": step,
            "first": first, "remembered": false,
        }),
        changed: changed_values(state, workflow, visit, None),
        changed_since: before.map(|before| changed_values(state, workflow, visit, Some(before))),
        run: json!({ "id": state.id, "skill": state.skill }),
        gate,
        task: state.task(visit).map(task_value),
        record: record_value(state, visit),
        deferred: deferred_value(state, workflow, visit),
    }
}

/// A finding as one object, including the number of times it was reported.
fn flat(open: &OpenFinding) -> Value {
    let mut finding = json!(open.finding);
    finding["seen"] = json!(open.seen);
    finding["number"] = json!(open.number);
    finding
}

/// A disputed finding as one object, including the author's evidence.
fn with_evidence(dispute: &Dispute) -> Value {
    let mut finding = json!(dispute.finding);
    finding["evidence"] = json!(dispute.evidence);
    finding
}

impl StepContext {
    /// For a sub-agent's brief: the template values, with the sub-agent's params as `child`.
    pub fn for_brief(&self, params: &Map<String, Value>) -> Value {
        let mut values = self.for_templates();
        values["child"] = Value::Object(params.clone());
        values
    }

    /// For an agent that still has the text of the step's previous visit: `visit.remembered` is true, and `changed` has
    /// only what is new. At a first visit, nothing changes.
    #[must_use]
    pub fn remembered(mut self) -> Self {
        if let Some(changed) = self.changed_since.take() {
            self.changed = changed;
            self.visit["remembered"] = Value::Bool(true);
        }
        self
    }

    /// Whether the step was visited before.
    pub fn is_again(&self) -> bool {
        self.changed_since.is_some()
    }

    /// For templates: a step without a visit is absent, so that a template can test for it.
    pub fn for_templates(&self) -> Value {
        let mut values = json!({
            "params": self.params, "state": self.state, "visit": self.visit, "run": self.run,
            "record": self.record, "deferred": self.deferred, "changed": self.changed,
        });
        if let Some(gate) = &self.gate {
            values["gate"] = gate.clone();
        }
        if let Some(task) = &self.task {
            values["task"] = task.clone();
        }
        values
    }

    /// For evidence: the template values and the new result.
    pub fn for_evidence(&self, result: Option<&Value>) -> Value {
        let mut values = self.for_templates();
        values["result"] = result.cloned().unwrap_or_else(|| json!({}));
        values
    }

    /// For guards: every step is present, and has no fields if it was not visited, so that `has(state.step.field)` is
    /// not an error. Includes the run's task and its plan's task counts.
    pub fn for_guards(&self, workflow: &Workflow, result: Option<&Value>, board: Option<&Board>) -> Value {
        let empty = || Value::Object(Map::new());
        let here = self.visit.get("step").and_then(Value::as_str);
        let mut state = self.state.clone();
        let mut own = result.cloned().unwrap_or_else(empty);
        for step in workflow.steps() {
            // JSON has one number type and guards have two; the declared type decides between them.
            let declared = Type::from_shape(&Shape::Object(step.result.clone()));
            let entry = state.entry(step.id.as_str()).or_insert_with(empty);
            *entry = declared.conform(entry.take());
            if here == Some(step.id.as_str()) {
                own = declared.conform(own);
            }
        }
        let before = here.and_then(|here| state.get(here).cloned());
        let mut params = self.params.clone();
        for arg in workflow.params() {
            if let Some(value) = params.get_mut(arg.name.as_str()) {
                *value = Type::from_shape(&arg.shape).conform(value.take());
            }
        }
        let gate = self.gate.clone().unwrap_or_else(empty);
        let task = self.task.clone().unwrap_or_else(empty);
        let plan = board.map_or_else(empty, plan_value);
        json!({
            "params": params, "state": state, "visit": self.visit, "run": self.run, "gate": gate, "result": own,
            "before": before.unwrap_or_else(empty),
            "task": task, "plan": plan, "record": self.record, "deferred": self.deferred,
        })
    }
}
