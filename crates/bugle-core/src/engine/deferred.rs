//! Findings that did not block, kept for the last gate.

use serde_json::{Value, json};

use super::gate::verdict_of;
use super::state::RunState;
use super::visit::Visit;
use crate::id::VisitNumber;
use crate::outcome::{Outcome, Target};
use crate::review::Finding;
use crate::validate::Flow;
use crate::workflow::{StepDef, Workflow};

/// A finding that did not block, and the step of its gate.
pub(super) struct Deferred<'a> {
    pub gate: &'a StepDef,
    pub finding: Finding,
}

/// The findings before a visit that did not block, each once, ordered by their last report. Accepted findings and
/// those that blocked in a later review are excluded.
pub(super) fn deferred<'a>(
    state: &RunState,
    workflow: &'a Workflow,
    before: VisitNumber,
) -> Vec<Deferred<'a>> {
    let mut judged: Vec<&Visit> = state
        .lineage(before)
        .skip(1)
        .filter(|visit| has_findings(visit))
        .collect();
    judged.reverse();
    let mut kept: Vec<Deferred<'a>> = Vec::new();
    for visit in judged {
        let (Some(verdict), Some(gate)) = (verdict_of(visit), workflow.step(&visit.step)) else {
            continue;
        };
        let blocking = verdict.blocking.iter().map(|open| &open.finding);
        for finding in blocking.chain(&verdict.noted) {
            kept.retain(|other| !other.finding.is_same(finding));
        }
        let noted = verdict
            .noted
            .into_iter()
            .filter(|finding| !state.has_accepted(finding));
        kept.extend(noted.map(|finding| Deferred { gate, finding }));
    }
    kept
}

/// Whether a visit has a verdict with findings. Most steps are not gates, and most gates pass without findings.
pub(super) fn has_findings(visit: &Visit) -> bool {
    let result = visit.ending.as_ref().and_then(|ending| ending.result.as_ref());
    let verdict = result
        .filter(|_| visit.dispatched.is_some())
        .and_then(|result| result.get("verdict"));
    verdict.is_some_and(|verdict| {
        ["blocking", "noted"]
            .iter()
            .any(|list| verdict[*list].as_array().is_some_and(|list| !list.is_empty()))
    })
}

/// Their value for templates and guards.
pub(super) fn deferred_value(state: &RunState, workflow: &Workflow, before: VisitNumber) -> Value {
    let value = |deferred: &Deferred<'_>| {
        let mut value = json!(deferred.finding);
        value["gate"] = json!(deferred.gate.gate.as_ref().map_or("", |gate| &gate.name));
        value
    };
    deferred(state, workflow, before).iter().map(value).collect()
}

/// The deferred findings for the reviewers of the workflow's last gate. The gate's own earlier findings stay hidden.
pub(super) fn handed_over(
    state: &RunState,
    workflow: &Workflow,
    step: &StepDef,
    visit: VisitNumber,
) -> Vec<Finding> {
    if !is_last_gate(workflow, step) {
        return Vec::new();
    }
    deferred(state, workflow, visit)
        .into_iter()
        .filter(|deferred| deferred.gate.id != step.id)
        .map(|deferred| deferred.finding)
        .collect()
}

/// Whether no other gate can follow after this one passes.
fn is_last_gate(workflow: &Workflow, step: &StepDef) -> bool {
    let steps = workflow.steps();
    let Some(Target::Step(next)) = step.leads_to(Outcome::Ok) else {
        return true;
    };
    let Some(next) = steps.iter().position(|step| step.id == *next) else {
        return true;
    };
    let is_another = |at: usize| steps[at].gate.is_some() && steps[at].id != step.id;
    !Flow::of(workflow.definition())
        .reachable_from(next)
        .into_iter()
        .any(is_another)
}
