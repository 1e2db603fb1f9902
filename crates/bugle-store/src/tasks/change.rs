//! Changing tasks: events are added, and every row that follows from them is brought up to date.

use std::collections::BTreeMap;

use bugle_core::id::{RunId, TaskId};
use bugle_core::name::{AgentName, SkillAddress};
use bugle_core::task::{RecordedTaskEvent, Task, TaskEvent, TreePath};

use super::TaskRow;
use super::blockers::{Blockers, count_blockers, wait};
use super::rows::{COLUMNS, select, source_of, substance_text};
use crate::StoreError;
use crate::chain::{EventRow, START};
use crate::sql::{Sql, Value};
use crate::store::ProjectId;

/// A new task's id is taken.
#[derive(Debug)]
pub(super) enum Stopped {
    IdTaken,
    Error(StoreError),
}

impl From<StoreError> for Stopped {
    fn from(error: StoreError) -> Self {
        Self::Error(error)
    }
}

/// One change after the other. Tasks that move are taken out of the order first and put back when they have come to where
/// they stay, because two siblings that change places would otherwise stand at the same path for a moment.
pub(super) fn change<S: Sql>(
    sql: &mut S,
    project: &ProjectId,
    changes: &[(TaskId, RecordedTaskEvent)],
) -> Result<(), Stopped> {
    let mut last_moves: BTreeMap<&TaskId, usize> = BTreeMap::new();
    for (place, (id, recorded)) in changes.iter().enumerate() {
        if matches!(recorded.event, TaskEvent::Moved { .. }) {
            last_moves.insert(id, place);
        }
    }
    for id in last_moves.keys() {
        // What one of these changes adds is not there yet.
        if let Some(row) = find(sql, id)? {
            detach(sql, &row)?;
        }
    }
    let mut adding = Adding::default();
    for (place, (id, recorded)) in changes.iter().enumerate() {
        let version = if let TaskEvent::Added { .. } = &recorded.event {
            let moves = last_moves.contains_key(id);
            adding.add(sql, project, id, &recorded.event, moves)?
        } else {
            std::mem::take(&mut adding).count(sql)?;
            let before = load(sql, id)?;
            let mut after = before.task.clone();
            after.apply(&recorded.event);
            update(sql, &after)?;
            follow(sql, &before, &after, &recorded.event)?;
            if last_moves.get(id) == Some(&place) {
                attach(sql, &after)?;
            }
            after.version
        };
        insert_event(sql, id, version, recorded)?;
    }
    adding.count(sql)?;
    Ok(())
}

/// Tasks that are added one after the other: a plan has many, so parents are read once and their children counted at the
/// end.
#[derive(Default)]
struct Adding {
    places: BTreeMap<TaskId, Place>,
}

/// Where a task stands, for what is added to it.
struct Place {
    root: TaskId,
    path: TreePath,
    blockers: Blockers,
    /// How many children it has got.
    added: i64,
}

fn find<S: Sql>(sql: &mut S, id: &TaskId) -> Result<Option<TaskRow>, StoreError> {
    Ok(select(sql, "id = $1", &[id.as_str().into()])?.pop())
}

pub(super) fn load<S: Sql>(sql: &mut S, id: &TaskId) -> Result<TaskRow, StoreError> {
    find(sql, id)?.ok_or_else(|| StoreError::Unreadable(format!("task {id} is not there")))
}

fn insert_event<S: Sql>(
    sql: &mut S,
    id: &TaskId,
    version: u64,
    recorded: &RecordedTaskEvent,
) -> Result<(), StoreError> {
    let unwritable = |error: serde_json::Error| StoreError::Unreadable(error.to_string());
    let actor = serde_json::to_string(&recorded.by).map_err(unwritable)?;
    let body = serde_json::to_string(&recorded.event).map_err(unwritable)?;
    let seq = i64::try_from(version).unwrap_or(i64::MAX);
    let before = if seq <= 1 {
        START.to_owned()
    } else {
        let statement = "SELECT hash FROM task_event WHERE task_id = $1 AND seq = $2";
        let rows = sql.query(statement, &[id.as_str().into(), Value::Int(seq - 1)])?;
        rows.first().map_or(Ok(START.to_owned()), |row| row.text(0))?
    };
    let link = EventRow {
        of: id.as_str(),
        seq,
        at: recorded.at.0,
        actor: &actor,
        body: &body,
    };
    sql.execute(
        "INSERT INTO task_event (task_id, seq, happened_at, actor, body, hash) VALUES ($1, $2, $3, $4, $5, $6)",
        &[
            id.as_str().into(),
            Value::Int(seq),
            recorded.at.0.into(),
            actor.as_str().into(),
            body.as_str().into(),
            link.in_task(&before).as_str().into(),
        ],
    )?;
    Ok(())
}

fn number(value: u64) -> Value {
    Value::Int(i64::try_from(value).unwrap_or(i64::MAX))
}

