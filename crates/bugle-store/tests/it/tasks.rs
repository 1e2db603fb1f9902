//! Tasks: changes, moves, blockers, snapshots and transactions.

use std::collections::BTreeSet;
use std::sync::Barrier;
use std::thread;

use bugle_core::id::{Actor, TaskId, Timestamp};
use bugle_core::name::AgentName;
use bugle_core::task::{PlanLink, Rank, RecordedTaskEvent, TaskCommand, TaskEvent, TreePath, WaitSource};
use bugle_store::{LockedTasks, ProjectId, Store, StoreError};
use bugle_testkit::spelling::skill_address;
use bugle_testkit::tasks::{TaskTree, task_id};

use crate::conformance::Engine;
use crate::task_model::{TaskModel, recorded};
use crate::test_run::project;

pub(crate) fn added(parent: Option<&TaskId>, place: usize, plan: Option<PlanLink>) -> TaskEvent {
    TaskEvent::Added {
        title: format!("Größe {place} 🎺"),
        parent: parent.cloned(),
        rank: Rank::nth(place),
        skill: Some(skill_address("tested")),
        agent: Some(AgentName::new("ada").unwrap()),
        plan,
    }
}

pub(crate) fn write(store: &mut Store, project: &ProjectId, changes: &[(TaskId, TaskEvent)]) -> bool {
    store.change_tasks(project, &recorded(changes)).unwrap()
}

/// Creates a root task with this many children.
pub(crate) fn family(store: &mut Store, children: usize) -> (ProjectId, TaskId, Vec<TaskId>) {
    let project = project(store);
    let top = task_id(0);
    let mut changes = vec![(top.clone(), added(None, 0, None))];
    let ids: Vec<TaskId> = (1..=children).map(task_id).collect();
    for (place, id) in ids.iter().enumerate() {
        changes.push((id.clone(), added(Some(&top), place, None)));
    }
    assert!(write(store, &project, &changes));
    (project, top, ids)
}

pub(crate) fn the_events_of_a_task_round_trip<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let (project, _, ids) = family(&mut store, 1);
    let noted = RecordedTaskEvent {
        at: Timestamp(77),
        by: Actor::Person("Ada \"L\"".to_owned()),
        event: TaskEvent::Noted {
            text: "'; DROP TABLE task; --\n\u{0}".to_owned(),
        },
    };
    assert!(
        store
            .change_tasks(&project, &[(ids[0].clone(), noted.clone())])
            .unwrap()
    );
    let events = engine.open().task_events(&ids[0]).unwrap();
    assert_eq!(events.len(), 2);
    assert_eq!(events[1], noted);
    let row = store.task(&ids[0]).unwrap().unwrap();
    assert_eq!((row.task.version, row.project), (2, project));
    assert_eq!(store.task(&task_id(99)).unwrap(), None);
    assert_eq!(store.task_events(&task_id(99)).unwrap(), []);
}

pub(crate) fn a_taken_task_id_writes_nothing<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let (project, top, ids) = family(&mut store, 2);
    let before = store.subtree(&project, &TreePath::top(Rank::nth(0))).unwrap();
    let changes = [
        (ids[0].clone(), TaskEvent::Finished),
        (task_id(9), added(Some(&top), 9, None)),
        (ids[1].clone(), added(Some(&top), 7, None)),
    ];
    assert!(!write(&mut store, &project, &changes));
    assert_eq!(
        store.subtree(&project, &TreePath::top(Rank::nth(0))).unwrap(),
        before
    );
    assert_eq!(store.task_events(&ids[0]).unwrap().len(), 1);
    assert!(write(&mut store, &project, &changes[..2]), "other ids are free");
}

