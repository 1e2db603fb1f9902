//! An assembled wake-up, as a table of its parts and as an XML element.

use std::fmt::Write as _;

use bugle_core::reply::{WakePart, WakeView};
use bugle_core::wake::PartResult;

use super::quote::{inline, mention};
use crate::xml::Element;

/// A table of the parts, with each part's result and size.
pub fn explain(view: &WakeView) -> String {
    let recipient = match view.agent.as_str() {
        "" => String::new(),
        agent => format!(" for {}", mention(agent)),
    };
    let mut out = format!(
        "Wake-up{recipient} ({}): {} of at most {} {}\n",
        view.reason,
        view.size,
        view.limit,
        inline(&view.unit)
    );
    if let Some(template) = &view.template {
        let _ = writeln!(out, "Template: {}", inline(template));
    }
    for notice in &view.notices {
        let _ = writeln!(out, "{}", inline(notice));
    }
    if let Some(least) = view.too_small {
        let _ = writeln!(
            out,
            "The required parts alone need {least} {}, more than the limit, so all other parts are left out. Raise the limit with \
             `--budget`.",
            inline(&view.unit)
        );
    }
    let left = view.limit.saturating_sub(view.size);
    let _ = writeln!(
        out,
        "\n{:<12}  {:<19}  {:>7}  {:>9}  why",
        "part", "result", "size", "full size"
    );
    for part in &view.parts {
        let line = format!(
            "{:<12}  {:<19}  {:>7}  {:>9}  {}",
            inline(&part.part),
            result(part),
            part.size,
            part.whole,
            why(part, left, view.too_small.is_some())
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let separators = view
        .size
        .saturating_sub(view.parts.iter().map(|part| part.size).sum());
    let _ = writeln!(out, "{:<12}  {:<19}  {separators:>7}", "blank lines", "");
    let is_cut = |part: &WakePart| matches!(part.verdict, PartResult::Cut | PartResult::LeftOut);
    if view.too_small.is_none() && view.parts.iter().any(is_cut) {
        let _ = writeln!(
            out,
            "\nNot all parts fit. Bugle adds, as far as they fit: the required parts and a digest of the step; a pointer to every \
             other part; step, recovery and questions as large as possible; messages in half of the space left; digests of \
             tasks, skill, plan and learnt; then larger sizes of these and of activity."
        );
    }
    out
}

/// Why a part is not whole. `left` is the unused space.
fn why(part: &WakePart, left: usize, is_too_small: bool) -> String {
    match (part.verdict, part.needs) {
        (PartResult::Whole, _) => String::new(),
        (PartResult::Cut | PartResult::LeftOut, _) if is_too_small => {
            "the required parts exceed the limit".to_owned()
        }
        (PartResult::Cut, Some(needs)) => format!("the next larger size needs {needs} more, {left} left"),
        (PartResult::Cut, None) => format!("no more fits, {left} left"),
        (PartResult::LeftOut, Some(needs)) => format!("the smallest size needs {needs}, {left} left"),
        (PartResult::LeftOut, None) => "the smallest size does not fit".to_owned(),
        (PartResult::Empty, _) => "nothing to show".to_owned(),
        (PartResult::Known, _) => "the agent still has it in its context".to_owned(),
        (PartResult::Unwanted, _) => "the template does not include it".to_owned(),
    }
}

fn result(part: &WakePart) -> String {
    match (part.verdict, part.detail) {
        (PartResult::Cut, Some(detail)) => format!("cut to {detail}"),
        (result, _) => result.to_string(),
    }
}

/// The wake-up as one element. The text inside cannot close it.
pub fn xml(view: &WakeView) -> String {
    let element = Element::with_text("wake_up", view.text.as_str())
        .attribute("reason", view.reason.as_str())
        .attribute("agent", &view.agent);
    format!("{}\n", element.render())
}
