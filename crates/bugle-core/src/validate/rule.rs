//! The validator's rules, each with a stable code and an explanation, and the problems that they report.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::path::SkillPath;

macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal, $severity:ident;)*) => {
        /// A rule of the validator.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $($(#[doc = $doc])+ $name,)*
        }

        impl Rule {
            /// Every rule.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The stable code.
            pub fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// What is wrong and why it matters, in one or two sentences: the variant's doc comment.
            pub fn explanation(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),+).trim(),)* }
            }

            /// Whether a skill that breaks this rule can still run.
            pub fn severity(self) -> ProblemLevel {
                match self { $(Self::$name => ProblemLevel::$severity,)* }
            }
        }
    };
}

rules! {
    /// Bugle cannot read the file: it is too large, not UTF-8 text, or blocked by the system. A skill with
    /// too many files also breaks this rule.
    UnreadableFile = "unreadable-file", Error;
    /// The YAML does not parse, or a value has the wrong type. Bugle cannot tell what the file means.
    BadYaml = "bad-yaml", Error;
    /// The format has no such key. Bugle rejects unknown keys because a typo would otherwise go unnoticed.
    UnknownKey = "unknown-key", Error;
    /// A map has the same key twice, such as two steps with one id. One of the two values would be lost.
    DuplicateKey = "duplicate-key", Error;
    /// This version of Bugle does not know the file's format version. A newer Bugle may be able to read it.
    UnknownVersion = "unknown-version", Error;
    /// A name has characters or a length that its kind does not allow. Names appear in commands, paths and
    /// guards.
    BadName = "bad-name", Error;
    /// A path or link leads out of the skill's folder, or its name is not portable. A skill may use only its
    /// own files.
    UnsafePath = "unsafe-path", Error;
    /// Two steps have the same id. Transitions and guards could not tell them apart.
    DuplicateStep = "duplicate-step", Error;
    /// The workflow has no steps, so a run has nowhere to start.
    EntryMissing = "entry-missing", Error;
    /// A transition leads to a step that does not exist. A run that takes it would be stuck.
    UnknownTarget = "unknown-target", Error;
    /// No path from the first step reaches this step, so it never runs.
    UnreachableStep = "unreachable-step", Error;
    /// No path from this step reaches `end`. A run that gets here could never finish.
    EndUnreachable = "end-unreachable", Error;
    /// The step's `next` is empty, so a run could never leave the step.
    NoWayOut = "no-way-out", Error;
    /// The step can end with an outcome that `next` does not map. A run with that outcome would be stuck.
    UnmappedOutcome = "unmapped-outcome", Error;
    /// `next` maps an outcome that the step can never have. The entry does nothing and is usually a mistake.
    DeadOutcome = "dead-outcome", Error;
    /// Steps form a cycle without a limit. A run could go around it forever.
    UnboundedCycle = "unbounded-cycle", Error;
    /// A limit or quorum is outside its allowed range. A loop, gate or dispatch needs a limit that can take
    /// effect.
    BadLimit = "bad-limit", Error;
    /// After the rework step, no path leads back to the gate. The reworked result would never be reviewed.
    GateNeverReturns = "gate-never-returns", Error;
    /// Two parts of a step exclude each other, or one needs another that is missing. Bugle could not tell how
    /// the step ends.
    ConflictingParts = "conflicting-parts", Error;
    /// A dispatch names a workflow that is missing or unreadable, so its sub-agents have nothing to follow.
    DispatchMissing = "dispatch-missing", Error;
    /// A dispatch passes params that do not fit the sub-agent's workflow, so the sub-agent could not start.
    DispatchMisfit = "dispatch-misfit", Error;
    /// Workflows dispatch each other in a cycle. Every sub-agent would start another one, without end.
    DispatchRecursion = "dispatch-recursion", Error;
    /// Sub-agents are nested too deeply. Each level adds cost and makes the run harder to follow.
    DispatchTooDeep = "dispatch-too-deep", Error;
    /// The gate's reviewer can finish without returning findings, and the gate decides from findings.
    ReviewWithoutFindings = "review-without-findings", Error;
    /// The gate's reviewer can finish without listing its checks. Later reviews repeat those checks and need
    /// the list.
    ReviewWithoutChecks = "review-without-checks", Warning;
    /// The workflow ignores sub-agents that fail or stop with a question. The run would continue as if they
    /// had succeeded.
    UnheededFailure = "unheeded-failure", Warning;
    /// A param is used but not declared, so it never has a value.
    UndeclaredParam = "undeclared-param", Error;
    /// A param is declared, but no text and no guard uses it. It is usually left over or misspelled
    /// elsewhere.
    UnusedParam = "unused-param", Warning;
    /// A param's type allows no value, or its default does not match its type. The skill could not be started
    /// as declared.
    IllTypedParam = "ill-typed-param", Error;
    /// A result's type allows no value, so no agent could ever finish the step.
    IllTypedResult = "ill-typed-result", Error;
    /// A pattern does not parse, or no text of the allowed length matches it. No value could pass.
    BadPattern = "bad-pattern", Error;
    /// `unique` is set on a list whose items it cannot compare. Bugle could not detect duplicates.
    BadUnique = "bad-unique", Error;
    /// A check has no description or does not read the step's result. The agent could not do anything to pass
    /// it.
    BadCheck = "bad-check", Error;
    /// A check does not match the declared types. It would fail when Bugle evaluates it.
    IllTypedCheck = "ill-typed-check", Error;
    /// A guard does not parse, so Bugle cannot evaluate it.
    BadExpression = "bad-expression", Error;
    /// A guard does not match the declared types. It would fail when Bugle evaluates it.
    IllTypedExpression = "ill-typed-expression", Error;
    /// A step reads a result that some path to it does not produce. The value would be missing on that path.
    ResultUnavailable = "result-unavailable", Error;
    /// A step uses a plan's tasks, but some path to it imports no plan. There would be no tasks on that path.
    PlanUnavailable = "plan-unavailable", Error;
    /// A step uses or closes the run's task, but some path to it takes none. There would be no task on that
    /// path.
    TaskUnavailable = "task-unavailable", Error;
    /// A sub-agent's workflow takes, closes or dispatches tasks. Only the orchestrator's run has a plan and
    /// its tasks.
    TasksOfSubAgent = "tasks-of-sub-agent", Error;
    /// A template does not parse, so Bugle cannot fill it in.
    BadTemplate = "bad-template", Error;
    /// A template uses a name that does not exist there, so Bugle cannot fill it in.
    UnknownName = "unknown-name", Error;
    /// A question shows a value with no punctuation after it. The reader cannot see where the value ends.
    ValuesRunTogether = "values-run-together", Warning;
    /// The step's text is missing or empty, so the agent would not know what to do.
    MissingPrompt = "missing-prompt", Error;
    /// The step names a resource file that does not exist, so Bugle cannot show it.
    MissingResource = "missing-resource", Error;
    /// The step names a convention or section that does not exist, so Bugle cannot show it.
    MissingConvention = "missing-convention", Error;
    /// The file names a role that does not exist, so no sub-agent could get its instructions and tools.
    UnknownRole = "unknown-role", Error;
    /// The step's tool policy names a tool that no client has. The policy would not do what it says.
    UnknownTool = "unknown-tool", Error;
    /// The expected evidence is empty or outside its limits, so Bugle could not verify it.
    BadEvidence = "bad-evidence", Error;
    /// A text mentions a step number or a number of steps. The number becomes wrong when the workflow
    /// changes.
    StepCountInText = "step-count-in-text", Error;
    /// The skill's name differs from its folder's name. The Agent Skills standard requires them to be equal.
    NameMismatch = "name-mismatch", Error;
    /// SKILL.md is missing, or its front matter breaks the Agent Skills standard. Clients may ignore such a
    /// skill.
    BadFrontMatter = "bad-front-matter", Error;
    /// The description is longer than the Agent Skills standard allows. Clients may cut it off or ignore the
    /// skill.
    LongDescription = "long-description", Error;
    /// The description retells the workflow instead of saying when to use the skill. An agent may follow it
    /// and never start the skill.
    RetellingDescription = "retelling-description", Warning;
    /// The step shows more text than clients pass on. The agent would not see the end, which has the command
    /// to continue.
    StepTooLong = "step-too-long", Error;
    /// The step's text is over its budget. Agents skim long texts and miss instructions.
    StepOverBudget = "step-over-budget", Warning;
    /// No step uses this file. It is usually left over, or a step that should name it does not.
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

/// How severe a broken rule is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemLevel {
    /// The skill cannot run.
    Error,
    /// The skill can run, but this is probably a mistake.
    Warning,
}

/// The location of a problem in a skill. Rendering turns it into a line and column.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ProblemLocation {
    /// A key of a YAML file, such as `steps.review.next.ok`, or its nearest parent if the key is absent.
    Key {
        /// The file.
        file: SkillPath,
        /// The keys from the top, joined by dots.
        path: String,
    },
    /// A byte offset in the value of a key.
    Inside {
        /// The file.
        file: SkillPath,
        /// The keys from the top, joined by dots.
        path: String,
        /// The offset from the start of the value.
        offset: usize,
    },
    /// A byte range in a file.
    Bytes {
        /// The file.
        file: SkillPath,
        /// The first byte.
        start: usize,
        /// One past the last byte.
        end: usize,
    },
    /// A file as a whole.
    File(SkillPath),
}

impl ProblemLocation {
    /// The file of the problem.
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
    /// The rule.
    pub rule: Rule,
    /// The location.
    pub place: ProblemLocation,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// What to do about it, in one sentence without a full stop.
    pub fix: String,
}

impl Problem {
    /// Whether the skill cannot run.
    pub fn is_error(&self) -> bool {
        self.rule.severity() == ProblemLevel::Error
    }
}
