//! Tests of the supervisor's decisions.

use super::*;

const NOW: Timestamp = Timestamp(1_000_000);

/// An idle agent with nothing to do.
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

/// An agent that died a moment ago while working.
fn lost() -> Situation {
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
fn only_an_idle_agent_with_messages_is_woken() {
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
fn a_prepared_prompt_is_delivered_before_another_is_prepared() {
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
fn a_running_process_is_left_alone_and_a_vanished_one_is_recorded() {
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
fn a_crashed_agent_is_recovered_three_times_with_growing_delays() {
    let mut waits = Vec::new();
    for recoveries in 0..MAX_RECOVERIES {
        let seen = Situation { recoveries, ..lost() };
        let SupervisorAction::RecoverAt(due) = next_action(&seen, NOW) else {
            panic!("{seen:?}");
        };
        assert_eq!(next_action(&seen, due), SupervisorAction::Recover);
        waits.push(due.0 - NOW.0);
    }
    assert!(waits.is_sorted_by(|one, next| next > one), "{waits:?}");
    let seen = Situation {
        recoveries: MAX_RECOVERIES,
        ..lost()
    };
    assert_eq!(next_action(&seen, NOW), SupervisorAction::AbandonRecovery);
}

#[test]
fn a_clock_that_jumps_back_delays_nothing() {
    assert_eq!(next_action(&lost(), Timestamp(0)), SupervisorAction::Recover);
}

#[test]
fn a_crash_without_open_work_and_a_clean_exit_are_reported() {
    let nothing_open = Situation {
        has_open_work: false,
        ..lost()
    };
    let well = Situation {
        state: AgentState::new(false),
        ..lost()
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
fn only_an_unconfirmed_prompt_is_delivered_again() {
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
        assert_eq!(
            stopped.after_began(),
            Delivery::Settled,
            "the client has the prompt"
        );
        assert_eq!(stopped.after_exit(false), Delivery::Settled);
        assert_eq!(stopped.after_exit(true), Delivery::Settled);
    }
    assert_eq!("done".parse::<Delivery>(), Err(()));
}
