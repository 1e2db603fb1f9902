//! A wake-up that was put together: how its parts came out, and as an element for clients that want one.

use std::fmt::Write as _;

use bugle_wire::{PartResult, WakePart, WakeView};

use super::quote::{inline, mention};
use crate::xml::Element;

/// Every part, what became of it, and its size, as a table.
pub fn explain(view: &WakeView) -> String {
    let of = match view.agent.as_str() {
        "" => String::new(),
        agent => format!(" of {}", mention(agent)),
    };
    let mut out = format!(
        "Wake-up{of} ({}): {} of at most {} {}\n",
        view.reason,
        view.size,
        view.limit,
        inline(&view.unit)
    );
    if let Some(template) = &view.template {
        let _ = writeln!(out, "Its shape comes from {}.", inline(template));
    }
    for notice in &view.notices {
        let _ = writeln!(out, "{}", inline(notice));
    }
    if let Some(least) = view.too_small {
        let _ = writeln!(
            out,
            "What is never cut takes {least}, which is more than that; nothing else is shown."
        );
    }
    let _ = writeln!(
        out,
        "\n{:<12}  {:<20}  {:>7}  {:>7}",
        "part", "what became of it", "size", "whole"
    );
    for part in &view.parts {
        let _ = writeln!(
            out,
            "{:<12}  {:<20}  {:>7}  {:>7}",
            inline(&part.part),
            fate(part),
            part.size,
            part.whole
        );
    }
    out
}

fn fate(part: &WakePart) -> String {
    match (part.verdict, part.detail) {
        (PartResult::Cut, Some(detail)) => format!("cut to its {detail}"),
        (result, _) => result.to_string(),
    }
}

/// The wake-up as one element; whatever its text holds, it cannot end it.
pub fn xml(view: &WakeView) -> String {
    let element = Element::with_text("wake_up", view.text.as_str())
        .attribute("reason", view.reason.as_str())
        .attribute("agent", &view.agent);
    format!("{}\n", element.render())
}
