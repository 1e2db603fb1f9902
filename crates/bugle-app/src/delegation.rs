//! What a step says about sub-agents and reviews: whom to start, what was judged, what is to be mended.

use std::path::Path;

use bugle_core::engine::{
    Assignment, ChildOrigin, ChildReport, ChildState, GateDecision, Origin, RunState, Visit, children,
    needed, review_iteration, rework, task_shape, verdict_of,
};
use bugle_core::id::{Actor, ChildToken, VisitToken};
use bugle_core::outcome::Outcome;
use bugle_core::review::{Dispute, Finding, OpenFinding, QrStatus, Severity};
use bugle_core::role::{AgentRole, Role};
use bugle_core::workflow::{DispatchWork, GateConfig, Given, StepDef, Workflow};
use bugle_render::words;
use bugle_wire::{
    AskView, ChildView, Choice, DispatchView, DisputeView, FindingView, RetryView, ReviewLoopView,
    VariableView, VerdictView,
};
use serde_json::Value;

use crate::{Place, tree, view};

/// What a person is asked where a gate has reached its limit.
pub(crate) const GATE_QUESTION: &str =
    "The review did not pass, and the gate has reached its limit. How does it go on?";

/// What a step says about sub-agents and reviews.
#[derive(Debug, Default)]
pub(crate) struct Delegation {
    /// The verdict that led here, or that a person has to decide on.
    pub verdict: Option<VerdictView>,
    /// The side of a review loop that the step is on.
    pub review_loop: Option<ReviewLoopView>,
    /// The sub-agents.
    pub dispatch: Option<DispatchView>,
    /// The decision that a person has to take about a review.
    pub decision: Option<AskView>,
    /// Whether this is a sub-agent's run.
    pub is_child: bool,
}

/// The sub-agent whose run this is, if it is one's.
pub(crate) fn child_of(state: &RunState) -> Option<&ChildOrigin> {
    match &state.origin {
        Origin::Child(origin) => Some(origin),
        Origin::Fresh | Origin::Fork { .. } => None,
    }
}

/// Who acts in a step, and whether they are held to it: nobody is held to a role that was not given to them.
pub(crate) fn role_of(state: Option<&RunState>, step: &StepDef) -> (AgentRole, bool) {
    let (role, given) = acting(state, step);
    (role, given != Given::Nowise)
}

/// Who acts in a step, and how they came to that.
pub(crate) fn acting(state: Option<&RunState>, step: &StepDef) -> (AgentRole, Given) {
    step.acting(state.and_then(child_of).map(|child| child.role))
}

/// What there is to say at a visit, with where its sub-agents stand.
pub(crate) fn delegation(
    place: &Place,
    state: &RunState,
    workflow: &Workflow,
    (step, visit): (&StepDef, &Visit),
    (reports, outdated): (&[ChildReport], &[u32]),
    role: Option<&Role>,
) -> Delegation {
    let token = VisitToken {
        run: state.id.clone(),
        visit: visit.number,
    };
    let before = visit.after.and_then(|before| state.visit(before));
    let judged = if visit.judged.is_some() {
        Some(visit)
    } else {
        before
    };
    Delegation {
        verdict: judged.and_then(|judged| verdict(place, state, workflow, judged)),
        review_loop: review_loop(place, state, workflow, step, visit),
        dispatch: dispatch(place, step, visit, &token, (reports, outdated), role)
            .filter(|_| visit.judged.is_none()),
        decision: visit.judged.as_ref().map(|_| decision(place, &token)),
        is_child: child_of(state).is_some(),
    }
}

