//! New tasks of a change. They stay in memory until the events of the change are applied to them. Then a few
//! statements insert all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use bugle_core::id::TaskId;
use bugle_core::task::{Task, TaskEvent, TreePath, WaitSource};

use super::blockers::Blockers;
use super::rows::{COLUMNS, load, source_text, stored_columns};
use super::sql_helpers::count_child;
use crate::ProjectId;
use crate::StoreError;
use crate::connection::Connection;
use crate::multi_row::insert_rows;
use crate::row::Value;

/// Why a change stopped.
#[derive(Debug)]
pub(super) enum ChangeError {
    IdTaken,
    Error(StoreError),
}

impl From<StoreError> for ChangeError {
    fn from(error: StoreError) -> Self {
        Self::Error(error)
    }
}

/// New tasks, and the stored parents of some of them.
#[derive(Default)]
pub(super) struct NewTasks {
    tasks: BTreeMap<TaskId, NewTask>,
    /// The ids in the order in which the tasks were added: parents come first.
    order: Vec<TaskId>,
    by_path: BTreeMap<String, TaskId>,
    /// For each new task, the new tasks that depend on it.
    dependents: BTreeMap<TaskId, BTreeSet<TaskId>>,
    parents: BTreeMap<TaskId, Parent>,
}

struct NewTask {
    task: Task,
    at: Position,
    counts: ChildCounts,
}

/// A parent that is already stored.
struct Parent {
    at: Position,
    /// Changes to the parent's child counts.
    counts: ChildCounts,
}

#[derive(Clone)]
struct Position {
    root: TaskId,
    path: TreePath,
    blockers: Blockers,
}

#[derive(Default)]
struct ChildCounts {
    all: i64,
    open: i64,
}

/// The path of a detached task.
pub(super) fn outside(id: &TaskId) -> TreePath {
    TreePath::from_stored(format!("{id}:"))
}

impl NewTasks {
    /// Adds a task and returns its version. If a later event moves the task, the task stays detached until that event.
    pub(super) fn add(
        &mut self,
        db: &mut Connection,
        id: &TaskId,
        event: &TaskEvent,
        moves: bool,
    ) -> Result<u64, ChangeError> {
        let task = Task::added(id.clone(), event).map_err(StoreError::from)?;
        let above = match &task.parent {
            None => None,
            Some(parent) => Some(self.position(db, parent)?),
        };
        let at = match above {
            _ if moves => Position::top(id, outside(id)),
            None => Position::top(id, TreePath::top(task.rank)),
            Some(above) => Position {
                path: above.path.child(task.rank),
                ..above
            },
        };
        if self.tasks.contains_key(id) {
            return Err(ChangeError::IdTaken);
        }
        self.count_child(task.parent.as_ref(), 1, 1);
        self.by_path.insert(at.path.as_str().to_owned(), id.clone());
        self.order.push(id.clone());
        let version = task.version;
        let counts = ChildCounts::default();
        self.tasks.insert(id.clone(), NewTask { task, at, counts });
        Ok(version)
    }

    fn position(&mut self, db: &mut Connection, id: &TaskId) -> Result<Position, StoreError> {
        if let Some(new) = self.tasks.get(id) {
            return Ok(new.at.clone());
        }
        if let Some(parent) = self.parents.get(id) {
            return Ok(parent.at.clone());
        }
        let row = load(db, id)?;
        let at = Position {
            blockers: Blockers::of(&row),
            root: row.root,
            path: row.path,
        };
        let parent = Parent {
            at: at.clone(),
            counts: ChildCounts::default(),
        };
        self.parents.insert(id.clone(), parent);
        Ok(at)
    }

    fn count_child(&mut self, parent: Option<&TaskId>, all: i64, open: i64) {
        let Some(parent) = parent else { return };
        let counts = match self.tasks.get_mut(parent) {
            Some(new) => Some(&mut new.counts),
            None => self.parents.get_mut(parent).map(|parent| &mut parent.counts),
        };
        if let Some(counts) = counts {
            counts.all += all;
            counts.open += open;
        }
    }

