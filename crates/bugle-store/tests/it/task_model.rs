//! Property tests: the stored tasks match a model in memory.

use bugle_core::id::{Actor, SessionId, TaskId, Timestamp};
use bugle_core::task::{Forest, Rank, RecordedTaskEvent, Task, TaskCommand, TaskEvent, TreePath, WaitSource};
use bugle_store::{ProjectId, Store, TaskRow};
use bugle_testkit::tasks::TaskTree;
use proptest::prelude::*;

use crate::conformance::Engine;
use crate::sqlite::SqliteFile;
use crate::test_run::project;

pub(crate) fn recorded(changes: &[(TaskId, TaskEvent)]) -> Vec<(TaskId, RecordedTaskEvent)> {
    let record = |event: &TaskEvent| RecordedTaskEvent {
        at: Timestamp(9),
        by: Actor::Agent(SessionId("session".to_owned())),
        event: event.clone(),
    };
    changes
        .iter()
        .map(|(id, event)| (id.clone(), record(event)))
        .collect()
}

pub(crate) struct TaskModel {
    pub store: Store,
    pub tree: TaskTree,
    pub project: ProjectId,
}

impl TaskModel {
    pub(crate) fn new(mut store: Store) -> Self {
        let project = project(&mut store);
        Self {
            store,
            tree: TaskTree::new(),
            project,
        }
    }

    /// Applies changes to the store and the model.
    pub(crate) fn write(&mut self, changes: &[(TaskId, TaskEvent)]) {
        self.tree.apply(changes);
        assert!(
            self.store
                .change_tasks(&self.project, &recorded(changes))
                .unwrap()
        );
    }

    pub(crate) fn add(&mut self, parent: Option<&TaskId>) -> TaskId {
        let mut tree = self.tree.clone();
        let id = tree.add(parent, "A task");
        // Adding the task may have reopened its ancestors.
        let mut changes = vec![(id.clone(), tree.events(&id)[0].clone())];
        for above in tree.above(&id) {
            let known = self.tree.events(&above.id).len();
            changes.extend(
                tree.events(&above.id)[known..]
                    .iter()
                    .map(|event| (above.id.clone(), event.clone())),
            );
        }
        self.write(&changes);
        id
    }

    pub(crate) fn blockers(&mut self, id: &TaskId) -> u32 {
        self.store.task(id).unwrap().unwrap().blockers
    }

    fn path(&self, task: &Task) -> TreePath {
        let above = self.tree.above(&task.id);
        let mut ranks = above
            .iter()
            .rev()
            .chain(std::iter::once(task))
            .map(|task| task.rank);
        let top = TreePath::top(ranks.next().unwrap());
        ranks.fold(top, |path, rank| path.child(rank))
    }

