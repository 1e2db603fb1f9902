//! Checking runs: the chain of each, its replay, and whether the rules could have produced it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use bugle_core::engine::{
    Event, Impossible, Origin, RULES, Recorded, RunState, audit, audit_start, compare, fork,
};
use bugle_core::id::{ContentHash, RunId};
use bugle_core::workflow::Workflow;
use bugle_store::{
    AuditStore as _, AuditedEvent, AuditedRun, RunRow, Snapshot, SnapshotStore as _, Store as _,
};
use bugle_wire::StoreCheck;
use serde_json::Value;

use crate::pin::{self, Compiled};
use crate::{App, AppError};

/// Pinned skills that were loaded, or why they cannot be.
type Pins = BTreeMap<ContentHash, Result<Rc<Compiled>, String>>;

impl App {
    /// Checks every run, those of sub-agents too.
    pub(super) fn verify_runs(&mut self, check: &mut StoreCheck) -> Result<(), AppError> {
        let ids = self.store.run_ids()?;
        let known: BTreeSet<String> = ids.iter().map(ToString::to_string).collect();
        let mut pins = Pins::new();
        for id in &ids {
            let audited = match self.store.audited_run(id) {
                Ok(Some(audited)) => audited,
                Ok(None) => continue,
                Err(error) => {
                    check.runs += 1;
                    check.faults.push(error.to_string());
                    continue;
                }
            };
            // A sub-agent's run belongs to the one that dispatched it.
            check.runs += u64::from(audited.row.child.is_none());
            check.events += audited.events.len() as u64;
            check.faults.extend(audited.fault.clone());
            for run in missing_reports(&audited.events, &known) {
                check.faults.push(format!(
                    "run {id}: the run {run} of a sub-agent that reported is missing"
                ));
            }
            match self.replay_by_rules(&audited, &mut pins) {
                Ok(state) => {
                    check.faults.extend(differences(&audited.row, &state));
                    check.faults.extend(self.snapshot_fault(&audited, &state)?);
                }
                Err(fault) => check.faults.push(fault),
            }
        }
        Ok(())
    }

