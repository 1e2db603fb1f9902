//! A step's sub-agents and review, in each format.

use bugle_core::interface::Interface;
use bugle_core::reply::{ChildView, DispatchView, FindingsView, VerdictView};

use crate::review_loop::{finding_lines, finding_xml};
use crate::xml::Element;
use crate::xml::dispatch::{
    ParallelAgent, ParallelDispatch, SubagentDispatch, orchestrator_constraint, parallel_dispatch,
    subagent_dispatch,
};
use crate::xml::gate::{GateStatus, gate_result};
use crate::{author_text, child_text, text};

/// Maximum length of a value that labels a sub-agent. The sub-agent gets the whole value from its start command.
const LONGEST_LABEL: usize = 60;
const SELF_REVIEW: &str = " Self-review: the session that did the work also reviewed it.";

/// The verdict as one sentence.
pub(crate) fn verdict_line(verdict: &VerdictView) -> String {
    let VerdictView {
        gate,
        passed,
        iteration,
        limit,
        blocking,
        accepted,
        noted,
        decision,
        passed_on_by,
        self_review,
        tree,
        ..
    } = verdict;
    let how = match (decision.as_deref(), passed) {
        (Some(decision), _) => match passed_on_by {
            None => format!("did not pass review {iteration}; the user decided: {decision}."),
            Some(by) => {
                let by = author_text::author(by);
                format!("did not pass review {iteration}; {by} relayed the user's decision: {decision}.")
            }
        },
        (None, true) => format!("passed review {iteration}."),
        (None, false) if iteration < limit => {
            format!("did not pass review {iteration}. If review {limit} fails, the user decides.")
        }
        (None, false) => format!("did not pass review {iteration}. The user decides."),
    };
    let files = tree
        .as_ref()
        .map(|tree| format!(" Reviewed version of the files: {tree}."))
        .unwrap_or_default();
    let self_review = if *self_review { SELF_REVIEW } else { "" };
    let accepted = match accepted {
        0 => String::new(),
        accepted => format!(", accepted as risks: {accepted}"),
    };
    format!("{gate}: {how} Blocking findings: {blocking}{accepted}, others: {noted}.{self_review}{files}")
}

/// `<gate_result>` for the verdict that led to a step.
pub(crate) fn verdict_xml(verdict: &VerdictView) -> Element {
    let status = if verdict.passed {
        GateStatus::Pass
    } else {
        GateStatus::Fail
    };
    gate_result(status, &verdict_line(verdict))
}

/// The sub-agents that have not reported.
fn open(view: &DispatchView) -> Vec<&ChildView> {
    view.children.iter().filter(|child| !child.reported).collect()
}

/// The sub-agents to start, and the state of the others.
pub(crate) fn dispatch_xml(view: &DispatchView, interface: Interface) -> Vec<Element> {
    let mut blocks = vec![orchestrator_constraint()];
    let open = open(view);
    let reported: Vec<&ChildView> = view.children.iter().filter(|child| child.reported).collect();
    match open.as_slice() {
        [] if view.children.is_empty() => blocks.push(parallel(view, &[])),
        [] => {}
        [child] => blocks.push(subagent_dispatch(&SubagentDispatch {
            role: &view.role,
            model: view.model.as_deref(),
            start_command: &child.command,
        })),
        several => {
            let agents: Vec<ParallelAgent<'_>> = several
                .iter()
                .map(|child| ParallelAgent {
                    slot: child.slot,
                    start_command: &child.command,
                })
                .collect();
            blocks.push(parallel(view, &agents));
        }
    }
    let is_any_started = view.children.iter().any(|child| child.run.is_some());
    if is_any_started {
        let states = view.children.iter().map(|child| child_xml(child, interface));
        blocks.push(
            Element::new("children")
                .attribute("reported", reported.len())
                .attribute("needed", view.needed)
                .child(Element::with_text("instruction", CHILDREN))
                .children(states)
                .children(
                    (view.unanswered.iter()).map(|command| Element::with_text("to_end_unanswered", command)),
                ),
        );
    }
    blocks
}

const CHILDREN: &str = "Restart a working sub-agent only if its session has ended. Answer the open questions you can answer \
                        yourself, and ask the user the rest. The step cannot end while a question is open.";
const UNANSWERED: &str = "To end the step and record the sub-agents with open questions as not done";

