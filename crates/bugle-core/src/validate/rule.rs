//! The validator's rules, each with a stable code and an explanation, and the problems they report.

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
            /// All rules.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The stable code.
            pub fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// What is wrong and why it matters, in one or two sentences. This is the variant's doc comment.
            pub fn explanation(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),+).trim(),)* }
            }

            /// The severity: whether a skill that breaks this rule can still run.
            pub fn severity(self) -> ProblemLevel {
                match self { $(Self::$name => ProblemLevel::$severity,)* }
            }
        }
    };
}

rules! {
    /// A file is too large, is not UTF-8 text or is not accessible, or the skill has too many files.
    UnreadableFile = "unreadable-file", Error;
    /// The YAML does not parse, or a value has the wrong type, so Bugle cannot read the file.
    BadYaml = "bad-yaml", Error;
    /// The format has no such key. Bugle rejects unknown keys because a typo would otherwise go unnoticed.
    UnknownKey = "unknown-key", Error;
    /// A map has the same key twice, such as two steps with one id. One of the two values would be lost.
    DuplicateKey = "duplicate-key", Error;
    /// This version of Bugle does not know the file's format version. A newer version may be able to read the file.
    UnknownVersion = "unknown-version", Error;
    /// A name is too long or has characters that are not allowed. Names appear in commands, paths and guards.
    BadName = "bad-name", Error;
    /// A path or link leads outside the skill's folder, or a file name is not portable. A skill may use only its own
    /// files.
    UnsafePath = "unsafe-path", Error;
    /// Two steps have the same id, so transitions and guards could not tell them apart.
    DuplicateStep = "duplicate-step", Error;
    /// The workflow has no steps, so a run has nowhere to start.
    EntryMissing = "entry-missing", Error;
    /// A transition leads to a step that does not exist. A run that takes the transition would be stuck.
    UnknownTarget = "unknown-target", Error;
    /// No path from the first step reaches this step, so it never runs.
    UnreachableStep = "unreachable-step", Error;
    /// No path from this step reaches `end`. A run that enters the step could never finish.
    EndUnreachable = "end-unreachable", Error;
    /// The step's `next` is empty, so a run could never leave the step.
    NoWayOut = "no-way-out", Error;
    /// The step can end with an outcome that `next` does not map. A run with that outcome would be stuck.
    UnmappedOutcome = "unmapped-outcome", Error;
    /// `next` maps an outcome that the step can never produce. The entry has no effect and is usually a mistake.
    DeadOutcome = "dead-outcome", Error;
    /// Steps form a cycle without a limit, so a run could loop forever.
    UnboundedCycle = "unbounded-cycle", Error;
    /// A limit or quorum is outside its allowed range.
    BadLimit = "bad-limit", Error;
    /// No path leads from the rework step back to the gate, so reworked results would never be reviewed.
    GateNeverReturns = "gate-never-returns", Error;
    /// Two parts of a step are mutually exclusive, or a part requires another part that is missing. Bugle could not
    /// tell how the step ends.
    ConflictingParts = "conflicting-parts", Error;
    /// A dispatch names a workflow that does not exist, so its sub-agents would have nothing to follow.
    DispatchMissing = "dispatch-missing", Error;
    /// A dispatch passes params that do not match the sub-agent's workflow, so the sub-agent could not start.
    DispatchMisfit = "dispatch-misfit", Error;
    /// Workflows dispatch each other in a cycle, so sub-agents would start sub-agents without end.
    DispatchRecursion = "dispatch-recursion", Error;
    /// Sub-agents are nested too deeply. Each level adds cost and makes the run harder to follow.
    DispatchTooDeep = "dispatch-too-deep", Error;
    /// The gate's reviewer can finish without returning findings, but the gate needs findings to decide.
    ReviewWithoutFindings = "review-without-findings", Error;
    /// The gate's reviewer can finish without listing its checks. Later reviews repeat those checks and need
    /// the list.
    ReviewWithoutChecks = "review-without-checks", Warning;
    /// The workflow ignores sub-agents that fail or stop with a question. The run would continue as if they
    /// had succeeded.
    UnheededFailure = "unheeded-failure", Warning;
    /// A param is used but not declared, so it never has a value.
    UndeclaredParam = "undeclared-param", Error;
    /// A param is declared, but no text or guard uses it. The param is usually a leftover, or its name is misspelled
    /// where it is used.
    UnusedParam = "unused-param", Warning;
    /// A param's type allows no value, or its default does not match its type, so the skill could not start.
    IllTypedParam = "ill-typed-param", Error;
    /// A result's type allows no value, so no agent could finish the step.
    IllTypedResult = "ill-typed-result", Error;
    /// A pattern does not parse, or no string of the allowed length matches it, so no value could pass.
    BadPattern = "bad-pattern", Error;
    /// `unique` is set on a list whose items cannot be compared, so Bugle could not detect duplicates.
    BadUnique = "bad-unique", Error;
    /// A `quote` has no single `place` next to it, so Bugle could not tell which file the quote comes from.
    BadQuote = "bad-quote", Error;
    /// `merge` names a field that is not a list of objects, or a key that cannot identify an item, so Bugle could not
    /// merge a later result into the list.
    BadMerge = "bad-merge", Error;
    /// A check has no description or does not use the step's result, so the agent could not act on it.
    BadCheck = "bad-check", Error;
    /// A check does not match the declared types, so evaluating it would fail.
    IllTypedCheck = "ill-typed-check", Error;
    /// A guard does not parse, so Bugle cannot evaluate it.
    BadExpression = "bad-expression", Error;
    /// A guard does not match the declared types, so evaluating it would fail.
    IllTypedExpression = "ill-typed-expression", Error;
    /// A step reads a result that some path to the step does not produce, so the value could be missing.
    ResultUnavailable = "result-unavailable", Error;
    /// A step uses a plan's tasks, but some path to the step does not import a plan.
    PlanUnavailable = "plan-unavailable", Error;
    /// A step uses or closes the run's task, but some path to the step does not take a task.
    TaskUnavailable = "task-unavailable", Error;
    /// A sub-agent's workflow takes, closes or dispatches tasks, but only the orchestrator's run has a plan and tasks.
    TasksOfSubAgent = "tasks-of-sub-agent", Error;
    /// A template does not parse, so Bugle cannot fill it in.
    BadTemplate = "bad-template", Error;
    /// A template uses a name that is not available to it, so Bugle cannot fill in the template.
    UnknownName = "unknown-name", Error;
    /// A question shows a value without punctuation after it, so the reader cannot see where the value ends.
    ValuesRunTogether = "values-run-together", Warning;
    /// The step's text is missing or empty, so the agent would not know what to do.
    MissingPrompt = "missing-prompt", Error;
    /// The step names a resource file that does not exist, so Bugle cannot show it.
    MissingResource = "missing-resource", Error;
    /// The step names a convention or section that does not exist, so Bugle cannot show it.
    MissingConvention = "missing-convention", Error;
    /// A file names a role that does not exist, so no sub-agent could get the role's instructions and tools.
    UnknownRole = "unknown-role", Error;
    /// The tool policy names a tool that no client has, so the entry would have no effect.
    UnknownTool = "unknown-tool", Error;
    /// An `expect` entry is empty or invalid, so Bugle could not verify the evidence.
    BadEvidence = "bad-evidence", Error;
    /// The skill's text mentions a step number or the number of steps, which becomes wrong when the workflow changes.
    StepCountInText = "step-count-in-text", Error;
    /// The skill's name differs from its folder's name, but the Agent Skills standard requires them to be equal.
    NameMismatch = "name-mismatch", Error;
    /// SKILL.md is missing, or its front matter violates the Agent Skills standard, so clients may ignore the skill.
    BadFrontMatter = "bad-front-matter", Error;
    /// The description is longer than the Agent Skills standard allows, so clients may truncate it or ignore the skill.
    LongDescription = "long-description", Error;
    /// The description summarises the workflow instead of saying when to use the skill. An agent may follow the
    /// description and never start the skill.
    RetellingDescription = "retelling-description", Warning;
    /// The step is longer than the output that clients show to an agent. The agent would not see the last line, which
    /// is the command that continues the run.
    StepTooLong = "step-too-long", Error;
    /// The step's text exceeds its budget. Agents skim long text and miss instructions.
    StepOverBudget = "step-over-budget", Warning;
    /// No step uses this file. The file is usually a leftover, or a step that should use the file does not name it.
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

/// The severity of a broken rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemLevel {
    /// The skill cannot run.
    Error,
    /// The skill can run, but this is probably a mistake.
    Warning,
}

