//! Changes tasks: appends events and updates all dependent rows.

use std::collections::BTreeMap;

use bugle_core::id::{RunId, TaskId};
use bugle_core::name::{AgentName, SkillAddress};
use bugle_core::task::{RecordedTaskEvent, Task, TaskEvent, TreePath};

use super::TaskRow;
use super::blockers::{Blockers, count_blockers, set_dependency};
use super::rows::{COLUMNS, kind_text, select, source_of};
use crate::ProjectId;
use crate::StoreError;
use crate::chain::{EventRow, START};
use crate::connection::Connection;
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

/// Applies changes in order. Tasks that move are detached first and attached at the end. Otherwise two siblings that
/// swap would briefly have the same path.
pub(super) fn change(
    db: &mut Connection,
    project: &ProjectId,
    changes: &[(TaskId, RecordedTaskEvent)],
) -> Result<(), ChangeError> {
    let mut last_moves: BTreeMap<&TaskId, usize> = BTreeMap::new();
    for (place, (id, recorded)) in changes.iter().enumerate() {
        if matches!(recorded.event, TaskEvent::Moved { .. }) {
            last_moves.insert(id, place);
        }
    }
    for id in last_moves.keys() {
        // Tasks that these changes add are not in the database yet.
        if let Some(row) = find(db, id)? {
            detach(db, &row)?;
        }
    }
    let mut adding = Adding::default();
    let mut heads = BTreeMap::new();
    for (place, (id, recorded)) in changes.iter().enumerate() {
        let version = if let TaskEvent::Added { .. } = &recorded.event {
            let moves = last_moves.contains_key(id);
            adding.add(db, project, id, &recorded.event, moves)?
        } else {
            std::mem::take(&mut adding).count(db)?;
            let before = load(db, id)?;
            let mut after = before.task.clone();
            after.apply(&recorded.event);
            update(db, &after)?;
            follow(db, &before, &after, &recorded.event)?;
            if last_moves.get(id) == Some(&place) {
                attach(db, &after)?;
            }
            after.version
        };
        insert_event(db, id, version, recorded, &mut heads)?;
    }
    adding.count(db)?;
    Ok(())
}

/// A batch of new tasks. Each parent is read once, and its child counts are updated at the end.
#[derive(Default)]
struct Adding {
    places: BTreeMap<TaskId, Place>,
}

/// A parent's position.
struct Place {
    root: TaskId,
    path: TreePath,
    blockers: Blockers,
    /// The number of added children.
    added: i64,
}

fn find(db: &mut Connection, id: &TaskId) -> Result<Option<TaskRow>, StoreError> {
    Ok(select(db, "id = $1", &[id.as_str().into()])?.pop())
}

pub(super) fn load(db: &mut Connection, id: &TaskId) -> Result<TaskRow, StoreError> {
    find(db, id)?.ok_or_else(|| StoreError::Unreadable(format!("task {id} does not exist")))
}

/// Appends an event. `heads` maps each changed task to its last hash.
fn insert_event<'a>(
    db: &mut Connection,
    id: &'a TaskId,
    version: u64,
    recorded: &RecordedTaskEvent,
    heads: &mut BTreeMap<&'a TaskId, String>,
) -> Result<(), StoreError> {
    let unwritable = |error: serde_json::Error| StoreError::Unreadable(error.to_string());
    let actor = serde_json::to_string(&recorded.by).map_err(unwritable)?;
    let body = serde_json::to_string(&recorded.event).map_err(unwritable)?;
    let seq = i64::try_from(version).unwrap_or(i64::MAX);
    let before = if let Some(head) = heads.get(id) {
        head.clone()
    } else if seq <= 1 {
        START.to_owned()
    } else {
        let statement = "SELECT hash FROM task_event WHERE task_id = $1 AND seq = $2";
        let rows = db.query(statement, &[id.as_str().into(), Value::Int(seq - 1)])?;
        rows.first()
            .map_or(Ok(START.to_owned()), |row| row.text("hash"))?
    };
    let link = EventRow {
        of: id.as_str(),
        seq,
        at: recorded.at.0,
        actor: &actor,
        body: &body,
    };
    let hash = link.in_task(&before);
    db.execute(
        "INSERT INTO task_event (task_id, seq, happened_at, actor, body, hash) VALUES ($1, $2, $3, $4, $5, $6)",
        &[
            id.as_str().into(),
            Value::Int(seq),
            recorded.at.0.into(),
            actor.as_str().into(),
            body.as_str().into(),
            hash.as_str().into(),
        ],
    )?;
    heads.insert(id, hash);
    Ok(())
}

