//! Chooses a size for every part of a wake-up within the budget.

use super::budget::{Budget, Unit};
use super::offer::{Known, Offer, PartResult, Picked, SizedText};
use super::part::Part;
use super::queue::{Queue, ShownMessages, fitted, minimum_shown};
use crate::digest::Detail;

/// The separator between two parts.
pub(super) const BETWEEN: &str = "\n\n";

/// The text, followed by a list of parts.
pub(super) fn listed(says: &str, parts: &[Part]) -> String {
    let names: Vec<&str> = parts.iter().map(|part| part.title()).collect();
    format!("{says} {}.", names.join(", "))
}

/// The sizes to choose from.
pub(super) struct Table<'a> {
    /// Each part's sizes.
    sizes: [&'a [SizedText]; Part::ALL.len()],
    /// The cost of each size.
    costs: [Vec<usize>; Part::ALL.len()],
    /// Each part's offer.
    offers: [Option<&'a Offer>; Part::ALL.len()],
    /// The waiting messages.
    queue: Option<&'a dyn Queue>,
    unit: Unit,
    /// The maximum total cost. Each cost includes a separator, but the last part needs none.
    limit: usize,
}

impl<'a> Table<'a> {
    pub(super) fn new(offers: &'a [Offer], budget: Budget) -> Self {
        let offer = |part: Part| offers.iter().find(|offer| offer.part == part);
        let sizes = Part::ALL.map(|part| {
            offer(part)
                .map(|offer| offer.sizes.as_slice())
                .unwrap_or_default()
        });
        let mut table = Self {
            sizes,
            costs: Part::ALL.map(|_| Vec::new()),
            offers: Part::ALL.map(offer),
            queue: offers.iter().find_map(|offer| offer.queue.as_deref()),
            unit: budget.unit,
            limit: budget.limit.saturating_add(budget.unit.measure(BETWEEN)),
        };
        table.costs = sizes.map(|sizes| sizes.iter().map(|sized| table.cost(&sized.text)).collect());
        table
    }

    /// The cost of a text, including its separator.
    fn cost(&self, text: &str) -> usize {
        self.unit.measure(text) + self.unit.measure(BETWEEN)
    }

    /// Whether the part's smallest size is a pointer.
    fn has_pointer(&self, part: Part) -> bool {
        let smallest = self.sizes[part as usize].last();
        smallest.is_some_and(|text| text.detail == Detail::Pointer)
    }

    /// The line that lists the omitted parts, if there are any.
    pub(super) fn rest_text(&self, left_out: &[Part]) -> Option<String> {
        let says = self.sizes[Part::Rest as usize].first()?;
        (!left_out.is_empty()).then(|| listed(&says.text, left_out))
    }

    /// The cost of the line that lists the omitted parts.
    fn rest_cost(&self, left_out: &[Part]) -> usize {
        self.rest_text(left_out).map_or(0, |text| self.cost(&text))
    }
}

/// The chosen sizes.
pub(super) struct Choice {
    /// For each part, the index of its size.
    taken: [Option<usize>; Part::ALL.len()],
    /// The computed text of the messages, if it replaces one of the fixed sizes.
    made: Option<(ShownMessages, String)>,
    /// The total cost.
    spent: usize,
    /// The part of the total cost for the list of omitted parts.
    rest: usize,
}

impl Choice {
    /// Chooses sizes so that the text and the list of omitted parts fit.
    pub(super) fn best(table: &Table<'_>) -> Self {
        let mut choice = Self::make(table, 0);
        let mut listed = choice.left_out(table);
        if table.rest_cost(&listed) == 0 {
            return choice;
        }
        // The list needs room itself, so more parts may have to be omitted. Each round lists more parts.
        loop {
            choice = Self::make(table, table.rest_cost(&listed));
            let left_out = choice.left_out(table);
            if left_out.iter().all(|part| listed.contains(part)) {
                break;
            }
            listed = Part::ALL
                .into_iter()
                .filter(|part| listed.contains(part) || left_out.contains(part))
                .collect();
        }
        choice.use_spare_room(table);
        choice
    }

    /// Chooses sizes and reserves `rest` for the list of omitted parts.
    fn make(table: &Table<'_>, rest: usize) -> Self {
        let mut choice = Self {
            taken: [None; Part::ALL.len()],
            made: None,
            spent: rest,
            rest,
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
        // Choose a digest of the step first, so that other parts' pointers never crowd it out.
        choice.fit_digest(table, Part::Step);
        let (pointers, others): (Vec<Part>, Vec<Part>) = Part::CLAIMS
            .into_iter()
            .partition(|part| *part != Part::Skill && table.has_pointer(*part));
        for part in pointers {
            choice.reserve_smallest(table, part);
        }
        choice.fit(table, Part::Step);
        // Reserve these parts after the step is sized, so that a skill or a part without a pointer never shrinks the
        // step.
        for part in others {
            choice.reserve_smallest(table, part);
        }
        choice.fill(table);
        choice
    }

    /// Chooses the part's smallest size, if it fits. That size tells the reader how to see the whole part.
    fn reserve_smallest(&mut self, table: &Table<'_>, part: Part) {
        let Some(at) = table.sizes[part as usize].len().checked_sub(1) else {
            return;
        };
        let cost = table.costs[part as usize][at];
        if self.taken[part as usize].is_none() && self.spent + cost <= table.limit {
            self.taken[part as usize] = Some(at);
            self.spent += cost;
        }
    }

    /// Uses the remaining room to show omitted parts and enlarge other parts, until nothing else fits. Each part that
    /// is no longer omitted shortens the list of omitted parts.
    fn use_spare_room(&mut self, table: &Table<'_>) {
        loop {
            let left_out = self.left_out(table);
            self.set_rest(table.rest_cost(&left_out));
            for part in Part::CLAIMS
                .into_iter()
                .filter(|part| *part != Part::Messages || table.queue.is_none())
            {
                if left_out.contains(&part) {
                    self.show_omitted(table, part);
                } else {
                    self.fit(table, part);
                }
            }
            self.show_messages(table, 1);
            if self.left_out(table) == left_out {
                return;
            }
        }
    }

    /// Shows an omitted part at the largest size that fits once its name is no longer in the list of omitted parts.
    fn show_omitted(&mut self, table: &Table<'_>, part: Part) {
        let mut others = self.left_out(table);
        others.retain(|other| *other != part);
        let listed = self.rest;
        self.set_rest(table.rest_cost(&others));
        self.fit(table, part);
        if self.taken[part as usize].is_none() {
            self.set_rest(listed);
        }
    }

    fn set_rest(&mut self, rest: usize) {
        self.spent = self.spent - self.rest + rest;
        self.rest = rest;
    }

    /// Chooses larger sizes, in order of priority: first the urgent parts, then a digest of every other part but the
    /// last, then what the current work needs of each part, then the largest sizes that fit. This order keeps a long
    /// skill from using up the room for the plan.
    fn fill(&mut self, table: &Table<'_>) {
        for part in Part::CLAIMS.into_iter().filter(|part| part.is_urgent()) {
            if part == Part::Messages && table.queue.is_some() {
                // Messages that do not fit are shown in the next wake-up, so at this point they get only half of the
                // remaining room.
                self.show_messages(table, 2);
            } else {
                self.fit(table, part);
            }
        }
        let shares = |part: &Part| !part.is_urgent() && *part != Part::WEAKEST;
        for part in Part::CLAIMS.into_iter().filter(shares) {
            self.fit_digest(table, part);
        }
        for part in Part::CLAIMS.into_iter().filter(|part| !part.is_urgent()) {
            let enough = table.offers[part as usize].map_or(0, |offer| offer.enough);
            self.fit_from(table, part, enough);
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

    /// Chooses the part's largest size that fits, starting at index `first`.
    fn fit_from(&mut self, table: &Table<'_>, part: Part, first: usize) {
        let costs = &table.costs[part as usize];
        let taken = self.taken[part as usize];
        let without = self.spent - taken.map_or(0, |at| costs[at]);
        let mut larger = first..taken.unwrap_or(costs.len());
        if let Some(at) = larger.find(|at| without + costs[*at] <= table.limit) {
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
        let room = table.limit.saturating_sub(without + table.cost("")) / share;
        if table.unit.measure(&table.sizes[Part::Messages as usize][0].text) <= room {
            self.taken[Part::Messages as usize] = Some(0);
            self.spent = without + table.costs[Part::Messages as usize][0];
            self.made = None;
        } else if let Some((told, text)) = fitted(queue, table.unit, room) {
            self.spent = without + table.cost(&text);
            self.made = Some((told, text));
        }
    }

    /// The result for a part.
    pub(super) fn picked(&self, table: &Table<'_>, part: Part) -> Picked {
        let sizes = table.sizes[part as usize];
        let taken = self.taken[part as usize];
        let size = |at: usize| sizes.get(at).map_or(0, |text| table.unit.measure(&text.text));
        let offer = table.offers[part as usize];
        let verdict = match (taken, offer.and_then(|offer| offer.known)) {
            (None, _) if !sizes.is_empty() && part != Part::Rest => PartResult::LeftOut,
            (Some(1..), _) => PartResult::Cut,
            (_, Some(Known::Whole)) => PartResult::Known,
            (_, Some(Known::Partly)) => PartResult::PartlyKnown,
            (Some(0), None) => PartResult::Whole,
            (None, None) => PartResult::Empty,
        };
        let full = offer
            .and_then(|offer| offer.full.as_deref())
            .map(|text| table.unit.measure(text));
        let picked = Picked {
            part,
            verdict,
            detail: taken.and_then(|at| sizes.get(at)).map(|text| text.detail),
            size: taken.map_or(0, size),
            whole: match verdict {
                PartResult::Empty => 0,
                _ => full.unwrap_or_else(|| size(0)),
            },
            needs: match (verdict, taken) {
                (PartResult::Cut, Some(at)) => Some(size(at - 1).saturating_sub(size(at))),
                (PartResult::LeftOut, _) => Some(self.needed_to_show(table, part)),
                _ => None,
            },
            command: offer
                .and_then(|offer| offer.command.clone())
                .filter(|_| !matches!(verdict, PartResult::Whole | PartResult::Empty)),
            stage: offer
                .and_then(|offer| offer.stage.clone())
                .filter(|_| verdict == PartResult::Cut),
        };
        match table.queue {
            Some(queue) if part == Part::Messages && verdict == PartResult::Cut => {
                let text = self.text(table, part).unwrap_or_default();
                let size = table.unit.measure(text);
                let shown = self.shown_messages(table);
                let next = if shown < queue.len() {
                    table.unit.measure(&queue.text(ShownMessages::whole(shown + 1)))
                } else {
                    picked.whole
                };
                Picked {
                    detail: self.made.as_ref().map(|_| Detail::Digest).or(picked.detail),
                    size,
                    needs: (next > size).then(|| next - size),
                    ..picked
                }
            }
            _ => picked,
        }
    }

    /// How much more space the smallest size of an omitted part needs.
    fn needed_to_show(&self, table: &Table<'_>, part: Part) -> usize {
        let mut others = self.left_out(table);
        others.retain(|other| *other != part);
        let smallest = table.costs[part as usize].last().copied().unwrap_or_default();
        (smallest + table.rest_cost(&others)).saturating_sub(self.rest)
    }

    /// The chosen text of a part.
    pub(super) fn text<'a>(&'a self, table: &Table<'a>, part: Part) -> Option<&'a str> {
        match &self.made {
            Some((_, text)) if part == Part::Messages => Some(text),
            _ => {
                let sizes = table.sizes[part as usize];
                Some(sizes.get(self.taken[part as usize]?)?.text.as_str())
            }
        }
    }

    /// The number of shown messages.
    pub(super) fn shown_messages(&self, table: &Table<'_>) -> usize {
        let Some(queue) = table.queue else { return 0 };
        match (&self.made, self.taken[Part::Messages as usize]) {
            (Some((told, _)), _) => told.count(),
            (None, Some(0)) => queue.len(),
            (None, Some(_)) => minimum_shown(queue).count(),
            (None, None) => 0,
        }
    }

    /// The parts with content that are not shown, in reading order.
    pub(super) fn left_out(&self, table: &Table<'_>) -> Vec<Part> {
        let silent =
            |part: &Part| self.taken[*part as usize].is_none() && !table.sizes[*part as usize].is_empty();
        let parts = Part::ALL.into_iter().filter(|part| *part != Part::Rest);
        parts.filter(silent).collect()
    }
}
