//! The supervisor's decisions: when to wake an agent, leave it alone, restart it after a crash, or stop retrying. The
//! supervisor takes one action for one agent, then decides again.

use super::{AgentState, AgentStatus, Contact, Reaction};
use crate::id::Timestamp;

/// Maximum number of recoveries of a crashed agent.
pub const MAX_RECOVERIES: u32 = 3;
/// Delay before the first recovery. The delay doubles with each further recovery.
const FIRST_WAIT_MILLISECONDS: i64 = 2_000;

/// The delivery stage of a prompt. Each stage is recorded before the next one starts, so that a restarted
/// supervisor neither loses nor repeats the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Delivery {
    /// The prompt exists and its messages are marked as read, but no process has received the prompt.
    Taken,
    /// A process was started with the prompt; the client has not confirmed the prompt.
    Carried,
    /// The client has confirmed the prompt.
    Confirmed,
    /// The process was stopped before the client confirmed the prompt. Unless a confirmation still arrives, the
    /// messages are marked as unread and included in the next prompt.
    Stopped,
    /// Like `Stopped`, but because the supervisor shut down. The next supervisor delivers the messages.
    Suspended,
    /// The client could not be started with the prompt; the messages are marked as unread.
    Failed,
    /// The process exited; the supervisor has not handled the exit yet.
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
    /// The stage after the client confirms the prompt.
    #[must_use]
    pub fn after_began(self) -> Self {
        match self {
            Self::Carried => Self::Confirmed,
            Self::Stopped | Self::Suspended => Self::Settled,
            other => other,
        }
    }

    /// Whether the process was stopped before the client confirmed the prompt.
    pub fn is_stopped(self) -> bool {
        matches!(self, Self::Stopped | Self::Suspended)
    }

    /// The stage after the process exits. If the client exits by itself without confirming the prompt, the delivery has
    /// failed. If the process died before the confirmation, the prompt is delivered again.
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

/// An agent's process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProcessState {
    /// There is no process.
    None,
    /// The process is running.
    Alive,
    /// The process is gone and left no exit status.
    Gone,
}

/// The facts that the supervisor's decision depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the fields are independent, and all combinations occur"
)]
pub struct Situation {
    /// The agent's state.
    pub state: AgentState,
    /// The stage of the last prompt, if any.
    pub delivery: Option<Delivery>,
    /// The agent's process.
    pub process: ProcessState,
    /// Whether unread messages should wake the agent. After a failed prompt, only later messages wake it.
    pub is_called: bool,
    /// Whether the session is open in a client that Bugle does not supervise. That client picks up messages by itself.
    pub is_open_elsewhere: bool,
    /// Whether the session can be resumed.
    pub can_be_resumed: bool,
    /// Whether the agent has an open run or task.
    pub has_open_work: bool,
    /// The number of times the agent has been recovered.
    pub recoveries: u32,
    /// The time of the last recovery or exit.
    pub since: Timestamp,
}

/// The supervisor's next action for an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SupervisorAction {
    /// Do nothing.
    Nothing,
    /// Record that the process died without an exit status.
    RecordDeath,
    /// Deliver the prepared prompt to the client.
    Deliver,
    /// Prepare a prompt from the unread messages, and deliver it.
    Wake,
    /// Report the agent's end to the agent or user that started it.
    ReportEnd,
    /// The agent crashed while working: start a new session with a prompt about its unfinished work.
    Recover,
    /// Recover the agent, but not before this time.
    RecoverAt(Timestamp),
    /// Notify the user that the agent crashed too often.
    AbandonRecovery,
}

/// A fact about an agent that requires a query. The caller runs the query only if the next action depends on the fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostlyFact {
    /// [`Situation::is_open_elsewhere`].
    IsOpenElsewhere,
    /// [`Situation::has_open_work`].
    HasOpenWork,
}

/// The costly fact that an agent's next action depends on. The situation's value for this fact is ignored.
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

/// Whether to wake an agent, assuming that its session is not open elsewhere.
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
    // If the clock jumped backwards, the wait must not exceed the delay.
    if now >= due || now < seen.since {
        SupervisorAction::Recover
    } else {
        SupervisorAction::RecoverAt(due)
    }
}

#[cfg(test)]
#[path = "supervision_tests.rs"]
mod tests;
