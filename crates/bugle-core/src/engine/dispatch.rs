//! A step's sub-agents: their inputs, and the reports that the join waits for.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::also_found::AlsoFound;
use super::child::{ChildPlan, ChildReport, ChildState};
use super::context::context;
use super::refusal::Refusal;
use super::task_ref::TaskRef;
use super::tasks::task_value;
use super::unfolding::Unfolding;
use super::visit::Visit;
use crate::expression::Expression;
use crate::id::{RunId, VisitNumber};
use crate::task::{Board, TaskBrief};
use crate::workflow::{FanOut, StepDef};

/// The sub-agents of a visit, computed from the values at its start.
pub(super) fn plan(
    so_far: &Unfolding<'_>,
    step: &StepDef,
    visit: VisitNumber,
) -> Result<Option<Vec<ChildPlan>>, Refusal> {
    let Some(dispatch) = &step.dispatch else {
        return Ok(None);
    };
    let Unfolding {
        workflow,
        state,
        board,
        ..
    } = so_far;
    let values = context(state, workflow, visit).for_guards(workflow, None, board.as_ref());
    let value_of = |expression: &Expression| {
        expression
            .evaluate(&values)
            .map_err(|error| Refusal::GuardFailed {
                guard: expression.to_string(),
                message: error.to_string(),
            })
    };
    if let Some(when) = &dispatch.when
        && value_of(when)? != Value::Bool(true)
    {
        return Ok(Some(Vec::new()));
    }
    let mut shared = Map::new();
    for (name, expression) in &dispatch.with {
        shared.insert(name.to_string(), value_of(expression)?);
    }
    let plans = match &dispatch.fan_out {
        FanOut::One => vec![ChildPlan {
            params: shared,
            task: None,
        }],
        FanOut::Tasks { item, limit } => {
            let with_task = |task: &TaskBrief| {
                let mut params = shared.clone();
                params.insert(item.to_string(), task_value(task));
                ChildPlan {
                    params,
                    task: Some(TaskRef::from(task)),
                }
            };
            let ready = board.as_ref().map(Board::ready).unwrap_or_default();
            wave(&ready, *limit as usize).into_iter().map(with_task).collect()
        }
        FanOut::ForEach { list, item, limit } => {
            let Value::Array(items) = value_of(list)? else {
                let message = "the value is not a list".to_owned();
                return Err(Refusal::GuardFailed {
                    guard: list.to_string(),
                    message,
                });
            };
            if items.len() > *limit as usize {
                return Err(Refusal::TooManyChildren {
                    step: step.id.clone(),
                    found: items.len(),
                    limit: *limit,
                });
            }
            let with_item = |value| {
                let mut params = shared.clone();
                params.insert(item.to_string(), value);
                ChildPlan { params, task: None }
            };
            items.into_iter().map(with_item).collect()
        }
    };
    Ok(Some(plans))
}

/// The tasks to dispatch together: in plan order, up to the limit. No two of them change the same file, because one
/// agent would overwrite the other's work. The rest start later.
fn wave<'a>(ready: &[&'a TaskBrief], most: usize) -> Vec<&'a TaskBrief> {
    let mut held: BTreeSet<&str> = BTreeSet::new();
    let mut chosen = Vec::new();
    for task in ready {
        let files = || task.files.iter().map(String::as_str);
        if chosen.len() < most && files().all(|file| !held.contains(file)) {
            held.extend(files());
            chosen.push(*task);
        }
    }
    chosen
}

/// A visit's sub-agents and their states, including those that have not started.
pub fn children<'a>(
    visit: &'a Visit,
    reports: &'a [ChildReport],
) -> Vec<(u32, &'a ChildPlan, Option<&'a ChildReport>)> {
    let with_report =
        |(plan, slot): (&'a ChildPlan, u32)| (slot, plan, reports.iter().find(|report| report.slot == slot));
    visit.children().iter().zip(1_u32..).map(with_report).collect()
}

/// The number of sub-agents that must report before a visit can end.
pub fn required_reports(step: &StepDef, visit: &Visit) -> usize {
    let quorum = step.dispatch.as_ref().and_then(|dispatch| dispatch.quorum);
    quorum.map_or(visit.children().len(), |quorum| {
        visit.children().len().min(quorum as usize)
    })
}

/// How a join treats sub-agents' open questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OpenQuestions {
    /// Wait for the answers.
    Hold,
    /// Continue, and count the sub-agents with questions as failed.
    Unanswered,
}