/// The verdict of a gate's visit.
pub(crate) fn verdict(
    place: &Place,
    state: &RunState,
    workflow: &Workflow,
    visit: &Visit,
) -> Option<VerdictView> {
    let verdict = verdict_of(visit)?;
    let gate = workflow.step(&visit.step).and_then(|step| step.gate.as_ref())?;
    let ending = visit.ending.as_ref();
    let decision = ending.and_then(|ending| ending.result.as_ref()?.get("decision")?.as_str());
    let token = VisitToken {
        run: state.id.clone(),
        visit: visit.number,
    };
    let is_accepted = |open: &&OpenFinding| state.has_accepted(&open.finding);
    let accepted = verdict.blocking.iter().filter(is_accepted).count();
    Some(VerdictView {
        gate: gate.name.clone(),
        passed: ending.map_or(verdict.status == QrStatus::Pass, |ending| {
            ending.outcome == Outcome::Ok
        }),
        iteration: verdict.iteration,
        limit: gate.limit,
        blocking: verdict.blocking.len() - accepted,
        accepted,
        noted: verdict.noted.len(),
        decision: decision.map(str::to_owned),
        passed_on_by: match ending.map(|ending| &ending.by) {
            Some(Actor::Relay { agent, .. }) if decision.is_some() => {
                Some(Actor::Agent(agent.clone()).to_string())
            }
            // Before relays were recorded as such, the agent alone was.
            Some(by @ (Actor::Agent(_) | Actor::Program)) if decision.is_some() => Some(by.to_string()),
            _ => None,
        },
        self_review: !verdict.self_reviews.is_empty(),
        tree: ending.map_or(&visit.tree, |ending| &ending.tree).clone(),
        command: place.command(&["findings", &token.to_string()]),
    })
}

/// Whether the files have changed since a verdict judged them.
pub(crate) fn is_stale(judged: Option<&String>, directory: &str) -> bool {
    judged.is_some() && judged != tree::fingerprint(Path::new(directory)).as_ref()
}

/// The severities that block in an iteration of a gate.
fn blocking(iteration: u32, gate: &GateConfig) -> Vec<String> {
    let blocks = Severity::ALL
        .into_iter()
        .filter(|severity| severity.blocks(iteration, gate.blocks));
    blocks.map(|severity| severity.as_str().to_owned()).collect()
}

/// A reviewer sees its checks where it reports; the author of a rework sees the findings where it begins.
fn review_loop(
    place: &Place,
    state: &RunState,
    workflow: &Workflow,
    step: &StepDef,
    visit: &Visit,
) -> Option<ReviewLoopView> {
    if let Some(gate) = &step.gate {
        let iteration = review_iteration(state, workflow, visit.number);
        return Some(ReviewLoopView::Gate {
            gate: gate.name.clone(),
            iteration,
            limit: gate.limit,
            blocking: blocking(iteration, gate),
        });
    }
    if let Some(Assignment::Review(brief)) = child_of(state).map(|child| &child.assignment) {
        // What to look for is told where it is owed, not where expectations are still being written down.
        let whole = step.result.iter().any(|field| field.name.as_str() == "findings");
        return Some(ReviewLoopView::Review {
            gate: brief.name.clone(),
            iteration: brief.iteration,
            checks: if whole { brief.checks.clone() } else { Vec::new() },
            accepted: shown(&brief.accepted, whole),
            disputed: brief.disputed.iter().filter(|_| whole).map(disputed).collect(),
            deferred: shown(&brief.deferred, whole),
        });
    }
    let brief = rework(state, workflow, visit.number)?;
    // Whoever gets the work back reads the findings whole; where sub-agents do, the orchestrator only counts them.
    let begins = match child_of(state) {
        Some(_) => visit.after.is_none() || visit.after == Some(brief.visit),
        None => visit.after == Some(brief.visit),
    };
    let whole = begins && step.dispatch.is_none();
    let run = match child_of(state).filter(|child| matches!(child.assignment, Assignment::Rework(_))) {
        Some(child) => child.token.parent.run.clone(),
        None => state.id.clone(),
    };
    let token = VisitToken {
        run,
        visit: brief.visit,
    };
    Some(ReviewLoopView::Rework {
        gate: brief.name.clone(),
        iteration: brief.iteration,
        count: brief.findings.len(),
        findings: if whole {
            brief.findings.iter().map(open_finding).collect()
        } else {
            Vec::new()
        },
        command: step
            .dispatch
            .is_none()
            .then(|| place.command(&["findings", &token.to_string()])),
    })
}

/// Findings as they are shown, if they are shown here.
fn shown(findings: &[Finding], here: bool) -> Vec<FindingView> {
    findings
        .iter()
        .filter(|_| here)
        .map(|one| finding(one, 1))
        .collect()
}

