//! The stages of work, and the words that name them in titles and headings.

use serde::{Deserialize, Serialize};

/// What an agent does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Ask a person.
    Ask,
    /// Collect facts.
    Research,
    /// Design or plan the work.
    Plan,
    /// Prepare the workspace.
    SetUp,
    /// Give work to sub-agents.
    Dispatch,
    /// Build the change.
    Implement,
    /// Find the cause of a failure.
    Debug,
    /// Run or write tests and other checks.
    Test,
    /// Judge finished work.
    Review,
    /// Resolve findings or failures.
    Fix,
    /// Write prose.
    Write,
    /// Deliver the work and clean up.
    Finish,
}

enum_text!(Stage {
    Ask = "ask",
    Research = "research",
    Plan = "plan",
    SetUp = "set-up",
    Dispatch = "dispatch",
    Implement = "implement",
    Debug = "debug",
    Test = "test",
    Review = "review",
    Fix = "fix",
    Write = "write",
    Finish = "finish",
});

impl Stage {
    /// The words that name the stage in a section's heading, separated by spaces. A word with a hyphen is a phrase.
    pub(super) fn heading_words(self) -> &'static str {
        match self {
            Self::Ask => {
                "ask question clarify clarification interview brainstorm intent consent preference confirm confirmation \
                 approval approve elicit present-options unclear"
            }
            Self::Research => {
                "research investigate investigation explore exploration gather study analysis analyze analyse \
                 understand understanding discovery discover survey context detect inventory documentation"
            }
            Self::Plan => {
                "plan planning design architecture scope granularity roadmap outline approach spec structure \
                 breakdown decompose decomposition right-sizing"
            }
            Self::SetUp => {
                "setup set-up install installation prerequisite initialize initializing initialise scaffold \
                 configure configuration bootstrap environment workspace worktree isolation prepare preparation \
                 getting-started dependency"
            }
            Self::Dispatch => {
                "dispatch delegate delegation spawn subagent sub-agent orchestrate orchestration assign parallel \
                 agent-prompt agent-task"
            }
            Self::Implement => {
                "implement implementation implementing code coding build green refactor refactoring execute execution \
                 develop core-infrastructure"
            }
            Self::Debug => {
                "debug debugging diagnose diagnosis cause reproduce reproduction hypothesis hypothese hypothesise \
                 hypothesize trace tracing instrument bisect pattern-analysis"
            }
            Self::Test => {
                "test testing verify verification validate validation evaluation eval coverage regression assertion \
                 baseline red qa success-criteria measure measuring"
            }
            Self::Review => {
                "review reviewing reviewer self-review audit critique severity quality inspect grade grading assess \
                 assessment finding findings confidence"
            }
            Self::Fix => {
                "fix fixing fixes rework repair feedback improve improving improvement iterate iteration refinement \
                 response push-back pushback loophole troubleshooting stuck correct correcting address"
            }
            Self::Write => {
                "write writing draft drafting author authoring format style voice frontmatter header metadata wording \
                 output"
            }
            Self::Finish => {
                "finish finishing complete completion merge merging pull-request pr cleanup clean-up handoff hand-over \
                 release package packaging publish deploy deployment ship deliver delivery final closing post-mortem \
                 exit handover wrap-up discard"
            }
        }
    }

    /// The stage's position in a piece of work, for the distance between two stages.
    fn rank(self) -> u8 {
        match self {
            Self::Ask | Self::Research => 0,
            Self::Plan | Self::SetUp => 1,
            Self::Dispatch | Self::Implement | Self::Debug | Self::Write => 2,
            Self::Test | Self::Review | Self::Fix => 3,
            Self::Finish => 4,
        }
    }

    /// Whether instructions for `other` lead away from this stage: they belong to another end of the work.
    pub(super) fn contradicts(self, other: Self) -> bool {
        match (self, other) {
            // Work that is still under review is not finished.
            (Self::Review | Self::Fix, Self::Finish) => true,
            _ => self.rank().abs_diff(other.rank()) > 1,
        }
    }
}

/// The stages that an agent's work is in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkStage {
    /// What the agent does next.
    pub now: Stage,
    /// What follows as part of the same work.
    pub next: Vec<Stage>,
    /// Why.
    pub reason: StageReason,
}

/// Why an agent's work is in a stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum StageReason {
    /// The run's step asks, dispatches, judges or repeats work.
    Step {
        /// The kind of step.
        step: StepKind,
    },
    /// The agent's role.
    Role {
        /// The role.
        role: crate::role::AgentRole,
    },
    /// A word of the task's title.
    Title {
        /// The word.
        word: String,
    },
    /// A word of the step's title.
    StepTitle {
        /// The word.
        word: String,
    },
    /// An open task beside this one that waits for it.
    OpenTask {
        /// The open task's title.
        title: String,
    },
}

/// What kind of step a run is at, as far as it determines the stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepKind {
    /// The step asks the user.
    Asks,
    /// The step sends work to sub-agents.
    Dispatches,
    /// The step is a review.
    Reviews,
    /// The step repeats work that a review sent back.
    Reworks,
}

enum_text!(StepKind {
    Asks = "asks",
    Dispatches = "dispatches",
    Reviews = "reviews",
    Reworks = "reworks",
});
