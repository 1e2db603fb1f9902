//! Runs and the skills they pin.

use std::collections::BTreeSet;

use bugle_core::id::{Actor, RunId, SessionId, Timestamp};
use bugle_store::{Append, ProjectId, RunFilter, RunRow, Scope, Store};

use crate::conformance::Engine;
use crate::test_run::{RunUpdate, TestRun, hash, project};

/// Builds the update that continues a run.
type Continuation<'a> = &'a dyn Fn(&TestRun) -> RunUpdate;

pub(crate) fn filter(scope: Scope) -> RunFilter {
    RunFilter {
        scope,
        open_only: false,
        limit: 100,
    }
}

fn ids(rows: &[RunRow]) -> Vec<&str> {
    rows.iter().map(|row| row.id.as_str()).collect()
}

pub(crate) fn created(store: &mut Store, id: &str, at: i64) -> TestRun {
    let project = project(store);
    let run = TestRun::new(id, at);
    assert_eq!(store.create(&run.as_new(&project, None)).unwrap(), Append::Done);
    run
}

pub(crate) fn add(store: &mut Store, update: &RunUpdate) -> Append {
    store
        .append(update.expected, &update.events, &update.state)
        .unwrap()
}

pub(crate) fn a_run_round_trips<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    let session = SessionId("session \"one\"".to_owned());
    let mut run = TestRun::new("r-aaaaaa", 100);
    assert_eq!(
        store.create(&run.as_new(&project, Some(&session))).unwrap(),
        Append::Done
    );
    let update = run.step_done(160, "classify");
    assert_eq!(add(&mut store, &update), Append::Done);
    run.apply(update);

    let stored = engine.open().load(&run.state.id).unwrap().unwrap();
    assert_eq!(stored.events, run.events);
    let (state, events) = store.run_state_and_events(&run.state.id).unwrap().unwrap();
    assert_eq!((&state, &events), (&run.state, &run.events));
    let between = store.events_between(&run.state.id, 1, 3).unwrap();
    assert_eq!(between, run.events[1..3]);
    assert_eq!(stored.row.project, project);
    assert_eq!(stored.row.session, Some(session));
    assert_eq!(stored.row.directory, "/home/ada/größe");
    assert_eq!(stored.row.started_at, Timestamp(100));
    assert_eq!(store.load(&RunId::parse("r-zzzzzz").unwrap()).unwrap(), None);
}

pub(crate) fn a_run_id_is_unique<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let run = created(&mut store, "r-aaaaaa", 100);
    let other = TestRun::new("r-aaaaaa", 900);
    let project = project(&mut store);
    assert_eq!(
        store.create(&other.as_new(&project, None)).unwrap(),
        Append::Conflict
    );
    assert_eq!(store.load(&run.state.id).unwrap().unwrap().events, run.events);
}

pub(crate) fn a_run_requires_an_existing_project<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let run = TestRun::new("r-aaaaaa", 100);
    let nowhere = ProjectId("p-nowhere".to_owned());
    assert!(store.create(&run.as_new(&nowhere, None)).is_err());
    assert_eq!(store.load(&run.state.id).unwrap(), None, "nothing was written");
}

pub(crate) fn events_are_appended_only_at_the_expected_version<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let mut run = created(&mut store, "r-aaaaaa", 100);
    let update = run.noted(110, "first");
    for wrong in [0, update.expected - 1, update.expected + 1, u64::MAX] {
        let before = store.load(&run.state.id).unwrap();
        let answer = store.append(wrong, &update.events, &update.state).unwrap();
        assert_eq!(answer, Append::Conflict, "at version {wrong}");
        assert_eq!(store.load(&run.state.id).unwrap(), before);
    }
    assert_eq!(add(&mut store, &update), Append::Done);
    assert_eq!(
        add(&mut store, &update),
        Append::Conflict,
        "the same append twice is a conflict"
    );
    run.apply(update);
    assert_eq!(store.load(&run.state.id).unwrap().unwrap().events, run.events);
}

