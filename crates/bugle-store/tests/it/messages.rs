//! Messages and mailboxes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use bugle_core::id::{MessageId, Timestamp};
use bugle_core::message::{AgentAddress, MessageKind};
use bugle_store::{MessageFilter, MessageRow, NewMessage, ProjectId, Receiver, Store, StoreError, UnreadRow};

use crate::conformance::Engine;
use crate::test_run::project;

pub(crate) fn agent(name: &str) -> AgentAddress {
    AgentAddress::new("shop", "main", name).unwrap()
}

pub(crate) fn post(store: &mut Store, project: &ProjectId, id: &str, from: &str, to: &[&str]) -> MessageRow {
    post_to(
        store,
        project,
        id,
        from,
        &to.iter()
            .map(|to| receiver(project, agent(to)))
            .collect::<Vec<_>>(),
    )
    .unwrap()
}

fn post_to(
    store: &mut Store,
    project: &ProjectId,
    id: &str,
    from: &str,
    to: &[Receiver],
) -> Option<MessageRow> {
    let message = NewMessage {
        id: &id.parse().unwrap(),
        project,
        sender: &agent(from),
        text: &format!("{id} größe 🎺"),
        at: Timestamp(5),
        kind: MessageKind::Say,
        answers: None,
        branch: "main",
        to,
    };
    store.post(&message).unwrap()
}

fn receiver(project: &ProjectId, agent: AgentAddress) -> Receiver {
    Receiver {
        project: project.clone(),
        agent,
        wakes: true,
    }
}

fn ids<'a>(rows: impl IntoIterator<Item = &'a MessageRow>) -> Vec<&'a str> {
    rows.into_iter().map(|row| row.id.as_str()).collect()
}

fn unread_ids(rows: &[UnreadRow]) -> Vec<&str> {
    ids(rows.iter().map(|row| &row.message))
}

pub(crate) fn branches_with_messages_are_listed<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    assert_eq!(store.branches(&project).unwrap(), [""; 0]);
    for (number, branch) in ["main", "-", "feature/größe", "main"].iter().enumerate() {
        let message = NewMessage {
            id: &format!("m-{number}").parse().unwrap(),
            project: &project,
            sender: &agent("lead"),
            text: "hello",
            at: Timestamp(5),
            kind: MessageKind::Say,
            answers: None,
            branch,
            to: &[],
        };
        store.post(&message).unwrap().unwrap();
    }
    assert_eq!(store.branches(&project).unwrap(), ["-", "feature/größe", "main"]);
}

pub(crate) fn messages_are_listed_in_posting_order<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    // All messages have the same time, and their ids sort differently.
    let created: Vec<MessageRow> = ["m-c", "m-a", "m-b"]
        .iter()
        .map(|id| post(&mut store, &project, id, "lead", &["backend"]))
        .collect();
    assert_eq!(created.iter().map(|row| row.seq).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(created[0].to, [agent("backend")]);
    assert_eq!(created[0].text, "m-c größe 🎺");
    let all = MessageFilter {
        last: 10,
        ..MessageFilter::default()
    };
    assert_eq!(engine.open().messages(&project, &all).unwrap(), created);
}

pub(crate) fn a_limit_selects_the_last_messages<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    for number in 0..20 {
        let (from, to) = if number % 2 == 0 {
            ("lead", "backend")
        } else {
            ("backend", "lead")
        };
        post(&mut store, &project, &format!("m-{number}"), from, &[to]);
    }
    let (lead, backend, silent) = (agent("lead"), agent("backend"), agent("nobody"));
    let mut found = |to: Option<&AgentAddress>, from: Option<&AgentAddress>| {
        let rows = store
            .messages(
                &project,
                &MessageFilter {
                    to,
                    from,
                    last: 3,
                    ..MessageFilter::default()
                },
            )
            .unwrap();
        ids(&rows).join(" ")
    };
    assert_eq!(found(None, None), "m-17 m-18 m-19");
    assert_eq!(found(None, Some(&lead)), "m-14 m-16 m-18");
    assert_eq!(found(Some(&lead), None), "m-15 m-17 m-19");
    assert_eq!(found(Some(&lead), Some(&backend)), "m-15 m-17 m-19");
    assert_eq!(found(Some(&lead), Some(&lead)), "");
    assert_eq!(found(Some(&silent), None), "");
}

