//! Disputes: an author provides evidence against a finding, and the next reviewers see this evidence.

use serde::Deserialize;
use serde_json::Value;

use super::gate::{rework, verdict_of};
use super::refusal::Refusal;
use super::rounds::rounds_before;
use super::state::RunState;
use super::visit::Visit;
use crate::id::VisitNumber;
use crate::review::{Dispute, disputes_shape};
use crate::workflow::{StepDef, Workflow};

/// A dispute from a result, with the finding's number.
#[derive(Deserialize)]
struct Entry {
    finding: u32,
    evidence: String,
}

/// The disputes in a result.
fn entries(result: &Value) -> Vec<Entry> {
    let list = result.get("disputes").cloned();
    list.and_then(|list| serde_json::from_value(list).ok())
        .unwrap_or_default()
}

/// Refuses a dispute about a finding that is not open at the visit.
pub(super) fn check(
    state: &RunState,
    workflow: &Workflow,
    (step, visit): (&StepDef, &Visit),
    result: Option<&Value>,
) -> Result<(), Refusal> {
    let declares = step
        .result
        .iter()
        .any(|field| field.name.as_str() == "disputes" && field.shape == disputes_shape());
    let disputed = result.filter(|_| declares).map(entries).unwrap_or_default();
    if disputed.is_empty() {
        return Ok(());
    }
    let open: Vec<u32> = rework(state, workflow, visit.number)
        .map(|brief| brief.findings.iter().map(|open| open.number).collect())
        .unwrap_or_default();
    match disputed.iter().find(|entry| !open.contains(&entry.finding)) {
        Some(entry) => Err(Refusal::UnknownDispute {
            finding: entry.finding,
            open,
        }),
        None => Ok(()),
    }
}

/// The disputed findings from a gate's earlier reviews, each with the latest evidence.
pub(super) fn disputed(
    state: &RunState,
    workflow: &Workflow,
    step: &StepDef,
    gate: VisitNumber,
) -> Vec<Dispute> {
    let mut found: Vec<Dispute> = Vec::new();
    let rounds = rounds_before(state, workflow, step, gate);
    let rounds: Vec<&Visit> = rounds
        .iter()
        .rev()
        .filter_map(|passed| state.visit(passed.number))
        .collect();
    let ends = rounds.iter().skip(1).map(|visit| visit.number).chain([gate]);
    for (review, until) in rounds.iter().zip(ends) {
        let blocking = verdict_of(review)
            .map(|verdict| verdict.blocking)
            .unwrap_or_default();
        let mut reworked: Vec<&Visit> = state
            .lineage(until)
            .skip(1)
            .take_while(|visit| visit.number != review.number)
            .collect();
        reworked.reverse();
        for entry in reworked.into_iter().flat_map(reported) {
            if let Some(open) = blocking.iter().find(|open| open.number == entry.finding) {
                found.retain(|dispute| !dispute.finding.is_same(&open.finding));
                found.push(Dispute {
                    finding: open.finding.clone(),
                    evidence: entry.evidence,
                });
            }
        }
    }
    found
}

/// Whether a visit disputed a finding.
pub(super) fn has_disputes(visit: &Visit) -> bool {
    !reported(visit).is_empty()
}

/// The disputes from a visit's own result or its sub-agents' results.
fn reported(visit: &Visit) -> Vec<Entry> {
    let Some(result) = visit.ending.as_ref().and_then(|ending| ending.result.as_ref()) else {
        return Vec::new();
    };
    if visit.dispatched.is_none() {
        return entries(result);
    }
    let children = result["children"].as_array().into_iter().flatten();
    children.flat_map(|child| entries(&child["result"])).collect()
}
