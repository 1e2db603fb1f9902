//! Stops two agents that keep answering each other without progress. After [`MAX_TURNS`] turns without a person or
//! progress in between, their messages still arrive but do not wake the receiver.

use crate::message::AgentAddress;

/// How often two agents may take turns. A turn is a message after one from the other agent.
pub const MAX_TURNS: u32 = 12;

/// The state of an exchange between two agents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exchange {
    /// The agent that spoke last.
    pub last: Option<AgentAddress>,
    /// The number of turns since a person spoke to one of them or their work made progress.
    pub turns: u32,
}

/// The effect of a message between two agents, besides its delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExchangeEffect {
    /// It wakes the receiver.
    Wakes,
    /// It waits until the receiver wakes for another reason, and the user is notified once.
    WaitsAndNotifiesUser,
    /// It waits until the receiver wakes for another reason.
    Waits,
}

/// Records a message from one of two agents to the other. `got_on` says whether a person spoke to one of them, or
/// their work made progress, since the last message.
pub fn record_message(before: &Exchange, sender: &AgentAddress, got_on: bool) -> (Exchange, ExchangeEffect) {
    let turns = if got_on { 0 } else { before.turns };
    // A second message by the same agent is not a turn.
    let took_turn = before.last.as_ref() != Some(sender);
    let turns = turns.saturating_add(u32::from(took_turn));
    let echo = if turns <= MAX_TURNS {
        ExchangeEffect::Wakes
    } else if turns == MAX_TURNS + 1 && took_turn {
        ExchangeEffect::WaitsAndNotifiesUser
    } else {
        ExchangeEffect::Waits
    };
    let after = Exchange {
        last: Some(sender.clone()),
        turns,
    };
    (after, echo)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn agent(first: bool) -> AgentAddress {
        AgentAddress::new("shop", "main", if first { "ping" } else { "pong" }).unwrap()
    }

    #[test]
    fn a_ping_pong_stops_and_notifies_the_user_once() {
        let mut exchange = Exchange::default();
        let mut echoes = Vec::new();
        for turn in 0..MAX_TURNS + 10 {
            let (after, echo) = record_message(&exchange, &agent(turn % 2 == 0), false);
            exchange = after;
            echoes.push(echo);
        }
        let woke = echoes
            .iter()
            .filter(|echo| **echo == ExchangeEffect::Wakes)
            .count();
        let notified = echoes
            .iter()
            .filter(|echo| **echo == ExchangeEffect::WaitsAndNotifiesUser)
            .count();
        assert_eq!((woke, notified), (MAX_TURNS as usize, 1));
    }

    #[test]
    fn a_person_or_progress_in_between_starts_over() {
        let mut exchange = Exchange::default();
        for turn in 0..MAX_TURNS * 5 {
            let (after, echo) = record_message(&exchange, &agent(turn % 2 == 0), turn % MAX_TURNS == 0);
            exchange = after;
            assert_eq!(echo, ExchangeEffect::Wakes);
        }
    }

    proptest! {
        #[test]
        fn only_a_bounded_number_of_turns_wakes(speakers in proptest::collection::vec(any::<bool>(), 0..200)) {
            let mut exchange = Exchange::default();
            let mut turns_that_woke = 0;
            let mut notified = 0;
            for first in speakers {
                let took_turn = exchange.last.as_ref() != Some(&agent(first));
                let (after, echo) = record_message(&exchange, &agent(first), false);
                exchange = after;
                turns_that_woke += u32::from(took_turn && echo == ExchangeEffect::Wakes);
                notified += u32::from(echo == ExchangeEffect::WaitsAndNotifiesUser);
            }
            prop_assert!(turns_that_woke <= MAX_TURNS);
            prop_assert!(notified <= 1);
        }
    }
}