    /// The state that a run's events lead to, where the rules could have produced each of them; else the first that they
    /// could not have.
    fn replay_by_rules(&mut self, audited: &AuditedRun, pins: &mut Pins) -> Result<RunState, String> {
        let id = &audited.row.id;
        let mut state: Option<RunState> = None;
        let mut seq = 1;
        for group in audited
            .events
            .chunk_by(|a, b| a.batch.is_some() && a.batch == b.batch)
        {
            let events: Vec<Event> = group.iter().map(|event| event.recorded.event.clone()).collect();
            let impossible = |found: Impossible| {
                let at = seq + found.index;
                format!("event {at} of run {id} cannot have happened: {}", found.why)
            };
            if group.iter().all(|event| event.rules == Some(i64::from(RULES))) {
                match &state {
                    None => self.begins(id, &events, pins)?.map_or(Ok(()), Err),
                    Some(state) => {
                        let workflow = self.workflow_of(state, pins)?;
                        let newer = match events.first() {
                            Some(Event::Upgraded { pin }) => Some(self.pinned(pin, pins)?),
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
        self.workflow_of(&state, pins)?;
        Ok(state)
    }

    /// What a run's snapshot says and its events do not.
    fn snapshot_fault(&mut self, audited: &AuditedRun, state: &RunState) -> Result<Option<String>, AppError> {
        let id = &audited.row.id;
        let snapshot = match self.store.snapshot(id)? {
            Snapshot::None => return Ok(None),
            Snapshot::Unusable => {
                return Ok(Some(format!(
                    "run {id}: its snapshot was changed outside Bugle; it is not used"
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
        Ok((!is_same).then(|| format!("run {id}: its snapshot says something else than its events")))
    }

    /// Whether a run can have begun so; where it comes from is looked at too.
    fn begins(
        &mut self,
        id: &RunId,
        events: &[Event],
        pins: &mut Pins,
    ) -> Result<Option<Impossible>, String> {
        let wrong = |why: &str| {
            Ok(Some(Impossible {
                index: 0,
                why: why.to_owned(),
            }))
        };
        let Some(Event::Started {
            origin, pin, params, ..
        }) = events.first()
        else {
            return wrong("the run does not begin with its start");
        };
        match origin {
            Origin::Fresh => {}
            Origin::Fork { run, visit } => {
                let source = self.history(run)?;
                let expected = source.and_then(|source| fork(run, &source, *visit));
                if expected.is_some_and(|expected| compare(&expected, events).is_err()) {
                    return wrong("the run that it was forked from went another way");
                }
            }
            Origin::Child(child) => {
                let parent = &child.token.parent;
                let Some(history) = self.history(&parent.run)? else {
                    return wrong("the run that dispatched it is missing");
                };
                let state = RunState::replay(&parent.run, &history).map_err(|error| error.to_string())?;
                let index = (child.token.slot as usize).checked_sub(1);
                let plan = state
                    .visit(parent.visit)
                    .zip(index)
                    .and_then(|(visit, index)| visit.children().get(index));
                let Some(plan) = plan else {
                    return wrong("its parent did not dispatch it");
                };
                if plan
                    .params
                    .iter()
                    .any(|(name, value)| params.get(name) != Some(value))
                {
                    return wrong("its parent gave it other params");
                }
            }
        }
        let compiled = self
            .pinned(pin, pins)
            .map_err(|fault| format!("run {id}: {fault}"))?;
        let workflow = compiled
            .workflow_of(origin)
            .ok_or_else(|| format!("run {id}: its skill has no such workflow"))?;
        Ok(audit_start(&workflow, events).err())
    }

    fn history(&mut self, run: &RunId) -> Result<Option<Vec<Recorded>>, String> {
        let stored = self.store.load(run).map_err(|error| error.to_string())?;
        Ok(stored.map(|stored| stored.events))
    }

    fn workflow_of(&mut self, state: &RunState, pins: &mut Pins) -> Result<Workflow, String> {
        let compiled = self
            .pinned(&state.pin, pins)
            .map_err(|fault| format!("run {}: {fault}", state.id))?;
        compiled
            .workflow_of(&state.origin)
            .ok_or_else(|| format!("run {}: its skill has no such workflow", state.id))
    }

    fn pinned(&mut self, pin: &ContentHash, pins: &mut Pins) -> Result<Rc<Compiled>, String> {
        if let Some(known) = pins.get(pin) {
            return known.clone();
        }
        let loaded = pin::load(&mut self.store, pin)
            .map(Rc::new)
            .map_err(|error| error.to_string());
        pins.insert(pin.clone(), loaded.clone());
        loaded
    }
}

/// What a run's row says and its events do not.
fn differences(kept: &RunRow, state: &RunState) -> Vec<String> {
    let current = state.current();
    let child = match &state.origin {
        Origin::Child(child) => Some(&child.token),
        Origin::Fresh | Origin::Fork { .. } => None,
    };
    let facts = [
        ("skill", kept.skill == state.skill.as_str()),
        ("pinned version", kept.pin == state.pin),
        ("status", kept.status == state.status),
        (
            "step",
            kept.step.as_deref() == current.map(|visit| visit.step.as_str()),
        ),
        ("visit", kept.visit == current.map(|visit| visit.number)),
        ("version", kept.version == state.version),
        ("start", kept.started_at == state.started_at),
        ("last change", kept.changed_at == state.changed_at),
        ("parent", kept.child.as_ref() == child),
    ];
    let wrong = facts.into_iter().filter(|(_, same)| !same);
    wrong
        .map(|(what, _)| format!("run {}: its row has another {what} than its events say", kept.id))
        .collect()
}

/// The runs of sub-agents that reported and are not there.
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
    // Only a joined result has a slot and an outcome for each; any step may call a field `children`.
    let reported = entries.filter(|entry| entry.get("slot").is_some() && entry.get("outcome").is_some());
    let runs = reported.filter_map(|entry| entry.get("run")?.as_str());
    runs.filter(|run| !known.contains(*run))
        .map(str::to_owned)
        .collect()
}
