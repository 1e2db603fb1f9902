//! Search covers the newest rows, up to the reported bound.

use bugle_core::id::Timestamp;
use bugle_core::message::{AgentAddress, MessageKind};
use bugle_store::{Append, NewMessage, Search};

use crate::conformance::Engine;
use crate::runs::{add, created};
use crate::test_run::project;

pub(crate) fn a_message_search_reports_its_bound<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    for number in 1..=5 {
        let message = NewMessage {
            id: &format!("m-{number}").parse().unwrap(),
            project: &project,
            sender: &AgentAddress::new("shop", "main", "lead").unwrap(),
            text: if number == 4 { "other" } else { "The PORT" },
            at: Timestamp(number * 10),
            kind: MessageKind::Say,
            answers: None,
            branch: "main",
            to: &[],
        };
        store.post(&message).unwrap();
    }
    let words = ["port".to_owned()];
    let mut found = |rows: Option<u32>, limit: u32| {
        let search = Search {
            project: &project,
            words: &words,
            rows,
            limit,
        };
        let found = store.messages_with(search).unwrap();
        let ids: Vec<String> = found.rows.iter().map(|row| row.id.to_string()).collect();
        (ids.join(" "), found.after.map(|after| after.0))
    };
    assert_eq!(found(None, 9), ("m-5 m-3 m-2 m-1".to_owned(), None));
    assert_eq!(found(Some(5), 9), ("m-5 m-3 m-2 m-1".to_owned(), None));
    assert_eq!(found(Some(3), 9), ("m-5 m-3".to_owned(), Some(20)));
    assert_eq!(found(Some(3), 1), ("m-5".to_owned(), Some(20)));
}

pub(crate) fn a_run_search_reports_its_bound<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    // Each run has four events: start, visit, and two notes.
    for (id, at) in [("r-aaa", 10), ("r-bbb", 20), ("r-ccc", 30)] {
        let mut run = created(&mut store, id, at);
        for (later, text) in [(1, "The PORT"), (2, "port and all")] {
            let noted = run.noted(at + later, text);
            assert_eq!(add(&mut store, &noted), Append::Done);
            run.apply(noted);
        }
    }
    let project = project(&mut store);
    let words = ["port".to_owned()];
    let mut found = |rows: Option<u32>| {
        let search = Search {
            project: &project,
            words: &words,
            rows,
            limit: 9,
        };
        let found = store.events_with(search).unwrap();
        let times: Vec<i64> = found.rows.iter().map(|(_, recorded)| recorded.at.0).collect();
        (times, found.after.map(|after| after.0))
    };
    assert_eq!(found(None), (vec![32, 31, 22, 21, 12, 11], None));
    assert_eq!(found(Some(12)), (vec![32, 31, 22, 21, 12, 11], None));
    assert_eq!(found(Some(11)), (vec![32, 31, 22, 21], Some(12)));
    assert_eq!(found(Some(4)), (vec![32, 31], Some(22)));
    // The most recently changed run has more events than are searched.
    assert_eq!(found(Some(1)), (vec![32], Some(32)));
}
