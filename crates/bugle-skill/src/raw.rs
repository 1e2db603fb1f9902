//! The format of `workflow.yaml`, key by key. The JSON Schema is generated from these types, so their comments are
//! what an editor shows.

use bugle_core::review::Severity;
use bugle_core::tool::{Program, ToolPolicy};
use bugle_core::workflow::TaskUse;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::raw_types::RawType;

/// A workflow that Bugle drives.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("required" = ["version", "steps"]))]
pub(crate) struct RawWorkflow {
    /// The version of this format.
    pub version: u32,
    /// What a run is started with.
    #[serde(default)]
    pub params: IndexMap<String, RawType>,
    /// The steps; a run begins at the first.
    #[serde(default)]
    #[schemars(required)]
    pub steps: IndexMap<String, RawStep>,
}

/// How able a model has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ModelWord {
    /// A quick one will do.
    Small,
    /// The usual one.
    Medium,
    /// The most able one there is.
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
    /// What the step is called.
    pub title: String,
    /// The text: a file such as prompts/extract.md, the text itself, or a list of lines.
    #[serde(rename = "do")]
    pub action: RawText,
    /// A word that groups steps.
    #[serde(default)]
    pub phase: Option<String>,
    /// Who acts; orchestrator unless said otherwise.
    #[serde(default)]
    #[schemars(extend("enum" = ["orchestrator", "developer", "quality-reviewer", "technical-writer", "architect", "debugger", "explore", "general-purpose"]))]
    pub role: Option<String>,
    /// Files under resources/, shown whole below the text.
    #[serde(default)]
    pub resources: Vec<String>,
    /// Shared conventions by name.
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
    /// What must hold of the result beyond the types of its fields.
    #[serde(default)]
    pub check: Vec<RawCheck>,
    /// Evidence that Bugle checks itself.
    #[serde(default)]
    pub expect: Vec<RawEvidence>,
    /// A question for a person.
    #[serde(default)]
    pub ask: Option<RawAsk>,
    /// How Bugle decides the outcome; the first guard that holds wins.
    #[serde(default)]
    pub route: Vec<RawRoute>,
    /// Until when the step is repeated.
    #[serde(default, rename = "loop")]
    pub repeat: Option<RawLoop>,
    /// A review that passes or goes back.
    #[serde(default)]
    pub gate: Option<RawGate>,
    /// The sub-agents that carry the step out.
    #[serde(default)]
    pub dispatch: Option<RawDispatch>,
    /// What the step does with the tasks of the run's plan.
    #[serde(default)]
    pub task: Option<RawTask>,
    /// A step, `end`, or a map of outcomes to them.
    #[serde(default)]
    #[schemars(required)]
    pub next: Option<RawNext>,
    /// Where to go when the agent reports that the step cannot be done.
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

/// Which tools a step may use: all but some, or only some.
/// Beside `deny`, `allow` names programs that may change files from the shell all the same.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawTools {
    /// These may not be used.
    #[serde(default)]
    pub deny: Option<Vec<String>>,
    /// Only these may be used. Beside `deny`: programs that may change files from the shell, such as `git`.
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
                        format!(
                            "`allow` beside `deny` names programs, and `{other}` is not one that Bugle knows"
                        ),
                        "write `allow: [git]`, or leave out one of `deny` and `allow`",
                    )),
                }
            }
            (None, None) => Err((
                "`tools` needs `deny` or `allow`".to_owned(),
                "write `deny`, `allow`, or leave out `tools`",
            )),
        }
    }
}

/// What a step does with the tasks of the run's plan: a word, or several.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub(crate) enum RawTask {
    /// One thing.
    One(TaskWord),
    /// Several things.
    Several(Vec<TaskWord>),
}

impl RawTask {
    /// All that it does.
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

/// One thing that a step does with a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TaskWord {
    /// Entering the step takes the first task that can start.
    Take,
    /// Ending the step closes the run's task as done.
    Done,
    /// Ending the step closes the run's task as left out.
    Skip,
}

/// A condition that a result must meet.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawCheck {
    /// A CEL expression over `result`, `state` and `params`.
    pub that: String,
    /// The condition in one sentence: the step shows it, and a refusal repeats it.
    pub say: String,
}

/// A piece of evidence: an artifact, a command or a plan.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawEvidence {
    /// A pattern for files of the project, made or changed since the step began.
    #[serde(default)]
    pub artifact: Option<String>,
    /// Whether older files count too.
    #[serde(default)]
    pub existing: bool,
    /// A command that must exit 0; run only for a trusted skill.
    #[serde(default)]
    pub command: Option<String>,
    /// How many seconds the command may take.
    #[serde(default)]
    pub timeout: Option<u32>,
    /// The file of a Markdown plan, whose tasks are the run's from then on.
    #[serde(default)]
    pub plan: Option<String>,
}

/// A question for a person.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawAsk {
    /// The question.
    pub question: String,
    /// The answers to choose from; any text if none are given.
    #[serde(default)]
    pub choices: Vec<String>,
    /// Who may answer: `user` (the default; an agent may relay the answer) or `person` (only in a terminal or on the page).
    #[serde(default)]
    pub by: AnswererWord,
}

/// Who may answer a question.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AnswererWord {
    /// The user, in person or relayed by an agent.
    #[default]
    User,
    /// A person in a terminal or on the page.
    Person,
}

/// If a guard holds, the step ends so.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawRoute {
    /// A CEL expression.
    pub when: String,
    /// ok, fail, skip or iterate.
    #[schemars(extend("enum" = ["ok", "fail", "skip", "iterate"]))]
    pub outcome: String,
}

/// Until when a step is repeated.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawLoop {
    /// A CEL expression that ends the loop.
    pub until: String,
    /// How many visits in a row there are at most.
    pub limit: u32,
    /// How the step ends at the limit: ok (unless said otherwise) or fail.
    #[serde(default)]
    pub at_limit: Option<RawAtLimit>,
}

/// How a loop ends at its limit.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RawAtLimit {
    Ok,
    Fail,
}

/// A review that passes or goes back.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawGate {
    /// What is being checked.
    pub name: String,
    /// The step that fixes what the review found.
    pub rework: String,
    /// How many reviews there are before a person decides.
    pub limit: u32,
    /// The lowest severity that sends work back: must, should, or could (the default).
    #[serde(default)]
    pub blocks: Option<RawSeverity>,
}

/// How much a finding matters.
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
    /// Who they are.
    pub role: String,
    /// The workflow of each, a file under agents/; without it, the step's text is the brief.
    #[serde(default)]
    pub workflow: Option<String>,
    /// A CEL expression for a list: one sub-agent for each item. Or `tasks`: one for each task that can start.
    #[serde(default)]
    pub for_each: Option<String>,
    /// The param of the child that gets the item.
    #[serde(default, rename = "as")]
    pub item: Option<String>,
    /// The other params of the child, as CEL expressions.
    #[serde(default)]
    pub with: IndexMap<String, String>,
    /// A CEL expression: whether there is anything to do.
    #[serde(default)]
    pub when: Option<String>,
    /// How many must report; all, if not given.
    #[serde(default)]
    pub quorum: Option<u32>,
    /// How able a model has to be: a hint for starting it.
    #[serde(default)]
    pub model: Option<ModelWord>,
    /// How many sub-agents there are at most.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// Where a step leads.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub(crate) enum RawNext {
    /// One way on, after ok.
    One(String),
    /// By outcome: ok, fail, skip, iterate, default.
    Map(IndexMap<String, String>),
}
