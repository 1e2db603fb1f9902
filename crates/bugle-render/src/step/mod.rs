//! A step, the end of a run or a refusal, in each format.

mod end;
mod markdown;
mod refusal;
mod text;
mod xml;

use bugle_wire::{Answer as _, Position, StepView};

use crate::Format;
use crate::text::{list, printable};
use crate::xml::Element;
use crate::xml::step::{NextCommand, StepHeader};

pub use end::end;
pub use refusal::refusal;

/// Renders a step.
pub fn step(view: &StepView, format: Format) -> String {
    match format {
        Format::Xml => format!("{}\n", xml::step_xml(view).render()),
        Format::Text => format!("{}\n", printable(&text::step_text(view))),
        Format::Json => view.to_json(),
        Format::Markdown => printable(&markdown::step_markdown(view)),
    }
}

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
        _ => format!("Run {run} of {skill} is {status}."),
    }
}

fn position_xml(name: &'static str, position: &Position) -> Element {
    Element::new(name)
        .attribute("skill", &position.skill)
        .attribute("run", &position.run)
        .attribute("status", position.status)
        .optional_attribute("visit", position.visit.as_deref())
        .optional_attribute("step", position.step.as_deref())
}

fn header(view: &StepView) -> StepHeader<'_> {
    StepHeader {
        skill: &view.position.skill,
        run: &view.position.run,
        visit: view.position.visit.as_deref().unwrap_or_default(),
        step: view.position.step.as_deref().unwrap_or_default(),
        phase: view.phase.as_deref(),
        title: &view.title,
    }
}

fn next(view: &StepView) -> NextCommand {
    view.command.clone().map_or(NextCommand::None, NextCommand::Flat)
}

/// The commands with which a sub-agent stops if it is stuck, as text.
fn escalations_text(view: &StepView) -> Option<String> {
    let ways: Vec<&str> = view.escalations.iter().map(|way| way.command.as_str()).collect();
    (!ways.is_empty()).then(|| {
        let file = view.failure_file.as_deref().unwrap_or_default();
        list(
            &format!("If you are stuck, write the reason to {file}, then run one of these commands:"),
            &ways,
        )
    })
}

/// The files that the agent may always write in this step: the result, the answer and the failure reason.
fn output_files(view: &StepView) -> Vec<&str> {
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
