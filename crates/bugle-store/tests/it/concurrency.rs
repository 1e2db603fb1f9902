//! Many concurrent writers, each with its own connection.

use std::collections::BTreeSet;
use std::sync::Barrier;
use std::thread;

use bugle_core::id::{RunId, TaskId, Timestamp};
use bugle_core::name::AgentName;
use bugle_store::{Append, Scope};

use crate::conformance::Engine;
use crate::messages::{agent, post};
use crate::runs::{add, created, filter};
use crate::tasks::{claim, family};
use crate::test_run::TestRun;

pub(crate) fn one_of_many_concurrent_appends_wins<E: Engine>() {
    const WRITERS: usize = 8;
    let engine = E::fresh();
    let mut run = created(&mut engine.open(), "r-aaaaaa", 100);
    for round in 0..10 {
        let barrier = Barrier::new(WRITERS);
        let answers: Vec<Append> = thread::scope(|scope| {
            let writers: Vec<_> = (0..WRITERS)
                .map(|writer| {
                    let update = run.noted(200 + round, &format!("round {round}, writer {writer}"));
                    let (engine, barrier) = (&engine, &barrier);
                    scope.spawn(move || {
                        let mut store = engine.open();
                        barrier.wait();
                        add(&mut store, &update)
                    })
                })
                .collect();
            writers.into_iter().map(|writer| writer.join().unwrap()).collect()
        });
        let winners = answers.iter().filter(|answer| **answer == Append::Done).count();
        assert_eq!(winners, 1, "in round {round}: {answers:?}");
        let stored = TestRun::read(&mut engine.open(), &run.state.id);
        assert_eq!(stored.events.len(), run.events.len() + 1);
        run = stored;
    }
}

pub(crate) fn many_writers_lose_nothing<E: Engine>() {
    const WRITERS: usize = 64;
    const NOTES: usize = 3;
    let engine = E::fresh();
    let shared = created(&mut engine.open(), "r-shared", 100).state.id;
    let barrier = Barrier::new(WRITERS);
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (engine, barrier, shared) = (&engine, &barrier, &shared);
            scope.spawn(move || {
                let mut store = engine.open();
                barrier.wait();
                let mut own = created(&mut store, &format!("r-own{writer}"), 100);
                for note in 0..NOTES {
                    let update = own.noted(110, &format!("note {note}"));
                    assert_eq!(add(&mut store, &update), Append::Done);
                    own.apply(update);
                    let text = format!("writer {writer}, note {note}");
                    loop {
                        let update = TestRun::read(&mut store, shared).noted(110, &text);
                        if add(&mut store, &update) == Append::Done {
                            break;
                        }
                    }
                }
            });
        }
    });
    let mut store = engine.open();
    let run = TestRun::read(&mut store, &shared);
    let notes: BTreeSet<&str> = run.state.visits()[0]
        .notes
        .iter()
        .map(|note| note.text.as_str())
        .collect();
    assert_eq!(notes.len(), WRITERS * NOTES);
    assert_eq!(store.count_runs(&filter(Scope::All)).unwrap(), WRITERS as u64 + 1);
    for writer in 0..WRITERS {
        let own = TestRun::read(&mut store, &RunId::parse(&format!("r-own{writer}")).unwrap());
        assert_eq!(own.state.visits()[0].notes.len(), NOTES);
    }
    assert_eq!(store.integrity().unwrap(), [""; 0]);
}

pub(crate) fn concurrent_writers_create_one_project_per_location<E: Engine>() {
    const WRITERS: usize = 8;
    let engine = E::fresh();
    drop(engine.open());
    let barrier = Barrier::new(WRITERS);
    let found: BTreeSet<String> = thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (engine, barrier) = (&engine, &barrier);
                scope.spawn(move || {
                    let mut store = engine.open();
                    barrier.wait();
                    store
                        .project("/here", &format!("p-{writer}"), Timestamp(1))
                        .unwrap()
                        .0
                })
            })
            .collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    assert_eq!(found.len(), 1, "{found:?}");
}

pub(crate) fn concurrent_claims_appends_and_messages_are_each_done_once<E: Engine>() {
    const WRITERS: usize = 32;
    const ROUNDS: usize = 3;
    let engine = E::fresh();
    let (project, _, tasks) = family(&mut engine.open(), WRITERS * ROUNDS);
    let shared = created(&mut engine.open(), "r-shared", 100).state.id;
    let barrier = Barrier::new(WRITERS);
    let claimed: Vec<TaskId> = thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (engine, barrier, project, shared) = (&engine, &barrier, &project, &shared);
                scope.spawn(move || {
                    let mut store = engine.open();
                    let name = AgentName::new(format!("agent-{writer}")).unwrap();
                    barrier.wait();
                    let mut own = Vec::new();
                    for round in 0..ROUNDS {
                        own.extend(claim(&mut store, project, Some(&name)).unwrap());
                        let id = format!("m-w{writer}r{round}");
                        post(&mut store, project, &id, "speaker", &["backend", "docs"]);
                        let text = format!("writer {writer}, round {round}");
                        loop {
                            let update = TestRun::read(&mut store, shared).noted(110, &text);
                            if add(&mut store, &update) == Append::Done {
                                break;
                            }
                        }
                    }
                    own
                })
            })
            .collect();
        writers
            .into_iter()
            .flat_map(|writer| writer.join().unwrap())
            .collect()
    });
    assert_eq!(claimed.len(), tasks.len());
    assert!(claimed.into_iter().collect::<BTreeSet<_>>().iter().eq(&tasks));
    let mut store = engine.open();
    let run = TestRun::read(&mut store, &shared);
    assert_eq!(run.state.visits()[0].notes.len(), WRITERS * ROUNDS);
    for name in ["backend", "docs"] {
        let unread = store.unread(&project, &agent(name), 1000).unwrap();
        let messages: BTreeSet<&str> = unread.rows.iter().map(|row| row.message.id.as_str()).collect();
        assert_eq!(
            (unread.rows.len(), messages.len()),
            (WRITERS * ROUNDS, WRITERS * ROUNDS)
        );
    }
    assert_eq!(store.message_faults().unwrap(), [""; 0]);
    let audited = store.audited_run(&shared).unwrap().unwrap();
    assert_eq!(audited.fault, None);
}
