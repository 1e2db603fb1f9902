//! Built-in role defaults and reminders.

use super::skills::{
    BRAINSTORMING, DISPATCHING_PARALLEL_AGENTS, EXECUTING_PLANS, FINISHING_A_DEVELOPMENT_BRANCH,
    RECEIVING_CODE_REVIEW, REQUESTING_CODE_REVIEW, SUBAGENT_DRIVEN_DEVELOPMENT, SYSTEMATIC_DEBUGGING,
    TEST_DRIVEN_DEVELOPMENT, USING_GIT_WORKTREES, VERIFICATION_BEFORE_COMPLETION, WRITING_PLANS,
    WRITING_SKILLS,
};
use crate::role::AgentRole;

/// The default skill of each role.
pub(super) const ROLES: &[(AgentRole, &str)] = &[
    (AgentRole::Orchestrator, SUBAGENT_DRIVEN_DEVELOPMENT),
    (AgentRole::Developer, TEST_DRIVEN_DEVELOPMENT),
    (AgentRole::QualityReviewer, REQUESTING_CODE_REVIEW),
    (AgentRole::Architect, BRAINSTORMING),
    (AgentRole::Debugger, SYSTEMATIC_DEBUGGING),
];

/// A reminder's source form.
pub(super) struct Line {
    pub(super) skill: &'static str,
    pub(super) says: &'static str,
    pub(super) words: &'static str,
    pub(super) skills: &'static [&'static str],
    pub(super) roles: &'static [AgentRole],
    pub(super) not_for: &'static [AgentRole],
}

/// Read-only roles, which do not need the rules for changing code.
const ONLY_LOOKING: &[AgentRole] = &[
    AgentRole::QualityReviewer,
    AgentRole::Explore,
    AgentRole::TechnicalWriter,
];

pub(super) const LINES: &[Line] = &[
    Line {
        skill: SYSTEMATIC_DEBUGGING,
        says: "Find the cause of a failure before you change anything.",
        words: "flaky, regression, crash, failing, intermittent, deadlock, race condition, memory leak, broken",
        skills: &[],
        roles: &[AgentRole::Debugger],
        not_for: &[],
    },
    Line {
        skill: TEST_DRIVEN_DEVELOPMENT,
        says: "Write a test and see it fail before you write the code that makes it pass.",
        words: "",
        skills: &[
            SUBAGENT_DRIVEN_DEVELOPMENT,
            EXECUTING_PLANS,
            SYSTEMATIC_DEBUGGING,
            RECEIVING_CODE_REVIEW,
            DISPATCHING_PARALLEL_AGENTS,
            WRITING_PLANS,
        ],
        roles: &[AgentRole::Developer],
        not_for: ONLY_LOOKING,
    },
    Line {
        skill: VERIFICATION_BEFORE_COMPLETION,
        says: "Before you claim something, run the command that proves it, and read its output.",
        words: "",
        skills: &[
            TEST_DRIVEN_DEVELOPMENT,
            SYSTEMATIC_DEBUGGING,
            SUBAGENT_DRIVEN_DEVELOPMENT,
            EXECUTING_PLANS,
            DISPATCHING_PARALLEL_AGENTS,
            RECEIVING_CODE_REVIEW,
            FINISHING_A_DEVELOPMENT_BRANCH,
            USING_GIT_WORKTREES,
            WRITING_SKILLS,
        ],
        roles: &[AgentRole::Developer, AgentRole::Debugger],
        not_for: &[],
    },
    Line {
        skill: REQUESTING_CODE_REVIEW,
        says: "Have another agent review finished work before you build on it.",
        words: "",
        skills: &[
            TEST_DRIVEN_DEVELOPMENT,
            SUBAGENT_DRIVEN_DEVELOPMENT,
            EXECUTING_PLANS,
            FINISHING_A_DEVELOPMENT_BRANCH,
        ],
        roles: &[],
        not_for: ONLY_LOOKING,
    },
    Line {
        skill: SYSTEMATIC_DEBUGGING,
        says: "If something fails unexpectedly, find the cause before you try a fix.",
        words: "",
        skills: &[
            TEST_DRIVEN_DEVELOPMENT,
            VERIFICATION_BEFORE_COMPLETION,
            FINISHING_A_DEVELOPMENT_BRANCH,
        ],
        roles: &[],
        not_for: ONLY_LOOKING,
    },
];
