//! Notices about a run.

use super::author::Author;
use serde::{Deserialize, Serialize};

use crate::engine::{ChildState, Escalation};
use crate::id::{ChildToken, ContentHash, RunId, VisitNumber};
use crate::name::{SkillAddress, StepId};

/// A notice about a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunNotice {
    /// The run belonged to another session and now belongs to this session.
    TakenOver {
        /// The name of the former owner.
        owner: String,
        /// Whether the owner's session has ended.
        has_ended: bool,
    },
    /// The run belongs to another session.
    HeldElsewhere {
        /// The name of the owner.
        owner: String,
        /// Milliseconds since the owner was last seen.
        idle: i64,
        /// The command that takes the run over.
        take_over: String,
    },
    /// The client has not called a hook since the step began.
    HooksSilent {
        /// The command that checks the client.
        doctor: String,
    },
    /// The user has not trusted the skill's commands yet.
    NeedsTrust {
        /// The skill's commands.
        commands: Vec<String>,
        /// The command that trusts the skill.
        trust: String,
    },
    /// The run's skill is no longer installed.
    SkillUninstalled(SkillAddress),
    /// The run's skill has changed since the run started.
    SkillChanged {
        /// The skill.
        skill: SkillAddress,
        /// The command that upgrades the run.
        upgrade: String,
    },
    /// The run now uses another version of its skill.
    Upgraded {
        /// The run.
        run: RunId,
        /// The hash of the version's exact bytes.
        version: ContentHash,
    },
    /// A note on the current visit.
    Noted {
        /// The author.
        by: Author,
        /// The note.
        text: String,
    },
    /// An earlier attempt of this sub-agent stopped and got an answer.
    Restarted {
        /// Why the attempt stopped.
        kind: Escalation,
        /// The question or problem.
        reason: String,
        /// The answer.
        answer: String,
    },
    /// The user wants one more fix.
    FixWanted {
        /// The user's reason.
        why: String,
    },
    /// A loop reached its limit without meeting its condition.
    LimitReached {
        /// The loop's last step.
        step: StepId,
        /// Number of rounds.
        rounds: u32,
    },
    /// Agents noticed problems outside their steps.
    AlsoFound {
        /// Number of problems.
        count: usize,
        /// The command that makes a task of each problem.
        command: String,
    },
    /// A loop stopped because its last visit returned the same result as the visit before.
    NoProgress {
        /// The loop's step.
        step: StepId,
    },
    /// The agent still has the text of the step's previous visit, so the step shows only what is new.
    OnlyChanges {
        /// The documents that are not repeated.
        documents: Vec<String>,
        /// The command that prints the whole step.
        command: String,
    },
    /// The user answered the previous step and gave a reason.
    Answered {
        /// The previous step.
        step: StepId,
        /// The answer.
        answer: String,
        /// The reason.
        why: String,
    },
    /// The agent could not complete the previous step.
    StepFailed {
        /// The previous step.
        step: StepId,
        /// The agent's reason.
        reason: String,
    },
    /// The files have changed since a reviewer of this step reviewed them.
    ReviewOutdated,
    /// The files have changed since the verdict that led to this step.
    VerdictOutdated,
    /// The files have changed since the latest gate passed.
    VerdictStale {
        /// The gate's visit.
        visit: VisitNumber,
        /// The gate's step.
        step: StepId,
    },
    /// This sub-agent's run ended before its work was done.
    NotDone(ChildState),
    /// A sub-agent of the run.
    Subagent {
        /// The sub-agent's token.
        token: ChildToken,
        /// The sub-agent's run.
        run: RunId,
        /// The sub-agent's state.
        state: ChildState,
    },
    /// The step is a preview, not part of a run.
    Preview,
}
