//! Changes tasks: appends events and updates all dependent rows.

use std::collections::BTreeMap;

use bugle_core::id::TaskId;
use bugle_core::task::{RecordedTaskEvent, Task, TaskEvent, TreePath};

use super::TaskRow;
use super::blockers::{Blockers, count_blockers, set_dependency};
use super::new_tasks::{ChangeError, NewTasks, outside};
use super::rows::{find, load, source_of, stored_columns};
use super::sql_helpers::count_child;
use crate::ProjectId;
use crate::StoreError;
use crate::chain::{EventRow, START};
use crate::connection::Connection;
use crate::multi_row::write_rows;
use crate::row::Value;

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
    let mut new = NewTasks::default();
    let mut heads = BTreeMap::new();
    let mut events = Vec::with_capacity(changes.len());
    for (place, (id, recorded)) in changes.iter().enumerate() {
        let version = if let TaskEvent::Added { .. } = &recorded.event {
            new.add(db, id, &recorded.event, last_moves.contains_key(id))?
        } else if let Some(version) = new.apply(id, &recorded.event) {
            version
        } else {
            std::mem::take(&mut new).write(db, project)?;
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
        events.push(event_row(db, id, version, recorded, &mut heads)?);
    }
    new.write(db, project)?;
    let columns = "task_id, seq, happened_at, actor, body, hash";
    write_rows(db, "task_event", columns, &events, "")?;
    if let Some([id, seq, .., hash]) = events.last() {
        db.set_witness(
            "SELECT 1 FROM task_event WHERE task_id = $1 AND seq = $2 AND hash = $3",
            vec![id.clone(), seq.clone(), hash.clone()],
        );
    }
    Ok(())
}

/// The row of a new event. `heads` maps each changed task to its last hash.
fn event_row<'a>(
    db: &mut Connection,
    id: &'a TaskId,
    version: u64,
    recorded: &RecordedTaskEvent,
    heads: &mut BTreeMap<&'a TaskId, String>,
) -> Result<[Value; 6], StoreError> {
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
    heads.insert(id, hash.clone());
    Ok([
        id.as_str().into(),
        Value::Int(seq),
        recorded.at.0.into(),
        Value::Text(actor),
        Value::Text(body),
        Value::Text(hash),
    ])
}

fn update(db: &mut Connection, task: &Task) -> Result<(), StoreError> {
    let mut parameters = vec![task.id.as_str().into()];
    parameters.extend(stored_columns(task)?);
    db.write(
        "UPDATE task SET parent_id = $2, rank = $3, title = $4, skill = $5, agent = $6, standing = $7, reason = $8, \
         skipped_with = $9, removed = $10, retries = $11, plan_id = $12, plan_number = $13, plan_title = $14, \
         plan_hash = $15, substance = $16, run_id = $17, version = $18, is_open = $19, waived = $20 WHERE id = $1",
        &parameters,
    )?;
    Ok(())
}

/// Updates the rows that depend on a change: the parent's child counts, the dependents' blocker counts, and the
/// task's own dependencies.
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

/// Removes a subtree from the order and from its parent's counts.
fn detach(db: &mut Connection, row: &TaskRow) -> Result<(), StoreError> {
    let id = &row.task.id;
    let above = match &row.task.parent {
        None => Blockers::default(),
        Some(parent) => Blockers::of(&load(db, parent)?),
    };
    rewrite(db, row, outside(id).as_str(), id, above.negated())
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
    db.write(
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
