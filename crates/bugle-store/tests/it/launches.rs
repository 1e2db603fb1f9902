//! What every store promises of prompts on their way to agents.

use bugle_core::agent::HandOver;
use bugle_core::id::{MessageId, Timestamp, WakeupId};
use bugle_core::message::{AgentAddress, MessageKind};
use bugle_store::{LaunchRow, LaunchStore as _, MessageStore, NewMessage, ProjectId, Receiver};

use crate::conformance::Engine;
use crate::story::project;

fn agent(name: &str) -> AgentAddress {
    AgentAddress::new("shop", "main", name).unwrap()
}

fn launch(project: &ProjectId, name: &str, state: HandOver) -> LaunchRow {
    LaunchRow {
        project: project.clone(),
        agent: agent(name),
        model: None,
        arguments: Vec::new(),
        wakeup: None,
        state,
        is_new_session: false,
        told: None,
        changed_at: Timestamp(7),
    }
}

fn said(store: &mut impl MessageStore, project: &ProjectId, number: u32) {
    let id: MessageId = format!("m-{number}").parse().unwrap();
    let to = [Receiver {
        project: project.clone(),
        agent: agent("backend"),
        wakes: true,
    }];
    let message = NewMessage {
        id: &id,
        project,
        sender: &agent("lead"),
        text: "look",
        at: Timestamp(5),
        kind: MessageKind::Say,
        answers: None,
        branch: "main",
        to: &to,
    };
    store.post(&message).unwrap().unwrap();
}

pub(crate) fn a_launch_comes_back_as_it_was_kept<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    assert_eq!(store.launch(&project, &agent("backend")).unwrap(), None);
    let mut kept = launch(&project, "backend", HandOver::Taken);
    for state in HandOver::ALL {
        kept = LaunchRow {
            model: Some("small".to_owned()),
            arguments: vec!["--one".to_owned(), "two \"words\"".to_owned()],
            wakeup: Some(WakeupId::parse("w-1").unwrap()),
            is_new_session: !kept.is_new_session,
            told: Some((2, 5)),
            state,
            ..kept
        };
        store.keep_launch(&kept).unwrap();
        assert_eq!(
            store.launch(&project, &agent("backend")).unwrap(),
            Some(kept.clone())
        );
    }
}

pub(crate) fn only_what_is_on_its_way_or_unseen_is_open<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    for state in HandOver::ALL {
        store
            .keep_launch(&launch(&project, state.as_str(), state))
            .unwrap();
    }
    let open: Vec<HandOver> = store
        .open_launches()
        .unwrap()
        .iter()
        .map(|row| row.state)
        .collect();
    assert_eq!(
        open,
        [
            HandOver::Carried,
            HandOver::Confirmed,
            HandOver::Exited,
            HandOver::Taken
        ]
    );
}

pub(crate) fn what_is_given_back_is_unread_again<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    let backend = agent("backend");
    for number in 1..=4 {
        said(&mut store, &project, number);
    }
    store.take(&project, &backend, 3, Timestamp(8)).unwrap();
    assert_eq!(
        store.give_back(&project, &backend, (1, 3)).unwrap(),
        4,
        "so many there were"
    );
    assert_eq!(store.unread(&project, &backend, 9).unwrap().rows.len(), 3);
    // Whoever has read on is not told the same again.
    store.take(&project, &backend, 4, Timestamp(9)).unwrap();
    store.give_back(&project, &backend, (1, 3)).unwrap();
    assert_eq!(store.unread(&project, &backend, 9).unwrap().rows.len(), 0);
}

pub(crate) fn a_write_of_others_is_a_change<E: Engine>() {
    let engine = E::fresh();
    let (mut store, mut other) = (engine.open(), engine.open());
    let project = project(&mut store);
    let before = other.changes().unwrap();
    assert_eq!(other.changes().unwrap(), before);
    store
        .keep_launch(&launch(&project, "backend", HandOver::Taken))
        .unwrap();
    assert_ne!(other.changes().unwrap(), before);
}
