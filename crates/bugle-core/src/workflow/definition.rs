//! A workflow as written: parsed into types, not yet validated.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::expression::Expression;
use crate::name::{FieldName, StepId};
use crate::outcome::{Outcome, Target, Transitions};
use crate::path::SkillPath;
use crate::review::Severity;
use crate::role::{AgentRole, ModelSize};
use crate::shape::{Field, Presence, Shape};
use crate::tool::ToolPolicy;

/// The highest limit a loop, a gate or a fan-out may have: beyond it, no person is watching.
pub const MAX_LIMIT: u32 = 100;

/// A workflow as written.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WorkflowDef {
    /// What a run is started with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<Arg>,
    /// The steps; the first is the entry.
    pub steps: Vec<StepDef>,
}

/// A parameter of a workflow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Arg {
    /// What it is called.
    pub name: FieldName,
    /// What its value must look like.
    pub shape: Shape,
    /// Whether a run can start without it.
    pub presence: Presence,
    /// Its value where none is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// One line of help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// A step as written. Build one with [`StepDef::new`] and the methods that follow it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepDef {
    /// Its id, unique in the workflow.
    pub id: StepId,
    /// What it is called.
    pub title: String,
    /// The group it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// Who acts; the role of the run's agent, if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<AgentRole>,
    /// What to do.
    pub action: StepText,
    /// Files shown whole below the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<SkillPath>,
    /// Shared conventions shown whole below the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conventions: Vec<String>,
    /// What the agent must not do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forbid: Vec<String>,
    /// Which tools it may use.
    #[serde(default)]
    pub tools: ToolPolicy,
    /// The fields that its result must have; none if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub result: Vec<Field>,
    /// What must hold of its result beyond the types of the fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub check: Vec<Check>,
    /// What Bugle checks before it accepts `ok`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<Evidence>,
    /// A question for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<Ask>,
    /// How Bugle decides the outcome; the first guard that holds wins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub route: Vec<Route>,
    /// Until when it is repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Loop>,
    /// The review that it ends with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateConfig>,
    /// The sub-agents that carry it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatch: Option<Dispatch>,
    /// What it does with the tasks of the run's plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub task: Vec<TaskUse>,
    /// Where each outcome leads.
    pub next: Transitions<Target>,
    /// Where the run goes when the agent reports that the step cannot be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_error: Option<Target>,
}

/// The text of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepText {
    /// In a file of the skill.
    File(SkillPath),
    /// In the workflow itself.
    Inline(String),
    /// A text without templates: filled in already.
    Literal(String),
}

/// A condition that a result must meet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// The condition.
    pub that: Expression,
    /// The condition in words, for the agent.
    pub say: String,
}

/// What Bugle checks itself before it believes that a step is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// A file of the project that matches a pattern.
    Artifact {
        /// The pattern, a template.
        pattern: String,
        /// Whether a file that was there before the visit counts too.
        existing: bool,
    },
    /// A command that must exit 0.
    Command {
        /// The command line, for the system's shell, with values in it ([`super::command_line`]).
        line: String,
        /// How long it may take.
        timeout_seconds: u32,
    },
    /// A Markdown plan that Bugle can read: its tasks are the run's from then on.
    Plan {
        /// Its file, a template.
        file: String,
    },
}

/// What a step does with the tasks of the run's plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskUse {
    /// Entering it takes the first task that can start, unless the run has an open one.
    Take,
    /// Ending it closes the run's task as done.
    Done,
    /// Ending it closes the run's task as left out.
    Skip,
}

/// A question for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// The question, a template.
    pub question: String,
    /// The answers to choose from; any text if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// Who may answer it.
    #[serde(default, skip_serializing_if = "Answerer::is_user")]
    pub by: Answerer,
}

/// Who may answer a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answerer {
    /// The user, in person or relayed by an agent.
    #[default]
    User,
    /// A person, through a channel of their own: a terminal or the page.
    Person,
}

impl Answerer {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_user(&self) -> bool {
        *self == Self::User
    }
}

/// One line of a route: if the guard holds, the visit ends so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Route {
    /// The guard.
    pub when: Expression,
    /// How the visit ends if it holds.
    pub outcome: Outcome,
}

/// Until when a step is repeated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Loop {
    /// The guard that ends it.
    pub until: Expression,
    /// How many visits in a row there are at most.
    pub limit: u32,
    /// How the last visit ends if the guard never held.
    pub at_limit: AtLimit,
}

/// How a loop ends that reached its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AtLimit {
    /// As if the guard had held; the visit is marked as exhausted.
    #[default]
    Ok,
    /// As a failure.
    Fail,
}

/// A review that decides from findings whether work passes or goes back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateConfig {
    /// What is being checked, for people.
    pub name: String,
    /// The step that fixes what the review found.
    pub rework: StepId,
    /// How many reviews there are before a person decides.
    pub limit: u32,
    /// The lowest severity that sends work back.
    #[serde(default, skip_serializing_if = "Severity::is_default")]
    pub blocks: Severity,
}

/// A step carried out by sub-agents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dispatch {
    /// Who they are.
    pub role: AgentRole,
    /// What each of them works on.
    pub work: DispatchWork,
    /// How many there are.
    pub fan_out: FanOut,
    /// Whether there is anything to do; always, if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Expression>,
    /// How many must report; all, if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quorum: Option<u32>,
    /// How able a model has to be; as the role says, if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelSize>,
    /// The params of each child run, as expressions over this run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub with: BTreeMap<FieldName, Expression>,
}

/// What a sub-agent works on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DispatchWork {
    /// A workflow of its own.
    Workflow(SkillPath),
    /// A brief: the step's own text.
    Brief,
}

/// How many sub-agents a dispatch starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FanOut {
    /// One.
    One,
    /// One for each item of a list.
    ForEach {
        /// The list.
        list: Expression,
        /// The param of the child that gets the item.
        item: FieldName,
        /// How many at most.
        limit: u32,
    },
    /// One for each task of the run's plan that can start; what is beyond the limit waits for another time.
    Tasks {
        /// The param of the child that gets the task.
        item: FieldName,
        /// How many at most.
        limit: u32,
    },
}
