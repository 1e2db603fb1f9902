//! Skills: a list, one skill in detail, and the results of checks and tests.

use super::author::Author;
use crate::id::Timestamp;
use crate::outcome::Outcome;
use serde::Serialize;

/// Skills, including hidden ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkillList {
    /// The skills, sorted by name.
    pub skills: Vec<SkillEntry>,
}

/// A skill in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkillEntry {
    /// The skill's name for `bugle start`.
    pub name: String,
    /// When to use the skill.
    pub description: String,
    /// Where the skill comes from: project, user, plugin or built-in.
    pub source: String,
    /// The skill's folder or file; `None` for a built-in skill.
    pub path: Option<String>,
    /// Whether the skill has a workflow.
    pub has_workflow: bool,
    /// Whether Bugle may run the skill's commands; true if the skill has none.
    pub trusted: bool,
    /// Hidden skills with the same name, as source and path.
    pub shadows: Vec<String>,
    /// Why the skill cannot be used.
    pub problem: Option<String>,
}

/// A skill in detail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkillDetail {
    /// The skill.
    pub entry: SkillEntry,
    /// The hash of the skill's exact bytes.
    pub hash: String,
    /// The skill's licence.
    pub license: Option<String>,
    /// The skill's params.
    pub params: Vec<ParamView>,
    /// The skill's steps.
    pub steps: Vec<StepSummary>,
    /// The body of the skill's `SKILL.md`.
    pub body: String,
    /// A command that starts the skill.
    pub command: Option<String>,
}

/// A param.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ParamView {
    /// The param's name.
    pub name: String,
    /// The param's type.
    pub expected: String,
    /// Whether a run cannot start without the param.
    pub required: bool,
    /// The param's default value.
    pub default: Option<String>,
    /// The param's purpose.
    pub help: Option<String>,
}

/// A step in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StepSummary {
    /// The step's id.
    pub id: String,
    /// The step's title.
    pub title: String,
    /// The step's phase.
    pub phase: Option<String>,
    /// Where each outcome leads.
    pub ways: Vec<WayView>,
    /// Whether the step asks the user a question.
    pub asks_user: bool,
    /// The checks on the step's result.
    pub checks: Vec<StepCheck>,
}

/// A condition that a step's result must meet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StepCheck {
    /// The condition as a sentence.
    pub say: String,
    /// The condition as an expression.
    pub that: String,
}

/// A transition from a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WayView {
    /// The outcome.
    pub outcome: Outcome,
    /// The step, or `end`.
    pub to: String,
}

/// The result of `bugle skill check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckReport {
    /// The skills that were checked.
    pub skills: Vec<CheckedSkill>,
    /// Number of problems that prevent a skill from running.
    pub errors: usize,
    /// Number of other problems.
    pub warnings: usize,
}

/// One skill's problems.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckedSkill {
    /// The skill's name.
    pub name: String,
    /// The skill's folder.
    pub path: Option<String>,
    /// The skill's problems.
    pub problems: Vec<ProblemView>,
    /// The command that trusts the skill, if the skill runs commands and is not trusted yet.
    pub trust: Option<String>,
}

/// A problem in a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProblemView {
    /// The rule's stable code.
    pub code: String,
    /// Whether the problem prevents the skill from running.
    pub severity: ProblemSeverity,
    /// The error message.
    pub message: String,
    /// How to fix the problem.
    pub fix: String,
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: Option<usize>,
    /// The 1-based column, in characters.
    pub column: Option<usize>,
    /// The byte range in the file: start and end.
    pub span: Option<(usize, usize)>,
    /// The source line with the problem, for text output.
    pub snippet: String,
}

/// The severity of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemSeverity {
    /// The skill cannot run.
    Error,
    /// The skill can run.
    Warning,
}

/// The result of `bugle skill test`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestReports {
    /// One report per skill.
    pub tests: Vec<TestReport>,
}

/// The test of one skill: a walk along every path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestReport {
    /// The skill.
    pub name: String,
    /// Number of states that the walk visited.
    pub situations: usize,
    /// Number of visited final states.
    pub endings: usize,
    /// Whether the walk stopped before it visited all states.
    pub cut: bool,
    /// The transitions that were taken.
    pub taken: Vec<String>,
    /// The transitions that were not reached, except those explained by a failure.
    pub missed: Vec<String>,
    /// The length of the longest step text in characters, including resources.
    pub longest: usize,
    /// The failures, each with its fix if there is one.
    pub failures: Vec<String>,
}

/// Trusted skills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TrustList {
    /// One entry per version, by name.
    pub trusted: Vec<TrustEntry>,
}

/// A version of a skill whose commands may run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TrustEntry {
    /// The skill's name.
    pub skill: String,
    /// A prefix of the hash of the skill's files.
    pub pin: String,
    /// The user who trusts the version.
    pub by: Author,
    /// The person who trusts the version, as recorded by the server of a shared store.
    pub person: Option<String>,
    /// When the version was trusted.
    pub at: Timestamp,
    /// Whether the version is trusted because of its location.
    pub is_automatic: bool,
    /// Whether this is the installed version.
    pub is_current: bool,
}

/// Conventions, sorted by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConventionList {
    /// The conventions.
    pub conventions: Vec<ConventionEntry>,
}

/// A convention in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConventionEntry {
    /// The convention's name in a step.
    pub name: String,
    /// The convention's topic.
    pub description: String,
    /// Where the convention comes from: project, user or built-in.
    pub source: String,
    /// The roles that the convention is for.
    pub roles: Vec<String>,
    /// The convention's sections; a step can ask for a single section as `name#section`.
    pub sections: Vec<String>,
}

/// A convention, or a section of a convention.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConventionDetail {
    /// The name of the convention or section.
    pub name: String,
    /// The source of the convention.
    pub source: String,
    /// The text.
    pub text: String,
}
