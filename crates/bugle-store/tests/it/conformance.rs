//! What every store promises, whatever engine it stands on. An engine gives a fresh, empty database and any number of
//! connections to it; `conformance!` then runs every promise as a test of its own.

use std::collections::BTreeSet;

use bugle_core::id::{Actor, RunId, SessionId, Timestamp};
use bugle_store::{
    AgentStore, Append, LaunchStore, MergeStore, MessageStore, ProjectId, ProjectStore, RunFilter, RunRow,
    Scope, SearchStore, SessionStore, Store, TaskStore,
};

use crate::story::{Chapter, Story, hash, project};

/// A database that a test has for itself.
pub(crate) trait Engine: Sync {
    /// A connection to it.
    type Store: Store
        + TaskStore
        + MessageStore
        + AgentStore
        + SessionStore
        + LaunchStore
        + SearchStore
        + ProjectStore
        + MergeStore;
    /// A new, empty one.
    fn fresh() -> Self;
    /// One more connection.
    fn open(&self) -> Self::Store;
}

/// How a run goes on.
type Telling<'a> = &'a dyn Fn(&Story) -> Chapter;

/// Every promise as a test of its own, in a module named after the engine.
macro_rules! conformance {
    ($name:ident, $engine:ty) => {
        #[cfg(test)]
        mod $name {
            $crate::conformance::conformance!(@conformance $engine:
                a_run_comes_back_as_it_was_kept an_id_is_taken_once a_run_needs_its_project
                events_are_added_at_the_expected_version_only nothing_is_added_to_a_run_that_is_not_there
                the_row_says_what_the_events_say runs_are_found_by_the_beginning_of_their_id
                runs_are_found_by_project_and_session a_run_is_taken_from_whoever_has_it only_open_runs_are_found_if_asked_for
                the_latest_change_comes_first blobs_are_kept_once compiled_skills_are_kept_per_compiler
                trust_is_given_to_exact_bytes a_place_is_one_project a_new_store_is_whole
            );
            $crate::conformance::conformance!(@crowd $engine:
                one_of_many_appends_at_one_version_wins many_writers_lose_nothing one_place_is_one_project_for_all
            );
            $crate::conformance::conformance!(@tasks $engine:
                the_history_of_a_task_comes_back_as_it_was_kept a_taken_id_leaves_everything_as_it_was
                what_is_read_of_one_moment_stays_until_it_is_let_go_or_something_is_written
                a_change_of_a_task_that_is_not_there_changes_nothing siblings_change_places_in_one_go
                a_task_may_move_twice_and_after_it_was_added
                everything_in_a_task_waits_with_it_wherever_it_moves trees_of_two_projects_never_meet
                what_fails_inside_undoes_the_whole each_task_is_claimed_once
                tasks_are_found_by_the_beginning_of_their_id
                a_task_that_was_removed_is_kept_but_not_in_the_way
            );
            $crate::conformance::conformance!(@plans $engine:
                plans_are_found_by_project_and_file the_focus_is_a_session_s_or_else_anybody_s
                a_tree_keeps_to_its_first_version_of_a_skill
            );
            $crate::conformance::conformance!(@messages $engine:
                messages_come_back_in_the_order_they_were_said the_last_messages_are_the_last
                the_branches_on_which_something_was_said_are_known
                a_message_is_unread_until_it_is_taken_and_for_each_by_itself a_taken_message_id_leaves_everything_as_it_was
                mailboxes_of_two_projects_never_meet what_fails_with_a_delivery_leaves_it_unread
                many_speak_and_read_and_each_gets_each_message_once
                everybody_who_spoke_or_has_read_is_known wakeups_are_kept_and_found
            );
            $crate::conformance::conformance!(@search $engine:
                a_search_in_messages_ends_where_it_says a_search_in_runs_ends_where_it_says
            );
            $crate::conformance::conformance!(@agents $engine:
                an_agent_comes_back_as_it_was_kept a_name_and_a_session_are_taken_once
                agents_are_listed_by_branch_and_name a_cleared_session_s_agent_is_the_next_one_s
                those_who_are_called_are_found what_is_forwarded_arrives_once_and_in_order
                a_question_is_open_until_it_is_answered what_is_spent_is_counted
                news_is_news_once two_agents_are_one_pair_whoever_speaks
            );
            $crate::conformance::conformance!(@projects $engine:
                a_project_moves_once_with_its_folders two_mailboxes_of_one_address_become_one_and_lose_nothing
                a_merge_that_fails_changes_nothing
            );
            $crate::conformance::conformance!(@launches $engine:
                a_launch_comes_back_as_it_was_kept only_what_is_on_its_way_or_unseen_is_open
                what_is_given_back_is_unread_again a_write_of_others_is_a_change
            );
        }
    };
    (@$module:ident $engine:ty: $($promise:ident)*) => {
        $(#[test] fn $promise() {
            $crate::$module::$promise::<$engine>();
        })*
    };
}
pub(crate) use conformance;

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

