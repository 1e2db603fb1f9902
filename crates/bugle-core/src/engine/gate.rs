//! Gates: computes the verdict from findings, and the input for the next reviewers and the fixing agent.

use serde_json::{Value, json};

use super::child::{Assignment, ChildReport, ChildState, ReworkBrief};
use super::command::Environment;
use super::event::Origin;
use super::refusal::Refusal;
use super::rounds::{rounds_before, way_round};
use super::state::RunState;
use super::visit::Visit;
use crate::id::VisitNumber;
use crate::outcome::Outcome;
use crate::review::{Finding, Review, Verdict, fixed_checks, judge};
use crate::tool::{Tool, ToolPolicy};
use crate::workflow::{StepDef, Workflow};

/// A person's decision at a gate that has reached its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateDecision {
    /// Fix the findings, then review again.
    Continue,
    /// Accept the findings as risks, and continue.
    Accept,
    /// Cancel the run.
    Abort,
}

enum_text!(GateDecision {
    Continue = "continue",
    Accept = "accept",
    Abort = "abort",
});

impl GateDecision {
    /// The outcome that the gate's visit ends with.
    pub(super) fn outcome(self) -> Outcome {
        match self {
            Self::Accept => Outcome::Ok,
            Self::Continue | Self::Abort => Outcome::Fail,
        }
    }
}

/// Computes a gate's verdict from the reviewers' reports, and adds it to the joined result.
pub(super) fn review(
    state: &RunState,
    workflow: &Workflow,
    visit: &Visit,
    mut joined: Value,
    environment: Environment<'_>,
) -> Result<(Value, Verdict), Refusal> {
    let (reports, tree) = (environment.children, environment.tree);
    let mut passes = Vec::new();
    let mut silent = Vec::new();
    for child in joined["children"].as_array().into_iter().flatten() {
        match (Review::from_result(&child["result"]), child["outcome"].as_str()) {
            (Some(review), _) => passes.push(review),
            // The quorum was reached without this reviewer.
            (None, Some("missing")) => {}
            (None, _) => silent.extend(child["slot"].as_u64().and_then(|slot| u32::try_from(slot).ok())),
        }
    }
    if !silent.is_empty() || passes.is_empty() {
        return Err(Refusal::ReportWithoutFindings(silent));
    }
    let outdated = stale(reports, tree);
    if !outdated.is_empty() {
        return Err(Refusal::ReviewStale(outdated));
    }
    let earlier = passes_before(state, workflow, visit.number);
    let incomplete = incomplete(reports, &fixed_checks(&earlier));
    if !incomplete.is_empty() {
        return Err(Refusal::ReviewIncomplete(incomplete));
    }
    let pass = Review::joined(passes);
    let gate = workflow.step(&visit.step).and_then(|step| step.gate.as_ref());
    let level = gate.map(|gate| gate.blocks).unwrap_or_default();
    let mut verdict = judge(&earlier, &pass, &state.accepted, level);
    verdict.self_reviews = environment.self_reviews.to_vec();
    joined["review"] = json!(pass);
    joined["verdict"] = json!(verdict);
    Ok((joined, verdict))
}

/// The reviewers that read an earlier version of the files, so their reviews no longer apply. If the current
/// fingerprint is unknown, no review is stale.
pub fn stale(reports: &[ChildReport], tree: Option<&str>) -> Vec<u32> {
    let Some(now) = tree else { return Vec::new() };
    let changed = |report: &&ChildReport| report.tree.as_deref().is_some_and(|seen| seen != now);
    reports.iter().filter(changed).map(|report| report.slot).collect()
}

/// The reviewers whose reports lack required checks, with the missing checks. Ignores reports without a `checks` field,
/// because their step does not declare the field.
fn incomplete(reports: &[ChildReport], required: &[String]) -> Vec<(u32, Vec<String>)> {
    let missing = |report: &ChildReport| {
        let ChildState::Finished(Some(result)) = &report.state else {
            return None;
        };
        result.get("checks")?;
        let missing = Review::from_result(result)?.missing(required);
        (!missing.is_empty()).then_some((report.slot, missing))
    };
    reports.iter().filter_map(missing).collect()
}

/// For a visit to a gate, the reviewers whose reports lack required checks, with the missing checks.
pub fn incomplete_reviews(
    state: &RunState,
    workflow: &Workflow,
    gate: VisitNumber,
    reports: &[ChildReport],
) -> Vec<(u32, Vec<String>)> {
    incomplete(reports, &fixed_checks(&passes_before(state, workflow, gate)))
}

/// Refuses a review that lacks checks from earlier reviews.
pub(super) fn check_coverage(
    state: &RunState,
    step: &StepDef,
    result: Option<&Value>,
) -> Result<(), Refusal> {
    let Origin::Child(origin) = &state.origin else {
        return Ok(());
    };
    let Assignment::Review(brief) = &origin.assignment else {
        return Ok(());
    };
    let declares = |name: &str| step.result.iter().any(|field| field.name.as_str() == name);
    let review = result
        .filter(|_| declares("checks"))
        .and_then(Review::from_result);
    let missing = review
        .map(|review| review.missing(&brief.checks))
        .unwrap_or_default();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(Refusal::ChecksMissing(missing))
    }
}

