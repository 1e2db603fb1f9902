//! Tests for `rights`.

use proptest::prelude::*;

use super::*;

const RELAYED: [Action; 14] = [
    Action::Answer,
    Action::DecideGate,
    Action::Pause,
    Action::Cancel,
    Action::Rewind,
    Action::Fork,
    Action::Upgrade,
    Action::RemoveSetup,
    Action::WaiveOrder,
    Action::ChangeProject,
    Action::ChangeTeam,
    Action::ChangeStore,
    Action::SkipTask,
    Action::RemoveTask,
];
const IN_PERSON: [Action; 5] = [
    Action::AnswerInPerson,
    Action::AcceptRisks,
    Action::Trust,
    Action::RevokeTrust,
    Action::WriteAsUser,
];
const AGENT: Caller = Caller::Agent { heard: false };
const RELAY: Caller = Caller::Agent { heard: true };
const SCRIPT: Caller = Caller::Program { on_agents_run: false };
const STRANGER: Caller = Caller::Program { on_agents_run: true };

#[test]
fn each_action_allows_only_the_right_callers() {
    let (input, person) = (
        Right::Refused(MissingAuthority::UserInput),
        Right::Refused(MissingAuthority::Person),
    );
    for action in Action::ALL {
        let expected = if RELAYED.contains(&action) {
            [Right::Own, input, Right::Relayed, Right::Own, person]
        } else if IN_PERSON.contains(&action) {
            [Right::Own, person, person, person, person]
        } else if action == Action::ServePage {
            [Right::Own, person, person, Right::Own, Right::Own]
        } else {
            [Right::Own; 5]
        };
        let callers = [Caller::Person, AGENT, RELAY, SCRIPT, STRANGER];
        assert_eq!(
            callers.map(|caller| right(action, caller)),
            expected,
            "{action:?}"
        );
        assert_eq!(action.is_free(), expected == [Right::Own; 5]);
    }
}

#[test]
fn every_action_is_listed_once() {
    let all: std::collections::HashSet<Action> = Action::ALL.into_iter().collect();
    assert_eq!(all.len(), Action::ALL.len());
}

#[test]
fn only_input_after_the_question_counts() {
    let at = |millis| Some(Timestamp(millis));
    assert!(!is_heard(None, None) && !is_heard(None, at(1)));
    assert!(!is_heard(at(4), at(5)) && is_heard(at(5), at(5)) && is_heard(at(5), None));
}

fn session(name: &str) -> ProcessFacts {
    ProcessFacts {
        session: Some(SessionId(name.to_owned())),
        ..ProcessFacts::default()
    }
}

fn client() -> ProcessFacts {
    ProcessFacts {
        is_client: true,
        ..ProcessFacts::default()
    }
}

#[test]
fn a_client_inside_another_is_nested_but_a_launcher_is_not() {
    let shell = ProcessFacts::default;
    let nested = |chain: Vec<ProcessFacts>| Ancestry::of(chain).is_nested;
    assert!(!nested(vec![session("a"), client(), client(), shell()]));
    assert!(!nested(vec![session("a"), session("a"), client()]));
    assert!(nested(vec![session("a"), client(), session("a"), client()]));
    assert!(nested(vec![session("a"), shell(), session("b")]));
    assert_eq!(Ancestry::of([shell(), shell()]), Ancestry::default());
}

proptest! {
    #[test]
    fn any_parent_process_can_reveal_a_client(before in 0_usize..20, after in 0_usize..20, sign in 0_u8..3) {
        let shown = match sign {
            0 => session("s"),
            1 => client(),
            _ => ProcessFacts { is_marked: true, ..ProcessFacts::default() },
        };
        let mut chain = vec![ProcessFacts::default(); before];
        chain.push(shown);
        chain.extend(vec![ProcessFacts::default(); after]);
        let seen = Ancestry::of(chain);
        prop_assert!(seen.has_client && !seen.is_nested);
    }
}