pub(crate) fn an_append_to_an_unknown_run_is_a_conflict<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let update = TestRun::new("r-aaaaaa", 100).noted(110, "first");
    assert_eq!(add(&mut store, &update), Append::Conflict);
    assert_eq!(store.count_runs(&filter(Scope::All)).unwrap(), 0);
}

pub(crate) fn the_row_matches_the_events<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let mut run = created(&mut store, "r-aaaaaa", 100);
    let paused = bugle_core::engine::Event::Paused { reason: None };
    let upgraded = bugle_core::engine::Event::Upgraded {
        decides: bugle_core::workflow::Decider::Project,
        pin: hash(2),
        params: serde_json::Map::new(),
    };
    let tellings: [Continuation<'_>; 6] = [
        &|run| run.noted(110, "first"),
        &|run| run.step_done(120, "classify"),
        &|run| run.then(130, [paused.clone()]),
        &|run| run.then(140, [bugle_core::engine::Event::Resumed]),
        &|run| run.then(150, [upgraded.clone()]),
        &|run| run.completed(160),
    ];
    for tell in tellings {
        let update = tell(&run);
        assert_eq!(add(&mut store, &update), Append::Done);
        run.apply(update);
        let row = store.load(&run.state.id).unwrap().unwrap().row;
        let current = run.state.current();
        assert_eq!(row.status, run.state.status);
        assert_eq!(row.pin, run.state.pin);
        assert_eq!(row.skill, run.state.skill.as_str());
        assert_eq!(row.version, run.state.version);
        assert_eq!(row.version, run.events.len() as u64);
        assert_eq!(row.changed_at, run.state.changed_at);
        assert_eq!(row.started_at, run.state.started_at);
        assert_eq!(row.step.as_deref(), current.map(|visit| visit.step.as_str()));
        assert_eq!(row.visit, current.map(|visit| visit.number));
    }
}

pub(crate) fn runs_are_found_by_id_prefix<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    for id in ["r-bcdfgh", "r-bcd222", "r-bzzzzz", "r-zzzzzz"] {
        created(&mut store, id, 100);
    }
    let mut found = |prefix: &str| -> Vec<String> {
        let rows = store.runs_by_prefix(prefix).unwrap();
        rows.iter().map(|row| row.id.to_string()).collect()
    };
    assert_eq!(found("r-bcd"), ["r-bcd222", "r-bcdfgh"]);
    assert_eq!(found("r-bcdfgh"), ["r-bcdfgh"], "a full id is also a prefix");
    assert_eq!(found("r-b"), ["r-bcd222", "r-bcdfgh", "r-bzzzzz"]);
    assert_eq!(found("r-z"), ["r-zzzzzz"]);
    assert_eq!(found("r-bcdfghj"), [""; 0]);
    for odd in ["r-%", "r-_cdfgh", "r-b'", "R-B", "~"] {
        assert_eq!(found(odd), [""; 0], "{odd}");
    }
}

pub(crate) fn runs_are_found_by_project_and_session<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let here = store.project("/here", "p-here", Timestamp(1)).unwrap();
    let there = store.project("/there", "p-there", Timestamp(1)).unwrap();
    let session = |name: &str| SessionId(name.to_owned());
    let created = [
        ("r-aaaaaa", &here, Some(session("one"))),
        ("r-bbbbbb", &there, Some(session("one"))),
        ("r-cccccc", &here, Some(session("two"))),
        ("r-dddddd", &there, None),
    ];
    for (at, (id, project, session)) in (100..).zip(&created) {
        let run = TestRun::new(id, at);
        store.create(&run.as_new(project, session.as_ref())).unwrap();
    }
    let mut found = |scope: Scope| {
        let rows = store.runs(&filter(scope.clone())).unwrap();
        assert_eq!(store.count_runs(&filter(scope)).unwrap(), rows.len() as u64);
        rows.iter().map(|row| row.id.to_string()).collect::<Vec<String>>()
    };
    assert_eq!(
        found(Scope::All),
        ["r-dddddd", "r-cccccc", "r-bbbbbb", "r-aaaaaa"]
    );
    assert_eq!(found(Scope::Project(here)), ["r-cccccc", "r-aaaaaa"]);
    assert_eq!(found(Scope::Project(there)), ["r-dddddd", "r-bbbbbb"]);
    assert_eq!(found(Scope::Session(session("one"))), ["r-bbbbbb", "r-aaaaaa"]);
    assert_eq!(found(Scope::Session(session("On%"))), [""; 0]);
    assert_eq!(found(Scope::Project(ProjectId("p-nowhere".to_owned()))), [""; 0]);
}