pub(crate) fn a_snapshot_lasts_until_its_end_or_a_write<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let (project, _, ids) = family(&mut store, 3);
    let is_open = |store: &mut Store, id: &TaskId| store.task(id).unwrap().unwrap().task.is_open();
    let other_ends = |id: &TaskId| {
        let changes = [(id.clone(), TaskEvent::Finished)];
        assert!(write(&mut engine.open(), &project, &changes));
    };
    store.begin_snapshot().unwrap();
    assert!(is_open(&mut store, &ids[0]));
    other_ends(&ids[0]);
    assert!(is_open(&mut store, &ids[0]), "the snapshot is unchanged");
    store.end_snapshot().unwrap();
    assert!(!is_open(&mut store, &ids[0]));

    store.begin_snapshot().unwrap();
    assert!(is_open(&mut store, &ids[1]));
    other_ends(&ids[1]);
    assert!(write(
        &mut store,
        &project,
        &[(ids[2].clone(), TaskEvent::Finished)]
    ));
    assert!(!is_open(&mut store, &ids[1]), "a write ends the snapshot");
    store.end_snapshot().unwrap();
    assert!(!is_open(&mut engine.open(), &ids[2]));
}

pub(crate) fn changing_an_unknown_task_writes_nothing<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let (project, _, ids) = family(&mut store, 1);
    let changes = recorded(&[
        (ids[0].clone(), TaskEvent::Finished),
        (task_id(99), TaskEvent::Finished),
    ]);
    assert!(store.change_tasks(&project, &changes).is_err());
    assert!(store.task(&ids[0]).unwrap().unwrap().task.is_open());
}

pub(crate) fn siblings_swap_in_one_change<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let (project, top, ids) = family(&mut store, 3);
    let inner: Vec<TaskId> = (10..13).map(task_id).collect();
    for (parent, id) in ids.iter().zip(&inner) {
        assert!(write(
            &mut store,
            &project,
            &[(id.clone(), added(Some(parent), 0, None))]
        ));
    }
    let moved = |id: &TaskId, place: usize| {
        let parent = Some(top.clone());
        let rank = Rank::nth(place);
        (id.clone(), TaskEvent::Moved { parent, rank })
    };
    assert!(write(
        &mut store,
        &project,
        &[moved(&ids[0], 1), moved(&ids[1], 2), moved(&ids[2], 0)]
    ));
    let rows = store.subtree(&project, &TreePath::top(Rank::nth(0))).unwrap();
    let order: Vec<TaskId> = rows.into_iter().map(|row| row.task.id).collect();
    let expected = [&top, &ids[2], &inner[2], &ids[0], &inner[0], &ids[1], &inner[1]];
    assert!(order.iter().eq(expected), "{order:?}");
}

pub(crate) fn a_task_can_move_twice_and_right_after_it_was_added<E: Engine>() {
    let engine = E::fresh();
    let mut model = TaskModel::new(engine.open());
    let [first, second, third] = [(); 3].map(|()| model.add(None));
    for (task, on) in [(&first, &third), (&second, &third)] {
        let (on, says) = (on.clone(), WaitSource::Hand);
        model.write(&[(task.clone(), TaskEvent::Waits { on, says })]);
    }
    let inner = model.add(Some(&first));
    let to = |parent: Option<&TaskId>, place: usize| TaskEvent::Moved {
        parent: parent.cloned(),
        rank: Rank::nth(place),
    };
    model.write(&[
        (inner.clone(), to(Some(&second), 5)),
        (inner.clone(), to(None, 50)),
    ]);
    model.check();
    let swap = [(first.clone(), to(None, 1)), (second.clone(), to(None, 0))];
    let back = [(first.clone(), to(None, 0)), (second.clone(), to(None, 1))];
    model.write(&[swap, back].concat());
    model.check();
    let late = task_id(40);
    model.write(&[
        (late.clone(), added(None, 60, None)),
        (late.clone(), to(Some(&first), 8)),
        (inner, to(Some(&late), 2)),
    ]);
    model.check();
}

