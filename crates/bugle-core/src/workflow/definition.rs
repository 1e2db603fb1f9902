//! A workflow as written: parsed, but not validated.

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

/// The highest limit of a loop, gate or fan-out. No person would watch more.
pub const MAX_LIMIT: u32 = 100;

/// A workflow as written.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WorkflowDef {
    /// Its params.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<Arg>,
    /// The steps; the first is the entry.
    pub steps: Vec<StepDef>,
}

/// A parameter of a workflow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Arg {
    /// The name.
    pub name: FieldName,
    /// The type.
    pub shape: Shape,
    /// Whether it is required.
    pub presence: Presence,
    /// The default value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// One line of help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// A step as written. Build one with [`StepDef::new`] and its methods.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepDef {
    /// The id, unique in the workflow.
    pub id: StepId,
    /// The title.
    pub title: String,
    /// Its phase, which groups steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// Who acts; by default the run's agent in its own role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<AgentRole>,
    /// The instructions.
    pub action: StepText,
    /// Files shown in full below the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<SkillPath>,
    /// Shared conventions shown in full below the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conventions: Vec<String>,
    /// What the agent must not do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forbid: Vec<String>,
    /// The tools it may use.
    #[serde(default)]
    pub tools: ToolPolicy,
    /// The fields of its result; empty if it has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub result: Vec<Field>,
    /// Conditions on its result beyond the types of the fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub check: Vec<Check>,
    /// The evidence that Bugle verifies before it accepts `ok`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<Evidence>,
    /// A question for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<Ask>,
    /// How Bugle decides the outcome: the first true guard wins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub route: Vec<Route>,
    /// How the step repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Loop>,
    /// The review at its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateConfig>,
    /// Its sub-agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatch: Option<Dispatch>,
    /// What it does with the tasks of the run's plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub task: Vec<TaskUse>,
    /// The target of each outcome.
    pub next: Transitions<Target>,
    /// The target when the agent reports that it cannot do the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_error: Option<Target>,
}

/// The text of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepText {
    /// A file of the skill.
    File(SkillPath),
    /// Text in the workflow.
    Inline(String),
    /// Text without templates, already filled in.
    Literal(String),
}

/// A condition that a result must meet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// The condition.
    pub that: Expression,
    /// The condition in plain English, for the agent.
    pub say: String,
}

/// What Bugle verifies itself before a step counts as done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// A file of the project that matches a pattern.
    Artifact {
        /// The pattern, a template.
        pattern: String,
        /// Whether a file from before the visit counts, too.
        existing: bool,
    },
    /// A command that must exit with 0.
    Command {
        /// The command line for the system's shell, which may contain values ([`super::command_line`]).
        line: String,
        /// The timeout.
        timeout_seconds: u32,
    },
    /// A Markdown plan, whose tasks become the run's tasks.
    Plan {
        /// Its file, a template.
        file: String,
    },
}

/// What a step does with the tasks of the run's plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskUse {
    /// Entering the step takes the first task that can start, unless the run has an open one.
    Take,
    /// Ending the step closes the run's task as done.
    Done,
    /// Ending the step closes the run's task as skipped.
    Skip,
}

/// A question for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// The question, a template.
    pub question: String,
    /// The choices; any text if empty.
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
    /// The user, directly or relayed by an agent.
    #[default]
    User,
    /// A person, at a terminal or on the dashboard.
    Person,
}

impl Answerer {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_user(&self) -> bool {
        *self == Self::User
    }
}

/// One rule of a route: if the guard is true, the visit ends with the outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Route {
    /// The guard.
    pub when: Expression,
    /// The outcome.
    pub outcome: Outcome,
}

/// How a step repeats.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Loop {
    /// The guard that ends the loop.
    pub until: Expression,
    /// The maximum number of visits in a row.
    pub limit: u32,
    /// The outcome at the limit.
    pub at_limit: AtLimit,
}

/// The outcome of a loop that reached its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AtLimit {
    /// As if the guard were true; the visit is marked as exhausted.
    #[default]
    Ok,
    /// A failure.
    Fail,
}

/// A review that decides from findings whether work passes or must be fixed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateConfig {
    /// The name of what is reviewed, for people.
    pub name: String,
    /// The step that fixes the findings.
    pub rework: StepId,
    /// The number of reviews before a person decides.
    pub limit: u32,
    /// The lowest severity that blocks.
    #[serde(default, skip_serializing_if = "Severity::is_default")]
    pub blocks: Severity,
}

/// Sub-agents of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dispatch {
    /// Their role.
    pub role: AgentRole,
    /// What each of them works on.
    pub work: DispatchWork,
    /// Their number.
    pub fan_out: FanOut,
    /// A guard that decides whether there is anything to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Expression>,
    /// How many must report; by default all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quorum: Option<u32>,
    /// How capable the model must be; by default as in the role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelSize>,
    /// The params of each sub-agent's run, as expressions over this run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub with: BTreeMap<FieldName, Expression>,
}

/// What a sub-agent works on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DispatchWork {
    /// Its own workflow.
    Workflow(SkillPath),
    /// A brief: the text of the step.
    Brief,
}

/// The number of sub-agents of a dispatch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FanOut {
    /// One.
    One,
    /// One for each item of a list.
    ForEach {
        /// The list.
        list: Expression,
        /// The sub-agent's param that receives the item.
        item: FieldName,
        /// The maximum number.
        limit: u32,
    },
    /// One for each task of the run's plan that can start; tasks beyond the limit wait.
    Tasks {
        /// The sub-agent's param that receives the task.
        item: FieldName,
        /// The maximum number.
        limit: u32,
    },
}
