//! Reading tasks.

use std::collections::{BTreeMap, BTreeSet};

use bugle_core::id::{PlanId, RunId, TaskId};
use bugle_core::name::{AgentName, SkillAddress};
use bugle_core::task::{PlanLink, Rank, Substance, Task, TreePath, WaitSource};

use super::TaskRow;
use crate::StoreError;
use crate::sql::{Row, Sql, Value};
use crate::store::ProjectId;

pub(super) const COLUMNS: &str = "id, project_id, root_id, parent_id, path, rank, title, skill, agent, standing, \
    reason, skipped_with, removed, retries, plan_id, plan_number, plan_title, plan_hash, substance, run_id, version, \
    children, open_children, blockers, turn_blockers, waived";

pub(super) fn substance_text(substance: Substance) -> &'static str {
    match substance {
        Substance::Work => "work",
        Substance::Group => "group",
    }
}

pub(super) fn source_text(says: WaitSource) -> &'static str {
    match says {
        WaitSource::Plan => "plan",
        WaitSource::Hand => "hand",
        WaitSource::Order => "order",
    }
}

fn task_row(row: &Row) -> Result<TaskRow, StoreError> {
    let unreadable = |what: &str| StoreError::Unreadable(format!("a task has a bad {what}"));
    let task_id = |column: usize, what: &str| -> Result<Option<TaskId>, StoreError> {
        let text = row.optional_text(column)?;
        text.map(|text| TaskId::parse(&text).map_err(|_| unreadable(what)))
            .transpose()
    };
    let id = task_id(0, "id")?.ok_or_else(|| unreadable("id"))?;
    let plan = match row.optional_text(14)? {
        None => None,
        Some(plan) => Some(PlanLink {
            plan: PlanId::parse(&plan).map_err(|_| unreadable("plan"))?,
            number: row.text(15)?,
            title: row.text(16)?,
            content_hash: row.text(17)?,
            substance: match row.text(18)?.as_str() {
                "work" => Substance::Work,
                "group" => Substance::Group,
                _ => return Err(unreadable("substance")),
            },
        }),
    };
    let removed = match row.optional_text(12)? {
        None => None,
        Some(text) => Some(serde_json::from_str(&text).map_err(|_| unreadable("removal"))?),
    };
    let skill = row.optional_text(7)?.map(SkillAddress::new).transpose();
    let agent = row.optional_text(8)?.map(AgentName::new).transpose();
    let run = row.optional_text(19)?.map(|run| RunId::parse(&run)).transpose();
    let waived = match row.optional_text(25)? {
        None => BTreeSet::new(),
        Some(text) => serde_json::from_str(&text).map_err(|_| unreadable("list of waived tasks"))?,
    };
    let rank = u64::try_from(row.int(5)?).map_err(|_| unreadable("rank"))?;
    Ok(TaskRow {
        task: Task {
            id,
            title: row.text(6)?,
            parent: task_id(3, "parent")?,
            rank: Rank::from_stored(rank),
            skill: skill.map_err(|_| unreadable("skill"))?,
            agent: agent.map_err(|_| unreadable("agent"))?,
            standing: row.text(9)?.parse().map_err(|()| unreadable("standing"))?,
            reason: row.optional_text(10)?,
            skipped_with: task_id(11, "parent")?,
            removed,
            retries: row.count(13)?,
            plan,
            run: run.map_err(|_| unreadable("run"))?,
            waits_for: BTreeMap::new(),
            waived,
            version: u64::try_from(row.int(20)?).map_err(|_| unreadable("version"))?,
        },
        project: ProjectId(row.text(1)?),
        root: task_id(2, "root")?.ok_or_else(|| unreadable("root"))?,
        path: TreePath::from_stored(row.text(4)?),
        children: row.count(21)?,
        open_children: row.count(22)?,
        blockers: row.count(23)?,
        turn_blockers: row.count(24)?,
    })
}

/// The tasks that fulfil a condition, each with what it waits for.
pub(crate) fn select<S: Sql>(
    sql: &mut S,
    condition: &str,
    parameters: &[Value],
) -> Result<Vec<TaskRow>, StoreError> {
    let found = sql.query(
        &format!("SELECT {COLUMNS} FROM task WHERE {condition}"),
        parameters,
    )?;
    let mut rows: Vec<TaskRow> = found.iter().map(task_row).collect::<Result<_, _>>()?;
    match rows.as_mut_slice() {
        [] => {}
        [one] => add_waits(sql, one)?,
        several => {
            let inside = format!("SELECT id FROM task WHERE {condition}");
            add_all_waits(sql, several, &inside, parameters)?;
        }
    }
    Ok(rows)
}

