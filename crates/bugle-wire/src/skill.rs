//! Skills: a list, one in detail, and the results of checks and tests.

use serde::Serialize;

use crate::run::Outcome;

/// Skills, including hidden ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkillList {
    /// The skills, sorted by name.
    pub skills: Vec<SkillEntry>,
}

/// A skill in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkillEntry {
    /// Its name for `bugle start`.
    pub name: String,
    /// When to use it.
    pub description: String,
    /// Where it comes from: project, user, plugin or built-in.
    pub source: String,
    /// Its folder or file; `None` if it is built in.
    pub path: Option<String>,
    /// Whether it has a workflow.
    pub has_workflow: bool,
    /// Whether its commands may be run; true if it has none.
    pub trusted: bool,
    /// Skills with the same name that it hides, as source and path.
    pub shadows: Vec<String>,
    /// Why it cannot be used.
    pub problem: Option<String>,
}

/// A skill in detail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkillDetail {
    /// The skill.
    pub entry: SkillEntry,
    /// The hash of its exact bytes.
    pub hash: String,
    /// Its license.
    pub license: Option<String>,
    /// Its params.
    pub params: Vec<ParamView>,
    /// Its steps.
    pub steps: Vec<StepSummary>,
    /// The body of its `SKILL.md`.
    pub body: String,
    /// A command that starts it.
    pub command: Option<String>,
}

/// A param.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ParamView {
    /// Its name.
    pub name: String,
    /// Its type.
    pub expected: String,
    /// Whether a run cannot start without it.
    pub required: bool,
    /// Its default value.
    pub default: Option<String>,
    /// What it is for.
    pub help: Option<String>,
}

/// A step in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StepSummary {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its phase.
    pub phase: Option<String>,
    /// Where each outcome leads.
    pub ways: Vec<WayView>,
    /// The checks on its result.
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
    /// How many problems prevent a skill from running.
    pub errors: usize,
    /// How many other problems there are.
    pub warnings: usize,
}

/// One skill's problems.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckedSkill {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub path: Option<String>,
    /// Its problems.
    pub problems: Vec<ProblemView>,
}

/// A problem in a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProblemView {
    /// The rule's stable code.
    pub code: String,
    /// Whether it prevents the skill from running.
    pub severity: ProblemSeverity,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub fix: String,
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: Option<usize>,
    /// The column in characters, from 1.
    pub column: Option<usize>,
    /// The byte range in the file: start and end.
    pub span: Option<(usize, usize)>,
    /// The source line with the problem, for text output.
    #[serde(skip)]
    pub snippet: String,
}

text_enum! {
    /// The severity of a problem.
    ProblemSeverity {
        /// The skill cannot run.
        Error = "error",
        /// The skill can run.
        Warning = "warning",
    }
}

/// The result of `bugle skill test`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestReports {
    /// One for each skill.
    pub tests: Vec<TestReport>,
}

/// The test of one skill: a walk along every path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestReport {
    /// The skill.
    pub name: String,
    /// How many states the walk visited.
    pub situations: usize,
    /// How many of them are final.
    pub endings: usize,
    /// Whether there are more states than the walk visited.
    pub cut: bool,
    /// The transitions that were taken.
    pub taken: Vec<String>,
    /// The transitions that were not reached.
    pub missed: Vec<String>,
    /// The length of the longest step text in characters, including resources.
    pub longest: usize,
    /// What went wrong, one sentence each.
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
    /// The beginning of the hash of the skill's files.
    pub pin: String,
    /// The user who trusts it.
    pub by: String,
    /// When it was trusted, in milliseconds since 1970.
    pub at: i64,
    /// Whether it is trusted because of where it is installed.
    pub is_automatic: bool,
    /// Whether it is the installed version.
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
    /// Its name in a step.
    pub name: String,
    /// What it is about.
    pub description: String,
    /// Where it comes from: project, user or built-in.
    pub source: String,
    /// The roles it is for.
    pub roles: Vec<String>,
    /// Its sections; a step can ask for one as `name#section`.
    pub sections: Vec<String>,
}

/// A convention, or a section of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConventionDetail {
    /// Its name, or the section's name.
    pub name: String,
    /// Where it comes from.
    pub source: String,
    /// The text.
    pub text: String,
}
