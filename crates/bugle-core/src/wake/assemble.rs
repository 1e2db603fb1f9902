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

/// What happened to an offered part.
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
    /// Its size, in the budget's unit.
    pub size: usize,
    /// Its full size.
    pub whole: usize,
}

/// An assembled wake-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembly {
    /// The text.
    pub text: String,
    /// Its size, in the budget's unit.
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
        // Reserve room for the names of all parts that could be omitted: it is not known yet which parts will be omitted.
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
#[derive(Clone)]
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

    /// The same table without the skill; `None` if there is no skill.
    fn without_skill(&self) -> Option<Self> {
        let skill = Part::Skill as usize;
        if self.sizes[skill].is_empty() {
            return None;
        }
        let mut without = self.clone();
        without.sizes[skill] = &[];
        without.costs[skill] = Vec::new();
        Some(without)
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
        if let Some(without) = table.without_skill() {
            // At every budget, the step gets the size that it would have without the skill.
            let alone = Self::make(&without, room);
            choice.take_at(table, Part::Step, alone.taken[Part::Step as usize]);
        }
        // Start with the smallest size of each part, so that no part is skipped.
        for part in Part::CLAIMS {
            let costs = &table.costs[part as usize];
            if choice.taken[part as usize].is_none()
                && let Some(cost) = costs.last()
                && choice.spent + cost <= table.budget.limit
            {
                choice.taken[part as usize] = Some(costs.len() - 1);
                choice.spent += cost;
            }
        }
        choice.fill(table);
        choice
    }

    /// Releases reserved room.
    fn release(&mut self, table: &Table<'_>, room: usize) {
        self.spent -= room;
        if let (Some((_, text)), Some(at)) = (self.made.take(), self.taken[Part::Messages as usize]) {
            self.spent = self.spent - table.cost(&text) + table.costs[Part::Messages as usize][at];
        }
        self.fill(table);
    }

    /// Chooses larger sizes while they fit.
    fn fill(&mut self, table: &Table<'_>) {
        // In order of priority: first the parts that should be whole, then a digest of each part, then the largest size
        // that fits. So a part that has to be shortened does not use up the room for another part's digest. The part
        // with the lowest priority gets what is left.
        for part in Part::CLAIMS.into_iter().filter(|part| part.is_wanted_whole()) {
            self.grow(table, part, &|at| at == 0);
        }
        for part in Part::CLAIMS.into_iter().filter(|part| *part != Part::WEAKEST) {
            let sizes = table.sizes[part as usize];
            let digest = sizes.iter().rposition(|text| text.detail > Detail::Pointer);
            self.grow(table, part, &|at| Some(at) == digest);
        }
        for part in Part::CLAIMS {
            self.grow(table, part, &|_| true);
            if part == Part::Messages {
                // Messages that do not fit go into the next wake-up, so they get only half of the remaining room here.
                self.show_messages(table, 2);
            }
        }
        // Then messages get all the room that other parts leave.
        self.show_messages(table, 1);
    }

    /// Sets a part's size.
    fn take_at(&mut self, table: &Table<'_>, part: Part, at: Option<usize>) {
        if let Some(cost) = at.and_then(|at| table.costs[part as usize].get(at)) {
            self.taken[part as usize] = at;
            self.spent += cost;
        }
    }

    /// Chooses the largest size that is wanted and fits.
    fn grow(&mut self, table: &Table<'_>, part: Part, is_wanted: &dyn Fn(usize) -> bool) {
        let costs = &table.costs[part as usize];
        let Some(at) = self.taken[part as usize] else {
            return;
        };
        let without = self.spent - costs[at];
        let mut larger = (0..at).filter(|larger| is_wanted(*larger));
        if let Some(larger) = larger.find(|larger| without + costs[*larger] <= table.budget.limit) {
            self.taken[part as usize] = Some(larger);
            self.spent = without + costs[larger];
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
