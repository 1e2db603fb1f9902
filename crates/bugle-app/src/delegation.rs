//! The parts of a step's view about sub-agents and reviews: sub-agents to start, verdicts, and findings to fix.

use std::path::Path;

use bugle_core::engine::{
    Assignment, ChildOrigin, ChildReport, ChildState, Origin, RunState, Visit, children, required_reports,
    review_iteration, rework, verdict_of,
};
use bugle_core::id::{Actor, ChildToken, VisitToken};
use bugle_core::interface::{AnswerRoute, Interface};
use bugle_core::outcome::Outcome;
use bugle_core::reply::{
    AgentLabel, AskView, Author, ChildView, DispatchView, DisputeView, FindingView, RetryView,
    ReviewLoopView, VariableView, VerdictView,
};
use bugle_core::review::{Dispute, Finding, OpenFinding, ReviewStatus, Severity};
use bugle_core::role::{AgentRole, Role};
use bugle_core::workflow::{DispatchWork, GateConfig, RoleSource, StepDef, Workflow, task_shape};
use serde_json::Value;

use crate::{Context, answer_commands, work_files};

/// The question to the user when a gate has reached its limit.
pub(crate) const GATE_QUESTION: &str =
    "The review did not pass, and the gate has reached its review limit. How should the run continue?";

/// The parts of a step's view about sub-agents and reviews.
#[derive(Debug, Default)]
pub(crate) struct Delegation {
    /// The verdict that led to this step, or that awaits the user's decision.
    pub verdict: Option<VerdictView>,
    /// The step's role in a review loop.
    pub review_loop: Option<ReviewLoopView>,
    /// The sub-agents.
    pub dispatch: Option<DispatchView>,
    /// The command that restarts the first reviewer with a stale review. The step cannot end before that reviewer has
    /// reviewed again.
    pub restart: Option<String>,
    /// The user's pending decision about a review, if any.
    pub decision: Option<AskView>,
    /// Whether this is a sub-agent's run.
    pub is_child: bool,
}

/// The origin of a sub-agent's run; `None` for other runs.
pub(crate) fn child_of(state: &RunState) -> Option<&ChildOrigin> {
    match &state.origin {
        Origin::Child(origin) => Some(origin),
        Origin::Fresh | Origin::Task(_) | Origin::Fork { .. } => None,
    }
}

/// The agent's role in a step, and whether the role is assigned. Only an assigned role restricts the agent.
pub(crate) fn role_of(state: Option<&RunState>, step: &StepDef) -> (AgentRole, bool) {
    let (role, source) = acting(state, step);
    (role, source != RoleSource::Unassigned)
}

/// The agent's role in a step, and where the role comes from.
pub(crate) fn acting(state: Option<&RunState>, step: &StepDef) -> (AgentRole, RoleSource) {
    step.acting(state.and_then(child_of).map(|child| child.role))
}

/// A visit's sub-agents.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Subagents<'a> {
    /// The sub-agents' reports.
    pub reports: &'a [ChildReport],
    /// The slots of reviewers whose reviews are stale because files have changed.
    pub outdated: &'a [u32],
    /// The definition of the sub-agents' role.
    pub role: Option<&'a Role>,
}

/// The sub-agent and review parts of a visit's view.
pub(crate) fn delegation(
    ctx: &Context,
    state: &RunState,
    workflow: &Workflow,
    step: &StepDef,
    visit: &Visit,
    subagents: &Subagents<'_>,
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
        verdict: judged.and_then(|judged| verdict(ctx, state, workflow, judged)),
        review_loop: review_loop(ctx, state, workflow, step, visit),
        dispatch: dispatch(ctx, step, visit, &token, subagents).filter(|_| visit.judged.is_none()),
        restart: subagents.outdated.first().map(|slot| {
            let child = ChildToken {
                parent: token.clone(),
                slot: *slot,
            };
            ctx.command(&["run", "retry", &child.to_string()])
        }),
        decision: visit.judged.as_ref().map(|_| decision(ctx, &token)),
        is_child: child_of(state).is_some(),
    }
}

/// The verdict of a gate's visit.
pub(crate) fn verdict(
    ctx: &Context,
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
        passed: ending.map_or(verdict.status == ReviewStatus::Pass, |ending| {
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
                Some(Author::Agent(AgentLabel::Session(agent.clone())))
            }
            // For a relayed decision, old runs recorded only the relaying agent.
            Some(by @ (Actor::Agent(_) | Actor::Program)) if decision.is_some() => Some(by.into()),
            _ => None,
        },
        self_review: !verdict.self_reviews.is_empty(),
        tree: ending.map_or(&visit.tree, |ending| &ending.tree).clone(),
        command: ctx.command(&["run", "findings", &token.to_string()]),
    })
}

/// Whether the files have changed since the verdict.
pub(crate) fn is_stale(ctx: &Context, judged: Option<&String>, directory: &str) -> bool {
    judged.is_some() && judged != ctx.fingerprint.get(Path::new(directory)).as_ref()
}

/// The severities that block in an iteration of a gate.
pub(crate) fn blocking(iteration: u32, gate: &GateConfig) -> Vec<bugle_core::review::Severity> {
    let blocks = Severity::ALL
        .into_iter()
        .filter(|severity| severity.blocks(iteration, gate.blocks));
    blocks.collect()
}

