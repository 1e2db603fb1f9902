//! Stops two agents from answering each other forever. After [`MAX_TURNS`] turns without progress or a person's
//! message, Bugle still delivers their messages but no longer wakes the receiver.

use crate::message::AgentAddress;

/// Maximum number of turns in an exchange. A message counts as a turn if the other agent sent the previous message.
pub const MAX_TURNS: u32 = 12;

/// The state of an exchange between two agents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exchange {
    /// The agent that sent the last message.
    pub last: Option<AgentAddress>,
    /// Turns since a person wrote to either agent or the agents' work made progress.
    pub turns: u32,
}

/// The effect of a message between two agents, besides its delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExchangeEffect {
    /// Wakes the receiver.
    Wakes,
    /// The message waits until the receiver wakes for another reason. The user is notified, once per exchange.
    WaitsAndNotifiesUser,
    /// The message waits until the receiver wakes for another reason.
    Waits,
}

/// Records a message from one of two agents to the other. `progressed` is true if a person wrote to either agent, or
/// their work made progress, since the last message.
pub fn record_message(
    before: &Exchange,
    sender: &AgentAddress,
    progressed: bool,
) -> (Exchange, ExchangeEffect) {
    let turns = if progressed { 0 } else { before.turns };
    // A second message in a row from the same agent is not a turn.
    let took_turn = before.last.as_ref() != Some(sender);
    let turns = turns.saturating_add(u32::from(took_turn));
    let effect = if turns <= MAX_TURNS {
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
    (after, effect)
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
        let mut effects = Vec::new();
        for turn in 0..MAX_TURNS + 10 {
            let (after, effect) = record_message(&exchange, &agent(turn % 2 == 0), false);
            exchange = after;
            effects.push(effect);
        }
        let woke = effects
            .iter()
            .filter(|effect| **effect == ExchangeEffect::Wakes)
            .count();
        let notified = effects
            .iter()
            .filter(|effect| **effect == ExchangeEffect::WaitsAndNotifiesUser)
            .count();
        assert_eq!((woke, notified), (MAX_TURNS as usize, 1));
    }

    #[test]
    fn a_person_or_progress_resets_the_turns() {
        let mut exchange = Exchange::default();
        for turn in 0..MAX_TURNS * 5 {
            let (after, effect) = record_message(&exchange, &agent(turn % 2 == 0), turn % MAX_TURNS == 0);
            exchange = after;
            assert_eq!(effect, ExchangeEffect::Wakes);
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
                let (after, effect) = record_message(&exchange, &agent(first), false);
                exchange = after;
                turns_that_woke += u32::from(took_turn && effect == ExchangeEffect::Wakes);
                notified += u32::from(effect == ExchangeEffect::WaitsAndNotifiesUser);
            }
            prop_assert!(turns_that_woke <= MAX_TURNS);
            prop_assert!(notified <= 1);
        }
    }
}