impl Adding {
    /// Adds a task; one that is moved by a later one of the same changes is not put into the order yet.
    fn add<S: Sql>(
        &mut self,
        sql: &mut S,
        project: &ProjectId,
        id: &TaskId,
        event: &TaskEvent,
        moves: bool,
    ) -> Result<u64, Stopped> {
        let task = Task::added(id.clone(), event).map_err(StoreError::from)?;
        let parent = match &task.parent {
            None => None,
            Some(parent) => Some(self.place(sql, parent)?),
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
        insert(sql, project, &task, &own)?;
        self.places.insert(id.clone(), own);
        Ok(task.version)
    }

    fn place<S: Sql>(&mut self, sql: &mut S, id: &TaskId) -> Result<&mut Place, StoreError> {
        if !self.places.contains_key(id) {
            let row = load(sql, id)?;
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
            .ok_or_else(|| StoreError::Unreadable(format!("task {id} is not there")))
    }

    fn count<S: Sql>(self, sql: &mut S) -> Result<(), StoreError> {
        for (id, place) in self.places.iter().filter(|(_, place)| place.added > 0) {
            count_child(sql, Some(id), place.added, place.added)?;
        }
        Ok(())
    }
}

fn insert<S: Sql>(sql: &mut S, project: &ProjectId, task: &Task, own: &Place) -> Result<(), Stopped> {
    let plan = task.plan.as_ref();
    let made = sql.execute(
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
            plan.map(|plan| substance_text(plan.substance)).into(),
            own.blockers.all.into(),
            own.blockers.turn.into(),
        ],
    )?;
    if made == 0 {
        return Err(Stopped::IdTaken);
    }
    Ok(())
}

fn update<S: Sql>(sql: &mut S, task: &Task) -> Result<(), StoreError> {
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
    sql.execute(
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
            task.standing.as_str().into(),
            task.reason.as_deref().into(),
            task.skipped_with.as_ref().map(TaskId::as_str).into(),
            removed.as_deref().into(),
            Value::Int(i64::from(task.retries)),
            plan.map(|plan| plan.plan.as_str()).into(),
            plan.map(|plan| plan.number.as_str()).into(),
            plan.map(|plan| plan.title.as_str()).into(),
            plan.map(|plan| plan.content_hash.as_str()).into(),
            plan.map(|plan| substance_text(plan.substance)).into(),
            task.run.as_ref().map(RunId::as_str).into(),
            number(task.version),
            Value::Int(i64::from(task.is_open())),
            waived.as_deref().into(),
        ],
    )?;
    Ok(())
}

/// What a change of one task changes in others.
fn follow<S: Sql>(sql: &mut S, before: &TaskRow, after: &Task, event: &TaskEvent) -> Result<(), StoreError> {
    let old = &before.task;
    if let TaskEvent::Moved { .. } = event {
        let present = i64::from(after.removed.is_none());
        let open = i64::from(after.is_open());
        count_child(sql, old.parent.as_ref(), -present, -open)?;
        return count_child(sql, after.parent.as_ref(), present, open);
    }
    let present = i64::from(after.removed.is_none()) - i64::from(old.removed.is_none());
    let open = i64::from(after.is_open()) - i64::from(old.is_open());
    if present != 0 || open != 0 {
        count_child(sql, after.parent.as_ref(), present, open)?;
    }
    if open != 0 {
        let waiting = sql.query(
            "SELECT task.project_id, task.path, dependency.says FROM dependency \
             JOIN task ON task.id = dependency.task_id WHERE dependency.on_id = $1",
            &[after.id.as_str().into()],
        )?;
        for row in waiting {
            let path = TreePath::from_stored(row.text(1)?);
            let more = Blockers::counted(source_of(&row.text(2)?)?, open);
            count_blockers(sql, &ProjectId(row.text(0)?), &path, more)?;
        }
    }
    match event {
        TaskEvent::Waits { on, says } => wait(sql, before, on, Some(*says)),
        TaskEvent::WaitsNoMore { on } | TaskEvent::OrderWaived { on } => wait(sql, before, on, None),
        _ => Ok(()),
    }
}

fn count_child<S: Sql>(
    sql: &mut S,
    parent: Option<&TaskId>,
    children: i64,
    open: i64,
) -> Result<(), StoreError> {
    if let Some(parent) = parent {
        sql.execute(
            "UPDATE task SET children = children + $2, open_children = open_children + $3 WHERE id = $1",
            &[parent.as_str().into(), children.into(), open.into()],
        )?;
    }
    Ok(())
}

/// Takes a task and everything in it out of the order, and out of what its parent waits for.
fn detach<S: Sql>(sql: &mut S, row: &TaskRow) -> Result<(), StoreError> {
    let id = &row.task.id;
    let above = match &row.task.parent {
        None => Blockers::default(),
        Some(parent) => Blockers::of(&load(sql, parent)?),
    };
    rewrite(sql, row, outside(id).as_str(), id, above.less())
}

/// Where a task stands that is not in the order.
fn outside(id: &TaskId) -> TreePath {
    TreePath::from_stored(format!("{id}:"))
}

/// Puts a task and everything in it where its parent and rank say.
fn attach<S: Sql>(sql: &mut S, after: &Task) -> Result<(), StoreError> {
    let row = load(sql, &after.id)?;
    let parent = match &after.parent {
        None => None,
        Some(parent) => Some(load(sql, parent)?),
    };
    match parent {
        None => {
            let path = TreePath::top(after.rank);
            rewrite(sql, &row, path.as_str(), &after.id, Blockers::default())
        }
        Some(parent) => {
            let path = parent.path.child(after.rank);
            rewrite(sql, &row, path.as_str(), &parent.root, Blockers::of(&parent))
        }
    }
}

fn rewrite<S: Sql>(
    sql: &mut S,
    row: &TaskRow,
    path: &str,
    root: &TaskId,
    blockers: Blockers,
) -> Result<(), StoreError> {
    let kept = row.path.as_str().len() + 1;
    sql.execute(
        "UPDATE task SET path = $4 || substr(path, $5), root_id = $6, blockers = blockers + $7, \
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