/// Whether a join failed: fewer sub-agents finished than the step requires. Sub-agents that failed, are blocked, have
/// a question or never reported do not count.
pub(super) fn has_failed(step: &StepDef, visit: &Visit, joined: Option<&Value>) -> bool {
    let finished = joined.and_then(|joined| joined.get("finished")?.as_u64());
    step.dispatch.is_some()
        && finished.is_some_and(|finished| {
            usize::try_from(finished).is_ok_and(|count| count < required_reports(step, visit))
        })
}

/// The result of a dispatch: every sub-agent's outcome and result, in order, and a count of each outcome. Waits for
/// all sub-agents or the quorum, and for the answers to their questions.
pub(super) fn join(
    step: &StepDef,
    visit: &Visit,
    reports: &[ChildReport],
    questions: OpenQuestions,
) -> Result<Value, Refusal> {
    let (mut finished, mut failed, mut escalated) = (0_usize, 0_usize, 0_usize);
    let mut entries = Vec::new();
    let mut missing = Vec::new();
    for (slot, plan, report) in children(visit, reports) {
        let mut entry = json!({ "slot": slot, "params": plan.params });
        if let Some(report) = report {
            entry["run"] = json!(report.run);
        }
        let state = report.map_or(&ChildState::NotStarted, |report| &report.state);
        let outcome = match state {
            ChildState::Finished(result) => {
                finished += 1;
                entry["result"] = result.clone().unwrap_or_else(|| json!({}));
                "finished"
            }
            ChildState::Failed(reason) => {
                failed += 1;
                entry["reason"] = json!(reason);
                "failed"
            }
            ChildState::Escalated(kind, reason) => {
                escalated += 1;
                entry["reason"] = json!(reason);
                entry["escalation"] = json!(kind);
                "escalated"
            }
            ChildState::Waiting => {
                missing.push((slot, state.clone()));
                entry["reason"] = json!("its question to the user is not answered");
                "waiting"
            }
            ChildState::NotStarted
            | ChildState::Working(_)
            | ChildState::Left
            | ChildState::Paused
            | ChildState::Cancelled => {
                missing.push((slot, state.clone()));
                "missing"
            }
        };
        entry["outcome"] = json!(outcome);
        entries.push(entry);
    }
    let reported = finished + failed + escalated;
    let needed = required_reports(step, visit);
    let asking: Vec<(u32, ChildState)> = reports
        .iter()
        .filter(|report| report.state.asks())
        .map(|report| (report.slot, report.state.clone()))
        .collect();
    let waiting = asking.iter().filter(|(_, state)| !state.has_reported()).count();
    if reported + waiting < needed {
        return Err(Refusal::ChildrenMissing {
            missing,
            reported,
            needed,
        });
    }
    if questions == OpenQuestions::Hold && !asking.is_empty() {
        return Err(Refusal::ChildrenAsking(asking));
    }
    Ok(json!({
        "children": entries,
        "finished": finished,
        "failed": failed,
        "escalated": escalated,
        "missing": missing.len(),
    }))
}

/// The sub-agents' reports, reconstructed from the joined result.
pub(super) fn reports_in(joined: &Value) -> Vec<ChildReport> {
    let report = |entry: &Value| {
        let text = |key: &str| {
            entry
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let state = match entry.get("outcome")?.as_str()? {
            "finished" => ChildState::Finished(entry.get("result").cloned()),
            "failed" => ChildState::Failed(text("reason")),
            "escalated" => {
                let kind = serde_json::from_value(entry.get("escalation")?.clone()).ok()?;
                ChildState::Escalated(kind, text("reason"))
            }
            "waiting" => ChildState::Waiting,
            _ => ChildState::Cancelled,
        };
        Some(ChildReport {
            slot: u32::try_from(entry.get("slot")?.as_u64()?).ok()?,
            run: RunId::parse(entry.get("run")?.as_str()?).ok()?,
            state,
            tree: None,
            also_found: Vec::new(),
        })
    };
    let entries = joined.get("children").and_then(Value::as_array);
    entries.into_iter().flatten().filter_map(report).collect()
}

/// A visit's problems: those that its agent reported, then those of its sub-agents.
pub(super) fn also_found_by_all(own: Vec<AlsoFound>, children: &[ChildReport]) -> Vec<AlsoFound> {
    let mut all = own;
    for problem in children.iter().flat_map(|report| &report.also_found) {
        if !all.contains(problem) {
            all.push(problem.clone());
        }
    }
    all
}
