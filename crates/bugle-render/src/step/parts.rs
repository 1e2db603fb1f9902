//! Parts of a step that several formats share.

use crate::text::list;
use crate::xml::Element;
use crate::xml::step::{NextCommand, StepHeader};
use bugle_core::id::VisitToken;
use bugle_core::reply::{Position, StepView};

/// A run's position, as one sentence.
pub fn position_sentence(position: &Position) -> String {
    let Position {
        skill,
        run,
        status,
        visit,
        step,
    } = position;
    match (visit, step) {
        (Some(visit), Some(step)) => {
            format!("Run {run} of {skill} is {status} at step {step}, visit {visit}.")
        }
        _ => format!("Run {run} of {skill}: {status}."),
    }
}

pub(super) fn position_xml(name: &'static str, position: &Position) -> Element {
    Element::new(name)
        .attribute("skill", &position.skill)
        .attribute("run", &position.run)
        .attribute("status", position.status)
        .optional_attribute("visit", position.visit.as_ref())
        .optional_attribute("step", position.step.as_deref())
}

pub(super) fn header(view: &StepView) -> StepHeader<'_> {
    StepHeader {
        skill: &view.position.skill,
        run: view.position.run.as_str(),
        visit: view
            .position
            .visit
            .as_ref()
            .map(VisitToken::to_string)
            .unwrap_or_default()
            .into(),
        step: view.position.step.as_deref().unwrap_or_default(),
        phase: view.phase.as_deref(),
        title: &view.title,
    }
}

pub(super) fn next(view: &StepView) -> NextCommand {
    view.command.clone().map_or(NextCommand::None, NextCommand::Flat)
}

/// The commands for a stuck sub-agent, as text.
pub(super) fn escalations_text(view: &StepView) -> Option<String> {
    let ways: Vec<&str> = view.escalations.iter().map(|way| way.command.as_str()).collect();
    (!ways.is_empty()).then(|| {
        let heading = if view.interface.is_mcp() {
            "If you are stuck, make one of these calls, with the reason as `why`:".to_owned()
        } else {
            let file = view.failure_file.as_deref().unwrap_or_default();
            format!("If you are stuck, write the reason to {file}, then run one of these commands:")
        };
        list(&heading, &ways)
    })
}

/// The files that the agent may always write in this step: the result, the answer and the failure reason. An MCP client
/// passes them in its calls.
pub(super) fn output_files(view: &StepView) -> Vec<&str> {
    if view.interface.is_mcp() {
        return Vec::new();
    }
    let result = view.result.as_ref().map(|result| result.file.as_str());
    let answer = view
        .ask
        .as_ref()
        .and_then(|ask| ask.file.as_deref().or(ask.reason_file.as_deref()));
    result
        .into_iter()
        .chain(answer)
        .chain(view.failure_file.as_deref())
        .collect()
}