pub(crate) fn descendants_inherit_blockers_after_every_move<E: Engine>() {
    let engine = E::fresh();
    let mut model = TaskModel::new(engine.open());
    let [ground, walls, roof] = [(); 3].map(|()| model.add(None));
    let brick = model.add(Some(&walls));
    let mortar = model.add(Some(&brick));
    let says = WaitSource::Plan;
    for (task, on) in [(&walls, &ground), (&roof, &walls), (&mortar, &ground)] {
        model.write(&[(task.clone(), TaskEvent::Waits { on: on.clone(), says })]);
    }
    assert_eq!(model.blockers(&mortar), 2, "its own blocker and its parent's");
    let to = |parent: &TaskId| TaskEvent::Moved {
        parent: Some(parent.clone()),
        rank: Rank::nth(0),
    };
    for parent in [&roof, &ground, &walls] {
        model.write(&[(brick.clone(), to(parent))]);
        model.check();
    }
    model.write(&[(ground.clone(), TaskEvent::Finished)]);
    assert_eq!((model.blockers(&mortar), model.blockers(&walls)), (0, 0));
    model.write(&[(ground, TaskEvent::Reopened { with: None })]);
    assert_eq!(model.blockers(&mortar), 2);
    model.check();
}

pub(crate) fn trees_of_two_projects_are_separate<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let here = store.project("/here", "p-here", Timestamp(1)).unwrap();
    let there = store.project("/there", "p-there", Timestamp(1)).unwrap();
    assert!(write(&mut store, &here, &[(task_id(1), added(None, 0, None))]));
    assert_eq!(store.projects_with_tasks().unwrap(), std::slice::from_ref(&here));
    assert!(write(&mut store, &there, &[(task_id(2), added(None, 0, None))]));
    assert_eq!(
        store.projects_with_tasks().unwrap(),
        [here.clone(), there.clone()]
    );
    for (project, own) in [(&here, task_id(1)), (&there, task_id(2))] {
        assert_eq!(store.position(project, None).unwrap().unwrap().task.id, own);
        assert_eq!(store.ready(project, None, true, 9).unwrap().len(), 1);
        assert_eq!(store.window(project, None, true, 9).unwrap().len(), 1);
        assert_eq!(store.siblings(project, None, true).unwrap().len(), 1);
        let path = TreePath::top(Rank::nth(0));
        assert_eq!(store.subtree(project, &path).unwrap().len(), 1);
        assert!(!store.is_open_outside(project, &path).unwrap());
    }
}

pub(crate) fn an_inner_failure_rolls_back_the_whole_transaction<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let (project, _, ids) = family(&mut store, 3);
    let finish = |id: &TaskId| recorded(&[(id.clone(), TaskEvent::Finished)]);
    let nested: Result<(), StoreError> = store.transaction(|store| {
        store.change_tasks(&project, &finish(&ids[0]))?;
        store.transaction(|store| store.change_tasks(&project, &finish(&ids[1])))?;
        Ok(())
    });
    assert!(nested.is_ok());
    let is_open = |id: &TaskId| engine.open().task(id).unwrap().unwrap().task.is_open();
    assert_eq!((is_open(&ids[0]), is_open(&ids[1])), (false, false));

    let reopen = |id: &TaskId| recorded(&[(id.clone(), TaskEvent::Reopened { with: None })]);
    // The outer transaction continues after an inner failure and returns `Ok`, but its commit fails.
    let outcome: Result<(), StoreError> = store.transaction(|store| {
        store.change_tasks(&project, &reopen(&ids[0]))?;
        let inside = store.transaction(|store| {
            store.change_tasks(&project, &reopen(&ids[1]))?;
            store.change_tasks(&project, &finish(&task_id(99)))
        });
        assert!(inside.is_err());
        store.change_tasks(&project, &finish(&ids[2]))?;
        Ok(())
    });
    let error = outcome.expect_err("the transaction was rolled back");
    assert!(
        error.to_string().contains("rolled back all its changes"),
        "{error}"
    );
    assert_eq!(
        [&ids[0], &ids[1], &ids[2]].map(is_open),
        [false, false, true],
        "nothing was stored"
    );
    assert!(store.change_tasks(&project, &finish(&ids[2])).unwrap());
    assert!(!is_open(&ids[2]), "the next transaction commits");
}

