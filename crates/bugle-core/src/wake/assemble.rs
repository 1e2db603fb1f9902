//! Chooses a size for every part, so that the most important parts are whole and everything fits.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::budget::{Budget, Unit};
use super::part::Part;
use super::queue::{Queue, ShownMessages, fitted, minimum_shown};
use crate::digest::Detail;

/// A part's text at one size. A shortened text says that it is shortened and names the command that shows the rest.
/// Bugle appends the list of omitted parts to the text of [`Part::Rest`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SizedText {
    /// How much of the part the text shows.
    pub detail: Detail,
    /// The text, without leading and trailing line breaks.
    pub text: String,
}

/// A part with its available sizes.
#[derive(Debug, Clone)]
pub struct Offer {
    /// The part.
    pub part: Part,
    /// The part's texts, largest first; empty if there is nothing to show.
    pub sizes: Vec<SizedText>,
    /// The part's messages, if it has any. The largest size shows all of them, and the smallest shows
    /// [`minimum_shown`]; the sizes in between are computed.
    pub queue: Option<Rc<dyn Queue>>,
}

/// How a part appears in the wake-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartResult {
    /// The part is shown at its largest size.
    Whole,
    /// The part is shown at a smaller size because larger ones do not fit.
    Cut,
    /// The part is omitted because not even its smallest size fits.
    LeftOut,
    /// There is nothing to show.
    Empty,
    /// The part is omitted because the wake-up's template does not include it.
    Unwanted,
}

enum_text!(PartResult {
    Whole = "whole",
    Cut = "cut",
    LeftOut = "left out",
    Empty = "empty",
    Unwanted = "not in the template",
});

/// The result for one part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picked {
    /// The part.
    pub part: Part,
    /// The result.
    pub verdict: PartResult,
    /// How much of the part is shown.
    pub detail: Option<Detail>,
    /// The part's size, in the budget's unit.
    pub size: usize,
    /// The part's full size.
    pub whole: usize,
}

/// An assembled wake-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembly {
    /// The text.
    pub text: String,
    /// The wake-up's size, in the budget's unit.
    pub size: usize,
    /// The shown parts and their texts, in reading order.
    pub shown: Vec<(Part, String)>,
    /// The result for each part, in reading order.
    pub parts: Vec<Picked>,
    /// The number of shown messages.
    pub told: usize,
    /// The size of the parts that are never cut, if they alone exceed the budget.
    pub too_small: Option<usize>,
}

/// The separator between two parts.
pub(super) const BETWEEN: &str = "\n\n";

/// Assembles a wake-up. It always includes the parts that are never cut, even if they exceed the budget, and the list
/// of omitted parts, if there are any.
pub fn assemble(offers: &[Offer], budget: Budget) -> Assembly {
    let Budget { unit, limit } = budget;
    let table = Table::new(offers, budget);
    let offer = |part: Part| table.sizes[part as usize];
    let mut choice = Choice::make(&table, 0);
    let mut rest = None;
    if !choice.left_out(&table).is_empty()
        && let Some(says) = offer(Part::Rest).first()
    {
        // Reserve room for the names of all parts that could be omitted, because the omitted parts are not known yet.
        let droppable = Part::CLAIMS.into_iter().filter(|part| !part.is_never_dropped());
        let droppable: Vec<Part> = droppable.filter(|part| !offer(*part).is_empty()).collect();
        let room = table.cost(&listed(&says.text, &droppable));
        choice = Choice::make(&table, room);
        let left_out = choice.left_out(&table);
        if left_out.is_empty() {
            // The reserve made the step smaller, so everything else fits and the reserve is not needed.
            choice.release(&table, room);
        } else {
            rest = Some(listed(&says.text, &left_out));
        }
    }
    let parts = Part::ALL.map(|part| match (part, &rest) {
        (Part::Rest, Some(text)) => announced(unit.measure(text)),
        (Part::Messages, _) => choice.picked_messages(offer(part), unit),
        _ => picked(part, offer(part), choice.taken[part as usize], unit),
    });
    let text_of = |part: Part| match (part, &choice.made) {
        (Part::Rest, _) => rest.clone(),
        (Part::Messages, Some((_, text))) => Some(text.clone()),
        _ => Some(offer(part).get(choice.taken[part as usize]?)?.text.clone()),
    };
    let shown: Vec<(Part, String)> = Part::ALL
        .into_iter()
        .filter_map(|part| Some((part, text_of(part)?)))
        .collect();
    let text = shown
        .iter()
        .map(|(_, text)| text.as_str())
        .collect::<Vec<_>>()
        .join(BETWEEN);
    Assembly {
        shown,
        size: unit.measure(&text),
        text,
        parts: parts.to_vec(),
        told: table.queue.map_or(0, |queue| choice.shown_count(queue)),
        too_small: (choice.least > limit).then_some(choice.least),
    }
}

