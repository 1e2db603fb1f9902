//! Whether an agent may stop.

use super::session::SessionMemory;

/// How often an agent is kept from stopping without getting on.
pub const MAX_STOPS: u32 = 3;

/// An agent that is about to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StopAttempt<'a> {
    /// Where its work stands, so that getting on can be told; nothing if nothing of it is open.
    pub stands_at: Option<&'a str>,
    /// The place of the last message that calls it and that it has not read; nothing if there is none.
    pub called_at: Option<u64>,
    /// Whether the client says that it was kept from stopping in this turn already.
    pub kept_already: bool,
}

/// What becomes of an agent that is about to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopDecision {
    /// It stops: there is nothing for it to do.
    Allow,
    /// It goes on.
    Continue,
    /// It stops although its work is open or messages wait: it was kept from it often enough.
    AllowUnfinished,
}

/// What a run needs before it goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pending {
    /// Its agent: a step is open.
    Agent,
    /// A person's answer, or sub-agents at work. Its agent must be able to stop for that.
    Others,
    /// Nothing that an agent is kept for: the agent was let go in the middle of its step.
    Nothing,
}

/// Which of an agent's runs keeps it from stopping. They are in order, the latest first. A run that was started on top of
/// another hides that one only while it waits for others.
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

/// Decides whether an agent may stop, and remembers that it was kept from it.
pub fn stop(memory: &mut SessionMemory, stopping: &StopAttempt<'_>) -> StopDecision {
    let place = stopping.stands_at.map(str::to_owned);
    if place.is_none() && stopping.called_at.is_none() {
        memory.stops = 0;
        memory.stopped_at = None;
        return StopDecision::Allow;
    }
    // Getting on, something new that was said, or a turn that a person began, gives it a new chance. Messages that came
    // before and wait for room do not.
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
    fn three_times_and_then_it_is_let_go() {
        let mut memory = SessionMemory::default();
        let mut verdicts = vec![stop(&mut memory, &at(Some("r-1#1"), false))];
        for _ in 0..3 {
            verdicts.push(stop(&mut memory, &at(Some("r-1#1"), true)));
        }
        let kept = StopDecision::Continue;
        assert_eq!(verdicts, [kept, kept, kept, StopDecision::AllowUnfinished]);
    }

    #[test]
    fn getting_on_gives_a_new_chance() {
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
    fn nothing_open_means_nothing_said() {
        let mut memory = SessionMemory::default();
        assert_eq!(stop(&mut memory, &at(None, false)), StopDecision::Allow);
        assert_eq!(memory, SessionMemory::default());
    }

    #[test]
    fn unread_messages_keep_it() {
        let mut memory = SessionMemory::default();
        assert_eq!(stop(&mut memory, &called(7, true)), StopDecision::Continue);
        assert_eq!(stop(&mut memory, &at(None, true)), StopDecision::Allow);
    }

    #[test]
    fn messages_that_wait_keep_it_three_times_and_new_ones_give_a_new_chance() {
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
    fn the_latest_run_with_an_open_step_keeps_it_unless_a_later_one_waits_for_others() {
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
        fn without_progress_no_agent_is_kept_more_than_three_times_in_a_turn(
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
