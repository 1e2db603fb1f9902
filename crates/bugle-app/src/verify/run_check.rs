//! Checks runs: verifies their hash chains, replays them, and checks their events against the rules.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use bugle_core::engine::{
    Event, ImpossibleEvent, Origin, RULES, Recorded, RunState, audit, audit_start, compare, fork,
};
use bugle_core::id::{ContentHash, RunId};
use bugle_core::reply::StoreCheck;
use bugle_core::workflow::Workflow;
use bugle_store::{AuditedEvent, AuditedRun, Snapshot, Store};
use serde_json::Value;

use crate::AppError;
use crate::pinning::{self, Compiled};

/// Pinned skills, or the errors that loading them caused.
type Pins = BTreeMap<ContentHash, Result<Rc<Compiled>, String>>;

/// Checks all runs, including those of sub-agents.
pub(super) fn verify_runs(store: &mut Store, check: &mut StoreCheck) -> Result<(), AppError> {
    let ids = store.run_ids()?;
    let known: BTreeSet<String> = ids.iter().map(ToString::to_string).collect();
    let mut pins = Pins::new();
    for id in &ids {
        let audited = match store.audited_run(id) {
            Ok(Some(audited)) => audited,
            Ok(None) => continue,
            Err(error) => {
                check.runs += 1;
                check.faults.push(error.to_string());
                continue;
            }
        };
        // A sub-agent's run counts as part of its parent run.
        check.runs += u64::from(audited.row.child.is_none());
        check.events += audited.events.len() as u64;
        check.faults.extend(audited.fault.clone());
        for run in missing_reports(&audited.events, &known) {
            check
                .faults
                .push(format!("run {id}: the sub-agent run {run} is missing"));
        }
        match replay_by_rules(store, &audited, &mut pins) {
            Ok(state) => {
                check.faults.extend(differences(&audited, &state));
                check.faults.extend(snapshot_fault(store, &audited, &state)?);
            }
            Err(fault) => check.faults.push(fault),
        }
    }
    Ok(())
}

/// Replays a run's events. Fails at the first event that the rules do not allow.
fn replay_by_rules(store: &mut Store, audited: &AuditedRun, pins: &mut Pins) -> Result<RunState, String> {
    let id = &audited.row.id;
    let mut state: Option<RunState> = None;
    let mut seq = 1;
    for group in audited
        .events
        .chunk_by(|a, b| a.batch.is_some() && a.batch == b.batch)
    {
        let events: Vec<Event> = group.iter().map(|event| event.recorded.event.clone()).collect();
        let impossible = |found: ImpossibleEvent| {
            let at = seq + found.index;
            format!("run {id}: event {at} is impossible: {}", found.why)
        };
        if group.iter().all(|event| event.rules == Some(i64::from(RULES))) {
            match &state {
                None => check_start(store, id, &events, pins)?.map_or(Ok(()), Err),
                Some(state) => {
                    let workflow = workflow_of(store, state, pins)?;
                    let newer = match events.first() {
                        Some(Event::Upgraded { pin, .. }) => Some(pinned(store, pin, pins)?),
                        _ => None,
                    };
                    let newer = newer.as_ref().map(|compiled| &compiled.workflow);
                    audit(state, &workflow, newer, &events)
                }
            }
            .map_err(impossible)?;
        }
        let recorded = group.iter().map(|event| &event.recorded);
        match &mut state {
            None => {
                state = Some(RunState::replay(id, recorded).map_err(|error| error.to_string())?);
            }
            Some(state) => {
                for recorded in recorded {
                    state.apply(recorded).map_err(|error| error.to_string())?;
                }
            }
        }
        seq += group.len();
    }
    let state = match state {
        Some(state) => state,
        None => RunState::replay(id, []).map_err(|error| error.to_string())?,
    };
    workflow_of(store, &state, pins)?;
    Ok(state)
}

/// An error if a run's snapshot does not match the run's events.
fn snapshot_fault(
    store: &mut Store,
    audited: &AuditedRun,
    state: &RunState,
) -> Result<Option<String>, AppError> {
    let id = &audited.row.id;
    let snapshot = match store.snapshot(id)? {
        Snapshot::None => return Ok(None),
        Snapshot::Unusable => {
            return Ok(Some(format!(
                "run {id}: the snapshot was changed outside Bugle and is not used"
            )));
        }
        Snapshot::Of(snapshot) => snapshot,
    };
    let count = usize::try_from(snapshot.version).unwrap_or(usize::MAX);
    let is_same = if snapshot.version == state.version {
        snapshot.as_ref() == &state.condensed()
    } else {
        let events = audited.events.iter().take(count).map(|event| &event.recorded);
        RunState::replay(id, events).is_ok_and(|state| *snapshot == state.condensed())
    };
    Ok((!is_same).then(|| format!("run {id}: the snapshot does not match the events")))
}

