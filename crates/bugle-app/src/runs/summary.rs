//! A run in a list: its position, its agent and its purpose.

use bugle_core::engine::{Event, Origin};
use bugle_core::id::{RunId, VisitToken};
use bugle_core::message::Home;
use bugle_core::reply::{Position, RunSummary};
use bugle_render::text::excerpt;
use bugle_store::{AgentRow, RunRow, Store};
use serde_json::Value;

use crate::{AppError, Context, addresses};

/// The summaries of these runs; `agents` are all agents.
pub(crate) fn summaries(
    store: &mut Store,
    ctx: &Context,
    rows: &[RunRow],
    agents: &[AgentRow],
) -> Result<Vec<RunSummary>, AppError> {
    let ids: Vec<RunId> = rows.iter().map(|row| row.id.clone()).collect();
    let mut people = store.people_who_started(&ids)?;
    let first = store.first_events(&ids)?;
    let summary = |row: &RunRow| {
        let id = row.id.as_str();
        summary(ctx, row, agents, first.get(id), people.remove(id))
    };
    Ok(rows.iter().map(summary).collect())
}

/// A run's summary. `agents` are all agents, `first` is the run's first event, and `person` started the run.
pub(crate) fn summary(
    ctx: &Context,
    row: &RunRow,
    agents: &[AgentRow],
    first: Option<&Event>,
    person: Option<String>,
) -> RunSummary {
    RunSummary {
        position: position(row),
        directory: row.directory.clone(),
        person,
        agent: agent_name(row, agents, &addresses::home(ctx)),
        about: first.and_then(purpose),
        started_at: row.started_at,
        changed_at: row.changed_at,
    }
}

/// A run's position.
pub(crate) fn position(row: &RunRow) -> Position {
    Position {
        skill: row.skill.clone(),
        run: row.id.clone(),
        status: row.status,
        visit: row.visit.map(|visit| VisitToken {
            run: row.id.clone(),
            visit,
        }),
        step: row.step.clone(),
    }
}

/// The agent that owns a run, relative to `home`.
pub(crate) fn agent_name(row: &RunRow, agents: &[AgentRow], home: &Home) -> Option<String> {
    let session = row.session.as_ref()?;
    let owner = agents
        .iter()
        .find(|agent| agent.session.as_ref() == Some(session))?;
    Some(owner.address.seen_from(home))
}

/// The purpose of a run, from its first event: its task, else its first text param.
fn purpose(first: &Event) -> Option<String> {
    let Event::Started { params, origin, .. } = first else {
        return None;
    };
    let task = match origin {
        Origin::Child(child) => child.task.as_ref().map(|task| task.title.clone()),
        other => other.task().map(|task| task.title.clone()),
    };
    let mut texts = params.values().filter_map(Value::as_str);
    let text = texts.find(|text| !text.trim().is_empty()).map(str::to_owned);
    task.or(text).map(|text| excerpt(&text))
}