/// The step's role in a review loop. A reviewer sees its checks in the step where it reports. An author sees the
/// findings in the step where the rework starts.
fn review_loop(
    ctx: &Context,
    state: &RunState,
    workflow: &Workflow,
    step: &StepDef,
    visit: &Visit,
) -> Option<ReviewLoopView> {
    if let Some(gate) = &step.gate {
        // The verdict already says that the gate has reached its limit.
        if visit.judged.is_some() {
            return None;
        }
        let iteration = review_iteration(state, workflow, visit.number);
        return Some(ReviewLoopView::Gate {
            gate: gate.name.clone(),
            iteration,
            limit: gate.limit,
            blocking: blocking(iteration, gate),
        });
    }
    if let Some(Assignment::Review(brief)) = child_of(state).map(|child| &child.assignment) {
        // The step that returns findings shows the checks; earlier steps do not.
        let is_reporting = step.result.iter().any(|field| field.name.as_str() == "findings");
        return Some(ReviewLoopView::Review {
            gate: brief.name.clone(),
            iteration: brief.iteration,
            checks: if is_reporting {
                brief.checks.clone()
            } else {
                Vec::new()
            },
            accepted: shown(&brief.accepted, is_reporting),
            disputed: brief
                .disputed
                .iter()
                .filter(|_| is_reporting)
                .map(disputed)
                .collect(),
            deferred: shown(&brief.deferred, is_reporting),
        });
    }
    let brief = rework(state, workflow, visit.number)?;
    // The author sees the findings in full. An orchestrator whose sub-agents fix the findings sees only their number.
    let is_start = match child_of(state) {
        Some(_) => visit.after.is_none() || visit.after == Some(brief.visit),
        None => visit.after == Some(brief.visit),
    };
    let shows_findings = is_start && step.dispatch.is_none();
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
        findings: if shows_findings {
            brief.findings.iter().map(open_finding).collect()
        } else {
            Vec::new()
        },
        command: step
            .dispatch
            .is_none()
            .then(|| ctx.command(&["run", "findings", &token.to_string()])),
    })
}

/// The views of findings; empty if the findings are hidden.
fn shown(findings: &[Finding], is_visible: bool) -> Vec<FindingView> {
    findings
        .iter()
        .filter(|_| is_visible)
        .map(|one| finding(one, 1))
        .collect()
}

/// The view of a disputed finding.
fn disputed(dispute: &Dispute) -> DisputeView {
    DisputeView {
        finding: finding(&dispute.finding, 1),
        evidence: dispute.evidence.clone(),
    }
}

/// The view of a finding.
pub(crate) fn finding(finding: &Finding, seen: u32) -> FindingView {
    FindingView {
        finding: finding.clone(),
        seen,
        number: None,
    }
}

/// The view of a finding that still blocks.
pub(crate) fn open_finding(open: &OpenFinding) -> FindingView {
    FindingView {
        number: Some(open.number),
        ..finding(&open.finding, open.seen)
    }
}

fn dispatch(
    ctx: &Context,
    step: &StepDef,
    visit: &Visit,
    token: &VisitToken,
    subagents: &Subagents<'_>,
) -> Option<DispatchView> {
    let Subagents {
        reports,
        outdated,
        role,
    } = *subagents;
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
                command: start_prompt(ctx, &child),
                context: plan
                    .params
                    .iter()
                    .map(|(name, value)| VariableView {
                        name: name.clone(),
                        value: param_text(value),
                    })
                    .collect(),
                run: report.map(|report| report.run.clone()),
                state: state.clone(),
                outdated: outdated.contains(&slot),
                reported: state.has_reported(),
                retry: retry(ctx, &child, state, outdated.contains(&slot)),
            }
        })
        .collect();
    Some(DispatchView {
        role: dispatch.role.to_string(),
        model: model.map(|size| size.as_str().to_owned()),
        led_by_workflow: matches!(dispatch.work, DispatchWork::Workflow(_)),
        children: views,
        needed: required_reports(step, visit),
        reported,
        asking,
        unanswered: can_end.then(|| ctx.command(&["done", &token.to_string(), "--unanswered"])),
    })
}

/// The prompt for a sub-agent: its start command.
fn start_prompt(ctx: &Context, child: &ChildToken) -> String {
    let command = ctx.command(&["start", "--child", &child.to_string()]);
    if ctx.interface.is_mcp() {
        format!("Call this tool of Bugle's MCP server, and do what it returns: {command}")
    } else {
        command
    }
}

/// The command that restarts a stopped sub-agent, with an answer if the sub-agent asked a question.
fn retry(ctx: &Context, child: &ChildToken, state: &ChildState, outdated: bool) -> Option<RetryView> {
    let asked = match state {
        ChildState::Escalated(..) => true,
        ChildState::Failed(_) => false,
        ChildState::Finished(_) if outdated => false,
        _ => return None,
    };
    Some(RetryView {
        answer_file: asked.then(|| work_files::answer_file(ctx, child).display().to_string()),
        command: ctx.command(&["run", "retry", &child.to_string()]),
    })
}

/// A param as text: a string unchanged, a task as its label, any other value as JSON.
pub(crate) fn param_text(value: &Value) -> String {
    if task_shape().mismatches(value).is_empty() {
        let text = |key: &str| value[key].as_str().unwrap_or_default();
        let label = format!("{} {} ({})", text("number"), text("title"), text("id"));
        return label.trim().to_owned();
    }
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn decision(ctx: &Context, token: &VisitToken) -> AskView {
    let token_text = token.to_string();
    let words = ["run", "findings", &token_text];
    // Through the client, the user reads the question.
    let findings = match ctx.interface {
        Interface::Mcp(AnswerRoute::Client) => ctx.shell_command(&words),
        _ => ctx.command(&words),
    };
    AskView {
        in_person: false,
        question: format!(
            "{GATE_QUESTION} `continue` allows one more fix and review, `accept` accepts the blocking findings as risks \
             and continues, `abort` cancels the run. To see the findings: {findings}"
        ),
        choices: answer_commands::gate_choices(ctx, token),
        file: None,
        reason_file: Some(work_files::text_file(ctx, token).display().to_string()),
    }
}