pub(crate) fn a_message_is_read_by_each_receiver_separately<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    for id in ["m-c", "m-a", "m-b"] {
        post(&mut store, &project, id, "lead", &["backend", "docs"]);
    }
    let (backend, docs) = (agent("backend"), agent("docs"));
    let unread = store.unread(&project, &backend, 2).unwrap();
    assert_eq!((unread_ids(&unread.rows), unread.more), (vec!["m-c", "m-a"], 1));
    let up_to = unread.rows[1].place;
    assert_eq!(store.take(&project, &backend, up_to, Timestamp(9)).unwrap(), 2);
    assert_eq!(
        engine
            .open()
            .take(&project, &backend, up_to, Timestamp(9))
            .unwrap(),
        0,
        "once"
    );
    let unread = store.unread(&project, &backend, 2).unwrap();
    assert_eq!((unread_ids(&unread.rows), unread.more), (vec!["m-b"], 0));
    assert_eq!(
        store.unread(&project, &docs, 9).unwrap().rows.len(),
        3,
        "the other receiver has not read the message"
    );
    assert_eq!(store.unread(&project, &agent("lead"), 9).unwrap().rows, []);
    assert_eq!(
        store.take(&project, &backend, u64::MAX, Timestamp(9)).unwrap(),
        1,
        "the number of unread messages"
    );
    post(&mut store, &project, "m-d", "lead", &["backend"]);
    assert_eq!(
        unread_ids(&store.unread(&project, &backend, 2).unwrap().rows),
        ["m-d"]
    );
    assert_eq!(
        store.take(&project, &agent("nobody"), 5, Timestamp(9)).unwrap(),
        0
    );
}

pub(crate) fn a_taken_message_id_writes_nothing<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    post(&mut store, &project, "m-a", "lead", &["backend"]);
    let to = [
        receiver(&project, agent("backend")),
        receiver(&project, agent("new")),
    ];
    assert_eq!(post_to(&mut store, &project, "m-a", "other", &to), None);
    assert_eq!(
        store.unread(&project, &agent("backend"), 9).unwrap().rows.len(),
        1
    );
    assert_eq!(store.correspondents(&project).unwrap(), [agent("lead")]);
    let twice = [
        receiver(&project, agent("docs")),
        receiver(&project, agent("docs")),
    ];
    let message = NewMessage {
        id: &"m-b".parse().unwrap(),
        project: &project,
        sender: &agent("lead"),
        text: "to one agent twice",
        at: Timestamp(5),
        kind: MessageKind::Say,
        answers: None,
        branch: "main",
        to: &twice,
    };
    assert!(store.post(&message).is_err());
    assert_eq!(store.unread(&project, &agent("docs"), 9).unwrap().rows, []);
}

pub(crate) fn mailboxes_of_two_projects_are_separate<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    // Two folders with the same name: same addresses, different agents.
    let here = store.project("/here/shop", "p-here", Timestamp(1)).unwrap();
    let there = store.project("/there/shop", "p-there", Timestamp(1)).unwrap();
    post(&mut store, &here, "m-a", "lead", &["backend"]);
    post(&mut store, &there, "m-b", "lead", &["backend"]);
    let backend = agent("backend");
    for (project, id) in [(&here, "m-a"), (&there, "m-b")] {
        assert_eq!(
            unread_ids(&store.unread(project, &backend, 9).unwrap().rows),
            [id]
        );
        let all = MessageFilter {
            last: 9,
            ..MessageFilter::default()
        };
        assert_eq!(ids(&store.messages(project, &all).unwrap()), [id]);
    }
    store.take(&here, &backend, 1, Timestamp(9)).unwrap();
    assert_eq!(store.unread(&there, &backend, 9).unwrap().rows.len(), 1);
    // A message can be addressed to the other project.
    post_to(
        &mut store,
        &here,
        "m-c",
        "lead",
        &[receiver(&there, backend.clone())],
    );
    assert_eq!(
        unread_ids(&store.unread(&there, &backend, 9).unwrap().rows),
        ["m-b", "m-c"]
    );
    assert_eq!(store.unread(&here, &backend, 9).unwrap().rows, []);
    let places: Vec<String> = store
        .projects()
        .unwrap()
        .into_iter()
        .map(|project| project.place)
        .collect();
    assert_eq!(places, ["/here/shop", "/there/shop"]);
}

