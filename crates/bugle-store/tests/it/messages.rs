//! What every store promises of messages, of who has got them, and of the wake-ups that were given.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use bugle_core::id::{MessageId, Timestamp, WakeupId};
use bugle_core::message::{AgentAddress, MessageKind};
use bugle_core::wake::{Budget, WakeReason};
use bugle_store::{
    MessageFilter, MessageRow, MessageStore, NewMessage, ProjectId, ProjectStore as _, Receiver, Store as _,
    StoreError, TaskStore as _, UnreadRow, WakeupRow,
};

use crate::conformance::Engine;
use crate::story::{hash, project};

fn agent(name: &str) -> AgentAddress {
    AgentAddress::new("shop", "main", name).unwrap()
}

fn said(store: &mut impl MessageStore, project: &ProjectId, id: &str, from: &str, to: &[&str]) -> MessageRow {
    said_to(
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

fn said_to(
    store: &mut impl MessageStore,
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

pub(crate) fn the_branches_on_which_something_was_said_are_known<E: Engine>() {
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

pub(crate) fn messages_come_back_in_the_order_they_were_said<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    // All of one moment, and their ids in another order.
    let kept: Vec<MessageRow> = ["m-c", "m-a", "m-b"]
        .iter()
        .map(|id| said(&mut store, &project, id, "lead", &["backend"]))
        .collect();
    assert_eq!(kept.iter().map(|row| row.seq).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(kept[0].to, [agent("backend")]);
    assert_eq!(kept[0].text, "m-c größe 🎺");
    let all = MessageFilter {
        last: 10,
        ..MessageFilter::default()
    };
    assert_eq!(engine.open().messages(&project, &all).unwrap(), kept);
}

pub(crate) fn the_last_messages_are_the_last<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    for number in 0..20 {
        let (from, to) = if number % 2 == 0 {
            ("lead", "backend")
        } else {
            ("backend", "lead")
        };
        said(&mut store, &project, &format!("m-{number}"), from, &[to]);
    }
    let (lead, backend, nobody) = (agent("lead"), agent("backend"), agent("nobody"));
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
    assert_eq!(found(Some(&nobody), None), "");
}

pub(crate) fn a_message_is_unread_until_it_is_taken_and_for_each_by_itself<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    for id in ["m-c", "m-a", "m-b"] {
        said(&mut store, &project, id, "lead", &["backend", "docs"]);
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
        "the other has not read"
    );
    assert_eq!(store.unread(&project, &agent("lead"), 9).unwrap().rows, []);
    assert_eq!(
        store.take(&project, &backend, u64::MAX, Timestamp(9)).unwrap(),
        1,
        "not more than there are"
    );
    said(&mut store, &project, "m-d", "lead", &["backend"]);
    assert_eq!(
        unread_ids(&store.unread(&project, &backend, 2).unwrap().rows),
        ["m-d"]
    );
    assert_eq!(
        store.take(&project, &agent("nobody"), 5, Timestamp(9)).unwrap(),
        0
    );
}

pub(crate) fn a_taken_message_id_leaves_everything_as_it_was<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    said(&mut store, &project, "m-a", "lead", &["backend"]);
    let to = [
        receiver(&project, agent("backend")),
        receiver(&project, agent("new")),
    ];
    assert_eq!(said_to(&mut store, &project, "m-a", "other", &to), None);
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

pub(crate) fn mailboxes_of_two_projects_never_meet<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    // Two folders of one name: the addresses are the same, the agents are not.
    let here = store.project("/here/shop", "p-here", Timestamp(1)).unwrap();
    let there = store.project("/there/shop", "p-there", Timestamp(1)).unwrap();
    said(&mut store, &here, "m-a", "lead", &["backend"]);
    said(&mut store, &there, "m-b", "lead", &["backend"]);
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
    // Unless an agent of the other project is meant.
    said_to(
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

pub(crate) fn what_fails_with_a_delivery_leaves_it_unread<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    said(&mut store, &project, "m-a", "lead", &["backend"]);
    let backend = agent("backend");
    let failed: Result<(), StoreError> = store.together(|store| {
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

/// One fewer speaks when it goes, also by a panic: then nobody waits for what will not be said.
struct Ends<'a>(&'a AtomicUsize);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

pub(crate) fn many_speak_and_read_and_each_gets_each_message_once<E: Engine>() {
    const SPEAKERS: usize = 8;
    const MESSAGES: usize = 10;
    const READERS: usize = 3;
    let engine = E::fresh();
    let project = project(&mut engine.open());
    let names = ["backend", "docs"];
    let together = Barrier::new(SPEAKERS + READERS * names.len());
    let speaking = AtomicUsize::new(SPEAKERS);
    let got: Vec<(usize, Vec<String>)> = thread::scope(|scope| {
        for speaker in 0..SPEAKERS {
            let (engine, project, together) = (&engine, &project, &together);
            let speaker_ends = Ends(&speaking);
            scope.spawn(move || {
                let _speaker_ends = speaker_ends;
                let mut store = engine.open();
                together.wait();
                for number in 0..MESSAGES {
                    let id = format!("m-s{speaker}n{number}");
                    said(&mut store, project, &id, &format!("speaker-{speaker}"), &names);
                }
            });
        }
        let readers: Vec<_> = (0..READERS * names.len())
            .map(|reader| {
                let (engine, project, together, speaking) = (&engine, &project, &together, &speaking);
                scope.spawn(move || {
                    let which = reader % names.len();
                    let reader = agent(names[which]);
                    let mut store = engine.open();
                    together.wait();
                    let mut got = Vec::new();
                    loop {
                        // Asked first: what is said before the last of them ends is read after that.
                        let over = speaking.load(Ordering::SeqCst) == 0;
                        let rows = store.together(|store| {
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
        assert_eq!(
            (all.len(), once.len()),
            (SPEAKERS * MESSAGES, SPEAKERS * MESSAGES)
        );
    }
    // What one of them said comes in the order it was said.
    let filter = MessageFilter {
        last: 1000,
        ..MessageFilter::default()
    };
    let rows = engine.open().messages(&project, &filter).unwrap();
    let mut said: BTreeMap<String, Vec<MessageId>> = BTreeMap::new();
    for row in rows {
        said.entry(row.sender.to_string()).or_default().push(row.id);
    }
    assert_eq!(said.len(), SPEAKERS);
    for ids in said.values() {
        assert!(ids.is_sorted(), "{ids:?}");
        assert_eq!(ids.len(), MESSAGES);
    }
}

pub(crate) fn everybody_who_spoke_or_has_read_is_known<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    assert_eq!(store.correspondents(&project).unwrap(), []);
    said(&mut store, &project, "m-a", "lead", &[]);
    said(&mut store, &project, "m-b", "lead", &["docs", "backend"]);
    assert_eq!(store.correspondents(&project).unwrap(), [agent("lead")]);
    assert_eq!(store.take(&project, &agent("docs"), 1, Timestamp(9)).unwrap(), 1);
    assert_eq!(
        store.correspondents(&project).unwrap(),
        ["docs", "lead"].map(agent)
    );
}

pub(crate) fn wakeups_are_kept_and_found<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    let wakeup = |id: &str, agent: &str| WakeupRow {
        id: WakeupId::parse(id).unwrap(),
        project: project.clone(),
        agent: agent.to_owned(),
        reason: WakeReason::Compact,
        at: Timestamp(5),
        budget: Budget::CODEX,
        size: 812,
        parts: r#"[{"part":"tasks"}]"#.to_owned(),
        hash: hash(1),
    };
    let given = [
        wakeup("w-ab", "one"),
        wakeup("w-aa", "two"),
        wakeup("w-ba", "one"),
    ];
    for row in &given {
        assert!(store.keep_wakeup(row, b"text \xff").unwrap());
    }
    assert!(!store.keep_wakeup(&wakeup("w-aa", "other"), b"other").unwrap());
    let mut latest = given.to_vec();
    latest.reverse();
    assert_eq!(store.wakeups(&project, None, 10).unwrap(), latest);
    assert_eq!(store.wakeups(&project, None, 1).unwrap(), latest[..1]);
    let of_one = [given[2].clone(), given[0].clone()];
    assert_eq!(store.wakeups(&project, Some("one"), 10).unwrap(), of_one);
    assert_eq!(store.wakeups(&project, Some("three"), 10).unwrap(), []);
    assert_eq!(
        store.wakeups_by_prefix("w-a").unwrap(),
        [given[1].clone(), given[0].clone()]
    );
    let content =
        |store: &mut E::Store, id: &str| store.wakeup_content(&WakeupId::parse(id).unwrap()).unwrap();
    assert_eq!(content(&mut store, "w-aa").as_deref(), Some(&b"text \xff"[..]));
    assert_eq!(content(&mut store, "w-zz"), None);
}
