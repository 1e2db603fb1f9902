//! An assembled wake-up, as a table of its parts and as an XML element.

use std::fmt::Write as _;

use bugle_core::digest::Detail;
use bugle_core::reply::{WakeNotice, WakePart, WakeView, WakeupDetail};
use bugle_core::wake::{Part, PartResult};

use super::notice;
use super::quote::{code, inline, mention};
use crate::stage_text;
use crate::xml::Element;

/// The length of the separator between two parts.
const SEPARATOR: usize = 2;

/// The values shown in an explanation of a new or recorded wake-up.
struct Explained<'a> {
    agent: &'a str,
    reason: &'a str,
    space: Space,
    unit: &'a str,
    template: Option<&'a str>,
    notices: &'a [WakeNotice],
    parts: &'a [WakePart],
}

/// The size of a wake-up and its limit.
#[derive(Debug, Clone, Copy)]
pub struct Space {
    /// The wake-up's size.
    pub size: usize,
    /// The limit.
    pub limit: usize,
}

impl Space {
    /// Whether the parts that are never dropped exceed the limit.
    fn is_too_small(self) -> bool {
        self.size > self.limit
    }
}

/// A table of a new wake-up's parts, with each part's size and why it is shown or cut.
pub fn explain(view: &WakeView) -> String {
    let mut out = table(&Explained {
        agent: &view.agent,
        reason: view.reason.as_str(),
        space: Space {
            size: view.size,
            limit: view.limit,
        },
        unit: &view.unit,
        template: view.template.as_deref(),
        notices: &view.notices,
        parts: &view.parts,
    });
    if let [first, ..] = view.explain_agents.as_slice() {
        let all: Vec<String> = view
            .explain_agents
            .iter()
            .map(|command| inline(command))
            .collect();
        let _ = match view.explain_agents.len() {
            1 => writeln!(
                out,
                "\nThis is your own wake-up. To explain the agent's wake-up: {}",
                inline(first)
            ),
            _ => writeln!(
                out,
                "\nThis is your own wake-up. To explain an agent's wake-up:\n    {}",
                all.join("\n    ")
            ),
        };
    }
    out
}

/// The same table for a recorded wake-up.
pub fn explain_recorded(view: &WakeupDetail) -> String {
    let wakeup = &view.wakeup;
    table(&Explained {
        agent: &wakeup.agent,
        reason: wakeup.reason.as_str(),
        space: Space {
            size: usize::try_from(wakeup.size).unwrap_or(usize::MAX),
            limit: wakeup.limit,
        },
        unit: &wakeup.unit,
        template: view.template.as_deref(),
        notices: &view.notices,
        parts: &view.parts,
    })
}

fn table(view: &Explained<'_>) -> String {
    let recipient = match view.agent {
        "" => String::new(),
        agent => format!(" for {}", mention(agent)),
    };
    let Space { size, limit } = view.space;
    let unit = inline(view.unit);
    let mut out = format!(
        "Wake-up{recipient} ({}): {size} of at most {limit} {unit}\n",
        view.reason
    );
    if let Some(template) = view.template {
        let _ = writeln!(out, "Template: {}", inline(template));
    }
    for shown in view.notices {
        let _ = writeln!(out, "{}", inline(&notice::notice(shown)));
    }
    if view.space.is_too_small() {
        let _ = writeln!(
            out,
            "The required parts alone need {size} {unit}, more than the limit, so all other parts are left out.",
        );
    }
    let _ = writeln!(
        out,
        "\n{:<21}  {:<19}  {:<7}  {:>6}  {:>9}  why",
        "part", "verdict", "detail", "size", "full size"
    );
    for part in view.parts {
        let line = format!(
            "{:<21}  {:<19}  {:<7}  {:>6}  {:>9}  {}",
            part.part.title(),
            part.verdict.as_str(),
            part.detail.map_or("", Detail::as_str),
            part.size,
            part.whole,
            why(part, view.space)
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let other = size.saturating_sub(view.parts.iter().map(|part| part.size).sum());
    let name = if other <= SEPARATOR * view.parts.len() {
        "blank lines"
    } else {
        "other text"
    };
    let _ = writeln!(out, "{name:<21}  {:<19}  {:<7}  {other:>6}", "", "");
    if !view.space.is_too_small() && view.parts.iter().any(is_cut) {
        let _ = writeln!(
            out,
            "\nAll parts in full need {} {unit}; the limit is {limit}. Bugle fills the space in this order: the required \
             parts and a digest of the step; a pointer to every other part; larger sizes of step, recovery and questions; \
             messages, in half of the remaining space; digests of tasks, skill, plan and earlier results; what the current \
             work needs of these parts; then all parts in full.",
            needed_in_full(view)
        );
    }
    out
}

fn is_cut(part: &WakePart) -> bool {
    matches!(part.verdict, PartResult::Cut | PartResult::LeftOut)
}

/// The size of the wake-up if no part were cut.
fn needed_in_full(view: &Explained<'_>) -> usize {
    let shown: usize = view
        .parts
        .iter()
        .filter(|part| part.part == Part::Rest && part.size > 0)
        .map(|part| part.size + SEPARATOR)
        .sum();
    let missing = view.parts.iter().filter(|part| is_cut(part)).map(|part| {
        let separator = if part.size == 0 { SEPARATOR } else { 0 };
        part.whole.saturating_sub(part.size) + separator
    });
    view.space.size.saturating_sub(shown) + missing.sum::<usize>()
}

/// Why a part has its size, and the command that shows the rest.
pub fn why(part: &WakePart, space: Space) -> String {
    let stage = part.stage.as_ref();
    let stage = stage.map(|stage| format!("for the stage {}", inline(&stage_text::stage(stage))));
    let command = part.command.as_ref();
    let command = command.map(|command| format!("whole part: {}", code(command)));
    let reasons = std::iter::once(size_reason(part, space))
        .chain(stage)
        .chain(command);
    reasons
        .filter(|reason| !reason.is_empty())
        .collect::<Vec<_>>()
        .join("; ")
}

/// Why a part is not whole.
fn size_reason(part: &WakePart, space: Space) -> String {
    let left = space.limit.saturating_sub(space.size);
    match (part.verdict, part.needs) {
        (PartResult::Whole, _) => String::new(),
        (PartResult::Cut | PartResult::LeftOut, _) if space.is_too_small() => {
            "the required parts exceed the limit".to_owned()
        }
        (PartResult::Cut, Some(needs)) => format!("the next larger size needs {needs} more, {left} left"),
        (PartResult::Cut, None) => format!("no more fits, {left} left"),
        (PartResult::LeftOut, Some(needs)) => format!("the smallest size needs {needs}, {left} left"),
        (PartResult::LeftOut, None) => "the smallest size does not fit".to_owned(),
        (PartResult::Empty, _) => "nothing to show".to_owned(),
        (PartResult::Known, _) => "the agent still has this part in its context".to_owned(),
        (PartResult::PartlyKnown, _) => {
            "this part is not repeated, although the last full wake-up did not show all of it".to_owned()
        }
        (PartResult::Unwanted, _) => "the template does not include this part".to_owned(),
    }
}

/// The wake-up as one element. The text cannot close the element.
pub fn xml(view: &WakeView) -> String {
    let element = Element::with_text("wake_up", view.text.as_str())
        .attribute("reason", view.reason.as_str())
        .attribute("agent", &view.agent);
    format!("{}\n", element.render())
}