pub(crate) fn each_task_is_claimed_once<E: Engine>() {
    const AGENTS: usize = 8;
    const TASKS: usize = 40;
    let engine = E::fresh();
    let (project, _, ids) = family(&mut engine.open(), TASKS);
    let barrier = Barrier::new(AGENTS);
    let claimed: Vec<Vec<TaskId>> = thread::scope(|scope| {
        let agents: Vec<_> = (0..AGENTS)
            .map(|agent| {
                let (engine, barrier, project) = (&engine, &barrier, &project);
                scope.spawn(move || {
                    let mut store = engine.open();
                    let agent = AgentName::new(format!("agent-{agent}")).unwrap();
                    barrier.wait();
                    let mut own = Vec::new();
                    while let Some(id) = claim(&mut store, project, Some(&agent)).unwrap() {
                        own.push(id);
                    }
                    own
                })
            })
            .collect();
        agents.into_iter().map(|agent| agent.join().unwrap()).collect()
    });
    let all: Vec<&TaskId> = claimed.iter().flatten().collect();
    assert_eq!(all.len(), TASKS);
    assert!(all.into_iter().collect::<BTreeSet<_>>().into_iter().eq(&ids));
    for own in &claimed {
        assert!(own.is_sorted(), "in plan order");
    }
}

pub(crate) fn claim(
    store: &mut Store,
    project: &ProjectId,
    agent: Option<&AgentName>,
) -> Result<Option<TaskId>, StoreError> {
    store.claim_transaction(project, |store| {
        let ready = store.ready(project, None, true, 200)?;
        let ids: Vec<TaskId> = ready.into_iter().map(|row| row.task.id).collect();
        let Some(id) = store.lock_ready(&ids, LockedTasks::Skip)? else {
            return Ok(None);
        };
        let started = TaskEvent::Started {
            agent: agent.cloned(),
            run: None,
        };
        store.change_tasks(project, &recorded(&[(id.clone(), started)]))?;
        Ok(Some(id))
    })
}

pub(crate) fn tasks_are_found_by_id_prefix<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    for (place, id) in ["t-bcd", "t-bcdf", "t-bz", "t-z"].into_iter().enumerate() {
        let id = TaskId::parse(id).unwrap();
        assert!(write(&mut store, &project, &[(id, added(None, place, None))]));
    }
    let mut found = |prefix: &str| -> Vec<String> {
        let rows = store.tasks_by_prefix(prefix).unwrap();
        rows.iter().map(|row| row.task.id.to_string()).collect()
    };
    assert_eq!(found("t-bc"), ["t-bcd", "t-bcdf"]);
    assert_eq!(found("t-bcd"), ["t-bcd", "t-bcdf"], "a full id is also a prefix");
    assert_eq!(found("t-"), ["t-bcd", "t-bcdf", "t-bz", "t-z"]);
    for odd in ["t-%", "t-_", "T-B", "'"] {
        assert_eq!(found(odd), [""; 0], "{odd}");
    }
}

pub(crate) fn a_removed_task_is_kept_but_not_listed<E: Engine>() {
    let engine = E::fresh();
    let mut model = TaskModel::new(engine.open());
    let top = model.add(None);
    let [first, second] = [(); 2].map(|()| model.add(Some(&top)));
    let mut tree: TaskTree = model.tree.clone();
    let changes = tree.command(&first, &TaskCommand::Remove).unwrap();
    model.write(&changes);
    let project = model.project.clone();
    let store = &mut model.store;
    let ids = |rows: Vec<bugle_store::TaskRow>| rows.into_iter().map(|row| row.task.id).collect::<Vec<_>>();
    assert_eq!(
        ids(store.siblings(&project, Some(&top), false).unwrap()),
        std::slice::from_ref(&second)
    );
    assert_eq!(
        ids(store.siblings(&project, Some(&top), true).unwrap()),
        [first.clone(), second.clone()]
    );
    assert_eq!(
        ids(store.window(&project, None, true, 9).unwrap()),
        [top.clone(), second.clone()]
    );
    assert_eq!(
        store.last_rank(&project, Some(&top)).unwrap(),
        Some(model.tree[&second].rank)
    );
    model.write(&[(second.clone(), TaskEvent::Finished)]);
    model.write(&[(top.clone(), TaskEvent::Finished)]);
    assert_eq!(
        model.store.window(&project, None, false, 9).unwrap(),
        [],
        "the tree is closed"
    );
    assert_eq!(ids(model.store.window(&project, None, true, 1).unwrap()), [top]);
    model.check();
}