    /// Applies an event to a new task and to the new tasks that it affects. Returns the task's version, or `None` if
    /// the event concerns stored tasks too.
    pub(super) fn apply(&mut self, id: &TaskId, event: &TaskEvent) -> Option<u64> {
        let is_within = match event {
            TaskEvent::Moved { .. } => false,
            TaskEvent::Waits { on, .. } => self.tasks.contains_key(on),
            _ => true,
        };
        let new = self.tasks.get_mut(id).filter(|_| is_within)?;
        let before = new.task.clone();
        new.task.apply(event);
        let (version, parent) = (new.task.version, new.task.parent.clone());
        let present = i64::from(new.task.removed.is_none()) - i64::from(before.removed.is_none());
        let open = i64::from(new.task.is_open()) - i64::from(before.is_open());
        self.count_child(parent.as_ref(), present, open);
        if open != 0 {
            for dependent in self.dependents.get(id).cloned().unwrap_or_default() {
                let source = self
                    .tasks
                    .get(&dependent)
                    .and_then(|new| new.task.waits_for.get(id));
                if let Some(source) = source.copied() {
                    self.count_blockers(&dependent, Blockers::counted(source, open));
                }
            }
        }
        match event {
            TaskEvent::Waits { on, says } => {
                self.set_dependency(id, on, before.waits_for.get(on).copied(), Some(*says));
            }
            TaskEvent::WaitsNoMore { on } | TaskEvent::OrderWaived { on } => {
                self.set_dependency(id, on, before.waits_for.get(on).copied(), None);
            }
            _ => {}
        }
        Some(version)
    }

    fn set_dependency(&mut self, id: &TaskId, on: &TaskId, old: Option<WaitSource>, new: Option<WaitSource>) {
        let dependents = self.dependents.entry(on.clone()).or_default();
        match new {
            Some(_) => dependents.insert(id.clone()),
            None => dependents.remove(id),
        };
        if self.tasks.get(on).is_some_and(|on| on.task.is_open()) {
            self.count_blockers(id, Blockers::changed(old, new));
        }
    }

    /// Changes the blocker counts of a task and its descendants, all of which are new too.
    fn count_blockers(&mut self, id: &TaskId, change: Blockers) {
        let Some(path) = self.tasks.get(id).map(|new| new.at.path.clone()) else {
            return;
        };
        let end = path.end();
        let subtree = (Bound::Included(path.as_str()), Bound::Excluded(end.as_str()));
        for (_, id) in self.by_path.range::<str, _>(subtree) {
            if let Some(new) = self.tasks.get_mut(id) {
                new.at.blockers.all += change.all;
                new.at.blockers.turn += change.turn;
            }
        }
    }

    /// Inserts the tasks and their dependencies, and updates the child counts of stored parents.
    pub(super) fn write(self, db: &mut Connection, project: &ProjectId) -> Result<(), ChangeError> {
        let mut rows = Vec::with_capacity(self.order.len());
        let mut dependencies = Vec::new();
        for new in self.order.iter().filter_map(|id| self.tasks.get(id)) {
            rows.push(new.row(project)?);
            dependencies.extend(new.task.waits_for.iter().map(|(on, source)| {
                [
                    Value::from(new.task.id.as_str()),
                    on.as_str().into(),
                    source_text(*source).into(),
                ]
            }));
        }
        let columns = format!("{COLUMNS}, is_open");
        if insert_rows(db, "task", &columns, &rows, "ON CONFLICT DO NOTHING")? < rows.len() {
            return Err(ChangeError::IdTaken);
        }
        insert_rows(db, "dependency", "task_id, on_id, says", &dependencies, "")?;
        for (id, Parent { counts, .. }) in &self.parents {
            if counts.all != 0 || counts.open != 0 {
                count_child(db, Some(id), counts.all, counts.open)?;
            }
        }
        Ok(())
    }
}

impl Position {
    fn top(id: &TaskId, path: TreePath) -> Self {
        Self {
            root: id.clone(),
            path,
            blockers: Blockers::default(),
        }
    }
}

impl NewTask {
    /// The row: `COLUMNS` and `is_open`.
    fn row(&self, project: &ProjectId) -> Result<Vec<Value>, StoreError> {
        let [
            parent,
            rank,
            title,
            skill,
            agent,
            status,
            reason,
            skipped_with,
            removed,
            retries,
            plan,
            number,
            plan_title,
            hash,
            kind,
            run,
            version,
            is_open,
            waived,
        ] = stored_columns(&self.task)?;
        Ok(vec![
            self.task.id.as_str().into(),
            project.0.as_str().into(),
            self.at.root.as_str().into(),
            parent,
            self.at.path.as_str().into(),
            rank,
            title,
            skill,
            agent,
            status,
            reason,
            skipped_with,
            removed,
            retries,
            plan,
            number,
            plan_title,
            hash,
            kind,
            run,
            version,
            self.counts.all.into(),
            self.counts.open.into(),
            self.at.blockers.all.into(),
            self.at.blockers.turn.into(),
            waived,
            is_open,
        ])
    }
}