fn parallel(view: &DispatchView, agents: &[ParallelAgent<'_>]) -> Element {
    parallel_dispatch(&ParallelDispatch {
        role: &view.role,
        model: view.model.as_deref(),
        agents,
    })
}

fn child_xml(child: &ChildView, interface: Interface) -> Element {
    let element = Element::with_text("child", child_text::child(child))
        .attribute("slot", child.slot)
        .optional_attribute("run", child.run.as_ref());
    match &child.retry {
        None => element,
        Some(retry) => {
            let restart = Element::with_text("to_restart_it", &retry.command);
            let file = retry.answer_file.as_deref();
            element.child(if interface.is_mcp() {
                restart.optional_attribute("pass_answer_as", file.map(|_| "answer"))
            } else {
                restart.optional_attribute("write_answer_to", file)
            })
        }
    }
}

/// The sub-agents to start, as text.
pub(crate) fn dispatch_text(view: &DispatchView, interface: Interface) -> Vec<String> {
    let open = open(view);
    let model = view
        .model
        .as_ref()
        .map(|model| format!(" on a {model} model"))
        .unwrap_or_default();
    let head = match open.len() {
        0 if view.children.is_empty() => "There are no sub-agents to start.".to_owned(),
        0 => "Every sub-agent has reported.".to_owned(),
        1 => format!(
            "Start one {} sub-agent{model}, with this command as its prompt:",
            view.role
        ),
        count => format!(
            "Start {count} {} sub-agents{model} in one message, each with its own command as its prompt:",
            view.role
        ),
    };
    let mut blocks = vec![head];
    for child in open {
        let given: Vec<String> = child
            .context
            .iter()
            .map(|variable| {
                format!(
                    "{}: {}",
                    variable.name,
                    text::shortened(&variable.value, LONGEST_LABEL)
                )
            })
            .collect();
        let given = if given.is_empty() {
            String::new()
        } else {
            format!(" ({})", given.join("; "))
        };
        blocks.push(format!("{}.{given}\n\n    {}", child.slot, child.command));
    }
    let known: Vec<String> = view
        .children
        .iter()
        .filter(|child| child.run.is_some())
        .map(|child| {
            let retry = child
                .retry
                .as_ref()
                .map_or_else(String::new, |retry| match &retry.answer_file {
                    Some(_) if interface.is_mcp() => format!(
                        "; to restart it, pass the answer as `answer` and call: {}",
                        retry.command
                    ),
                    Some(file) => format!(
                        "; to restart it, write the answer to {file} and run: {}",
                        retry.command
                    ),
                    None => format!("; to restart it, {}: {}", interface.verb(), retry.command),
                });
            format!("sub-agent {}: {}{retry}", child.slot, child_text::child(child))
        })
        .collect();
    if !known.is_empty() {
        blocks.push(text::list(
            &format!(
                "Reported: {} of {} required. {CHILDREN}",
                view.reported, view.needed
            ),
            &known,
        ));
    }
    if let Some(command) = &view.unanswered {
        blocks.push(format!("{UNANSWERED}, {}: {command}", interface.verb()));
    }
    blocks
}

fn accepted_xml(view: &FindingsView) -> Element {
    let people = view
        .accepted_by
        .iter()
        .map(|person| Element::with_text("by", person));
    Element::new("accepted")
        .children(people)
        .children(view.accepted.iter().map(finding_xml))
}

/// A gate's review findings.
pub fn findings(view: &FindingsView, format: crate::Format) -> String {
    let stale = "The files changed after this review, so the verdict no longer applies.";
    match format {
        crate::Format::Xml => {
            let root = Element::new("findings")
                .attribute("visit", &view.visit)
                .child(verdict_xml(&view.verdict))
                .children(
                    view.person
                        .as_ref()
                        .map(|person| Element::with_text("reviewed_for", person)),
                )
                .children(view.stale.then(|| Element::with_text("notice", stale)))
                .child(Element::new("blocking").children(view.blocking.iter().map(finding_xml)))
                .children((!view.accepted.is_empty()).then(|| accepted_xml(view)))
                .child(Element::new("noted").children(view.noted.iter().map(finding_xml)))
                .child(
                    Element::new("checks")
                        .children(view.checks.iter().map(|check| Element::with_text("check", check))),
                );
            format!("{}\n", root.render())
        }
        crate::Format::Text | crate::Format::Markdown => {
            let mut blocks = vec![verdict_line(&view.verdict)];
            blocks.extend(
                view.person
                    .as_ref()
                    .map(|person| format!("Reviewed for {person}.")),
            );
            if view.stale {
                blocks.push(stale.to_owned());
            }
            let accepted = match view.accepted_by.as_slice() {
                [] => "Accepted as risks:".to_owned(),
                people => format!("Accepted as risks by {}:", people.join(", ")),
            };
            let lists = [
                ("Blocking:", &view.blocking),
                (accepted.as_str(), &view.accepted),
                ("Not blocking:", &view.noted),
            ];
            for (heading, findings) in lists {
                let lines: Vec<String> = findings.iter().map(finding_lines).collect();
                if !lines.is_empty() {
                    blocks.push(text::list(heading, &lines));
                }
            }
            if !view.checks.is_empty() {
                blocks.push(text::list("Checked:", &view.checks));
            }
            text::printable(&format!("{}\n", text::page(&blocks)))
        }
    }
}
