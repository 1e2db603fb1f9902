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
    /// The version of this format.
    pub version: u32,
    /// The params of a run.
    #[serde(default)]
    pub params: IndexMap<String, RawType>,
    /// The steps; a run starts at the first.
    #[serde(default)]
    #[schemars(required)]
    pub steps: IndexMap<String, RawStep>,
}

/// How capable the model must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ModelWord {
    /// A fast one is enough.
    Small,
    /// The default.
    Medium,
    /// The most capable one.
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
    /// The title.
    pub title: String,
    /// The text: a file such as prompts/extract.md, the text itself, or a list of lines.
    #[serde(rename = "do")]
    pub action: RawText,
    /// A phase, which groups steps.
    #[serde(default)]
    pub phase: Option<String>,
    /// Who acts; orchestrator by default.
    #[serde(default)]
    #[schemars(extend("enum" = ["orchestrator", "developer", "quality-reviewer", "technical-writer", "architect", "debugger", "explore", "general-purpose"]))]
    pub role: Option<String>,
    /// Files in resources/, shown in full below the text.
    #[serde(default)]
    pub resources: Vec<String>,
    /// Shared conventions, by name.
    #[serde(default)]
    pub conventions: Vec<String>,
    /// What the agent must not do, one sentence each.
    #[serde(default)]
    pub forbid: Vec<String>,
    /// The tools it may use.
    #[serde(default)]
    pub tools: Option<RawTools>,
    /// The fields of its result.
    #[serde(default)]
    pub result: IndexMap<String, RawType>,
    /// Conditions on the result beyond the types of its fields.
    #[serde(default)]
    pub check: Vec<RawCheck>,
    /// Evidence that Bugle verifies itself.
    #[serde(default)]
    pub expect: Vec<RawEvidence>,
    /// A question for a person.
    #[serde(default)]
    pub ask: Option<RawAsk>,
    /// How Bugle decides the outcome: the first true guard wins.
    #[serde(default)]
    pub route: Vec<RawRoute>,
    /// How the step repeats.
    #[serde(default, rename = "loop")]
    pub repeat: Option<RawLoop>,
    /// A review that passes the work or sends it back.
    #[serde(default)]
    pub gate: Option<RawGate>,
    /// The sub-agents of the step.
    #[serde(default)]
    pub dispatch: Option<RawDispatch>,
    /// What the step does with the tasks of the run's plan.
    #[serde(default)]
    pub task: Option<RawTask>,
    /// A step, `end`, or a map of outcomes to them.
    #[serde(default)]
    #[schemars(required)]
    pub next: Option<RawNext>,
    /// The next step when the agent reports that it cannot do this one.
    #[serde(default)]
    pub on_error: Option<String>,
}

/// A text: one string, or a list of lines.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub(crate) enum RawText {
    /// A file's path, or the text.
    One(String),
    /// Lines.
    Lines(Vec<String>),
}

/// Which tools a step may use: all except some, or only some. With `deny`, `allow` lists programs that may still
/// change files from the shell.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawTools {
    /// Tools that may not be used.
    #[serde(default)]
    pub deny: Option<Vec<String>>,
    /// The only tools that may be used. With `deny`: programs that may change files from the shell, such as `git`.
    #[serde(default)]
    pub allow: Option<Vec<String>>,
}

impl RawTools {
    /// The policy, or what is wrong with it and how to fix it.
    pub(crate) fn policy(self) -> Result<ToolPolicy, (String, &'static str)> {
        match (self.deny, self.allow) {
            (Some(denied), None) => Ok(ToolPolicy::Deny(denied)),
            (None, Some(allowed)) => Ok(ToolPolicy::Allow(allowed)),
            (Some(tools), Some(allowed)) => {
                let programs = allowed.iter().map(|name| Program::named(name).ok_or(name));
                match programs.collect::<Result<Vec<_>, _>>() {
                    Ok(programs) => Ok(ToolPolicy::DenyExcept { tools, programs }),
                    Err(other) => Err((
                        format!("with `deny`, `allow` lists programs, and `{other}` is not a known program"),
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

/// What a step does with the tasks of the run's plan: one word, or several.
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

/// An action of a step on tasks.
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
    /// The condition in one sentence. The step shows it, and so does the error.
    pub say: String,
}

/// A piece of evidence: an artifact, a command or a plan.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawEvidence {
    /// A pattern for files of the project that were created or changed since the step started.
    #[serde(default)]
    pub artifact: Option<String>,
    /// Whether older files count, too.
    #[serde(default)]
    pub existing: bool,
    /// A command that must exit with 0. It runs only if the user trusts the skill.
    #[serde(default)]
    pub command: Option<String>,
    /// The timeout of the command, in seconds.
    #[serde(default)]
    pub timeout: Option<u32>,
    /// The file of a Markdown plan, whose tasks become the run's tasks.
    #[serde(default)]
    pub plan: Option<String>,
}

/// A question for a person.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawAsk {
    /// The question.
    pub question: String,
    /// The choices; any text if there are none.
    #[serde(default)]
    pub choices: Vec<String>,
    /// Who may answer: `user` (the default; an agent may relay the answer) or `person` (only at a terminal or on the
    /// dashboard).
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
    /// A person at a terminal or on the dashboard.
    Person,
}

/// If the guard is true, the step ends with the outcome.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawRoute {
    /// A CEL expression.
    pub when: String,
    /// ok, fail, skip or iterate.
    #[schemars(extend("enum" = ["ok", "fail", "skip", "iterate"]))]
    pub outcome: String,
}

/// How a step repeats.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawLoop {
    /// A CEL expression that ends the loop.
    pub until: String,
    /// The maximum number of visits in a row.
    pub limit: u32,
    /// The outcome at the limit: ok (the default) or fail.
    #[serde(default)]
    pub at_limit: Option<RawAtLimit>,
}

/// The outcome of a loop at its limit.
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
    /// The name of what is reviewed.
    pub name: String,
    /// The step that fixes the findings.
    pub rework: String,
    /// The number of reviews before a person decides.
    pub limit: u32,
    /// The lowest severity that blocks: must, should, or could (the default).
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

/// Sub-agents.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawDispatch {
    /// Their role.
    pub role: String,
    /// The workflow of each, a file in agents/. Without it, the step's text is the brief.
    #[serde(default)]
    pub workflow: Option<String>,
    /// A CEL expression for a list: one sub-agent for each item. Or `tasks`: one for each task that can start.
    #[serde(default)]
    pub for_each: Option<String>,
    /// The sub-agent's param that receives the item.
    #[serde(default, rename = "as")]
    pub item: Option<String>,
    /// The sub-agent's other params, as CEL expressions.
    #[serde(default)]
    pub with: IndexMap<String, String>,
    /// A CEL expression: whether there is anything to do.
    #[serde(default)]
    pub when: Option<String>,
    /// How many must report; by default all.
    #[serde(default)]
    pub quorum: Option<u32>,
    /// How capable the model must be, as a hint.
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
    /// One step, after ok.
    One(String),
    /// By outcome: ok, fail, skip, iterate, default.
    Map(IndexMap<String, String>),
}
