//! Tests of agent state: a table of all transitions, and properties.

use AgentStatus::{Archived, Blocked, Busy, Complete, Failed, Idle};

use super::*;

const SIGNALS: [Signal; 15] = [
    Signal::TurnBegan,
    Signal::TurnEnded,
    Signal::SessionEnded { open_work: false },
    Signal::SessionEnded { open_work: true },
    Signal::Asked,
    Signal::Answered,
    Signal::Contacted,
    Signal::Archived,
    Signal::ProcessStarted,
    Signal::ProcessExited {
        clean: true,
        open_work: false,
    },
    Signal::ProcessExited {
        clean: true,
        open_work: true,
    },
    Signal::ProcessExited {
        clean: false,
        open_work: true,
    },
    Signal::Interrupted,
    Signal::Killed,
    Signal::RecoveryAbandoned,
];

/// Whether the three fields are consistent.
fn is_sound(state: AgentState) -> bool {
    let AgentState {
        status,
        asks,
        in_turn,
    } = state;
    match status {
        Busy => in_turn,
        Idle | Complete => !asks && !in_turn,
        Blocked => asks,
        Failed => !in_turn,
        Archived => true,
    }
}

fn everything() -> Vec<AgentState> {
    let mut all = Vec::new();
    for status in AgentStatus::ALL {
        for asks in [false, true] {
            for in_turn in [false, true] {
                all.push(AgentState {
                    status,
                    asks,
                    in_turn,
                });
            }
        }
    }
    all.retain(|state| is_sound(*state));
    all
}

/// Short form of a state: the status, `?` if a question is open, `+` if in a turn.
fn short(state: AgentState) -> String {
    let asks = if state.asks { "?" } else { "" };
    let in_turn = if state.in_turn { "+" } else { "" };
    format!("{}{asks}{in_turn}", state.status.as_str())
}

fn row(state: AgentState) -> String {
    SIGNALS.map(|signal| short(state.after(signal))).join(" ")
}

#[test]
fn every_transition_matches_the_table() {
    // In the same order as SIGNALS.
    let table = [
        (
            "busy+",
            "busy+ idle complete idle blocked?+ busy+ busy+ archived+ busy+ complete idle failed idle failed failed",
        ),
        (
            "busy?+",
            "busy?+ blocked? blocked? blocked? blocked?+ busy+ busy?+ archived?+ busy?+ blocked? blocked? failed? blocked? failed? failed?",
        ),
        (
            "idle",
            "busy+ idle complete idle blocked? idle idle archived busy+ idle idle idle idle idle failed",
        ),
        (
            "blocked?",
            "busy?+ blocked? blocked? blocked? blocked? idle blocked? archived? busy?+ blocked? blocked? blocked? blocked? blocked? failed?",
        ),
        (
            "blocked?+",
            "busy?+ blocked? blocked? blocked? blocked?+ busy+ blocked?+ archived?+ busy?+ blocked? blocked? blocked? blocked? failed? failed?",
        ),
        (
            "complete",
            "busy+ complete complete idle blocked? complete complete archived busy+ complete complete complete complete complete failed",
        ),
        (
            "failed",
            "busy+ failed failed failed blocked? failed failed archived busy+ failed failed failed failed failed failed",
        ),
        (
            "failed?",
            "busy?+ failed? failed? failed? blocked? failed failed? archived? busy?+ failed? failed? failed? failed? failed? failed?",
        ),
        (
            "archived",
            "busy+ archived archived archived blocked? archived idle archived busy+ archived archived archived archived archived archived",
        ),
        (
            "archived+",
            "busy+ archived archived archived blocked?+ archived+ busy+ archived+ busy+ archived archived archived archived archived archived",
        ),
        (
            "archived?",
            "busy?+ archived? archived? archived? blocked? archived blocked? archived? busy?+ archived? archived? archived? archived? archived? archived?",
        ),
        (
            "archived?+",
            "busy?+ archived? archived? archived? blocked?+ archived+ blocked?+ archived?+ busy?+ archived? archived? archived? archived? archived? archived?",
        ),
    ];
    let written: Vec<String> = everything()
        .into_iter()
        .map(|state| format!("{}: {}", short(state), row(state)))
        .collect();
    let mut expected: Vec<String> = table.iter().map(|(from, to)| format!("{from}: {to}")).collect();
    let mut written_sorted = written;
    expected.sort();
    written_sorted.sort();
    assert_eq!(written_sorted, expected);
}

#[test]
fn a_consistent_state_stays_consistent() {
    for state in everything() {
        for signal in SIGNALS {
            assert!(is_sound(state.after(signal)), "{state:?} {signal:?}");
        }
    }
    assert!(is_sound(AgentState::new(true)) && is_sound(AgentState::new(false)));
}

#[test]
fn a_repeated_signal_changes_nothing() {
    for state in everything() {
        for signal in SIGNALS {
            let once = state.after(signal);
            assert_eq!(once.after(signal), once, "{state:?} {signal:?}");
        }
    }
}

#[test]
fn an_exit_changes_only_a_busy_agent() {
    for state in everything().into_iter().filter(|state| state.status != Busy) {
        for signal in SIGNALS {
            if matches!(signal, Signal::ProcessExited { .. }) {
                assert_eq!(state.after(signal).status, state.status);
            }
        }
    }
}

#[test]
fn an_asking_agent_stays_blocked_until_the_answer() {
    let asked = AgentState::new(true).after(Signal::Asked);
    let left = asked
        .after(Signal::TurnEnded)
        .after(Signal::SessionEnded { open_work: false })
        .after(Signal::ProcessExited {
            clean: true,
            open_work: false,
        });
    assert_eq!(left.status, Blocked);
    assert_eq!(left.reaction(Contact::Message), Reaction::WithAnswer);
    assert_eq!(left.reaction(Contact::Answer), Reaction::Wake);
    assert_eq!(left.after(Signal::Answered), AgentState::new(false));
    // During a turn the client picks up the answer by itself.
    assert_eq!(asked.after(Signal::Answered), AgentState::new(true));
}

#[test]
fn an_agent_in_a_turn_is_not_started_again() {
    for state in everything().into_iter().filter(|state| state.in_turn) {
        for contact in [Contact::Message, Contact::Answer, Contact::Prompt] {
            assert_eq!(state.reaction(contact), Reaction::AfterTurn);
        }
    }
    for status in [Idle, Complete, Failed] {
        let state = AgentState {
            status,
            asks: false,
            in_turn: false,
        };
        assert_eq!(state.reaction(Contact::Message), Reaction::Wake);
    }
}

#[test]
fn every_status_parses() {
    for status in AgentStatus::ALL {
        assert_eq!(status.as_str().parse(), Ok(status));
    }
    assert_eq!("finishing".parse::<AgentStatus>(), Err(()));
}