/// What each of these tasks waits for, found by one question about all of them.
fn add_all_waits<S: Sql>(
    sql: &mut S,
    rows: &mut [TaskRow],
    ids: &str,
    parameters: &[Value],
) -> Result<(), StoreError> {
    let places: BTreeMap<TaskId, usize> = rows
        .iter()
        .enumerate()
        .map(|(place, row)| (row.task.id.clone(), place))
        .collect();
    let waits = sql.query(
        &format!("SELECT task_id, on_id, says FROM dependency WHERE task_id IN ({ids})"),
        parameters,
    )?;
    for wait in &waits {
        let (task, on, says) = wait_of(wait)?;
        if let Some(row) = places.get(&task).and_then(|place| rows.get_mut(*place)) {
            row.task.waits_for.insert(on, says);
        }
    }
    Ok(())
}

/// The tasks below a path in order, itself included, each with what it waits for.
pub(super) fn select_subtree<S: Sql>(
    sql: &mut S,
    project: &ProjectId,
    path: &TreePath,
) -> Result<Vec<TaskRow>, StoreError> {
    let parameters: [Value; 3] = [
        project.0.as_str().into(),
        path.as_str().into(),
        path.end().as_str().into(),
    ];
    select_range(sql, "project_id = $1 AND path >= $2 AND path < $3", &parameters)
}

/// Many tasks in order, each with what it waits for. Reads twice, however many there are.
pub(super) fn select_range<S: Sql>(
    sql: &mut S,
    range: &str,
    parameters: &[Value],
) -> Result<Vec<TaskRow>, StoreError> {
    let found = sql.query(
        &format!("SELECT {COLUMNS} FROM task WHERE {range} ORDER BY path"),
        parameters,
    )?;
    let mut rows: Vec<TaskRow> = found.iter().map(task_row).collect::<Result<_, _>>()?;
    let inside = format!("SELECT id FROM task WHERE {range}");
    add_all_waits(sql, &mut rows, &inside, parameters)?;
    Ok(rows)
}

/// Who says that a task waits for another, as it is stored.
pub(super) fn source_of(text: &str) -> Result<WaitSource, StoreError> {
    match text {
        "plan" => Ok(WaitSource::Plan),
        "hand" => Ok(WaitSource::Hand),
        "order" => Ok(WaitSource::Order),
        other => Err(StoreError::Unreadable(format!("a dependency says {other}"))),
    }
}

fn wait_of(row: &Row) -> Result<(TaskId, TaskId, WaitSource), StoreError> {
    let id = |column: usize| {
        TaskId::parse(&row.text(column)?).map_err(|bad| StoreError::Unreadable(bad.to_string()))
    };
    Ok((id(0)?, id(1)?, source_of(&row.text(2)?)?))
}

fn add_waits<S: Sql>(sql: &mut S, row: &mut TaskRow) -> Result<(), StoreError> {
    let waits = sql.query(
        "SELECT task_id, on_id, says FROM dependency WHERE task_id = $1",
        &[row.task.id.as_str().into()],
    )?;
    for wait in &waits {
        let (_, on, says) = wait_of(wait)?;
        row.task.waits_for.insert(on, says);
    }
    Ok(())
}

/// A task and its nearest siblings, in order; only itself if it stands at the top.
pub(super) fn beside<S: Sql>(sql: &mut S, row: &TaskRow, most: u32) -> Result<Vec<TaskRow>, StoreError> {
    let Some(parent) = &row.task.parent else {
        return Ok(vec![row.clone()]);
    };
    let rank = Value::Int(i64::try_from(row.task.rank.stored()).unwrap_or(i64::MAX));
    let parameters = [parent.as_str().into(), rank, Value::Int(i64::from(most))];
    let mut found = select(
        sql,
        "parent_id = $1 AND rank < $2 AND removed IS NULL ORDER BY rank DESC LIMIT $3",
        &parameters,
    )?;
    found.reverse();
    found.push(row.clone());
    found.extend(select(
        sql,
        "parent_id = $1 AND rank > $2 AND removed IS NULL ORDER BY rank LIMIT $3",
        &parameters,
    )?);
    Ok(found)
}