    /// Checks that every row matches its events, and that queries by index match a full scan.
    pub(crate) fn check(&mut self) {
        let tasks = self.tree.in_order();
        let forest = Forest::new(&tasks);
        let expected: Vec<TaskRow> = tasks
            .iter()
            .map(|task| {
                let (children, open_children) = forest.children(&task.id);
                TaskRow {
                    task: task.clone(),
                    project: self.project.clone(),
                    root: self
                        .tree
                        .above(&task.id)
                        .last()
                        .map_or_else(|| task.id.clone(), |top| top.id.clone()),
                    path: self.path(task),
                    children,
                    open_children,
                    blockers: forest.blockers(task),
                    turn_blockers: forest.turn_blockers(task),
                }
            })
            .collect();
        let project = self.project.clone();
        let mut rows = Vec::new();
        for top in self.store.siblings(&project, None, true).unwrap() {
            rows.extend(self.store.subtree(&project, &top.path).unwrap());
        }
        assert_eq!(rows, expected);
        assert_eq!(self.store.tasks_of_project(&project).unwrap(), expected);
        let ids = |rows: Vec<TaskRow>| rows.into_iter().map(|row| row.task.id).collect::<Vec<TaskId>>();
        let position = self.store.position(&project, None).unwrap();
        assert_eq!(
            position.map(|row| row.task.id).as_ref(),
            forest.position().map(|task| &task.id)
        );
        let ready: Vec<TaskId> = forest.ready().iter().map(|task| task.id.clone()).collect();
        assert_eq!(
            ids(self.store.ready(&project, None, false, u32::MAX).unwrap()),
            ready
        );
        let leaves: Vec<TaskId> = ready
            .iter()
            .filter(|id| forest.children(id).0 == 0)
            .cloned()
            .collect();
        assert_eq!(
            ids(self.store.ready(&project, None, true, u32::MAX).unwrap()),
            leaves
        );
        for row in &expected {
            let id = &row.task.id;
            assert_eq!(
                ids(self.store.above(row).unwrap()),
                self.tree
                    .above(id)
                    .into_iter()
                    .map(|task| task.id)
                    .collect::<Vec<_>>()
            );
            let mut waits = self.tree.waits_for(id);
            waits.sort();
            waits.dedup();
            let above = self.store.above(row).unwrap();
            let found = self.store.waits_for(row, &above).unwrap().into_iter();
            let mut found = ids(found.map(|(row, _)| row).collect());
            found.sort();
            assert_eq!(found, waits);
            self.check_around(row, &expected, &forest);
            let begun =
                self.tree.inside(id).iter().any(|task| {
                    task.removed.is_none() && task.status != bugle_core::task::TaskStatus::Pending
                });
            assert_eq!(self.store.is_begun_inside(&project, &row.path).unwrap(), begun);
            let history: Vec<TaskEvent> = self
                .store
                .task_events(id)
                .unwrap()
                .into_iter()
                .map(|created| created.event)
                .collect();
            assert_eq!(history, self.tree.events(id));
        }
    }

    /// Checks the dependencies that prevent a task from being closed, and its descendants.
    fn check_around(&mut self, row: &TaskRow, all: &[TaskRow], forest: &Forest<'_>) {
        let ids = |rows: Vec<TaskRow>| rows.into_iter().map(|row| row.task.id).collect::<Vec<TaskId>>();
        let is_around = |other: &&TaskRow| row.path.holds(&other.path) || other.path.holds(&row.path);
        let mut keeping_open: Vec<(TaskId, TaskId)> = Vec::new();
        for other in all.iter().filter(is_around).filter(|other| other.task.is_open()) {
            let open = other
                .task
                .waits_for
                .keys()
                .filter(|on| forest.get(on).is_some_and(Task::is_open));
            keeping_open.extend(open.map(|on| (other.task.id.clone(), on.clone())));
        }
        keeping_open.sort();
        let found = self.store.waits_before_closing(&row.project, &row.path).unwrap();
        let mut found: Vec<(TaskId, TaskId)> =
            found.into_iter().map(|wait| (wait.task.0, wait.on.0)).collect();
        found.sort();
        assert_eq!(found, keeping_open);
        let below = all.iter().filter(|other| {
            row.path.holds(&other.path) && other.task.id != row.task.id && other.task.removed.is_none()
        });
        assert_eq!(
            ids(self.store.inside(row, u32::MAX).unwrap()),
            ids(below.cloned().collect())
        );
    }
}