pub(crate) fn a_failed_transaction_leaves_messages_unread<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    post(&mut store, &project, "m-a", "lead", &["backend"]);
    let backend = agent("backend");
    let failed: Result<(), StoreError> = store.transaction(|store| {
        assert_eq!(store.take(&project, &backend, 1, Timestamp(9))?, 1);
        Err(StoreError::Unreadable(
            "the agent could not be reached".to_owned(),
        ))
    });
    assert!(failed.is_err());
    assert_eq!(
        unread_ids(&store.unread(&project, &backend, 9).unwrap().rows),
        ["m-a"]
    );
    assert_eq!(store.take(&project, &backend, 1, Timestamp(9)).unwrap(), 1);
}

/// Decrements the number of senders when a sender ends, even after a panic, so that readers do not wait forever.
struct Ends<'a>(&'a AtomicUsize);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

pub(crate) fn concurrent_readers_get_each_message_once<E: Engine>() {
    const SENDERS: usize = 8;
    const MESSAGES: usize = 10;
    const READERS: usize = 3;
    let engine = E::fresh();
    let project = project(&mut engine.open());
    let names = ["backend", "docs"];
    let barrier = Barrier::new(SENDERS + READERS * names.len());
    let senders = AtomicUsize::new(SENDERS);
    let got: Vec<(usize, Vec<String>)> = thread::scope(|scope| {
        for sender in 0..SENDERS {
            let (engine, project, barrier) = (&engine, &project, &barrier);
            let sender_ends = Ends(&senders);
            scope.spawn(move || {
                let _sender_ends = sender_ends;
                let mut store = engine.open();
                barrier.wait();
                for number in 0..MESSAGES {
                    let id = format!("m-s{sender}n{number}");
                    post(&mut store, project, &id, &format!("speaker-{sender}"), &names);
                }
            });
        }
        let readers: Vec<_> = (0..READERS * names.len())
            .map(|reader| {
                let (engine, project, barrier, senders) = (&engine, &project, &barrier, &senders);
                scope.spawn(move || {
                    let which = reader % names.len();
                    let reader = agent(names[which]);
                    let mut store = engine.open();
                    barrier.wait();
                    let mut got = Vec::new();
                    loop {
                        // Check this before reading, so that the last messages are not missed.
                        let over = senders.load(Ordering::SeqCst) == 0;
                        let rows = store.transaction(|store| {
                            let unread = store.unread(project, &reader, 7)?;
                            if let Some(last) = unread.rows.last() {
                                store.take(project, &reader, last.place, Timestamp(9))?;
                            }
                            Ok::<_, StoreError>(unread.rows)
                        });
                        let rows = rows.unwrap();
                        if rows.is_empty() && over {
                            break;
                        }
                        got.extend(rows.into_iter().map(|row| row.message.id.to_string()));
                    }
                    (which, got)
                })
            })
            .collect();
        readers.into_iter().map(|reader| reader.join().unwrap()).collect()
    });
    for which in 0..names.len() {
        let all: Vec<&String> = got
            .iter()
            .filter(|(of, _)| *of == which)
            .flat_map(|(_, ids)| ids)
            .collect();
        let once: BTreeSet<&String> = all.iter().copied().collect();
        assert_eq!((all.len(), once.len()), (SENDERS * MESSAGES, SENDERS * MESSAGES));
    }
    // Messages from one sender arrive in order.
    let filter = MessageFilter {
        last: 1000,
        ..MessageFilter::default()
    };
    let rows = engine.open().messages(&project, &filter).unwrap();
    let mut post: BTreeMap<String, Vec<MessageId>> = BTreeMap::new();
    for row in rows {
        post.entry(row.sender.to_string()).or_default().push(row.id);
    }
    assert_eq!(post.len(), SENDERS);
    for ids in post.values() {
        assert!(ids.is_sorted(), "{ids:?}");
        assert_eq!(ids.len(), MESSAGES);
    }
}

pub(crate) fn agents_that_sent_or_read_a_message_are_correspondents<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    assert_eq!(store.correspondents(&project).unwrap(), []);
    post(&mut store, &project, "m-a", "lead", &[]);
    post(&mut store, &project, "m-b", "lead", &["docs", "backend"]);
    assert_eq!(store.correspondents(&project).unwrap(), [agent("lead")]);
    assert_eq!(store.take(&project, &agent("docs"), 1, Timestamp(9)).unwrap(), 1);
    assert_eq!(
        store.correspondents(&project).unwrap(),
        ["docs", "lead"].map(agent)
    );
}