pub(crate) fn kept(store: &mut impl Store, id: &str, at: i64) -> Story {
    let project = project(store);
    let run = Story::new(id, at);
    assert_eq!(store.create(&run.as_new(&project, None)).unwrap(), Append::Done);
    run
}

pub(crate) fn add(store: &mut impl Store, chapter: &Chapter) -> Append {
    store
        .append(chapter.expected, &chapter.events, &chapter.state)
        .unwrap()
}

pub(crate) fn a_run_comes_back_as_it_was_kept<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    let session = SessionId("session \"one\"".to_owned());
    let mut run = Story::new("r-aaaaaa", 100);
    assert_eq!(
        store.create(&run.as_new(&project, Some(&session))).unwrap(),
        Append::Done
    );
    let chapter = run.step_done(160, "classify");
    assert_eq!(add(&mut store, &chapter), Append::Done);
    run.turn(chapter);

    let stored = engine.open().load(&run.state.id).unwrap().unwrap();
    assert_eq!(stored.events, run.events);
    assert_eq!(stored.row.project, project);
    assert_eq!(stored.row.session, Some(session));
    assert_eq!(stored.row.directory, "/home/ada/größe");
    assert_eq!(stored.row.started_at, Timestamp(100));
    assert_eq!(store.load(&RunId::parse("r-zzzzzz").unwrap()).unwrap(), None);
}

pub(crate) fn an_id_is_taken_once<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let run = kept(&mut store, "r-aaaaaa", 100);
    let other = Story::new("r-aaaaaa", 900);
    let project = project(&mut store);
    assert_eq!(
        store.create(&other.as_new(&project, None)).unwrap(),
        Append::Conflict
    );
    assert_eq!(store.load(&run.state.id).unwrap().unwrap().events, run.events);
}

pub(crate) fn a_run_needs_its_project<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let run = Story::new("r-aaaaaa", 100);
    let nowhere = ProjectId("p-nowhere".to_owned());
    assert!(store.create(&run.as_new(&nowhere, None)).is_err());
    assert_eq!(
        store.load(&run.state.id).unwrap(),
        None,
        "nothing is half-written"
    );
}

pub(crate) fn events_are_added_at_the_expected_version_only<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let mut run = kept(&mut store, "r-aaaaaa", 100);
    let chapter = run.noted(110, "first");
    for wrong in [0, chapter.expected - 1, chapter.expected + 1, u64::MAX] {
        let before = store.load(&run.state.id).unwrap();
        let answer = store.append(wrong, &chapter.events, &chapter.state).unwrap();
        assert_eq!(answer, Append::Conflict, "at version {wrong}");
        assert_eq!(store.load(&run.state.id).unwrap(), before);
    }
    assert_eq!(add(&mut store, &chapter), Append::Done);
    assert_eq!(
        add(&mut store, &chapter),
        Append::Conflict,
        "the same again adds nothing"
    );
    run.turn(chapter);
    assert_eq!(store.load(&run.state.id).unwrap().unwrap().events, run.events);
}

pub(crate) fn nothing_is_added_to_a_run_that_is_not_there<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let chapter = Story::new("r-aaaaaa", 100).noted(110, "first");
    assert_eq!(add(&mut store, &chapter), Append::Conflict);
    assert_eq!(store.count_runs(&filter(Scope::All)).unwrap(), 0);
}

