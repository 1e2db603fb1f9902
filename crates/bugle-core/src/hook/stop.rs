//! Decides whether an agent may stop.

use super::session::SessionMemory;

/// Maximum number of blocked stops without progress.
pub const MAX_STOPS: u32 = 3;

/// An agent's attempt to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StopAttempt<'a> {
    /// A key for the agent's open work that changes whenever the work progresses; `None` without open work.
    pub stands_at: Option<&'a str>,
    /// The sequence number of the latest unread message that calls the agent, if any.
    pub called_at: Option<u64>,
    /// Whether the client already blocked a stop in this turn.
    pub kept_already: bool,
}

/// The decision about a stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopDecision {
    /// Allow the stop: there is nothing left to do.
    Allow,
    /// Block the stop: the agent must continue.
    Continue,
    /// Allow the stop despite open work or unread messages: the agent was blocked often enough.
    AllowUnfinished,
}

/// Who must act on a run next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pending {
    /// The run's agent, because a step is open.
    Agent,
    /// A person's answer or running sub-agents. The run's agent may stop in the meantime.
    Others,
    /// No agent in particular: the run's agent was released in the middle of a step.
    Nothing,
}

/// The run that blocks the stop, as an index into the agent's runs, latest first. If a later run is waiting for
/// others, no earlier run blocks.
pub fn blocking_run<E>(mut pending: impl Iterator<Item = Result<Pending, E>>) -> Result<Option<usize>, E> {
    let first = pending
        .by_ref()
        .enumerate()
        .find_map(|(number, pending)| match pending {
            Ok(Pending::Nothing) => None,
            Ok(Pending::Agent) => Some(Ok(Some(number))),
            Ok(Pending::Others) => Some(Ok(None)),
            Err(error) => Some(Err(error)),
        });
    first.unwrap_or(Ok(None))
}

/// Decides whether an agent may stop, and records a blocked stop.
pub fn stop(memory: &mut SessionMemory, stopping: &StopAttempt<'_>) -> StopDecision {
    let place = stopping.stands_at.map(str::to_owned);
    if place.is_none() && stopping.called_at.is_none() {
        memory.stops = 0;
        memory.stopped_at = None;
        return StopDecision::Allow;
    }
    // Progress, a new message, or a turn that a person started resets the count. Older messages that did not fit into
    // an earlier prompt do not.
    let got_on = memory.stopped_at.is_some() && memory.stopped_at != place;
    let is_called_again = stopping.called_at > memory.called_at;
    if got_on || is_called_again || !stopping.kept_already {
        memory.stops = 0;
    }
    memory.stopped_at = place;
    memory.called_at = stopping.called_at.max(memory.called_at);
    if memory.stops >= MAX_STOPS {
        return StopDecision::AllowUnfinished;
    }
    memory.stops += 1;
    StopDecision::Continue
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(place: Option<&str>, kept_already: bool) -> StopAttempt<'_> {
        StopAttempt {
            stands_at: place,
            called_at: None,
            kept_already,
        }
    }

    fn called(called_at: u64, kept_already: bool) -> StopAttempt<'static> {
        StopAttempt {
            stands_at: None,
            called_at: Some(called_at),
            kept_already,
        }
    }

    #[test]
    fn a_stop_is_blocked_three_times() {
        let mut memory = SessionMemory::default();
        let mut verdicts = vec![stop(&mut memory, &at(Some("r-1#1"), false))];
        for _ in 0..3 {
            verdicts.push(stop(&mut memory, &at(Some("r-1#1"), true)));
        }
        let kept = StopDecision::Continue;
        assert_eq!(verdicts, [kept, kept, kept, StopDecision::AllowUnfinished]);
    }

    #[test]
    fn progress_resets_the_count() {
        let mut memory = SessionMemory::default();
        for visit in 1..20 {
            let place = format!("r-1#{visit}");
            assert_eq!(
                stop(&mut memory, &at(Some(&place), visit > 1)),
                StopDecision::Continue
            );
        }
    }

    #[test]
    fn an_agent_without_open_work_may_stop() {
        let mut memory = SessionMemory::default();
        assert_eq!(stop(&mut memory, &at(None, false)), StopDecision::Allow);
        assert_eq!(memory, SessionMemory::default());
    }

    #[test]
    fn unread_messages_block_a_stop() {
        let mut memory = SessionMemory::default();
        assert_eq!(stop(&mut memory, &called(7, true)), StopDecision::Continue);
        assert_eq!(stop(&mut memory, &at(None, true)), StopDecision::Allow);
    }

    #[test]
    fn undelivered_messages_block_three_times_and_new_ones_reset_the_count() {
        let mut memory = SessionMemory::default();
        for last in [60, 61] {
            for _ in 0..MAX_STOPS {
                assert_eq!(stop(&mut memory, &called(last, true)), StopDecision::Continue);
            }
            for _ in 0..5 {
                assert_eq!(
                    stop(&mut memory, &called(last, true)),
                    StopDecision::AllowUnfinished
                );
            }
        }
        assert_eq!(
            stop(&mut memory, &called(61, false)),
            StopDecision::Continue,
            "a new turn"
        );
    }

    #[test]
    fn the_latest_open_run_blocks_unless_a_later_one_is_waiting() {
        use Pending::{Agent, Nothing, Others};
        for (pending, kept) in [
            (vec![], None),
            (vec![Agent], Some(0)),
            (vec![Nothing], None),
            (vec![Nothing, Agent], Some(1)),
            (vec![Nothing, Nothing, Agent, Agent], Some(2)),
            (vec![Others, Agent], None),
            (vec![Agent, Others], Some(0)),
            (vec![Nothing, Others, Agent], None),
        ] {
            let found = blocking_run(pending.iter().copied().map(Ok::<_, ()>));
            assert_eq!(found, Ok(kept), "{pending:?}");
        }
    }

    proptest! {
        #[test]
        fn without_progress_a_stop_is_blocked_at_most_three_times(
            before in 0_u32..5,
            tries in 4_usize..20,
        ) {
            let mut memory = SessionMemory { stops: before.min(MAX_STOPS), stopped_at: Some("here".to_owned()), ..SessionMemory::default() };
            let mut kept = 0;
            for _ in 0..tries {
                if stop(&mut memory, &at(Some("here"), true)) == StopDecision::AllowUnfinished {
                    break;
                }
                kept += 1;
            }
            prop_assert!(kept <= MAX_STOPS);
        }
    }
}
