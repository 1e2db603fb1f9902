//! The format of `workflow.yaml`, key by key. The JSON Schema is generated from these types, so editors show their
//! comments.

use bugle_core::review::Severity;
use bugle_core::tool::{Program, ToolPolicy};
use bugle_core::workflow::TaskUse;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::raw_types::RawType;

/// A workflow that Bugle runs.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("required" = ["version", "steps"]))]
pub(crate) struct RawWorkflow {
    /// The format version: 1.
    pub version: u32,
    /// The params that a run accepts.
    #[serde(default)]
    pub params: IndexMap<String, RawType>,
    /// `lead`: in a team's store, only a lead decides at this workflow's gates, even if the project's settings let
    /// members decide.
    #[serde(default)]
    pub decides: Option<RawDecider>,
    /// The workflow's steps. A run starts at the first step.
    #[serde(default)]
    #[schemars(required)]
    pub steps: IndexMap<String, RawStep>,
}

/// The role that decides at a workflow's gates.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RawDecider {
    /// A lead of the team.
    Lead,
}

/// How capable the model must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ModelWord {
    /// A fast model.
    Small,
    /// The default.
    Medium,
    /// The most capable model.
    Large,
}

impl ModelWord {
    pub(crate) fn size(self) -> bugle_core::role::ModelSize {
        use bugle_core::role::ModelSize;
        match self {
            Self::Small => ModelSize::Small,
            Self::Medium => ModelSize::Medium,
            Self::Large => ModelSize::Large,
        }
    }
}

/// One step.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("required" = ["title", "do", "next"]))]
pub(crate) struct RawStep {
    /// The step's title.
    pub title: String,
    /// The instructions: a file such as `prompts/extract.md`, the text itself, or a list of lines.
    #[serde(rename = "do")]
    pub action: RawText,
    /// The phase that the step belongs to. Phases group steps.
    #[serde(default)]
    pub phase: Option<String>,
    /// The role of the agent that does the step. Default: `orchestrator`.
    #[serde(default)]
    #[schemars(extend("enum" = ["orchestrator", "developer", "quality-reviewer", "technical-writer", "architect", "debugger", "explore", "general-purpose"]))]
    pub role: Option<String>,
    /// Files in `resources/` to show in full below the instructions.
    #[serde(default)]
    pub resources: Vec<String>,
    /// Texts that several skills share, whole (`severity`) or by section (`code-quality#Imprecise names`).
    #[serde(default)]
    pub conventions: Vec<String>,
    /// Things the agent must not do, one sentence each.
    #[serde(default)]
    pub forbid: Vec<String>,
    /// The tools the agent may use.
    #[serde(default)]
    pub tools: Option<RawTools>,
    /// The fields of the step's result.
    #[serde(default)]
    pub result: IndexMap<String, RawType>,
    /// Lists that Bugle keeps across the step's visits, each with the field that identifies an item: `{ claims: id }`. A
    /// later visit returns only new, changed and removed items.
    #[serde(default)]
    pub merge: IndexMap<String, String>,
    /// Conditions that the result must meet, in addition to its field types.
    #[serde(default)]
    pub check: Vec<RawCheck>,
    /// Evidence that Bugle verifies itself.
    #[serde(default)]
    pub expect: Vec<RawEvidence>,
    /// A question for the user.
    #[serde(default)]
    pub ask: Option<RawAsk>,
    /// Guards that decide the outcome. The first true guard wins.
    #[serde(default)]
    pub route: Vec<RawRoute>,
    /// Repeats the step until a condition is true.
    #[serde(default, rename = "loop")]
    pub repeat: Option<RawLoop>,
    /// A review that passes the work or sends it back.
    #[serde(default)]
    pub gate: Option<RawGate>,
    /// The sub-agents that the step starts.
    #[serde(default)]
    pub dispatch: Option<RawDispatch>,
    /// What the step does to the run's tasks.
    #[serde(default)]
    pub task: Option<RawTask>,
    /// The next step or `end`, or a map from outcomes to steps or `end`.
    #[serde(default)]
    #[schemars(required)]
    pub next: Option<RawNext>,
    /// The next step if the agent reports that it cannot complete the step.
    #[serde(default)]
    pub on_error: Option<String>,
}

/// Text: one string, or a list of lines.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub(crate) enum RawText {
    /// The path of a text file, or the text itself.
    One(String),
    /// The lines of the text.
    Lines(Vec<String>),
}

/// The tools that the agent may use: all except those in `deny`, or only those in `allow`. If both are set, `allow`
/// lists programs that may still change files from the shell.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawTools {
    /// Tools that the agent may not use.
    #[serde(default)]
    pub deny: Option<Vec<String>>,
    /// The only tools that the agent may use. If `deny` is also set: programs, such as `git`, that may change files
    /// from the shell.
    #[serde(default)]
    pub allow: Option<Vec<String>>,
}

impl RawTools {
    /// The policy, or an error and its fix.
    pub(crate) fn policy(self) -> Result<ToolPolicy, (String, &'static str)> {
        match (self.deny, self.allow) {
            (Some(denied), None) => Ok(ToolPolicy::Deny(denied)),
            (None, Some(allowed)) => Ok(ToolPolicy::Allow(allowed)),
            (Some(tools), Some(allowed)) => {
                let programs = allowed.iter().map(|name| Program::named(name).ok_or(name));
                match programs.collect::<Result<Vec<_>, _>>() {
                    Ok(programs) => Ok(ToolPolicy::DenyExcept { tools, programs }),
                    Err(other) => Err((
                        format!(
                            "`allow` next to `deny` must list programs, but `{other}` is not a known program"
                        ),
                        "write `allow: [git]`, or remove `deny` or `allow`",
                    )),
                }
            }
            (None, None) => Err((
                "`tools` needs `deny` or `allow`".to_owned(),
                "add `deny` or `allow`, or remove `tools`",
            )),
        }
    }
}

