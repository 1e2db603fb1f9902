//! Client sessions.

use std::collections::BTreeMap;

use bugle_core::id::{SessionId, TaskId, Timestamp};
use bugle_core::wake::WakeReason;
use bugle_store::{SessionRow, Store};

use crate::conformance::Engine;

fn id() -> SessionId {
    SessionId("s".to_owned())
}

fn session() -> SessionRow {
    SessionRow::new(id(), "grok", "/somewhere".to_owned(), Timestamp(1))
}

fn read(store: &mut Store) -> SessionRow {
    store.session(&id()).unwrap().unwrap()
}

/// Two hooks read the session, change it in different ways, and write it one after the other.
fn change_at_the_same_time(
    store: &mut Store,
    mut read: impl FnMut(&mut Store) -> SessionRow,
    changes: [fn(&mut SessionRow); 2],
) {
    let mut rows = [read(store), read(store)];
    for (row, change) in rows.iter_mut().zip(changes) {
        change(row);
    }
    for row in &rows {
        store.keep_session(row).unwrap();
    }
}

pub(crate) fn hooks_that_run_at_the_same_time_keep_each_others_changes<E: Engine>() {
    let mut store = E::fresh().open();
    // Both add the session.
    change_at_the_same_time(
        &mut store,
        |_| session(),
        [
            |row| row.memory.started = Some(WakeReason::Startup),
            |row| row.memory.user_spoke = Some(Timestamp(2)),
        ],
    );
    let kept = read(&mut store).memory;
    assert_eq!(kept.started, Some(WakeReason::Startup));
    assert_eq!(kept.user_spoke, Some(Timestamp(2)));
    // Both change the session.
    change_at_the_same_time(
        &mut store,
        read,
        [
            |row| row.memory.started = None,
            |row| {
                let task = TaskId::parse("t-aaaaaa").unwrap();
                row.memory.listed = BTreeMap::from([("one".to_owned(), task)]);
            },
        ],
    );
    let kept = read(&mut store).memory;
    assert_eq!(kept.started, None);
    assert_eq!(kept.user_spoke, Some(Timestamp(2)));
    assert_eq!(kept.listed.len(), 1);
    // A list is replaced as a whole.
    let mut row = read(&mut store);
    row.memory.listed.clear();
    store.keep_session(&row).unwrap();
    assert_eq!(read(&mut store).memory.listed, BTreeMap::new());
}

pub(crate) fn a_session_that_is_kept_twice_has_its_last_state<E: Engine>() {
    let mut store = E::fresh().open();
    let mut row = session();
    row.memory.stops = 1;
    store.keep_session(&row).unwrap();
    let mut row = row.kept();
    row.memory.stops = 0;
    store.keep_session(&row).unwrap();
    assert_eq!(read(&mut store).memory.stops, 0);
}
