//! Non-blocking findings, kept for the last gate.

use serde_json::{Value, json};

use super::gate::verdict_of;
use super::state::RunState;
use super::visit::Visit;
use crate::id::VisitNumber;
use crate::outcome::{Outcome, Target};
use crate::review::Finding;
use crate::validate::Flow;
use crate::workflow::{StepDef, Workflow};

/// A non-blocking finding, and the step of its gate.
pub(super) struct Deferred<'a> {
    pub gate: &'a StepDef,
    pub finding: Finding,
}

/// The non-blocking findings before a visit, each once, ordered by their last report. Excludes accepted findings and
/// those that blocked in a later review.
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

/// Whether a visit has a verdict with findings. Most visits do not.
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

/// The findings as a value for templates and guards.
pub(super) fn deferred_value(state: &RunState, workflow: &Workflow, before: VisitNumber) -> Value {
    let value = |deferred: &Deferred<'_>| {
        let mut value = json!(deferred.finding);
        value["gate"] = json!(deferred.gate.gate.as_ref().map_or("", |gate| &gate.name));
        value
    };
    deferred(state, workflow, before).iter().map(value).collect()
}

/// The deferred findings for reviewers at the workflow's last gate, without that gate's own earlier findings.
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

/// Whether this is the last gate: no other gate can follow once it passes.
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
