//! What the supervisor does about an agent: whether to wake it, leave it, restart it after a crash, and when to stop
//! trying. It looks at one agent at a time and takes one action; then it looks again.

use super::{AgentState, AgentStatus, Contact, Reaction};
use crate::id::Timestamp;

/// How often an agent that dies at its work is started again.
pub const MAX_RECOVERIES: u32 = 3;
/// How long the first recovery waits; each one after it waits twice as long.
const FIRST_WAIT_MILLISECONDS: i64 = 2_000;

/// How far a prompt has come on its way to an agent's client. Each step is written down before the next one is taken, so
/// that a supervisor started after a crash neither loses nor repeats it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Delivery {
    /// Its text is made, what it tells counts as read, and no process has it.
    Taken,
    /// A process was started with it; the client has not said that it has it.
    Carried,
    /// The client has it.
    Confirmed,
    /// Its process was asked to end before the client said that it has it. Perhaps it still says so; if not, what it told
    /// is unread again, and comes with the next message.
    Stopped,
    /// The same, because the supervisor ends: what it told comes as soon as there is another one.
    Suspended,
    /// The client could not be started with it; what it told is unread again.
    Failed,
    /// Its process is over; the supervisor has not handled that.
    Exited,
    /// There is nothing left to do about it.
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
    /// What becomes of it when the client says that it has it.
    #[must_use]
    pub fn after_began(self) -> Self {
        match self {
            Self::Carried => Self::Confirmed,
            Self::Stopped | Self::Suspended => Self::Settled,
            other => other,
        }
    }

    /// Whether its process was asked to end before the client had it.
    pub fn is_stopped(self) -> bool {
        matches!(self, Self::Stopped | Self::Suspended)
    }

    /// What becomes of it when its process is over: a client that never had it could not be started with it, unless the
    /// process died before the client could say so.
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

/// The process that an agent's row names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProcessState {
    /// It names none.
    None,
    /// It is there.
    Alive,
    /// It is gone, and has not said how it ended.
    Gone,
}

/// All that decides what is to be done about an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and all combinations occur"
)]
pub struct Situation {
    /// How it stands.
    pub state: AgentState,
    /// How far its last prompt has come, if it had one.
    pub delivery: Option<Delivery>,
    /// Its process.
    pub process: ProcessState,
    /// Whether it was spoken to in a way that wakes, and has not read it; after a prompt that failed, only what came later
    /// counts.
    pub is_called: bool,
    /// Whether its session is open in a client that others look after: there it hears of everything by itself.
    pub is_open_elsewhere: bool,
    /// Whether it is known how to take its session up again.
    pub can_be_resumed: bool,
    /// Whether a run or task of it is open.
    pub has_open_work: bool,
    /// How often it was recovered.
    pub recoveries: u32,
    /// When that, or its end, was.
    pub since: Timestamp,
}

/// What is to be done about an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SupervisorAction {
    /// Nothing.
    Nothing,
    /// Its process is gone without a word: that is written down.
    RecordDeath,
    /// The prompt that is made for it is given to its client.
    Deliver,
    /// A prompt is made of what it has not read, and given to its client.
    Wake,
    /// The agent or user that started it receives a report of how it ended.
    ReportEnd,
    /// It died at work: a prompt is made of what it left, and given to its client in a new session.
    Recover,
    /// The same, but not before this moment.
    RecoverAt(Timestamp),
    /// It crashed too often: the user is notified.
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

/// What is to be done about an agent now.
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
    // A clock that was set back must not make it wait for longer than it was to.
    if now >= due || now < seen.since {
        SupervisorAction::Recover
    } else {
        SupervisorAction::RecoverAt(due)
    }
}

#[cfg(test)]
#[path = "supervision_tests.rs"]
mod tests;
