//! The rules of the validator, each with a stable code, and the problems they report.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::path::SkillPath;

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $severity:ident;)*) => {
        /// A rule of the validator.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $($(#[$doc])* $name,)*
        }

        impl Rule {
            /// Every rule.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The code: stable, and readable without a table.
            pub fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// Whether a skill that breaks it can still be run.
            pub fn severity(self) -> ProblemLevel {
                match self { $(Self::$name => ProblemLevel::$severity,)* }
            }
        }
    };
}

rules! {
    /// The file is too large, not text, or not YAML.
    UnreadableFile = "unreadable-file", Error;
    /// YAML that does not parse, or a value of the wrong kind.
    BadYaml = "bad-yaml", Error;
    /// A key that the format does not have.
    UnknownKey = "unknown-key", Error;
    /// A key that stands twice in one map: a step, a param, an outcome.
    DuplicateKey = "duplicate-key", Error;
    /// A format version that this program does not know.
    UnknownVersion = "unknown-version", Error;
    /// A name that breaks the rules for its kind.
    BadName = "bad-name", Error;
    /// A path that leaves the skill's folder.
    UnsafePath = "unsafe-path", Error;
    /// Two steps with one id.
    DuplicateStep = "duplicate-step", Error;
    /// A workflow without a step to begin at.
    EntryMissing = "entry-missing", Error;
    /// A transition to a step that does not exist.
    UnknownTarget = "unknown-target", Error;
    /// A step that no path visits.
    UnreachableStep = "unreachable-step", Error;
    /// A step from which no path leads to the end.
    EndUnreachable = "end-unreachable", Error;
    /// A step whose `next` is empty.
    NoWayOut = "no-way-out", Error;
    /// An outcome that can happen but leads nowhere.
    UnmappedOutcome = "unmapped-outcome", Error;
    /// An outcome in `next` that can never happen.
    DeadOutcome = "dead-outcome", Error;
    /// A cycle that no limit bounds.
    UnboundedCycle = "unbounded-cycle", Error;
    /// A limit of zero, or one beyond what anyone would watch.
    BadLimit = "bad-limit", Error;
    /// A gate whose rework cannot come back to it.
    GateNeverReturns = "gate-never-returns", Error;
    /// Parts of a step that exclude each other.
    ConflictingParts = "conflicting-parts", Error;
    /// A dispatch whose workflow is missing.
    DispatchMissing = "dispatch-missing", Error;
    /// A dispatch whose `with` does not fit the params of its workflow.
    DispatchMisfit = "dispatch-misfit", Error;
    /// Dispatches that start each other without end.
    DispatchRecursion = "dispatch-recursion", Error;
    /// Sub-agents of sub-agents beyond what anybody could follow.
    DispatchTooDeep = "dispatch-too-deep", Error;
    /// A gate whose reviewer can end without findings.
    ReviewWithoutFindings = "review-without-findings", Error;
    /// A gate whose reviewer can end without saying what it checked.
    ReviewWithoutChecks = "review-without-checks", Warning;
    /// A dispatch after which nothing tells failed sub-agents from finished ones.
    UnheededFailure = "unheeded-failure", Warning;
    /// A param that is used but not declared.
    UndeclaredParam = "undeclared-param", Error;
    /// A param that is declared but not used.
    UnusedParam = "unused-param", Warning;
    /// A type that no value can have, or a default outside its type.
    IllTypedParam = "ill-typed-param", Error;
    /// A result type that no value can have.
    IllTypedResult = "ill-typed-result", Error;
    /// A pattern that does not parse, or that no text of the allowed length matches.
    BadPattern = "bad-pattern", Error;
    /// `unique` on what cannot be told apart.
    BadUnique = "bad-unique", Error;
    /// A check that says nothing, or that is not about a result.
    BadCheck = "bad-check", Error;
    /// A check that does not fit the declared types.
    IllTypedCheck = "ill-typed-check", Error;
    /// A guard that does not parse.
    BadExpression = "bad-expression", Error;
    /// A guard that does not fit the declared types.
    IllTypedExpression = "ill-typed-expression", Error;
    /// A result that no step before this one produces, or not on every path.
    ResultUnavailable = "result-unavailable", Error;
    /// Tasks of a plan where some path brings none.
    PlanUnavailable = "plan-unavailable", Error;
    /// The run's task where some path takes none.
    TaskUnavailable = "task-unavailable", Error;
    /// Tasks of a plan in the workflow of a sub-agent.
    TasksOfSubAgent = "tasks-of-sub-agent", Error;
    /// A template that does not parse.
    BadTemplate = "bad-template", Error;
    /// A template that uses a name it cannot know.
    UnknownName = "unknown-name", Error;
    /// Two values in a question with nothing between them that keeps them apart.
    ValuesRunTogether = "values-run-together", Warning;
    /// A step's text that is missing or empty.
    MissingPrompt = "missing-prompt", Error;
    /// A resource that is missing.
    MissingResource = "missing-resource", Error;
    /// A convention that is missing.
    MissingConvention = "missing-convention", Error;
    /// A role that does not exist.
    UnknownRole = "unknown-role", Error;
    /// A tool that no client has.
    UnknownTool = "unknown-tool", Error;
    /// Evidence that cannot be checked.
    BadEvidence = "bad-evidence", Error;
    /// Text that promises a step number or a number of steps.
    StepCountInText = "step-count-in-text", Error;
    /// A skill whose name is not its folder's.
    NameMismatch = "name-mismatch", Error;
    /// Front matter that breaks the Agent Skills standard.
    BadFrontMatter = "bad-front-matter", Error;
    /// A description over the standard's length.
    LongDescription = "long-description", Error;
    /// A description that retells the workflow instead of saying when to use it.
    RetellingDescription = "retelling-description", Warning;
    /// A step that shows more than clients take in.
    StepTooLong = "step-too-long", Error;
    /// A step's text that is over its budget.
    StepOverBudget = "step-over-budget", Warning;
    /// A file in the folder that nothing uses.
    UnusedFile = "unused-file", Warning;
}

impl Serialize for Rule {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// Whether a broken rule keeps a skill from running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemLevel {
    /// It does.
    Error,
    /// It does not, but it is likely a mistake.
    Warning,
}

/// Where in a skill something stands; turned into a line and column with the file at hand.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ProblemLocation {
    /// A key of a YAML file, such as `steps.review.next.ok`; the nearest parent where the key is absent.
    Key {
        /// The file.
        file: SkillPath,
        /// The keys from the top, with dots between.
        path: String,
    },
    /// Inside the text that stands at a key, so many bytes from its beginning.
    Inside {
        /// The file.
        file: SkillPath,
        /// The keys from the top, with dots between.
        path: String,
        /// How far into the value.
        offset: usize,
    },
    /// Bytes of a file.
    Bytes {
        /// The file.
        file: SkillPath,
        /// From where.
        start: usize,
        /// To where.
        end: usize,
    },
    /// A file as a whole.
    File(SkillPath),
}

impl ProblemLocation {
    /// The file it is in.
    pub fn file(&self) -> &SkillPath {
        match self {
            Self::Key { file, .. }
            | Self::Inside { file, .. }
            | Self::Bytes { file, .. }
            | Self::File(file) => file,
        }
    }
}

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Which rule.
    pub rule: Rule,
    /// Where.
    pub place: ProblemLocation,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// What to do about it, in one sentence without a full stop.
    pub fix: String,
}

impl Problem {
    /// Whether it keeps the skill from running.
    pub fn is_error(&self) -> bool {
        self.rule.severity() == ProblemLevel::Error
    }
}
