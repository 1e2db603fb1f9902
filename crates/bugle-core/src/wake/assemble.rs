//! Choosing the size of every part, so that the most important ones are whole and everything fits.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::budget::{Budget, Unit};
use super::part::Part;
use super::queue::{Queue, Told, fitted, least_told};
use crate::digest::Detail;

/// A text at one size. If it is not everything, it says so itself, with the command that shows the rest. Behind the one of
/// [`Part::Rest`] the parts are listed that were left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SizedText {
    /// How much of the part it shows.
    pub detail: Detail,
    /// The text, without line ends before and behind.
    pub text: String,
}

/// A part and the sizes it can have.
#[derive(Debug, Clone)]
pub struct Offer {
    /// Which part.
    pub part: Part,
    /// Its texts, the largest first. None if there is nothing to say.
    pub sizes: Vec<SizedText>,
    /// The messages that it tells, if it tells some: all of them at its largest size, [`least_told`] at its smallest. What
    /// lies between is made to measure.
    pub queue: Option<Rc<dyn Queue>>,
}

/// What became of an offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is shown at its largest size.
    Whole,
    /// It is shown at a smaller size, because the larger ones did not fit.
    Cut,
    /// It is not shown, because not even its smallest size fitted.
    LeftOut,
    /// There was nothing to say.
    Empty,
    /// It is not shown, because the template that gives the wake-up its shape has no place for it.
    Unwanted,
}

/// How a part came out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picked {
    /// Which part.
    pub part: Part,
    /// What became of it.
    pub verdict: Verdict,
    /// How much of it is shown.
    pub detail: Option<Detail>,
    /// How large it is, in the budget's unit.
    pub size: usize,
    /// How large it would be whole.
    pub whole: usize,
}

/// A wake-up that was put together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembly {
    /// The text.
    pub text: String,
    /// Its size, in the budget's unit.
    pub size: usize,
    /// The parts that are shown, with their texts, in the order in which they are read.
    pub shown: Vec<(Part, String)>,
    /// How each part came out, in the order in which they are read.
    pub parts: Vec<Picked>,
    /// How many of the messages that wait are told.
    pub told: usize,
    /// The size of what is never cut, if that alone is more than the budget.
    pub too_small: Option<usize>,
}

/// What stands between two parts.
pub(super) const BETWEEN: &str = "\n\n";

/// Puts a wake-up together. What is never cut is always there, even where the budget is too small for it; so is the list of
/// what was left out, if anything was.
pub fn assemble(offers: &[Offer], budget: Budget) -> Assembly {
    let Budget { unit, limit } = budget;
    let offer = |part: Part| {
        let found = offers.iter().find(|offer| offer.part == part);
        found.map(|offer| offer.sizes.as_slice()).unwrap_or_default()
    };
    let queue = offers.iter().find_map(|offer| offer.queue.as_deref());
    let mut choice = Choice::make(&offer, queue, budget, 0);
    let mut rest = None;
    if !choice.left_out(&offer).is_empty()
        && let Some(says) = offer(Part::Rest).first()
    {
        // Room is kept for naming all that may be left out, because it is not known yet how much that will be.
        let droppable = Part::CLAIMS.into_iter().filter(|part| !part.is_never_dropped());
        let droppable: Vec<Part> = droppable.filter(|part| !offer(*part).is_empty()).collect();
        let room = unit.measure(&listed(&says.text, &droppable)) + unit.measure(BETWEEN);
        choice = Choice::make(&offer, queue, budget, room);
        rest = Some(listed(&says.text, &choice.left_out(&offer)));
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
        told: queue.map_or(0, |queue| choice.told(queue)),
        too_small: (choice.least > limit).then_some(choice.least),
    }
}

/// A text with parts behind it.
pub(super) fn listed(says: &str, parts: &[Part]) -> String {
    let names: Vec<&str> = parts.iter().map(|part| part.as_str()).collect();
    format!("{says} {}.", names.join(", "))
}

/// Which sizes are taken.
struct Choice {
    /// By part, the place among its sizes.
    taken: [Option<usize>; Part::ALL.len()],
    /// The text of the messages, where it is made to measure instead.
    made: Option<(Told, String)>,
    /// What is shown whatever the budget comes to so much.
    least: usize,
}

