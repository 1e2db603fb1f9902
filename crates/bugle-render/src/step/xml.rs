//! A step as XML.

use bugle_core::reply::{StepView, TaskLabel};

use super::parts::{header, next, output_files};
use crate::xml::guidance::{self, Resource};
use crate::xml::step::{self as frame, StepOutput};
use crate::xml::{Content, Element};
use crate::{delegation, notice_text, question, review_loop};

pub(super) fn step_xml(view: &StepView) -> Element {
    let mut blocks = Vec::new();
    if let Some(side) = &view.review_loop {
        blocks.extend(review_loop::loop_xml(side));
    }
    if let Some(brief) = &view.role_brief {
        blocks.push(Element::with_text("role_brief", brief).attribute("role", &view.role));
    }
    if let Some(dispatch) = &view.dispatch {
        blocks.extend(delegation::dispatch_xml(dispatch, view.interface));
    }
    if let Some(round) = view.round {
        let banner = Element::new("state_banner")
            .attribute("checkpoint", view.position.step.as_deref().unwrap_or_default())
            .attribute("iteration", round.number)
            .attribute("limit", round.limit);
        blocks.push(banner);
    }
    blocks.extend(
        view.notices
            .iter()
            .map(|notice| Element::with_text("notice", notice_text::run(notice))),
    );
    for resource in &view.resources {
        blocks.push(guidance::resource(&Resource {
            name: &resource.name,
            content: &resource.content,
        }));
    }
    if !view.forbidden.is_empty() {
        blocks.push(guidance::forbidden(&view.forbidden));
    }
    if !view.denied_tools.is_empty() {
        let exempt = if output_files(view).is_empty() {
            ""
        } else {
            " (except to write the files named in this step)"
        };
        blocks.push(Element::with_text(
            "denied_tools",
            format!("{}{exempt}", view.denied_tools.join(", ")),
        ));
    }
    let programs = Some(view.allowed_programs.join(", ")).filter(|programs| !programs.is_empty());
    blocks.extend(programs.map(|programs| Element::with_text("programs_that_may_change_files", programs)));
    if !view.allowed_tools.is_empty() {
        blocks.push(Element::with_text("allowed_tools", view.allowed_tools.join(", ")));
    }
    if !view.evidence.is_empty() {
        let checks = view
            .evidence
            .iter()
            .map(|check| Element::with_text("check", check));
        blocks.push(Element::new("evidence").children(checks));
    }
    if let Some(result) = &view.result {
        let element = Element::with_text("expected_output", &result.outline);
        blocks.push(if view.interface.is_mcp() {
            element.attribute("pass_as", "result")
        } else {
            element.attribute("write_json_to", &result.file)
        });
    }
    blocks.extend(view.ask.as_ref().map(|ask| question::xml(ask, view.interface)));
    if let Some(command) = &view.failure_command {
        blocks.push(with_reason(Element::with_text("if_impossible", command), view));
    }
    // Show these commands only with the role brief, which a sub-agent gets at its start and after a compaction.
    if !view.escalations.is_empty() && view.role_brief.is_some() {
        let kinds: Vec<&str> = view.escalations.iter().map(|way| way.answer.as_str()).collect();
        blocks.push(
            with_reason(Element::new("if_stuck"), view)
                .attribute("kinds", kinds.join(", "))
                .children(view.escalations.first().map(|way| way.command.as_str())),
        );
    }
    frame::step_output(&StepOutput {
        header: header(view),
        mandate: false,
        task: view.task.as_ref().map(task_xml),
        gate_result: view.verdict.as_ref().map(delegation::verdict_xml),
        action: vec![Content::from(view.action.trim_end())],
        blocks,
        next: next(view),
    })
}

/// Says where the reason for stopping goes: into a file, or into the tool call.
fn with_reason(element: Element, view: &StepView) -> Element {
    if view.interface.is_mcp() {
        element.attribute("pass_reason_as", "why")
    } else {
        element.optional_attribute("write_reason_to", view.failure_file.as_deref())
    }
}

/// The step's `<task>`.
fn task_xml(task: &TaskLabel) -> Element {
    frame::task(task.id.as_str(), &task.number, &task.title)
}
