//! What every store promises to many writers at once, each with a connection of its own.

use std::collections::BTreeSet;
use std::sync::Barrier;
use std::thread;

use bugle_core::id::{RunId, Timestamp};
use bugle_store::{Append, Scope, Store as _};

use crate::conformance::{Engine, add, filter, kept};
use crate::story::Story;

pub(crate) fn one_of_many_appends_at_one_version_wins<E: Engine>() {
    const WRITERS: usize = 8;
    let engine = E::fresh();
    let mut run = kept(&mut engine.open(), "r-aaaaaa", 100);
    for round in 0..10 {
        let together = Barrier::new(WRITERS);
        let answers: Vec<Append> = thread::scope(|scope| {
            let writers: Vec<_> = (0..WRITERS)
                .map(|writer| {
                    let chapter = run.noted(200 + round, &format!("round {round}, writer {writer}"));
                    let (engine, together) = (&engine, &together);
                    scope.spawn(move || {
                        let mut store = engine.open();
                        together.wait();
                        add(&mut store, &chapter)
                    })
                })
                .collect();
            writers.into_iter().map(|writer| writer.join().unwrap()).collect()
        });
        let winners = answers.iter().filter(|answer| **answer == Append::Done).count();
        assert_eq!(winners, 1, "in round {round}: {answers:?}");
        let told = Story::read(&mut engine.open(), &run.state.id);
        assert_eq!(told.events.len(), run.events.len() + 1);
        run = told;
    }
}

pub(crate) fn many_writers_lose_nothing<E: Engine>() {
    const WRITERS: usize = 64;
    const NOTES: usize = 3;
    let engine = E::fresh();
    let shared = kept(&mut engine.open(), "r-shared", 100).state.id;
    let together = Barrier::new(WRITERS);
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (engine, together, shared) = (&engine, &together, &shared);
            scope.spawn(move || {
                let mut store = engine.open();
                together.wait();
                let mut own = kept(&mut store, &format!("r-own{writer}"), 100);
                for note in 0..NOTES {
                    let chapter = own.noted(110, &format!("note {note}"));
                    assert_eq!(add(&mut store, &chapter), Append::Done);
                    own.turn(chapter);
                    let text = format!("writer {writer}, note {note}");
                    loop {
                        let chapter = Story::read(&mut store, shared).noted(110, &text);
                        if add(&mut store, &chapter) == Append::Done {
                            break;
                        }
                    }
                }
            });
        }
    });
    let mut store = engine.open();
    let run = Story::read(&mut store, &shared);
    let notes: BTreeSet<&str> = run.state.visits()[0]
        .notes
        .iter()
        .map(|note| note.text.as_str())
        .collect();
    assert_eq!(notes.len(), WRITERS * NOTES);
    assert_eq!(store.count_runs(&filter(Scope::All)).unwrap(), WRITERS as u64 + 1);
    for writer in 0..WRITERS {
        let own = Story::read(&mut store, &RunId::parse(&format!("r-own{writer}")).unwrap());
        assert_eq!(own.state.visits()[0].notes.len(), NOTES);
    }
    assert_eq!(store.integrity().unwrap(), [""; 0]);
}

pub(crate) fn one_place_is_one_project_for_all<E: Engine>() {
    const WRITERS: usize = 8;
    let engine = E::fresh();
    drop(engine.open());
    let together = Barrier::new(WRITERS);
    let found: BTreeSet<String> = thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (engine, together) = (&engine, &together);
                scope.spawn(move || {
                    let mut store = engine.open();
                    together.wait();
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