/// The text, followed by a list of parts.
pub(super) fn listed(says: &str, parts: &[Part]) -> String {
    let names: Vec<&str> = parts.iter().map(|part| part.as_str()).collect();
    format!("{says} {}.", names.join(", "))
}

/// The sizes to choose from.
struct Table<'a> {
    /// Each part's sizes.
    sizes: [&'a [SizedText]; Part::ALL.len()],
    /// The cost of each size.
    costs: [Vec<usize>; Part::ALL.len()],
    /// The waiting messages.
    queue: Option<&'a dyn Queue>,
    budget: Budget,
}

impl<'a> Table<'a> {
    fn new(offers: &'a [Offer], budget: Budget) -> Self {
        let sizes = Part::ALL.map(|part| {
            let found = offers.iter().find(|offer| offer.part == part);
            found.map(|offer| offer.sizes.as_slice()).unwrap_or_default()
        });
        let mut table = Self {
            sizes,
            costs: Part::ALL.map(|_| Vec::new()),
            queue: offers.iter().find_map(|offer| offer.queue.as_deref()),
            budget,
        };
        table.costs = sizes.map(|sizes| sizes.iter().map(|sized| table.cost(&sized.text)).collect());
        table
    }

    /// The cost of a text, including its separator.
    fn cost(&self, text: &str) -> usize {
        self.budget.unit.measure(text) + self.budget.unit.measure(BETWEEN)
    }
}

/// The chosen sizes.
struct Choice {
    /// For each part, the index of its size.
    taken: [Option<usize>; Part::ALL.len()],
    /// The computed text of the messages, if it replaces one of the fixed sizes.
    made: Option<(ShownMessages, String)>,
    /// The total cost.
    spent: usize,
    /// The cost of the parts that are shown regardless of the budget.
    least: usize,
}

impl Choice {
    /// Chooses sizes while keeping `room` free.
    fn make(table: &Table<'_>, room: usize) -> Self {
        let mut choice = Self {
            taken: [None; Part::ALL.len()],
            made: None,
            spent: room,
            least: 0,
        };
        for part in Part::ALL.into_iter().filter(|part| part.is_never_dropped()) {
            let costs = &table.costs[part as usize];
            let at = if part.is_never_cut() {
                0
            } else {
                costs.len().saturating_sub(1)
            };
            if let Some(cost) = costs.get(at) {
                choice.taken[part as usize] = Some(at);
                choice.spent += cost;
            }
        }
        choice.least = choice.spent;
        for part in Part::CLAIMS.into_iter().filter(|part| *part != Part::Skill) {
            choice.reserve_pointer(table, part);
        }
        choice.fit(table, Part::Step);
        // Reserve this pointer after the step is placed, so that a skill never shrinks the step.
        choice.reserve_pointer(table, Part::Skill);
        choice.fill(table);
        choice
    }

    /// Takes the part's pointer, if it has one that fits: a reader should know what was cut and how to see it.
    fn reserve_pointer(&mut self, table: &Table<'_>, part: Part) {
        let at = table.sizes[part as usize].len().saturating_sub(1);
        let smallest = table.sizes[part as usize].last();
        if self.taken[part as usize].is_none()
            && smallest.is_some_and(|text| text.detail == Detail::Pointer)
            && self.spent + table.costs[part as usize][at] <= table.budget.limit
        {
            self.taken[part as usize] = Some(at);
            self.spent += table.costs[part as usize][at];
        }
    }

    /// Releases reserved room.
    fn release(&mut self, table: &Table<'_>, room: usize) {
        self.spent -= room;
        if let (Some((_, text)), Some(at)) = (self.made.take(), self.taken[Part::Messages as usize]) {
            self.spent = self.spent - table.cost(&text) + table.costs[Part::Messages as usize][at];
        }
        self.fill(table);
    }