/// What a step does to the run's tasks: one action, or several.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub(crate) enum RawTask {
    /// One action.
    One(TaskWord),
    /// Several actions.
    Several(Vec<TaskWord>),
}

impl RawTask {
    /// All actions.
    pub(crate) fn uses(self) -> Vec<TaskUse> {
        let words = match self {
            Self::One(word) => vec![word],
            Self::Several(words) => words,
        };
        words
            .into_iter()
            .map(|word| match word {
                TaskWord::Take => TaskUse::Take,
                TaskWord::Done => TaskUse::Done,
                TaskWord::Skip => TaskUse::Skip,
            })
            .collect()
    }
}

/// What a step does to a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TaskWord {
    /// Entering the step takes the first task that can start.
    Take,
    /// Ending the step closes the run's task as done.
    Done,
    /// Ending the step closes the run's task as skipped.
    Skip,
}

/// A condition that a result must meet.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawCheck {
    /// A CEL expression over `result`, `state` and `params`.
    pub that: String,
    /// The condition in one sentence, shown in the step and in the error.
    pub say: String,
}

/// A piece of evidence: an artifact, a command or a plan.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawEvidence {
    /// A glob for project files that were created or changed since the step started.
    #[serde(default)]
    pub artifact: Option<String>,
    /// Whether files that existed before the step started also count.
    #[serde(default)]
    pub existing: bool,
    /// A command that must exit with 0. Bugle runs the command only if the user trusts the skill.
    #[serde(default)]
    pub command: Option<String>,
    /// The command's timeout, in seconds.
    #[serde(default)]
    pub timeout: Option<u32>,
    /// The path to a Markdown plan. The plan's tasks become the run's tasks.
    #[serde(default)]
    pub plan: Option<String>,
}

/// A question for the user.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawAsk {
    /// The question.
    pub question: String,
    /// The allowed answers. Without choices, any text is allowed.
    #[serde(default)]
    pub choices: Vec<String>,
    /// Who may answer. Default: `user`.
    #[serde(default)]
    pub by: AnswererWord,
}

/// Who may answer a question.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AnswererWord {
    /// The user, directly or relayed by an agent.
    #[default]
    User,
    /// Only a person, at a terminal or on the dashboard.
    Person,
}

/// A guard with its outcome. If the guard is true, the step ends with the outcome.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawRoute {
    /// The guard, a CEL expression.
    pub when: String,
    /// The outcome if the guard is true.
    #[schemars(extend("enum" = ["ok", "fail", "skip", "iterate"]))]
    pub outcome: String,
}

/// Repeats a step until a condition is true.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawLoop {
    /// A CEL expression. The loop ends when the expression is true.
    pub until: String,
    /// The maximum number of consecutive visits.
    pub limit: u32,
    /// The outcome when the limit is reached. Default: `ok`.
    #[serde(default)]
    pub at_limit: Option<RawAtLimit>,
}

/// The outcome when a loop reaches its limit.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RawAtLimit {
    Ok,
    Fail,
}

/// A review that passes the work or sends it back.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawGate {
    /// The gate's name: what it checks, such as `Completeness`.
    pub name: String,
    /// The step that fixes the findings.
    pub rework: String,
    /// The number of failed reviews after which the user decides.
    pub limit: u32,
    /// The lowest severity that blocks. Default: `could`.
    #[serde(default)]
    pub blocks: Option<RawSeverity>,
}

/// The severity of a finding.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RawSeverity {
    Must,
    Should,
    Could,
}

impl From<RawSeverity> for Severity {
    fn from(raw: RawSeverity) -> Self {
        match raw {
            RawSeverity::Must => Self::Must,
            RawSeverity::Should => Self::Should,
            RawSeverity::Could => Self::Could,
        }
    }
}

/// The sub-agents that a step starts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawDispatch {
    /// The role of the sub-agents.
    pub role: String,
    /// The file in `agents/` with each sub-agent's workflow. Without a workflow, the step's instructions are the brief.
    #[serde(default)]
    pub workflow: Option<String>,
    /// A CEL expression that returns a list (one sub-agent per item), or `tasks` (one per task that can start).
    #[serde(default)]
    pub for_each: Option<String>,
    /// The name of the sub-agent's param that receives the item.
    #[serde(default, rename = "as")]
    pub item: Option<String>,
    /// The sub-agent's other params, as CEL expressions.
    #[serde(default)]
    pub with: IndexMap<String, String>,
    /// A CEL expression. If the expression is false, the step starts no sub-agents.
    #[serde(default)]
    pub when: Option<String>,
    /// The number of sub-agents that must report. Default: all.
    #[serde(default)]
    pub quorum: Option<u32>,
    /// A hint about how capable the model must be.
    #[serde(default)]
    pub model: Option<ModelWord>,
    /// The maximum number of sub-agents.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// The next step.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub(crate) enum RawNext {
    /// The step after the outcome ok.
    One(String),
    /// The step after each outcome: ok, fail, skip, iterate, default.
    Map(IndexMap<String, String>),
}