/// A problem's location in a skill. The renderer turns it into a line and column.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ProblemLocation {
    /// A key in a YAML file, such as `steps.review.next.ok`, or its nearest parent if the key is absent.
    Key {
        /// The file.
        file: SkillPath,
        /// The keys from the top, joined by dots.
        path: String,
    },
    /// A byte offset in a key's value.
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
    /// A whole file.
    File(SkillPath),
}

impl ProblemLocation {
    /// The file that has the problem.
    pub fn file(&self) -> &SkillPath {
        match self {
            Self::Key { file, .. }
            | Self::Inside { file, .. }
            | Self::Bytes { file, .. }
            | Self::File(file) => file,
        }
    }

    /// The step that has the problem, if the location is a key in a step.
    pub fn step(&self) -> Option<&str> {
        match self {
            Self::Key { path, .. } | Self::Inside { path, .. } => {
                path.strip_prefix("steps.")?.split('.').next()
            }
            Self::Bytes { .. } | Self::File(_) => None,
        }
    }
}

/// A violation of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The rule.
    pub rule: Rule,
    /// The location.
    pub place: ProblemLocation,
    /// The error, as a fragment without a full stop.
    pub message: String,
    /// The fix, as a fragment without a full stop.
    pub fix: String,
}

impl Problem {
    /// Whether the problem prevents the skill from running.
    pub fn is_error(&self) -> bool {
        self.rule.severity() == ProblemLevel::Error
    }
}
