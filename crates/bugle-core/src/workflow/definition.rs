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

/// Maximum value for the limits of loops, gates and fan-outs. A user could not keep track of more.
pub const MAX_LIMIT: u32 = 100;

/// A parsed workflow.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WorkflowDef {
    /// The workflow's params.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<Arg>,
    /// The role that decides at the workflow's gates in a shared store.
    #[serde(default, skip_serializing_if = "Decider::is_project")]
    pub decides: Decider,
    /// The steps. The first step is the entry.
    pub steps: Vec<StepDef>,
}

/// The role that decides at a workflow's gates in a shared store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decider {
    /// The role in the project's settings.
    #[default]
    Project,
    /// A lead, regardless of the project's settings.
    Lead,
}

impl Decider {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(crate) fn is_project(&self) -> bool {
        *self == Self::Project
    }
}

/// A workflow's param.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Arg {
    /// The name.
    pub name: FieldName,
    /// The type.
    pub shape: Shape,
    /// Whether the param is required.
    pub presence: Presence,
    /// The default value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// A one-line description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// A parsed step. Build one with [`StepDef::new`] and its methods.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepDef {
    /// The id, which is unique in the workflow.
    pub id: StepId,
    /// The title.
    pub title: String,
    /// The phase that groups the step with others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// The agent's role; by default, the role that the run's agent already has.
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
    /// Actions that the agent must not take.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forbid: Vec<String>,
    /// The tools that the agent may use.
    #[serde(default)]
    pub tools: ToolPolicy,
    /// The result's fields; empty if the step returns nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub result: Vec<Field>,
    /// The lists that Bugle keeps across the step's visits, each with the item field that identifies an item.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub merge: BTreeMap<FieldName, FieldName>,
    /// Conditions on the result beyond its fields' types.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub check: Vec<Check>,
    /// The evidence that Bugle verifies before it accepts the outcome `ok`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<Evidence>,
    /// A question for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<Ask>,
    /// How Bugle decides the outcome: the first guard that is true wins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub route: Vec<Route>,
    /// How the step repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Loop>,
    /// The review at the end of the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateConfig>,
    /// The step's sub-agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatch: Option<Dispatch>,
    /// How the step uses the plan's tasks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub task: Vec<TaskUse>,
    /// Each outcome's target.
    pub next: Transitions<Target>,
    /// The target if the agent reports that it cannot complete the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_error: Option<Target>,
}

/// A step's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepText {
    /// A file in the skill's folder.
    File(SkillPath),
    /// Text in the workflow file.
    Inline(String),
    /// Text without templates.
    Literal(String),
}

/// A condition that a result must meet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// The condition.
    pub that: Expression,
    /// A description of the condition for the agent.
    pub say: String,
}

/// Evidence that Bugle verifies itself before a step is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// A project file whose path matches a glob.
    Artifact {
        /// The glob, as a template.
        pattern: String,
        /// Whether a file from before the visit also counts.
        existing: bool,
    },
    /// A command that must exit with 0.
    Command {
        /// The command line, run by the system shell. It may contain placeholders ([`super::command_line`]).
        line: String,
        /// The timeout, in seconds.
        timeout_seconds: u32,
    },
    /// A Markdown plan, whose tasks become the run's tasks.
    Plan {
        /// The plan's file, as a template.
        file: String,
    },
}

/// How a step uses the plan's tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskUse {
    /// When the step starts, take the first task that can start, unless the run already has an open task.
    Take,
    /// When the step ends, close the run's task as done.
    Done,
    /// When the step ends, close the run's task as skipped.
    Skip,
}

/// A question for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// The question, as a template.
    pub question: String,
    /// The choices; if empty, any text is an answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// Who may answer the question.
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
    /// A person at a terminal or on the dashboard, not through an agent.
    Person,
}

impl Answerer {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_user(&self) -> bool {
        *self == Self::User
    }
}

/// A route's rule: if the guard is true, the visit ends with the outcome.
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
    /// What happens at the limit.
    pub at_limit: AtLimit,
}

/// What happens when a loop reaches its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AtLimit {
    /// The step ends as if the guard were true; the visit is marked as exhausted.
    #[default]
    Ok,
    /// The step fails.
    Fail,
}

/// A review whose findings decide whether the work passes or must be fixed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateConfig {
    /// The name of the reviewed work, as shown to people.
    pub name: String,
    /// The step that fixes the findings.
    pub rework: StepId,
    /// The maximum number of reviews before a person decides.
    pub limit: u32,
    /// The lowest severity that blocks.
    #[serde(default, skip_serializing_if = "Severity::is_default")]
    pub blocks: Severity,
}

/// A step's sub-agents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dispatch {
    /// The sub-agents' role.
    pub role: AgentRole,
    /// The work of each sub-agent.
    pub work: DispatchWork,
    /// The number of sub-agents.
    pub fan_out: FanOut,
    /// A guard: if it is false, the step starts no sub-agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Expression>,
    /// The number of sub-agents that must report; by default, all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quorum: Option<u32>,
    /// How capable the model must be; by default, the role decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelSize>,
    /// The params for each sub-agent's run, as expressions over this run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub with: BTreeMap<FieldName, Expression>,
}

/// The work of a sub-agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DispatchWork {
    /// The sub-agent's own workflow.
    Workflow(SkillPath),
    /// A brief, which is the step's text.
    Brief,
}

/// The number of sub-agents in a dispatch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FanOut {
    /// One.
    One,
    /// One per list item.
    ForEach {
        /// The list.
        list: Expression,
        /// The sub-agent's param that receives the item.
        item: FieldName,
        /// The maximum number of sub-agents.
        limit: u32,
    },
    /// One per task that can start; tasks beyond the limit wait.
    Tasks {
        /// The sub-agent's param that receives the task.
        item: FieldName,
        /// The maximum number of sub-agents.
        limit: u32,
    },
}
