//! Prompt deliveries.

use bugle_core::agent::Delivery;
use bugle_core::id::{MessageId, Timestamp, WakeupId};
use bugle_core::message::{AgentAddress, MessageKind};
use bugle_store::{AgentRow, DeliveryRow, MailRange, NewMessage, ProcessId, ProjectId, Receiver, Store};

use crate::conformance::Engine;
use crate::test_run::project;

fn agent(name: &str) -> AgentAddress {
    AgentAddress::new("shop", "main", name).unwrap()
}

fn delivery(project: &ProjectId, name: &str, state: Delivery) -> DeliveryRow {
    DeliveryRow {
        project: project.clone(),
        agent: agent(name),
        model: None,
        arguments: Vec::new(),
        wakeup: None,
        state,
        is_new_session: false,
        mail: None,
        changed_at: Timestamp(7),
    }
}

fn post(store: &mut Store, project: &ProjectId, number: u32) {
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

pub(crate) fn a_delivery_round_trips<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    assert_eq!(store.delivery(&project, &agent("backend")).unwrap(), None);
    let mut kept = delivery(&project, "backend", Delivery::Taken);
    for state in Delivery::ALL {
        kept = DeliveryRow {
            model: Some("small".to_owned()),
            arguments: vec!["--one".to_owned(), "two \"words\"".to_owned()],
            wakeup: Some(WakeupId::parse("w-1").unwrap()),
            is_new_session: !kept.is_new_session,
            mail: Some(MailRange { after: 2, up_to: 5 }),
            state,
            ..kept
        };
        store.keep_delivery(&kept).unwrap();
        assert_eq!(
            store.delivery(&project, &agent("backend")).unwrap(),
            Some(kept.clone())
        );
    }
}

pub(crate) fn only_unfinished_deliveries_are_open<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    for state in Delivery::ALL {
        store
            .keep_delivery(&delivery(&project, state.as_str(), state))
            .unwrap();
    }
    let open: Vec<Delivery> = store
        .open_deliveries()
        .unwrap()
        .iter()
        .map(|row| row.state)
        .collect();
    assert_eq!(
        open,
        [
            Delivery::Carried,
            Delivery::Confirmed,
            Delivery::Exited,
            Delivery::Taken
        ]
    );
}

pub(crate) fn an_agent_with_a_process_a_waking_message_or_an_open_delivery_is_supervised<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    let add = |store: &mut Store, name: &str, process: Option<ProcessId>| {
        let row = AgentRow {
            process,
            ..AgentRow::new(
                project.clone(),
                agent(name),
                "/work/shop".to_owned(),
                Timestamp(7),
            )
        };
        assert!(store.add_agent(&row).unwrap());
        row
    };
    let process = ProcessId { pid: 7, started: 8 };
    let running = add(&mut store, "a-running", Some(process));
    let called = add(&mut store, "backend", None);
    post(&mut store, &project, 1);
    post(&mut store, &project, 2);
    add(&mut store, "idle", None);
    let mut expected = vec![(running, None, 0, None), (called, None, 2, Some(2))];
    for state in Delivery::ALL {
        let name = format!("d-{}", state.as_str());
        let row = add(&mut store, &name, None);
        let own = delivery(&project, &name, state);
        store.keep_delivery(&own).unwrap();
        let is_open = matches!(
            state,
            Delivery::Taken | Delivery::Carried | Delivery::Confirmed | Delivery::Exited
        );
        expected.extend(is_open.then_some((row, Some(own), 0, None)));
    }
    // A finished delivery is returned too if its agent is supervised for another reason.
    let settled = delivery(&project, "backend", Delivery::Settled);
    store.keep_delivery(&settled).unwrap();
    expected[1].1 = Some(settled);
    expected.sort_by_key(|(row, ..)| row.address.to_string());
    let (found, log) = store.log_statements(Store::supervised_agents);
    assert_eq!(log.len(), 1, "{log:#?}");
    let found: Vec<_> = found
        .unwrap()
        .into_iter()
        .map(|row| (row.agent, row.delivery, row.unread, row.called_at))
        .collect();
    assert_eq!(found, expected);
}

pub(crate) fn messages_of_a_failed_delivery_are_unread_again<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    let backend = agent("backend");
    for number in 1..=4 {
        post(&mut store, &project, number);
    }
    store.take(&project, &backend, 3, Timestamp(8)).unwrap();
    assert_eq!(
        store
            .mark_unread(&project, &backend, MailRange { after: 1, up_to: 3 })
            .unwrap(),
        4,
        "the last sequence number in the mailbox"
    );
    assert_eq!(store.unread(&project, &backend, 9).unwrap().rows.len(), 3);
    // Messages stay read if the agent has read later messages since.
    store.take(&project, &backend, 4, Timestamp(9)).unwrap();
    store
        .mark_unread(&project, &backend, MailRange { after: 1, up_to: 3 })
        .unwrap();
    assert_eq!(store.unread(&project, &backend, 9).unwrap().rows.len(), 0);
}

pub(crate) fn a_commit_by_another_connection_changes_the_data_version<E: Engine>() {
    let engine = E::fresh();
    let (mut store, mut other) = (engine.open(), engine.open());
    let project = project(&mut store);
    let before = other.data_version().unwrap();
    assert_eq!(other.data_version().unwrap(), before);
    let own = store.data_version().unwrap();
    store
        .keep_delivery(&delivery(&project, "backend", Delivery::Taken))
        .unwrap();
    assert_ne!(other.data_version().unwrap(), before);
    assert_eq!(
        store.data_version().unwrap(),
        own,
        "its own commit does not count"
    );
    let before = other.data_version().unwrap();
    store.transaction(|store| store.projects().map(drop)).unwrap();
    assert_eq!(
        other.data_version().unwrap(),
        before,
        "a commit without a change does not count"
    );
}