pub(crate) fn a_run_changes_sessions_only_if_its_owner_matches<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let run = created(&mut store, "r-aaaaaa", 100).state.id;
    let session = |name: &str| SessionId(name.to_owned());
    let (one, two) = (session("one"), session("two"));
    let mut take = |from: Option<&SessionId>, to: &SessionId| store.take_run(&run, from, to).unwrap();
    assert!(!take(Some(&one), &two), "the run has no owner");
    assert!(take(None, &one));
    assert!(!take(None, &two), "the run has an owner");
    assert!(take(Some(&one), &two));
    let rows = store.runs(&filter(Scope::Session(two))).unwrap();
    assert_eq!(ids(&rows), ["r-aaaaaa"]);
    assert_eq!(rows[0].version, 2, "the run has no new events");
}

pub(crate) fn a_filter_selects_open_runs<E: Engine>() {
    use bugle_core::engine::Event::{Asked, Cancelled, Paused};
    use bugle_core::id::VisitNumber;
    let engine = E::fresh();
    let mut store = engine.open();
    let endings: [(&str, Option<Continuation<'_>>); 5] = [
        ("r-active", None),
        (
            "r-waiting",
            Some(&|run| {
                run.then(
                    110,
                    [Asked {
                        visit: VisitNumber(1),
                    }],
                )
            }),
        ),
        ("r-paused", Some(&|run| run.then(110, [Paused { reason: None }]))),
        (
            "r-cancelled",
            Some(&|run| run.then(110, [Cancelled { reason: None }])),
        ),
        ("r-completed", Some(&|run| run.completed(110))),
    ];
    for (id, tell) in endings {
        let run = created(&mut store, id, 100);
        if let Some(tell) = tell {
            assert_eq!(add(&mut store, &tell(&run)), Append::Done);
        }
    }
    let open = RunFilter {
        open_only: true,
        ..filter(Scope::All)
    };
    let rows = store.runs(&open).unwrap();
    let found: BTreeSet<&str> = ids(&rows).into_iter().collect();
    assert_eq!(found, BTreeSet::from(["r-active", "r-waiting", "r-paused"]));
    assert_eq!(store.count_runs(&open).unwrap(), 3);
    assert_eq!(store.count_runs(&filter(Scope::All)).unwrap(), 5);
    let project = project(&mut store);
    let mut others = |run: &str, most: u32| {
        let run = RunId::parse(run).unwrap();
        store.count_other_open_runs(&project, &run, most).unwrap()
    };
    assert_eq!((others("r-paused", 9), others("r-paused", 1)), (2, 1));
    assert_eq!(others("r-completed", 9), 3);
}

pub(crate) fn runs_are_listed_by_latest_change<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let first = created(&mut store, "r-first", 100);
    created(&mut store, "r-second", 200);
    created(&mut store, "r-third", 200);
    assert_eq!(
        ids(&store.runs(&filter(Scope::All)).unwrap()),
        ["r-second", "r-third", "r-first"]
    );
    assert_eq!(add(&mut store, &first.noted(300, "late")), Append::Done);
    assert_eq!(
        ids(&store.runs(&filter(Scope::All)).unwrap()),
        ["r-first", "r-second", "r-third"]
    );
    let two = RunFilter {
        limit: 2,
        ..filter(Scope::All)
    };
    assert_eq!(ids(&store.runs(&two).unwrap()), ["r-first", "r-second"]);
    assert_eq!(
        store.count_runs(&two).unwrap(),
        3,
        "the limit does not affect the count"
    );
}