    /// Chooses larger sizes, in order of priority: first the urgent parts, then a digest of every other part but the
    /// last, then the largest sizes that fit. This order keeps a long skill from using up the room for the plan.
    fn fill(&mut self, table: &Table<'_>) {
        for part in Part::CLAIMS.into_iter().filter(|part| part.is_urgent()) {
            self.fit(table, part);
            if part == Part::Messages {
                // Messages that do not fit go into the next wake-up, so they get only half of the remaining room here.
                self.show_messages(table, 2);
            }
        }
        let shares = |part: &Part| !part.is_urgent() && *part != Part::WEAKEST;
        for part in Part::CLAIMS.into_iter().filter(shares) {
            self.fit_digest(table, part);
        }
        for part in Part::CLAIMS.into_iter().filter(|part| !part.is_urgent()) {
            self.fit(table, part);
        }
        // Then messages get all the room that other parts leave.
        self.show_messages(table, 1);
    }

    /// Chooses the part's largest size that fits.
    fn fit(&mut self, table: &Table<'_>, part: Part) {
        self.fit_from(table, part, 0);
    }

    /// Chooses the part's smallest size above a pointer, if it fits.
    fn fit_digest(&mut self, table: &Table<'_>, part: Part) {
        let mut sizes = table.sizes[part as usize].iter();
        if let Some(digest) = sizes.rposition(|text| text.detail > Detail::Pointer) {
            self.fit_from(table, part, digest);
        }
    }

    /// Chooses the part's largest size that fits, from the one at `first` down.
    fn fit_from(&mut self, table: &Table<'_>, part: Part, first: usize) {
        let costs = &table.costs[part as usize];
        let taken = self.taken[part as usize];
        let without = self.spent - taken.map_or(0, |at| costs[at]);
        let mut larger = first..taken.unwrap_or(costs.len());
        if let Some(at) = larger.find(|at| without + costs[*at] <= table.budget.limit) {
            self.taken[part as usize] = Some(at);
            self.spent = without + costs[at];
        }
    }

    /// Shows as many messages as fit into this share of the remaining room, unless all messages are already shown.
    fn show_messages(&mut self, table: &Table<'_>, share: usize) {
        let at = self.taken[Part::Messages as usize].filter(|at| *at > 0);
        let (Some(queue), Some(at)) = (table.queue, at) else {
            return;
        };
        let own = match &self.made {
            Some((_, text)) => table.cost(text),
            None => table.costs[Part::Messages as usize][at],
        };
        let without = self.spent - own;
        let room = table.budget.limit.saturating_sub(without + table.cost("")) / share;
        if let Some((told, text)) = fitted(queue, table.budget.unit, room) {
            self.spent = without + table.cost(&text);
            self.made = Some((told, text));
        }
    }

    /// The result for the messages.
    fn picked_messages(&self, sizes: &[SizedText], unit: Unit) -> Picked {
        let picked = picked(Part::Messages, sizes, self.taken[Part::Messages as usize], unit);
        match &self.made {
            None => picked,
            Some((_, text)) => Picked {
                detail: Some(Detail::Digest),
                size: unit.measure(text),
                ..picked
            },
        }
    }

    /// The number of shown messages.
    fn shown_count(&self, queue: &dyn Queue) -> usize {
        match (&self.made, self.taken[Part::Messages as usize]) {
            (Some((told, _)), _) => told.count(),
            (None, Some(0)) => queue.len(),
            (None, Some(_)) => minimum_shown(queue).count(),
            (None, None) => 0,
        }
    }

    /// The parts with content that are not shown, in reading order.
    fn left_out(&self, table: &Table<'_>) -> Vec<Part> {
        let silent =
            |part: &Part| self.taken[*part as usize].is_none() && !table.sizes[*part as usize].is_empty();
        let parts = Part::ALL.into_iter().filter(|part| *part != Part::Rest);
        parts.filter(silent).collect()
    }
}

/// The result for the list of omitted parts.
fn announced(size: usize) -> Picked {
    Picked {
        part: Part::Rest,
        verdict: PartResult::Whole,
        detail: Some(Detail::Full),
        size,
        whole: size,
    }
}

fn picked(part: Part, sizes: &[SizedText], taken: Option<usize>, unit: Unit) -> Picked {
    let size = |at: Option<usize>| {
        at.and_then(|at| sizes.get(at))
            .map_or(0, |text| unit.measure(&text.text))
    };
    let verdict = match taken {
        Some(0) => PartResult::Whole,
        Some(_) => PartResult::Cut,
        None if sizes.is_empty() || part == Part::Rest => PartResult::Empty,
        None => PartResult::LeftOut,
    };
    Picked {
        part,
        verdict,
        detail: taken.and_then(|at| sizes.get(at)).map(|text| text.detail),
        size: size(taken),
        whole: if verdict == PartResult::Empty {
            0
        } else {
            size(Some(0))
        },
    }
}