fn number(value: u64) -> Value {
    Value::Int(i64::try_from(value).unwrap_or(i64::MAX))
}

impl Adding {
    /// Adds a task. If a later change moves it, it stays detached until then.
    fn add(
        &mut self,
        db: &mut Connection,
        project: &ProjectId,
        id: &TaskId,
        event: &TaskEvent,
        moves: bool,
    ) -> Result<u64, ChangeError> {
        let task = Task::added(id.clone(), event).map_err(StoreError::from)?;
        let parent = match &task.parent {
            None => None,
            Some(parent) => Some(self.place(db, parent)?),
        };
        let (root, path, blockers) = match &parent {
            _ if moves => (id.clone(), outside(id), Blockers::default()),
            None => (id.clone(), TreePath::top(task.rank), Blockers::default()),
            Some(parent) => (parent.root.clone(), parent.path.child(task.rank), parent.blockers),
        };
        if let Some(parent) = parent {
            parent.added += 1;
        }
        let own = Place {
            root,
            path,
            blockers,
            added: 0,
        };
        insert(db, project, &task, &own)?;
        self.places.insert(id.clone(), own);
        Ok(task.version)
    }

    fn place(&mut self, db: &mut Connection, id: &TaskId) -> Result<&mut Place, StoreError> {
        if !self.places.contains_key(id) {
            let row = load(db, id)?;
            let place = Place {
                blockers: Blockers::of(&row),
                root: row.root,
                path: row.path,
                added: 0,
            };
            self.places.insert(id.clone(), place);
        }
        self.places
            .get_mut(id)
            .ok_or_else(|| StoreError::Unreadable(format!("task {id} does not exist")))
    }

    fn count(self, db: &mut Connection) -> Result<(), StoreError> {
        for (id, place) in self.places.iter().filter(|(_, place)| place.added > 0) {
            count_child(db, Some(id), place.added, place.added)?;
        }
        Ok(())
    }
}

fn insert(db: &mut Connection, project: &ProjectId, task: &Task, own: &Place) -> Result<(), ChangeError> {
    let plan = task.plan.as_ref();
    let made = db.execute(
        &format!(
            "INSERT INTO task ({COLUMNS}, is_open) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'pending', NULL, NULL, \
             NULL, 0, $10, $11, $12, $13, $14, NULL, 1, 0, 0, $15, $16, NULL, 1) ON CONFLICT DO NOTHING"
        ),
        &[
            task.id.as_str().into(),
            project.0.as_str().into(),
            own.root.as_str().into(),
            task.parent.as_ref().map(TaskId::as_str).into(),
            own.path.as_str().into(),
            number(task.rank.stored()),
            task.title.as_str().into(),
            task.skill.as_ref().map(SkillAddress::as_str).into(),
            task.agent.as_ref().map(AgentName::as_str).into(),
            plan.map(|plan| plan.plan.as_str()).into(),
            plan.map(|plan| plan.number.as_str()).into(),
            plan.map(|plan| plan.title.as_str()).into(),
            plan.map(|plan| plan.content_hash.as_str()).into(),
            plan.map(|plan| kind_text(plan.kind)).into(),
            own.blockers.all.into(),
            own.blockers.turn.into(),
        ],
    )?;
    if made == 0 {
        return Err(ChangeError::IdTaken);
    }
    Ok(())
}

fn update(db: &mut Connection, task: &Task) -> Result<(), StoreError> {
    let removed = match &task.removed {
        None => None,
        Some(why) => {
            Some(serde_json::to_string(why).map_err(|error| StoreError::Unreadable(error.to_string()))?)
        }
    };
    let waived = if task.waived.is_empty() {
        None
    } else {
        let unwritable = |error: serde_json::Error| StoreError::Unreadable(error.to_string());
        Some(serde_json::to_string(&task.waived).map_err(unwritable)?)
    };
    let plan = task.plan.as_ref();
    db.execute(
        "UPDATE task SET parent_id = $2, rank = $3, title = $4, skill = $5, agent = $6, standing = $7, reason = $8, \
         skipped_with = $9, removed = $10, retries = $11, plan_id = $12, plan_number = $13, plan_title = $14, \
         plan_hash = $15, substance = $16, run_id = $17, version = $18, is_open = $19, waived = $20 WHERE id = $1",
        &[
            task.id.as_str().into(),
            task.parent.as_ref().map(TaskId::as_str).into(),
            number(task.rank.stored()),
            task.title.as_str().into(),
            task.skill.as_ref().map(SkillAddress::as_str).into(),
            task.agent.as_ref().map(AgentName::as_str).into(),
            task.status.as_str().into(),
            task.reason.as_deref().into(),
            task.skipped_with.as_ref().map(TaskId::as_str).into(),
            removed.as_deref().into(),
            Value::Int(i64::from(task.retries)),
            plan.map(|plan| plan.plan.as_str()).into(),
            plan.map(|plan| plan.number.as_str()).into(),
            plan.map(|plan| plan.title.as_str()).into(),
            plan.map(|plan| plan.content_hash.as_str()).into(),
            plan.map(|plan| kind_text(plan.kind)).into(),
            task.run.as_ref().map(RunId::as_str).into(),
            number(task.version),
            Value::Int(i64::from(task.is_open())),
            waived.as_deref().into(),
        ],
    )?;
    Ok(())
}