/// A disputed finding as it is shown.
fn disputed(dispute: &Dispute) -> DisputeView {
    DisputeView {
        finding: finding(&dispute.finding, 1),
        evidence: dispute.evidence.clone(),
    }
}

/// A finding as it is shown.
pub(crate) fn finding(finding: &Finding, seen: u32) -> FindingView {
    let Finding {
        severity,
        category,
        location,
        element,
        problem,
        action,
    } = finding.clone();
    FindingView {
        severity: severity.as_str().to_owned(),
        category,
        location,
        element,
        problem,
        action,
        seen,
        number: None,
    }
}

/// A finding that still blocks, as it is shown.
pub(crate) fn open_finding(open: &OpenFinding) -> FindingView {
    FindingView {
        number: Some(open.number),
        ..finding(&open.finding, open.seen)
    }
}

fn dispatch(
    place: &Place,
    step: &StepDef,
    visit: &Visit,
    token: &VisitToken,
    (reports, outdated): (&[ChildReport], &[u32]),
    role: Option<&Role>,
) -> Option<DispatchView> {
    let dispatch = step.dispatch.as_ref()?;
    let model = dispatch.model.or_else(|| role?.model);
    let mut reported = 0;
    let asking = reports.iter().filter(|report| report.state.asks()).count();
    let can_end = asking > 0 && step.gate.is_none();
    let views = children(visit, reports)
        .into_iter()
        .map(|(slot, plan, report)| {
            let child = ChildToken {
                parent: token.clone(),
                slot,
            };
            let state = report.map_or(&ChildState::NotStarted, |report| &report.state);
            reported += usize::from(state.has_reported());
            ChildView {
                slot,
                command: place.command(&["start", "--child", &child.to_string()]),
                context: plan
                    .params
                    .iter()
                    .map(|(name, value)| VariableView {
                        name: name.clone(),
                        value: plain(value),
                    })
                    .collect(),
                run: report.map(|report| report.run.to_string()),
                state: if outdated.contains(&slot) {
                    "has reviewed other files than there are now".to_owned()
                } else {
                    words::child_state(state)
                },
                reported: state.has_reported(),
                retry: retry(place, &child, state, outdated.contains(&slot)),
            }
        })
        .collect();
    Some(DispatchView {
        role: dispatch.role.to_string(),
        model: model.map(|size| size.as_str().to_owned()),
        led_by_workflow: matches!(dispatch.work, DispatchWork::Workflow(_)),
        children: views,
        needed: needed(step, visit),
        reported,
        asking,
        unanswered: can_end.then(|| place.command(&["done", &token.to_string(), "--unanswered"])),
    })
}

/// A sub-agent that stopped without success can be had again; one that asked gets an answer with that.
fn retry(place: &Place, child: &ChildToken, state: &ChildState, outdated: bool) -> Option<RetryView> {
    let asked = match state {
        ChildState::Escalated(..) => true,
        ChildState::Failed(_) => false,
        ChildState::Finished(_) if outdated => false,
        _ => return None,
    };
    Some(RetryView {
        answer_file: asked.then(|| view::answer_file(place, child).display().to_string()),
        command: place.command(&["retry", &child.to_string()]),
    })
}

/// A value for reading: a text as it is, a task by its name, because the sub-agent itself is given all of it, anything
/// else as JSON.
fn plain(value: &Value) -> String {
    if task_shape().mismatches(value).is_empty() {
        let text = |key: &str| value[key].as_str().unwrap_or_default();
        let named = format!("{} {} ({})", text("number"), text("title"), text("id"));
        return named.trim().to_owned();
    }
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn decision(place: &Place, token: &VisitToken) -> AskView {
    let token_text = token.to_string();
    AskView {
        in_person: false,
        question: format!(
            "{GATE_QUESTION} `continue` mends and \
             reviews once more, `accept` takes the blocking findings as risks and goes on, `abort` gives the run up. \
             To see the findings: {}",
            place.command(&["findings", &token_text])
        ),
        choices: GateDecision::ALL
            .into_iter()
            .map(|decision| Choice {
                answer: decision.to_string(),
                command: place.command(&["decide", &token_text, decision.as_str()]),
            })
            .collect(),
        file: None,
        reason_file: Some(view::words_file(place, token).display().to_string()),
    }
}