pub(crate) fn blobs_are_stored_once<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let blobs = [
        (hash(3), b"three".to_vec()),
        (hash(1), Vec::new()),
        (hash(2), vec![0, 255, 254, 0]),
    ];
    store.keep_blobs(&blobs).unwrap();
    store.keep_blobs(&blobs).unwrap();
    store
        .keep_blobs(&[(hash(4), vec![7; 300_000]), (hash(3), b"three".to_vec())])
        .unwrap();
    store.keep_blobs(&[]).unwrap();
    for (hash, bytes) in &blobs {
        assert_eq!(store.blob(hash).unwrap().as_ref(), Some(bytes));
    }
    assert_eq!(store.blob(&hash(4)).unwrap().unwrap().len(), 300_000);
    assert_eq!(store.blob(&hash(9)).unwrap(), None);
    assert_eq!(store.blobs().unwrap(), [hash(1), hash(2), hash(3), hash(4)]);
}

pub(crate) fn compiled_skills_are_stored_per_compiler<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    store.keep_blobs(&[(hash(1), b"skill".to_vec())]).unwrap();
    assert_eq!(store.compiled(&hash(1), 1).unwrap(), None);
    store.keep_compiled(&hash(1), 1, "{\"größe\":1}").unwrap();
    store.keep_compiled(&hash(1), 1, "{\"größe\":1}").unwrap();
    store.keep_compiled(&hash(1), 2, "{}").unwrap();
    assert_eq!(
        store.compiled(&hash(1), 1).unwrap().as_deref(),
        Some("{\"größe\":1}")
    );
    assert_eq!(store.compiled(&hash(1), 2).unwrap().as_deref(), Some("{}"));
    assert_eq!(store.compiled(&hash(1), 3).unwrap(), None);
    assert_eq!(store.compiled(&hash(2), 1).unwrap(), None);
    assert!(
        store.keep_compiled(&hash(2), 1, "{}").is_err(),
        "only a pinned skill can be compiled"
    );
}

pub(crate) fn trust_applies_to_exact_bytes<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let ada = Actor::Person("ada".to_owned());
    assert!(!store.is_trusted(&hash(1)).unwrap());
    store.trust(&hash(1), "critic", &ada, Timestamp(1)).unwrap();
    store
        .trust(&hash(1), "critic", &Actor::Program, Timestamp(2))
        .unwrap();
    assert!(engine.open().is_trusted(&hash(1)).unwrap());
    assert!(!store.is_trusted(&hash(2)).unwrap());
}

pub(crate) fn a_location_has_one_project<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    assert_eq!(store.find_project("/a").unwrap(), None);
    let a = store.project("/a", "p-1", Timestamp(1)).unwrap();
    assert_eq!(store.project("/a", "p-2", Timestamp(2)).unwrap(), a);
    assert_eq!(engine.open().find_project("/a").unwrap(), Some(a.clone()));
    assert_ne!(store.project("/A", "p-3", Timestamp(3)).unwrap(), a);
    assert!(
        store.project("/b", "p-1", Timestamp(4)).is_err(),
        "the id belongs to another location"
    );
    assert_eq!(store.find_project("/b").unwrap(), None);
}

pub(crate) fn a_new_store_passes_the_integrity_check<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    assert_eq!(store.integrity().unwrap(), [""; 0]);
    assert!(store.schema().unwrap() > 0);
    assert_eq!(store.runs(&filter(Scope::All)).unwrap(), []);
    assert_eq!(store.blobs().unwrap(), []);
}