/// Updates what follows from a change: the parent's child counts, the dependents' blocker counts, and the task's own
/// dependencies.
fn follow(db: &mut Connection, before: &TaskRow, after: &Task, event: &TaskEvent) -> Result<(), StoreError> {
    let old = &before.task;
    if let TaskEvent::Moved { .. } = event {
        let present = i64::from(after.removed.is_none());
        let open = i64::from(after.is_open());
        count_child(db, old.parent.as_ref(), -present, -open)?;
        return count_child(db, after.parent.as_ref(), present, open);
    }
    let present = i64::from(after.removed.is_none()) - i64::from(old.removed.is_none());
    let open = i64::from(after.is_open()) - i64::from(old.is_open());
    if present != 0 || open != 0 {
        count_child(db, after.parent.as_ref(), present, open)?;
    }
    if open != 0 {
        let waiting = db.query(
            "SELECT task.project_id, task.path, dependency.says FROM dependency \
             JOIN task ON task.id = dependency.task_id WHERE dependency.on_id = $1",
            &[after.id.as_str().into()],
        )?;
        for row in waiting {
            let path = TreePath::from_stored(row.text("path")?);
            let more = Blockers::counted(source_of(&row.text("says")?)?, open);
            count_blockers(db, &ProjectId(row.text("project_id")?), &path, more)?;
        }
    }
    match event {
        TaskEvent::Waits { on, says } => set_dependency(db, before, on, Some(*says)),
        TaskEvent::WaitsNoMore { on } | TaskEvent::OrderWaived { on } => set_dependency(db, before, on, None),
        _ => Ok(()),
    }
}

fn count_child(
    db: &mut Connection,
    parent: Option<&TaskId>,
    children: i64,
    open: i64,
) -> Result<(), StoreError> {
    if let Some(parent) = parent {
        db.execute(
            "UPDATE task SET children = children + $2, open_children = open_children + $3 WHERE id = $1",
            &[parent.as_str().into(), children.into(), open.into()],
        )?;
    }
    Ok(())
}

/// Removes a subtree from the order and from its parent's counts.
fn detach(db: &mut Connection, row: &TaskRow) -> Result<(), StoreError> {
    let id = &row.task.id;
    let above = match &row.task.parent {
        None => Blockers::default(),
        Some(parent) => Blockers::of(&load(db, parent)?),
    };
    rewrite(db, row, outside(id).as_str(), id, above.negated())
}

/// The path of a detached task.
fn outside(id: &TaskId) -> TreePath {
    TreePath::from_stored(format!("{id}:"))
}

/// Attaches a subtree at the position given by its parent and rank.
fn attach(db: &mut Connection, after: &Task) -> Result<(), StoreError> {
    let row = load(db, &after.id)?;
    let parent = match &after.parent {
        None => None,
        Some(parent) => Some(load(db, parent)?),
    };
    match parent {
        None => {
            let path = TreePath::top(after.rank);
            rewrite(db, &row, path.as_str(), &after.id, Blockers::default())
        }
        Some(parent) => {
            let path = parent.path.child(after.rank);
            rewrite(db, &row, path.as_str(), &parent.root, Blockers::of(&parent))
        }
    }
}

fn rewrite(
    db: &mut Connection,
    row: &TaskRow,
    path: &str,
    root: &TaskId,
    blockers: Blockers,
) -> Result<(), StoreError> {
    let kept = row.path.as_str().len() + 1;
    db.execute(
        "UPDATE task SET path = $4 || substr(path, CAST($5 AS INTEGER)), root_id = $6, blockers = blockers + $7, \
         turn_blockers = turn_blockers + $8 WHERE project_id = $1 AND path >= $2 AND path < $3",
        &[
            row.project.0.as_str().into(),
            row.path.as_str().into(),
            row.path.end().as_str().into(),
            path.into(),
            Value::Int(i64::try_from(kept).unwrap_or(i64::MAX)),
            root.as_str().into(),
            blockers.all.into(),
            blockers.turn.into(),
        ],
    )?;
    Ok(())
}