/// The fingerprint of the reviewed files while no agent should change them. That is the case while a person decides,
/// and in a read-only step after a gate.
pub fn judged_tree<'a>(
    state: &'a RunState,
    step: &StepDef,
    visit: &'a Visit,
    permitted: &ToolPolicy,
) -> Option<&'a str> {
    if visit.judged.is_some() {
        return visit.tree.as_deref();
    }
    let writes = permitted.permits(Tool::Write) || permitted.permits(Tool::Edit);
    let gate = state
        .visit(visit.after?)
        .filter(|_| !writes && step.dispatch.is_none())?;
    verdict_value(gate)?;
    gate.ending.as_ref()?.tree.as_deref()
}

/// The verdict that a gate's visit ended with, or that is waiting for a decision.
pub fn verdict_of(visit: &Visit) -> Option<Verdict> {
    let mut verdict: Verdict = serde_json::from_value(verdict_value(visit)?.clone()).ok()?;
    // Earlier versions stored findings without their numbers.
    for (open, number) in verdict.blocking.iter_mut().zip(1_u32..) {
        open.number = number;
    }
    Some(verdict)
}

/// The checks that a gate's reviewers reported at this visit.
pub fn checked_at(visit: &Visit) -> Vec<String> {
    let review = judged_value(visit).and_then(|result| result.get("review"));
    let review: Option<Review> = review.and_then(|review| serde_json::from_value(review.clone()).ok());
    review.map(|review| review.checked()).unwrap_or_default()
}

/// Whether a visit has a verdict. Only visits to gates do.
pub(super) fn has_verdict(visit: &Visit) -> bool {
    verdict_value(visit).is_some()
}

fn verdict_value(visit: &Visit) -> Option<&Value> {
    judged_value(visit)?.get("verdict")
}

fn judged_value(visit: &Visit) -> Option<&Value> {
    let ended = visit.ending.as_ref().and_then(|ending| ending.result.as_ref());
    // Only a dispatch can be a gate, but any step's result may have a field with this name.
    visit.dispatched.as_ref()?;
    ended.or(visit.judged.as_ref())
}

/// A gate's earlier reviews in the current loop, oldest first. Each review sent the work back, and the run has not left
/// the loop since.
pub(super) fn passes_before(state: &RunState, workflow: &Workflow, gate: VisitNumber) -> Vec<Review> {
    let Some(step) = state.visit(gate).and_then(|visit| workflow.step(&visit.step)) else {
        return Vec::new();
    };
    let mut passes: Vec<Review> = rounds_before(state, workflow, step, gate)
        .into_iter()
        .filter_map(|passed| {
            state
                .visit(passed.number)?
                .ending
                .as_ref()?
                .result
                .as_ref()?
                .get("review")
        })
        .filter_map(|review| serde_json::from_value(review.clone()).ok())
        .collect();
    passes.reverse();
    passes
}

/// The number of the gate's review at this visit, starting at 1.
pub fn review_iteration(state: &RunState, workflow: &Workflow, gate: VisitNumber) -> u32 {
    u32::try_from(passes_before(state, workflow, gate).len())
        .unwrap_or(u32::MAX)
        .saturating_add(1)
}

/// The findings to fix at a visit: those of the latest gate, if it sent the work back and the run has not left the
/// loop since. The sub-agents of a fixing run received the findings when they started.
pub fn rework(state: &RunState, workflow: &Workflow, visit: VisitNumber) -> Option<ReworkBrief> {
    let brief_at_start = || match &state.origin {
        Origin::Child(origin) => match &origin.assignment {
            Assignment::Rework(brief) => Some(brief.clone()),
            Assignment::Plain | Assignment::Review(_) => None,
        },
        Origin::Fresh | Origin::Task(_) | Origin::Fork { .. } => None,
    };
    let judged = |visit: &&Visit| verdict_value(visit).is_some();
    let Some(gate) = state.lineage(visit).skip(1).find(judged) else {
        return brief_at_start();
    };
    gate.ending
        .as_ref()
        .filter(|ending| ending.outcome == Outcome::Fail)?;
    let way = way_round(workflow, workflow.step(&gate.step)?);
    let mut since = state
        .passed(visit)
        .take_while(|later| later.number != gate.number);
    if !since.all(|later| way.contains(later.step)) {
        return None;
    }
    let verdict = verdict_of(gate)?;
    let name = workflow.step(&gate.step).and_then(|step| step.gate.as_ref());
    Some(ReworkBrief {
        name: name.map_or_else(|| gate.step.to_string(), |gate| gate.name.clone()),
        visit: gate.number,
        iteration: verdict.iteration,
        findings: verdict
            .blocking
            .into_iter()
            .filter(|open| !state.has_accepted(&open.finding))
            .collect(),
        wanted: gate.explained().map(|(_, why)| why.to_owned()),
    })
}

/// The findings that made a gate fail, ordered by number.
pub(super) fn blocking(visit: &Visit) -> Vec<Finding> {
    let verdict = verdict_of(visit);
    verdict
        .map(|verdict| verdict.blocking.into_iter().map(|open| open.finding).collect())
        .unwrap_or_default()
}