impl Choice {
    /// Takes sizes, with so much room kept free.
    fn make<'a>(
        offer: &dyn Fn(Part) -> &'a [SizedText],
        queue: Option<&dyn Queue>,
        budget: Budget,
        room: usize,
    ) -> Self {
        let unit = budget.unit;
        let between = unit.measure(BETWEEN);
        let cost = |text: &SizedText| unit.measure(&text.text) + between;
        let mut taken: [Option<usize>; Part::ALL.len()] = [None; Part::ALL.len()];
        let mut spent = room;
        for part in Part::ALL.into_iter().filter(|part| part.is_never_dropped()) {
            let sizes = offer(part);
            let at = if part.is_never_cut() {
                0
            } else {
                sizes.len().saturating_sub(1)
            };
            if let Some(text) = sizes.get(at) {
                taken[part as usize] = Some(at);
                spent += cost(text);
            }
        }
        let least = spent;
        // First everybody's smallest size, then the largest that fits, each in the order of its claim.
        for part in Part::CLAIMS {
            let sizes = offer(part);
            if taken[part as usize].is_none()
                && let Some(text) = sizes.last()
                && spent + cost(text) <= budget.limit
            {
                taken[part as usize] = Some(sizes.len() - 1);
                spent += cost(text);
            }
        }
        let mut made: Option<(Told, String)> = None;
        for part in Part::CLAIMS {
            let sizes = offer(part);
            let Some(at) = taken[part as usize] else { continue };
            let without = spent - cost(&sizes[at]);
            let larger = (0..at).find(|larger| without + cost(&sizes[*larger]) <= budget.limit);
            if let Some(larger) = larger {
                taken[part as usize] = Some(larger);
                spent = without + cost(&sizes[larger]);
            } else if let (Part::Messages, Some(queue), 1..) = (part, queue, at) {
                // What they do not get now they get next; what others do not get, an agent that forgot it lacks.
                let room = budget.limit.saturating_sub(without + between) / 2;
                made = fitted(queue, unit, room);
                spent = made
                    .as_ref()
                    .map_or(spent, |(_, text)| without + unit.measure(text) + between);
            }
        }
        // What nobody else has a use for is theirs.
        let at = taken[Part::Messages as usize].filter(|at| *at > 0);
        if let (Some(queue), Some(at)) = (queue, at) {
            let own = match &made {
                Some((_, text)) => unit.measure(text) + between,
                None => cost(&offer(Part::Messages)[at]),
            };
            let room = budget.limit.saturating_sub(spent - own + between);
            made = fitted(queue, unit, room).or(made);
        }
        Self { taken, made, least }
    }

    /// How the messages came out.
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

    /// How many messages are told.
    fn told(&self, queue: &dyn Queue) -> usize {
        match (&self.made, self.taken[Part::Messages as usize]) {
            (Some((told, _)), _) => told.count(),
            (None, Some(0)) => queue.len(),
            (None, Some(_)) => least_told(queue).count(),
            (None, None) => 0,
        }
    }

    /// The parts that have something to say and are not shown, in the order in which they are read.
    fn left_out<'a>(&self, offer: &dyn Fn(Part) -> &'a [SizedText]) -> Vec<Part> {
        let silent = |part: &Part| self.taken[*part as usize].is_none() && !offer(*part).is_empty();
        let parts = Part::ALL.into_iter().filter(|part| *part != Part::Rest);
        parts.filter(silent).collect()
    }
}

/// How the list of what was left out came out, where there is one.
fn announced(size: usize) -> Picked {
    Picked {
        part: Part::Rest,
        verdict: Verdict::Whole,
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
        Some(0) => Verdict::Whole,
        Some(_) => Verdict::Cut,
        None if sizes.is_empty() || part == Part::Rest => Verdict::Empty,
        None => Verdict::LeftOut,
    };
    Picked {
        part,
        verdict,
        detail: taken.and_then(|at| sizes.get(at)).map(|text| text.detail),
        size: size(taken),
        whole: if verdict == Verdict::Empty {
            0
        } else {
            size(Some(0))
        },
    }
}
