//! Moving and merging projects.

use bugle_core::id::{MessageId, SessionId, Timestamp, WakeupId};
use bugle_core::message::{AgentAddress, MessageKind};
use bugle_core::wake::{Budget, WakeReason};
use bugle_store::{
    AgentRow, Append, MessageFilter, NewMessage, ProjectId, Receiver, Relocation, Store, WakeupRow,
};

use crate::conformance::Engine;
use crate::test_run::{TestRun, hash};

fn agent(address: &str) -> AgentAddress {
    address.parse().unwrap()
}

fn post(store: &mut Store, project: &ProjectId, id: &str, to: &[&str]) {
    let to: Vec<Receiver> = to
        .iter()
        .map(|to| Receiver {
            project: project.clone(),
            agent: agent(to),
            wakes: true,
        })
        .collect();
    let message = NewMessage {
        id: &id.parse::<MessageId>().unwrap(),
        project,
        sender: &agent("app:main:lead"),
        text: id,
        at: Timestamp(5),
        kind: MessageKind::Say,
        answers: None,
        branch: "main",
        to: &to,
    };
    store.post(&message).unwrap().unwrap();
}

fn wakeup(project: &ProjectId, id: &str, at: i64) -> WakeupRow {
    WakeupRow {
        id: WakeupId::parse(id).unwrap(),
        project: project.clone(),
        agent: "@lead".to_owned(),
        reason: WakeReason::Startup,
        at: Timestamp(at),
        budget: Budget::utf16(9_000),
        size: 1,
        parts: "[]".to_owned(),
        hash: hash(1),
    }
}

fn two(store: &mut Store) -> (ProjectId, ProjectId) {
    let from = store.project("/a/app", "p-00000000000a", Timestamp(1)).unwrap();
    let into = store.project("/b/app", "p-00000000000b", Timestamp(2)).unwrap();
    (from, into)
}

pub(crate) fn a_project_moves_once_with_its_folders<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let (id, other) = two(&mut store);
    let run = TestRun::new("r-aaaaaa", 7);
    assert_eq!(store.create(&run.as_new(&id, None)).unwrap(), Append::Done);
    let folders = store.folders_of(&id).unwrap();
    assert_eq!(folders.len(), 1);
    let before = store.known_project("/a/app").unwrap().unwrap();
    assert_eq!((before.kept, before.name.clone()), (false, None));
    store.note_kept(&id, "/elsewhere").unwrap();
    assert!(!store.project_by_id(&id).unwrap().unwrap().kept);
    store.note_kept(&id, "/a/app").unwrap();
    assert!(store.project_by_id(&id).unwrap().unwrap().kept);

    let moved = [(folders[0].clone(), "/c/shop".to_owned())];
    let to = |place| Relocation {
        project: &before,
        place,
        name: Some("app"),
        kept: true,
        folders: &moved,
    };
    // Another project is at the new location.
    assert!(!store.move_project(&to("/b/app")).unwrap());
    assert_eq!(store.folders_of(&id).unwrap(), folders);
    assert!(store.move_project(&to("/c/shop")).unwrap());
    // The project has already moved: a second move from the old location fails.
    assert!(!engine.open().move_project(&to("/d/shop")).unwrap());
    let after = store.known_project("/c/shop").unwrap().unwrap();
    assert_eq!((after.id, after.name.as_deref()), (id.clone(), Some("app")));
    assert_eq!(store.known_project("/a/app").unwrap(), None);
    assert_eq!(store.folders_of(&id).unwrap(), ["/c/shop"]);
    assert_eq!(store.folders_of(&other).unwrap(), [""; 0]);
    let row = store.project_by_id(&id).unwrap().unwrap();
    let counts = store.project_counts(&row).unwrap();
    assert_eq!((counts.runs, counts.open_runs, counts.tasks), (1, 1, 0));
    assert_eq!(counts.last_activity, Timestamp(7));
}

pub(crate) fn a_merge_joins_mailboxes_with_the_same_address<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let (from, into) = two(&mut store);
    let both = "app:main:impl";
    post(&mut store, &from, "m-aaaaa1", &[both]);
    post(&mut store, &into, "m-bbbbb1", &[both]);
    post(&mut store, &from, "m-aaaaa2", &[both, "app:main:only"]);
    post(&mut store, &into, "m-bbbbb2", &[both]);
    store.take(&from, &agent(both), 1, Timestamp(6)).unwrap();
    store.take(&into, &agent(both), 1, Timestamp(6)).unwrap();
    assert!(store.keep_wakeup(&wakeup(&into, "w-aaaaaa", 2), b"x").unwrap());
    assert!(store.keep_wakeup(&wakeup(&from, "w-bbbbbb", 1), b"x").unwrap());
    for (project, at, session) in [(&from, 9, "new"), (&into, 8, "old")] {
        let mut row = AgentRow::new(project.clone(), agent(both), "/x".to_owned(), Timestamp(at));
        row.session = Some(SessionId(session.to_owned()));
        row.spent.tokens = 5;
        assert!(store.add_agent(&row).unwrap());
    }
    store.merge_projects(&from, &into).unwrap();

    let unread = store.unread(&into, &agent(both), 9).unwrap();
    let ids: Vec<String> = unread.rows.iter().map(|row| row.message.id.to_string()).collect();
    assert_eq!(ids, ["m-aaaaa2", "m-bbbbb2"]);
    assert!(store.last_wake_seq(&into, &agent(both)).unwrap().is_some());
    assert_eq!(store.take(&into, &agent(both), 9, Timestamp(7)).unwrap(), 2);
    let only = store.unread(&into, &agent("app:main:only"), 9).unwrap();
    assert_eq!(only.rows.len(), 1);
    let all = store
        .messages(
            &into,
            &MessageFilter {
                last: 9,
                ..MessageFilter::default()
            },
        )
        .unwrap();
    let ids: Vec<String> = all.iter().map(|row| row.id.to_string()).collect();
    assert_eq!(ids, ["m-aaaaa1", "m-bbbbb1", "m-aaaaa2", "m-bbbbb2"]);
    let wakeups = store.wakeups(&into, None, 9).unwrap();
    let ids: Vec<String> = wakeups.iter().map(|row| row.id.to_string()).collect();
    assert_eq!(ids, ["w-aaaaaa", "w-bbbbbb"]);
    let merged = store.agent(&into, &agent(both)).unwrap().unwrap();
    assert_eq!(merged.session, Some(SessionId("new".to_owned())));
    assert_eq!(merged.spent.tokens, 10);
    assert_eq!(store.project_by_id(&from).unwrap(), None);
    assert!(store.is_addressed_as(&into, "app").unwrap());
    assert!(!store.is_addressed_as(&into, "ap").unwrap());
    // The next message is numbered after all merged ones.
    post(&mut store, &into, "m-ccccc1", &[both]);
    assert_eq!(store.unread(&into, &agent(both), 9).unwrap().rows.len(), 1);
}

pub(crate) fn a_failed_merge_changes_nothing<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let (from, into) = two(&mut store);
    let run = TestRun::new("r-aaaaaa", 7);
    assert_eq!(store.create(&run.as_new(&from, None)).unwrap(), Append::Done);
    let nowhere = ProjectId("p-00000000000c".to_owned());
    assert!(store.merge_projects(&from, &nowhere).is_err());
    assert_eq!(store.folders_of(&from).unwrap().len(), 1);
    store.merge_projects(&from, &into).unwrap();
    assert_eq!(store.folders_of(&into).unwrap().len(), 1);
}
