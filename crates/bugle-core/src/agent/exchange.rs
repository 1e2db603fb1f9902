//! Two agents that answer each other and get nowhere: a message costs two turns of a model, and nobody is watching. After
//! so many turns without a person or any progress in between, what they say still arrives but wakes nobody.

use crate::message::AgentAddress;

/// How often two agents may take turns, each message after one of the other's.
pub const MOST_TURNS: u32 = 12;

/// What is remembered of two agents that speak to each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exchange {
    /// Who of them spoke last.
    pub last: Option<AgentAddress>,
    /// How often they took turns since a person spoke to one of them or work got on.
    pub turns: u32,
}

/// What a message between two agents does besides arriving.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Echo {
    /// It wakes its receiver.
    Wakes,
    /// It waits until the receiver wakes for another reason; and the person is to be told, because it is the first.
    WaitsAndIsTold,
    /// It waits until the receiver wakes for another reason.
    Waits,
}

/// One of two agents says something to the other. `got_on` says whether a person spoke to one of them, or work of theirs
/// got on, since they last spoke.
pub fn said(before: &Exchange, sender: &AgentAddress, got_on: bool) -> (Exchange, Echo) {
    let turns = if got_on { 0 } else { before.turns };
    // Somebody who goes on speaking takes no turn: nothing answers there.
    let took_turn = before.last.as_ref() != Some(sender);
    let turns = turns.saturating_add(u32::from(took_turn));
    let echo = if turns <= MOST_TURNS {
        Echo::Wakes
    } else if turns == MOST_TURNS + 1 && took_turn {
        Echo::WaitsAndIsTold
    } else {
        Echo::Waits
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
    fn a_ping_pong_stops_and_is_told_once() {
        let mut exchange = Exchange::default();
        let mut echoes = Vec::new();
        for turn in 0..MOST_TURNS + 10 {
            let (after, echo) = said(&exchange, &agent(turn % 2 == 0), false);
            exchange = after;
            echoes.push(echo);
        }
        let woke = echoes.iter().filter(|echo| **echo == Echo::Wakes).count();
        let told = echoes
            .iter()
            .filter(|echo| **echo == Echo::WaitsAndIsTold)
            .count();
        assert_eq!((woke, told), (MOST_TURNS as usize, 1));
    }

    #[test]
    fn a_person_or_progress_in_between_begins_anew() {
        let mut exchange = Exchange::default();
        for turn in 0..MOST_TURNS * 5 {
            let (after, echo) = said(&exchange, &agent(turn % 2 == 0), turn % MOST_TURNS == 0);
            exchange = after;
            assert_eq!(echo, Echo::Wakes);
        }
    }

    proptest! {
        #[test]
        fn however_they_alternate_only_so_many_turns_wake(speakers in proptest::collection::vec(any::<bool>(), 0..200)) {
            let mut exchange = Exchange::default();
            let mut turns_that_woke = 0;
            let mut told = 0;
            for first in speakers {
                let took_turn = exchange.last.as_ref() != Some(&agent(first));
                let (after, echo) = said(&exchange, &agent(first), false);
                exchange = after;
                turns_that_woke += u32::from(took_turn && echo == Echo::Wakes);
                told += u32::from(echo == Echo::WaitsAndIsTold);
            }
            prop_assert!(turns_that_woke <= MOST_TURNS);
            prop_assert!(told <= 1);
        }
    }
}
