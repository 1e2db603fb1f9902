//! Tests of the supervisor's decisions.

use super::*;

const NOW: Timestamp = Timestamp(1_000_000);

/// Idle, with nothing to do.
fn idle() -> Situation {
    Situation {
        state: AgentState::new(false),
        delivery: None,
        process: ProcessState::None,
        is_called: false,
        is_open_elsewhere: false,
        can_be_resumed: true,
        has_open_work: false,
        recoveries: 0,
        since: NOW,
    }
}

/// Died at work a moment ago.
fn dead() -> Situation {
    Situation {
        state: AgentState {
            status: AgentStatus::Failed,
            asks: false,
            in_turn: false,
        },
        delivery: Some(Delivery::Exited),
        has_open_work: true,
        ..idle()
    }
}

#[test]
fn only_an_idle_agent_that_is_called_is_woken() {
    assert_eq!(next_action(&idle(), NOW), SupervisorAction::Nothing);
    let called = Situation {
        is_called: true,
        ..idle()
    };
    assert_eq!(next_action(&called, NOW), SupervisorAction::Wake);
    let busy = AgentState::new(true);
    let asks = AgentState {
        status: AgentStatus::Blocked,
        asks: true,
        in_turn: false,
    };
    let others = [
        Situation {
            state: busy,
            ..called
        },
        Situation {
            state: asks,
            ..called
        },
        Situation {
            is_open_elsewhere: true,
            ..called
        },
        Situation {
            can_be_resumed: false,
            ..called
        },
        Situation {
            process: ProcessState::Alive,
            ..called
        },
    ];
    for other in others {
        assert_eq!(next_action(&other, NOW), SupervisorAction::Nothing, "{other:?}");
    }
}

#[test]
fn what_was_made_is_sent_before_anything_else_is_made() {
    for is_called in [false, true] {
        let taken = Situation {
            delivery: Some(Delivery::Taken),
            is_called,
            ..idle()
        };
        assert_eq!(next_action(&taken, NOW), SupervisorAction::Deliver);
    }
}

#[test]
fn a_process_that_is_there_is_let_be_and_one_that_is_gone_is_buried() {
    for delivery in Delivery::ALL {
        for (process, wanted) in [
            (ProcessState::Alive, SupervisorAction::Nothing),
            (ProcessState::Gone, SupervisorAction::RecordDeath),
        ] {
            let seen = Situation {
                delivery: Some(delivery),
                process,
                is_called: true,
                ..idle()
            };
            assert_eq!(next_action(&seen, NOW), wanted);
        }
    }
}

#[test]
fn a_crashed_agent_is_recovered_three_times_and_ever_later() {
    let mut waits = Vec::new();
    for recoveries in 0..MAX_RECOVERIES {
        let seen = Situation { recoveries, ..dead() };
        let SupervisorAction::RecoverAt(due) = next_action(&seen, NOW) else {
            panic!("{seen:?}");
        };
        assert_eq!(next_action(&seen, due), SupervisorAction::Recover);
        waits.push(due.0 - NOW.0);
    }
    assert!(waits.is_sorted_by(|one, next| next > one), "{waits:?}");
    let seen = Situation {
        recoveries: MAX_RECOVERIES,
        ..dead()
    };
    assert_eq!(next_action(&seen, NOW), SupervisorAction::AbandonRecovery);
}

#[test]
fn a_clock_that_jumps_back_delays_nothing() {
    assert_eq!(next_action(&dead(), Timestamp(0)), SupervisorAction::Recover);
}

#[test]
fn an_agent_that_died_with_nothing_open_or_ended_well_is_reported() {
    let nothing_open = Situation {
        has_open_work: false,
        ..dead()
    };
    let well = Situation {
        state: AgentState::new(false),
        ..dead()
    };
    for seen in [nothing_open, well] {
        assert_eq!(next_action(&seen, NOW), SupervisorAction::ReportEnd);
    }
}

#[test]
fn a_costly_fact_that_is_not_decisive_changes_nothing() {
    let processes = [ProcessState::None, ProcessState::Alive, ProcessState::Gone];
    let deliveries = Delivery::ALL.into_iter().map(Some).chain([None]);
    for (process, delivery) in deliveries.flat_map(|delivery| processes.map(|process| (process, delivery))) {
        for status in AgentStatus::ALL {
            for (is_called, can_be_resumed) in [(false, true), (true, false), (true, true)] {
                let seen = Situation {
                    state: AgentState {
                        status,
                        ..AgentState::new(false)
                    },
                    process,
                    delivery,
                    is_called,
                    can_be_resumed,
                    ..idle()
                };
                let fact = decisive_fact(&seen);
                let action = next_action(&seen, NOW);
                let elsewhere = Situation {
                    is_open_elsewhere: true,
                    ..seen
                };
                let at_work = Situation {
                    has_open_work: true,
                    ..seen
                };
                assert_eq!(
                    next_action(&elsewhere, NOW) != action,
                    fact == Some(CostlyFact::IsOpenElsewhere),
                    "{seen:?}"
                );
                assert_eq!(
                    next_action(&at_work, NOW) != action,
                    fact == Some(CostlyFact::HasOpenWork),
                    "{seen:?}"
                );
            }
        }
    }
}

#[test]
fn only_what_the_client_never_had_goes_out_again() {
    for state in Delivery::ALL {
        assert_eq!(state.as_str().parse(), Ok(state));
        let again = state.after_exit(true) == Delivery::Taken;
        assert_eq!(again, matches!(state, Delivery::Carried | Delivery::Taken));
    }
    assert_eq!(Delivery::Carried.after_exit(false), Delivery::Failed);
    assert_eq!(Delivery::Confirmed.after_exit(true), Delivery::Exited);
    assert_eq!(Delivery::Carried.after_began(), Delivery::Confirmed);
    for stopped in [Delivery::Stopped, Delivery::Suspended] {
        assert!(stopped.is_stopped());
        assert_eq!(stopped.after_began(), Delivery::Settled, "it has it");
        assert_eq!(stopped.after_exit(false), Delivery::Settled);
        assert_eq!(stopped.after_exit(true), Delivery::Settled);
    }
    assert_eq!("done".parse::<Delivery>(), Err(()));
}