/// A random change. Its numbers are task indexes, modulo the number of tasks.
#[derive(Debug, Clone)]
enum Change {
    Add(usize),
    Command(usize, TaskCommand),
    Move(usize, usize, bool),
    Swap(usize, usize),
    Wait(usize, usize, usize),
    WaitNoMore(usize, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let some = || 0_usize..10;
    let command = prop_oneof![
        Just(TaskCommand::Done),
        Just(TaskCommand::Skip { reason: None }),
        Just(TaskCommand::Reopen),
        Just(TaskCommand::Remove),
        Just(TaskCommand::Fail {
            reason: "'".to_owned()
        }),
        Just(TaskCommand::Start {
            agent: None,
            run: None,
            take_over: false
        }),
        Just(TaskCommand::Note("noted".to_owned())),
    ];
    prop_oneof![
        3 => some().prop_map(Change::Add),
        6 => (some(), command).prop_map(|(task, command)| Change::Command(task, command)),
        4 => (some(), some(), any::<bool>()).prop_map(|(task, to, first)| Change::Move(task, to, first)),
        2 => (some(), some()).prop_map(|(one, other)| Change::Swap(one, other)),
        4 => (some(), some(), some()).prop_map(|(task, on, says)| Change::Wait(task, on, says)),
        2 => (some(), some()).prop_map(|(task, on)| Change::WaitNoMore(task, on)),
    ]
}

/// The events of a change.
fn events(tree: &TaskTree, change: &Change) -> Vec<(TaskId, TaskEvent)> {
    let tasks = tree.in_order();
    let chosen = |number: usize| tasks[number % tasks.len()].clone();
    let inside = |task: &Task, holder: &Task| tree.above(&task.id).iter().any(|above| above.id == holder.id);
    match change {
        Change::Add(_) => Vec::new(),
        Change::Command(task, command) => tree
            .clone()
            .command(&chosen(*task).id, command)
            .unwrap_or_default(),
        Change::Move(task, to, first) => {
            let (task, to) = (chosen(*task), chosen(*to));
            // Half of the moves make the task a root.
            let parent = Some(to.clone()).filter(|to| *first || to.rank != task.rank);
            if parent
                .as_ref()
                .is_some_and(|parent| parent.id == task.id || inside(parent, &task))
            {
                return Vec::new();
            }
            let parent = parent.map(|parent| parent.id);
            let siblings = tasks
                .iter()
                .filter(|other| other.parent == parent && other.id != task.id);
            let ranks: Vec<Rank> = siblings.map(|other| other.rank).collect();
            let rank = if *first {
                Rank::portion(None, ranks.iter().min().copied(), 1)
            } else {
                Rank::portion(ranks.iter().max().copied(), None, 1)
            };
            let moved = rank.map(|rank| TaskEvent::Moved { parent, rank });
            moved.map(|moved| (task.id, moved)).into_iter().collect()
        }
        Change::Swap(one, other) => {
            let (one, other) = (chosen(*one), chosen(*other));
            if one.id == other.id || inside(&one, &other) || inside(&other, &one) {
                return Vec::new();
            }
            let to = |place: &Task| TaskEvent::Moved {
                parent: place.parent.clone(),
                rank: place.rank,
            };
            vec![(one.id.clone(), to(&other)), (other.id.clone(), to(&one))]
        }
        Change::Wait(task, on, number) => {
            let (task, on) = (chosen(*task).id, chosen(*on).id);
            let says = match number % 3 {
                0 => WaitSource::Plan,
                1 => WaitSource::Hand,
                _ => WaitSource::Order,
            };
            if task == on {
                Vec::new()
            } else {
                vec![(task, TaskEvent::Waits { on, says })]
            }
        }
        Change::WaitNoMore(task, number) => {
            let task = chosen(*task);
            let on = task.waits_for.keys().cycle().nth(*number).cloned();
            let event = on.map(|on| match task.waits_for[&on] {
                WaitSource::Order => TaskEvent::OrderWaived { on },
                WaitSource::Plan | WaitSource::Hand => TaskEvent::WaitsNoMore { on },
            });
            event.map(|event| (task.id, event)).into_iter().collect()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn rows_match_the_events_after_any_changes(
        batches in prop::collection::vec(prop::collection::vec(change(), 1..4), 1..14),
    ) {
        let engine = SqliteFile::fresh();
        let mut model = TaskModel::new(engine.open());
        model.add(None);
        let mut expected: u32 = 1;
        for batch in batches {
            let mut tree = model.tree.clone();
            let mut changes = Vec::new();
            for change in batch {
                if let Change::Add(parent) = change {
                    let ids: Vec<TaskId> = model.tree.in_order().into_iter().map(|task| task.id).collect();
                    model.write(&changes);
                    changes.clear();
                    model.add(ids.get(parent));
                    tree = model.tree.clone();
                    expected += 1;
                    continue;
                }
                let more = events(&tree, &change);
                tree.apply(&more);
                changes.extend(more);
            }
            model.write(&changes);
            model.check();
        }
        prop_assert_eq!(u32::try_from(model.tree.count()).unwrap(), expected);
        prop_assert_eq!(model.store.integrity().unwrap(), [""; 0]);
    }
}