pub(crate) fn the_row_says_what_the_events_say<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let mut run = kept(&mut store, "r-aaaaaa", 100);
    let paused = bugle_core::engine::Event::Paused { reason: None };
    let upgraded = bugle_core::engine::Event::Upgraded { pin: hash(2) };
    let tellings: [Telling<'_>; 6] = [
        &|run| run.noted(110, "first"),
        &|run| run.step_done(120, "classify"),
        &|run| run.then(130, [paused.clone()]),
        &|run| run.then(140, [bugle_core::engine::Event::Resumed]),
        &|run| run.then(150, [upgraded.clone()]),
        &|run| run.completed(160),
    ];
    for tell in tellings {
        let chapter = tell(&run);
        assert_eq!(add(&mut store, &chapter), Append::Done);
        run.turn(chapter);
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

pub(crate) fn runs_are_found_by_the_beginning_of_their_id<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    for id in ["r-bcdfgh", "r-bcd222", "r-bzzzzz", "r-zzzzzz"] {
        kept(&mut store, id, 100);
    }
    let mut found = |prefix: &str| -> Vec<String> {
        let rows = store.runs_by_prefix(prefix).unwrap();
        rows.iter().map(|row| row.id.to_string()).collect()
    };
    assert_eq!(found("r-bcd"), ["r-bcd222", "r-bcdfgh"]);
    assert_eq!(found("r-bcdfgh"), ["r-bcdfgh"], "a whole id is its own beginning");
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
    let kept = [
        ("r-aaaaaa", &here, Some(session("one"))),
        ("r-bbbbbb", &there, Some(session("one"))),
        ("r-cccccc", &here, Some(session("two"))),
        ("r-dddddd", &there, None),
    ];
    for (at, (id, project, session)) in (100..).zip(&kept) {
        let run = Story::new(id, at);
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

pub(crate) fn a_run_is_taken_from_whoever_has_it<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let run = kept(&mut store, "r-aaaaaa", 100).state.id;
    let session = |name: &str| SessionId(name.to_owned());
    let (one, two) = (session("one"), session("two"));
    let mut take = |from: Option<&SessionId>, to: &SessionId| store.take_run(&run, from, to).unwrap();
    assert!(!take(Some(&one), &two), "nobody has it");
    assert!(take(None, &one));
    assert!(!take(None, &two), "somebody was quicker");
    assert!(take(Some(&one), &two));
    let rows = store.runs(&filter(Scope::Session(two))).unwrap();
    assert_eq!(ids(&rows), ["r-aaaaaa"]);
    assert_eq!(rows[0].version, 2, "nothing happened to it");
}

pub(crate) fn only_open_runs_are_found_if_asked_for<E: Engine>() {
    use bugle_core::engine::Event::{Asked, Cancelled, Paused};
    use bugle_core::id::VisitNumber;
    let engine = E::fresh();
    let mut store = engine.open();
    let endings: [(&str, Option<Telling<'_>>); 5] = [
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
        let run = kept(&mut store, id, 100);
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
}

pub(crate) fn the_latest_change_comes_first<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let first = kept(&mut store, "r-first", 100);
    kept(&mut store, "r-second", 200);
    kept(&mut store, "r-third", 200);
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
        "a limit does not change how many there are"
    );
}

pub(crate) fn blobs_are_kept_once<E: Engine>() {
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

pub(crate) fn compiled_skills_are_kept_per_compiler<E: Engine>() {
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
        "a skill is compiled after it is pinned"
    );
}

pub(crate) fn trust_is_given_to_exact_bytes<E: Engine>() {
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

pub(crate) fn a_place_is_one_project<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    assert_eq!(store.find_project("/a").unwrap(), None);
    let a = store.project("/a", "p-1", Timestamp(1)).unwrap();
    assert_eq!(store.project("/a", "p-2", Timestamp(2)).unwrap(), a);
    assert_eq!(engine.open().find_project("/a").unwrap(), Some(a.clone()));
    assert_ne!(store.project("/A", "p-3", Timestamp(3)).unwrap(), a);
    assert!(
        store.project("/b", "p-1", Timestamp(4)).is_err(),
        "an id stands for one place"
    );
    assert_eq!(store.find_project("/b").unwrap(), None);
}

pub(crate) fn a_new_store_is_whole<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    assert_eq!(store.integrity().unwrap(), [""; 0]);
    assert!(store.schema().unwrap() > 0);
    assert_eq!(store.runs(&filter(Scope::All)).unwrap(), []);
    assert_eq!(store.blobs().unwrap(), []);
}
