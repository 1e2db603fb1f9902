//! Decisions of the supervisor: whether to wake an agent, leave it alone, restart it after a crash, and when to stop
//! trying. It handles one agent at a time with one action, then looks again.

use super::{AgentState, AgentStatus, Contact, Reaction};
use crate::id::Timestamp;

/// Maximum number of recoveries of a crashed agent.
pub const MAX_RECOVERIES: u32 = 3;
/// The delay before the first recovery; it doubles with each one.
const FIRST_WAIT_MILLISECONDS: i64 = 2_000;

/// How far a prompt has come on its way to an agent's client. Each stage is recorded before the next one starts, so
/// that a supervisor that restarts after a crash neither loses nor repeats the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Delivery {
    /// Its text exists and its messages are marked as read, but no process has it.
    Taken,
    /// A process was started with it; the client has not confirmed it.
    Carried,
    /// The client has confirmed it.
    Confirmed,
    /// Its process was stopped before the client confirmed it. If no confirmation follows, its messages are marked as
    /// unread and come with the next one.
    Stopped,
    /// Like `Stopped`, because the supervisor shut down: its messages come with the next supervisor.
    Suspended,
    /// The client could not be started with it; its messages are marked as unread.
    Failed,
    /// Its process exited; the supervisor has not handled that yet.
    Exited,
    /// Nothing is left to do.
    Settled,
}

enum_text!(Delivery {
    Taken = "taken",
    Carried = "carried",
    Confirmed = "confirmed",
    Stopped = "stopped",
    Suspended = "suspended",
    Failed = "failed",
    Exited = "exited",
    Settled = "settled",
});

impl Delivery {
    /// The state after the client confirms it.
    #[must_use]
    pub fn after_began(self) -> Self {
        match self {
            Self::Carried => Self::Confirmed,
            Self::Stopped | Self::Suspended => Self::Settled,
            other => other,
        }
    }

    /// Whether its process was stopped before the client confirmed it.
    pub fn is_stopped(self) -> bool {
        matches!(self, Self::Stopped | Self::Suspended)
    }

    /// The state after its process exits. A client that never confirmed it could not be started with it, unless the
    /// process died before it could confirm.
    #[must_use]
    pub fn after_exit(self, died: bool) -> Self {
        match self {
            Self::Carried if died => Self::Taken,
            Self::Carried => Self::Failed,
            Self::Confirmed => Self::Exited,
            Self::Stopped | Self::Suspended => Self::Settled,
            other => other,
        }
    }
}

/// The process of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProcessState {
    /// It has none.
    None,
    /// It is running.
    Alive,
    /// It is gone without an exit status.
    Gone,
}

/// The facts on which the supervisor's decision depends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an independent fact, and all combinations occur"
)]
pub struct Situation {
    /// Its state.
    pub state: AgentState,
    /// The state of its last prompt, if any.
    pub delivery: Option<Delivery>,
    /// Its process.
    pub process: ProcessState,
    /// Whether it has unread messages that wake it. After a failed prompt, only later messages count.
    pub is_called: bool,
    /// Whether its session is open in a client that Bugle does not supervise. There it receives messages by itself.
    pub is_open_elsewhere: bool,
    /// Whether its session can be resumed.
    pub can_be_resumed: bool,
    /// Whether it has an open run or task.
    pub has_open_work: bool,
    /// The number of its recoveries.
    pub recoveries: u32,
    /// When it was last recovered, or exited.
    pub since: Timestamp,
}

/// The supervisor's next action for an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SupervisorAction {
    /// Nothing.
    Nothing,
    /// Record that its process died without an exit status.
    RecordDeath,
    /// Deliver the prepared prompt to its client.
    Deliver,
    /// Prepare a prompt from its unread messages, and deliver it.
    Wake,
    /// Report its end to the agent or user that started it.
    ReportEnd,
    /// It crashed while working: deliver a prompt with its unfinished work in a new session.
    Recover,
    /// Recover it, but not before this time.
    RecoverAt(Timestamp),
    /// Notify the user: it crashed too often.
    AbandonRecovery,
}

/// A fact about an agent that takes a query. It is looked up only if the next action depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostlyFact {
    /// [`Situation::is_open_elsewhere`].
    IsOpenElsewhere,
    /// [`Situation::has_open_work`].
    HasOpenWork,
}

/// The costly fact that the next action of an agent depends on, whatever the situation says about it.
pub fn decisive_fact(seen: &Situation) -> Option<CostlyFact> {
    match (seen.process, seen.delivery) {
        (ProcessState::Gone | ProcessState::Alive, _) | (ProcessState::None, Some(Delivery::Taken)) => None,
        (ProcessState::None, Some(Delivery::Exited)) => {
            (seen.state.status == AgentStatus::Failed).then_some(CostlyFact::HasOpenWork)
        }
        (ProcessState::None, _) => may_wake(seen).then_some(CostlyFact::IsOpenElsewhere),
    }
}

/// The next action for an agent.
pub fn next_action(seen: &Situation, now: Timestamp) -> SupervisorAction {
    match (seen.process, seen.delivery) {
        (ProcessState::Gone, _) => return SupervisorAction::RecordDeath,
        (ProcessState::Alive, _) => return SupervisorAction::Nothing,
        (ProcessState::None, Some(Delivery::Taken)) => return SupervisorAction::Deliver,
        (ProcessState::None, Some(Delivery::Exited)) => return after_exit(seen, now),
        (ProcessState::None, _) => {}
    }
    if may_wake(seen) && !seen.is_open_elsewhere {
        SupervisorAction::Wake
    } else {
        SupervisorAction::Nothing
    }
}

/// Whether an agent is woken unless its session is open elsewhere.
fn may_wake(seen: &Situation) -> bool {
    seen.is_called
        && seen.can_be_resumed
        && seen.state.status != AgentStatus::Archived
        && seen.state.reaction(Contact::Message) == Reaction::Wake
}

fn after_exit(seen: &Situation, now: Timestamp) -> SupervisorAction {
    if seen.state.status != AgentStatus::Failed || !seen.has_open_work {
        return SupervisorAction::ReportEnd;
    }
    if seen.recoveries >= MAX_RECOVERIES {
        return SupervisorAction::AbandonRecovery;
    }
    let wait = FIRST_WAIT_MILLISECONDS << seen.recoveries;
    let due = Timestamp(seen.since.0.saturating_add(wait));
    // After a clock jump backwards, it must not wait longer than the delay.
    if now >= due || now < seen.since {
        SupervisorAction::Recover
    } else {
        SupervisorAction::RecoverAt(due)
    }
}

#[cfg(test)]
#[path = "supervision_tests.rs"]
mod tests;
