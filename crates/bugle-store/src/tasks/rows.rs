//! Reads task rows.

use std::collections::{BTreeMap, BTreeSet};

use bugle_core::id::{PlanId, RunId, TaskId};
use bugle_core::name::{AgentName, SkillAddress};
use bugle_core::task::{PlanLink, Rank, Task, TaskKind, TreePath, WaitSource};

use super::TaskRow;
use crate::ProjectId;
use crate::StoreError;
use crate::connection::Connection;
use crate::engine::LIST_SEPARATOR;
use crate::row::{Row, Value};

pub(super) const COLUMNS: &str = "id, project_id, root_id, parent_id, path, rank, title, skill, agent, standing, \
    reason, skipped_with, removed, retries, plan_id, plan_number, plan_title, plan_hash, substance, run_id, version, \
    children, open_children, blockers, turn_blockers, waived";

pub(super) fn kind_text(kind: TaskKind) -> &'static str {
    match kind {
        TaskKind::Work => "work",
        TaskKind::Group => "group",
    }
}

pub(super) fn source_text(source: WaitSource) -> &'static str {
    match source {
        WaitSource::Plan => "plan",
        WaitSource::Hand => "hand",
        WaitSource::Order => "order",
    }
}

/// The columns derived from a task's own events: `COLUMNS` from the parent on, except the path and the counts,
/// followed by `is_open` and `waived`.
pub(super) fn stored_columns(task: &Task) -> Result<[Value; 19], StoreError> {
    let unwritable = |error: serde_json::Error| StoreError::Unreadable(error.to_string());
    let number = |value: u64| Value::Int(i64::try_from(value).unwrap_or(i64::MAX));
    let removed = task.removed.as_ref().map(serde_json::to_string).transpose();
    let waived = (!task.waived.is_empty()).then(|| serde_json::to_string(&task.waived));
    let plan = task.plan.as_ref();
    Ok([
        task.parent.as_ref().map(TaskId::as_str).into(),
        number(task.rank.stored()),
        task.title.as_str().into(),
        task.skill.as_ref().map(SkillAddress::as_str).into(),
        task.agent.as_ref().map(AgentName::as_str).into(),
        task.status.as_str().into(),
        task.reason.as_deref().into(),
        task.skipped_with.as_ref().map(TaskId::as_str).into(),
        removed.map_err(unwritable)?.as_deref().into(),
        Value::Int(i64::from(task.retries)),
        plan.map(|plan| plan.plan.as_str()).into(),
        plan.map(|plan| plan.number.as_str()).into(),
        plan.map(|plan| plan.title.as_str()).into(),
        plan.map(|plan| plan.content_hash.as_str()).into(),
        plan.map(|plan| kind_text(plan.kind)).into(),
        task.run.as_ref().map(RunId::as_str).into(),
        number(task.version),
        Value::Int(i64::from(task.is_open())),
        waived.transpose().map_err(unwritable)?.as_deref().into(),
    ])
}

fn task_row(row: &Row) -> Result<TaskRow, StoreError> {
    let unreadable = |what: &str| StoreError::Unreadable(format!("a task has an invalid {what}"));
    let task_id = |column: &str, what: &str| -> Result<Option<TaskId>, StoreError> {
        let text = row.optional_text(column)?;
        text.map(|text| TaskId::parse(&text).map_err(|_| unreadable(what)))
            .transpose()
    };
    let id = task_id("id", "id")?.ok_or_else(|| unreadable("id"))?;
    let plan = match row.optional_text("plan_id")? {
        None => None,
        Some(plan) => Some(PlanLink {
            plan: PlanId::parse(&plan).map_err(|_| unreadable("plan"))?,
            number: row.text("plan_number")?,
            title: row.text("plan_title")?,
            content_hash: row.text("plan_hash")?,
            kind: match row.text("substance")?.as_str() {
                "work" => TaskKind::Work,
                "group" => TaskKind::Group,
                _ => return Err(unreadable("substance")),
            },
        }),
    };
    let removed = match row.optional_text("removed")? {
        None => None,
        Some(text) => Some(serde_json::from_str(&text).map_err(|_| unreadable("removal"))?),
    };
    let skill = row.optional_text("skill")?.map(SkillAddress::new).transpose();
    let agent = row.optional_text("agent")?.map(AgentName::new).transpose();
    let run = row
        .optional_text("run_id")?
        .map(|run| RunId::parse(&run))
        .transpose();
    let waived = match row.optional_text("waived")? {
        None => BTreeSet::new(),
        Some(text) => serde_json::from_str(&text).map_err(|_| unreadable("list of waived tasks"))?,
    };
    let rank = u64::try_from(row.int("rank")?).map_err(|_| unreadable("rank"))?;
    Ok(TaskRow {
        task: Task {
            id,
            title: row.text("title")?,
            parent: task_id("parent_id", "parent")?,
            rank: Rank::from_stored(rank),
            skill: skill.map_err(|_| unreadable("skill"))?,
            agent: agent.map_err(|_| unreadable("agent"))?,
            status: row
                .text("standing")?
                .parse()
                .map_err(|()| unreadable("standing"))?,
            reason: row.optional_text("reason")?,
            skipped_with: task_id("skipped_with", "parent")?,
            removed,
            retries: row.count("retries")?,
            plan,
            run: run.map_err(|_| unreadable("run"))?,
            waits_for: BTreeMap::new(),
            waived,
            version: u64::try_from(row.int("version")?).map_err(|_| unreadable("version"))?,
        },
        project: ProjectId(row.text("project_id")?),
        root: task_id("root_id", "root")?.ok_or_else(|| unreadable("root"))?,
        path: TreePath::from_stored(row.text("path")?),
        children: row.count("children")?,
        open_children: row.count("open_children")?,
        blockers: row.count("blockers")?,
        turn_blockers: row.count("turn_blockers")?,
    })
}