/// Checks a run's start against its workflow and its origin.
fn check_start(
    store: &mut Store,
    id: &RunId,
    events: &[Event],
    pins: &mut Pins,
) -> Result<Option<ImpossibleEvent>, String> {
    let wrong = |why: &str| {
        Ok(Some(ImpossibleEvent {
            index: 0,
            why: why.to_owned(),
        }))
    };
    let Some(Event::Started {
        origin, pin, params, ..
    }) = events.first()
    else {
        return wrong("the first event does not start the run");
    };
    match origin {
        Origin::Fresh | Origin::Task(_) => {}
        Origin::Fork { run, visit, task } => {
            let source = history(store, run)?;
            let mut expected = source.and_then(|source| fork(run, &source, *visit));
            if let Some(Event::Started { origin, .. }) = expected.iter_mut().flatten().next()
                && task.is_none()
            {
                // An older version did not record the task of a fork.
                *origin = Origin::Fork {
                    run: run.clone(),
                    visit: *visit,
                    task: None,
                };
            }
            if expected.is_some_and(|expected| compare(&expected, events).is_err()) {
                return wrong("the events differ from those of the original run");
            }
        }
        Origin::Child(child) => {
            let parent = &child.token.parent;
            let Some(history) = history(store, &parent.run)? else {
                return wrong("the parent run is missing");
            };
            let state = RunState::replay(&parent.run, &history).map_err(|error| error.to_string())?;
            let index = (child.token.slot as usize).checked_sub(1);
            let plan = state
                .visit(parent.visit)
                .zip(index)
                .and_then(|(visit, index)| visit.children().get(index));
            let Some(plan) = plan else {
                return wrong("the parent run did not dispatch this run");
            };
            if plan
                .params
                .iter()
                .any(|(name, value)| params.get(name) != Some(value))
            {
                return wrong("the params differ from those that the parent run passed");
            }
        }
    }
    let compiled = pinned(store, pin, pins).map_err(|fault| format!("run {id}: {fault}"))?;
    let workflow = compiled
        .workflow_of(origin)
        .ok_or_else(|| format!("run {id}: the pinned skill does not contain the run's workflow"))?;
    Ok(audit_start(&workflow, events).err())
}

fn history(store: &mut Store, run: &RunId) -> Result<Option<Vec<Recorded>>, String> {
    let stored = store.load(run).map_err(|error| error.to_string())?;
    Ok(stored.map(|stored| stored.events))
}

fn workflow_of(store: &mut Store, state: &RunState, pins: &mut Pins) -> Result<Workflow, String> {
    let compiled = pinned(store, &state.pin, pins).map_err(|fault| format!("run {}: {fault}", state.id))?;
    compiled.workflow_of(&state.origin).ok_or_else(|| {
        format!(
            "run {}: the pinned skill does not contain the run's workflow",
            state.id
        )
    })
}

fn pinned(store: &mut Store, pin: &ContentHash, pins: &mut Pins) -> Result<Rc<Compiled>, String> {
    if let Some(known) = pins.get(pin) {
        return known.clone();
    }
    let loaded = pinning::load(store, pin)
        .map(Rc::new)
        .map_err(|error| error.to_string());
    pins.insert(pin.clone(), loaded.clone());
    loaded
}

/// One error for each column in which a run's row differs from the run's events.
fn differences(audited: &AuditedRun, state: &RunState) -> Vec<String> {
    let row = &audited.row;
    let task = state.origin.task().map(|task| task.id.as_str());
    let current = state.current();
    let child = match &state.origin {
        Origin::Child(child) => Some(&child.token),
        Origin::Fresh | Origin::Task(_) | Origin::Fork { .. } => None,
    };
    let facts = [
        ("skill", row.skill == state.skill.as_str()),
        ("pinned version", row.pin == state.pin),
        ("status", row.status == state.status),
        (
            "step",
            row.step.as_deref() == current.map(|visit| visit.step.as_str()),
        ),
        ("visit", row.visit == current.map(|visit| visit.number)),
        ("version", row.version == state.version),
        ("start", row.started_at == state.started_at),
        ("last change", row.changed_at == state.changed_at),
        ("parent", row.child.as_ref() == child),
        ("task", audited.task.as_deref() == task),
    ];
    let wrong = facts.into_iter().filter(|(_, same)| !same);
    wrong
        .map(|(what, _)| format!("run {}: the row and the events differ in the {what}", row.id))
        .collect()
}

/// The runs of sub-agents that reported a result but are missing from the store.
fn missing_reports(events: &[AuditedEvent], known: &BTreeSet<String>) -> Vec<String> {
    let results = events.iter().filter_map(|event| match &event.recorded.event {
        Event::Ended { result, .. } => result.as_ref(),
        _ => None,
    });
    let entries = results.flat_map(|result| {
        result
            .get("children")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    });
    // Any step may have a `children` field. Only in a joined result does every entry have both a slot and an outcome.
    let reported = entries.filter(|entry| entry.get("slot").is_some() && entry.get("outcome").is_some());
    let runs = reported.filter_map(|entry| entry.get("run")?.as_str());
    runs.filter(|run| !known.contains(*run))
        .map(str::to_owned)
        .collect()
}
