//! Skills: in a list, one in detail, and what checking and testing them found.

use serde::Serialize;

use crate::run::Outcome;

/// Skills, those that are hidden by others included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkillList {
    /// The skills by name.
    pub skills: Vec<SkillEntry>,
}

/// A skill in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkillEntry {
    /// What `bugle start` takes.
    pub name: String,
    /// When to use it.
    pub description: String,
    /// Where it comes from: project, user, plugin or built-in.
    pub source: String,
    /// Its folder or file; none for a built-in one.
    pub path: Option<String>,
    /// Whether Bugle drives it.
    pub has_workflow: bool,
    /// Whether its commands may be run; true if it has none.
    pub trusted: bool,
    /// Skills of the same name that it hides, as source and path.
    pub shadows: Vec<String>,
    /// Why it cannot be used, if it cannot.
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
    /// What it takes.
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
    /// What it is called.
    pub name: String,
    /// What it must look like.
    pub expected: String,
    /// Whether a run can start without it.
    pub required: bool,
    /// Its value where none is given.
    pub default: Option<String>,
    /// What it is for.
    pub help: Option<String>,
}

/// A step in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StepSummary {
    /// Its id.
    pub id: String,
    /// What it is called.
    pub title: String,
    /// The group it belongs to.
    pub phase: Option<String>,
    /// Where each outcome leads.
    pub ways: Vec<WayView>,
    /// What is checked about its result.
    pub checks: Vec<StepCheck>,
}

/// A condition that a step's result must meet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StepCheck {
    /// The condition in words.
    pub say: String,
    /// The condition as an expression.
    pub that: String,
}

/// A way on from a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WayView {
    /// The outcome.
    pub outcome: Outcome,
    /// The step, or `end`.
    pub to: String,
}

/// What checking skills found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckReport {
    /// The skills that were checked.
    pub skills: Vec<CheckedSkill>,
    /// How many problems keep a skill from running.
    pub errors: usize,
    /// How many do not.
    pub warnings: usize,
}

/// What checking one skill found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckedSkill {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub path: Option<String>,
    /// What is wrong with it.
    pub problems: Vec<ProblemView>,
}

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProblemView {
    /// The rule's stable code.
    pub code: String,
    /// Whether it keeps the skill from running.
    pub severity: ProblemSeverity,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub fix: String,
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: Option<usize>,
    /// The column, from 1 and in characters.
    pub column: Option<usize>,
    /// The bytes of the file, first and after the last.
    pub span: Option<(usize, usize)>,
    /// The place shown in its text, for people.
    #[serde(skip)]
    pub snippet: String,
}

text_enum! {
    /// How much a problem of a skill weighs.
    ProblemSeverity {
        /// The skill cannot run.
        Error = "error",
        /// The skill can run.
        Warning = "warning",
    }
}

/// What walking every path of some skills found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestReports {
    /// One for each skill.
    pub tests: Vec<TestReport>,
}

/// What walking every path of a skill found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestReport {
    /// The skill.
    pub name: String,
    /// How many situations an agent can find itself in.
    pub situations: usize,
    /// How many ways there are to the end.
    pub endings: usize,
    /// Whether there were more situations than could be looked at.
    pub cut: bool,
    /// The transitions that were taken.
    pub taken: Vec<String>,
    /// The transitions that nothing led to.
    pub missed: Vec<String>,
    /// The longest text of a step, in characters, resources included.
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

/// A version of a skill whose commands may be run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TrustEntry {
    /// The skill's name.
    pub skill: String,
    /// The beginning of the hash of its files.
    pub pin: String,
    /// Who trusts it.
    pub by: String,
    /// Since when, in milliseconds since 1970.
    pub at: i64,
    /// Whether it is trusted because of where it is installed.
    pub is_automatic: bool,
    /// Whether it is the version that is installed here now.
    pub is_current: bool,
}

/// Conventions by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConventionList {
    /// The conventions.
    pub conventions: Vec<ConventionEntry>,
}

/// A convention in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConventionEntry {
    /// What a step calls it.
    pub name: String,
    /// What it governs.
    pub description: String,
    /// Where it comes from: project, user or built-in.
    pub source: String,
    /// The roles it serves.
    pub roles: Vec<String>,
    /// Its sections; a step can ask for one as `name#section`.
    pub sections: Vec<String>,
}

/// A convention, or a section of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConventionDetail {
    /// What was asked for.
    pub name: String,
    /// Where it comes from.
    pub source: String,
    /// The text.
    pub text: String,
}
