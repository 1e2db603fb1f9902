//! A step, the end of a run or a refusal, in each format.

mod end;
mod markdown;
mod parts;
mod person;
mod refusal;
mod text;
mod xml;

use bugle_core::reply::StepView;

use crate::Format;
use crate::text::printable;

pub use end::{end, ending};
pub use parts::position_sentence;
pub use person::question_for_person;
pub use refusal::refusal;

/// Renders a step.
pub fn step(view: &StepView, format: Format) -> String {
    match format {
        Format::Xml => format!("{}\n", xml::step_xml(view).render()),
        Format::Text => format!("{}\n", printable(&text::step_text(view))),
        Format::Markdown => printable(&markdown::step_markdown(view)),
    }
}