/// The tasks that match a condition, with their dependencies.
pub(crate) fn select(
    db: &mut Connection,
    condition: &str,
    parameters: &[Value],
) -> Result<Vec<TaskRow>, StoreError> {
    let waits = db
        .engine()
        .text_list("dependency.on_id || ' ' || dependency.says", "dependency.on_id");
    let found = db.query(
        &format!(
            "SELECT {COLUMNS}, (SELECT {waits} FROM dependency WHERE dependency.task_id = task.id) AS waits \
             FROM task WHERE {condition}"
        ),
        parameters,
    )?;
    let row = |row: &Row| {
        let mut task = task_row(row)?;
        for wait in row
            .optional_text("waits")?
            .iter()
            .flat_map(|waits| waits.split(LIST_SEPARATOR))
        {
            let unreadable = || StoreError::Unreadable("a task has an invalid dependency".to_owned());
            let (on, source) = wait.split_once(' ').ok_or_else(unreadable)?;
            let on = TaskId::parse(on).map_err(|_| unreadable())?;
            task.task.waits_for.insert(on, source_of(source)?);
        }
        Ok(task)
    };
    found.iter().map(row).collect()
}

/// The task with this id, with its dependencies.
pub(super) fn find(db: &mut Connection, id: &TaskId) -> Result<Option<TaskRow>, StoreError> {
    Ok(select(db, "id = $1", &[id.as_str().into()])?.pop())
}

pub(super) fn load(db: &mut Connection, id: &TaskId) -> Result<TaskRow, StoreError> {
    find(db, id)?.ok_or_else(|| StoreError::Unreadable(format!("task {id} does not exist")))
}

/// The tasks that match a condition, without their dependencies.
pub(super) fn select_without_waits(
    db: &mut Connection,
    condition: &str,
    parameters: &[Value],
) -> Result<Vec<TaskRow>, StoreError> {
    let found = db.query(
        &format!("SELECT {COLUMNS} FROM task WHERE {condition}"),
        parameters,
    )?;
    found.iter().map(task_row).collect()
}

/// Loads the dependencies of all these tasks with one query.
fn add_all_waits(
    db: &mut Connection,
    rows: &mut [TaskRow],
    ids: &str,
    parameters: &[Value],
) -> Result<(), StoreError> {
    let places: BTreeMap<TaskId, usize> = rows
        .iter()
        .enumerate()
        .map(|(place, row)| (row.task.id.clone(), place))
        .collect();
    let waits = db.query(
        &format!("SELECT task_id, on_id, says FROM dependency WHERE task_id IN ({ids})"),
        parameters,
    )?;
    for wait in &waits {
        let (task, on, source) = wait_of(wait)?;
        if let Some(row) = places.get(&task).and_then(|place| rows.get_mut(*place)) {
            row.task.waits_for.insert(on, source);
        }
    }
    Ok(())
}

/// The tasks of a subtree in order, with their dependencies.
pub(super) fn select_subtree(
    db: &mut Connection,
    project: &ProjectId,
    path: &TreePath,
) -> Result<Vec<TaskRow>, StoreError> {
    let parameters: [Value; 3] = [
        project.0.as_str().into(),
        path.as_str().into(),
        path.end().as_str().into(),
    ];
    select_range(db, "project_id = $1 AND path >= $2 AND path < $3", &parameters)
}

/// A range of tasks in order, with their dependencies, in two queries.
pub(super) fn select_range(
    db: &mut Connection,
    range: &str,
    parameters: &[Value],
) -> Result<Vec<TaskRow>, StoreError> {
    let found = db.query(
        &format!("SELECT {COLUMNS} FROM task WHERE {range} ORDER BY path"),
        parameters,
    )?;
    let mut rows: Vec<TaskRow> = found.iter().map(task_row).collect::<Result<_, _>>()?;
    let inside = format!("SELECT id FROM task WHERE {range}");
    add_all_waits(db, &mut rows, &inside, parameters)?;
    Ok(rows)
}

/// Parses the stored source of a dependency.
pub(super) fn source_of(text: &str) -> Result<WaitSource, StoreError> {
    match text {
        "plan" => Ok(WaitSource::Plan),
        "hand" => Ok(WaitSource::Hand),
        "order" => Ok(WaitSource::Order),
        other => Err(StoreError::Unreadable(format!(
            "a dependency has an unknown source: {other}"
        ))),
    }
}

fn wait_of(row: &Row) -> Result<(TaskId, TaskId, WaitSource), StoreError> {
    let id = |column: &str| {
        TaskId::parse(&row.text(column)?).map_err(|bad| StoreError::Unreadable(bad.to_string()))
    };
    Ok((id("task_id")?, id("on_id")?, source_of(&row.text("says")?)?))
}

/// A task and its nearest siblings in order; for a root task, only the task itself.
pub(super) fn beside(db: &mut Connection, row: &TaskRow, most: u32) -> Result<Vec<TaskRow>, StoreError> {
    let Some(parent) = &row.task.parent else {
        return Ok(vec![row.clone()]);
    };
    let rank = Value::Int(i64::try_from(row.task.rank.stored()).unwrap_or(i64::MAX));
    let parameters = [parent.as_str().into(), rank, Value::Int(i64::from(most))];
    let mut found = select(
        db,
        "parent_id = $1 AND rank < $2 AND removed IS NULL ORDER BY rank DESC LIMIT $3",
        &parameters,
    )?;
    found.reverse();
    found.push(row.clone());
    found.extend(select(
        db,
        "parent_id = $1 AND rank > $2 AND removed IS NULL ORDER BY rank LIMIT $3",
        &parameters,
    )?);
    Ok(found)
}
