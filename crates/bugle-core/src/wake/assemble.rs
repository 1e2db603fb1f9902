//! Choosing the size of every part, so that the most important ones are whole and everything fits.

use serde::{Deserialize, Serialize};

use super::budget::{Budget, Unit};
use super::part::Part;
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// Which part.
    pub part: Part,
    /// Its texts, the largest first. None if there is nothing to say.
    pub sizes: Vec<SizedText>,
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
    /// The size of what is never cut, if that alone is more than the budget.
    pub too_small: Option<usize>,
}

/// What stands between two parts.
const BETWEEN: &str = "\n\n";

/// Puts a wake-up together. What is never cut is always there, even where the budget is too small for it; so is the list of
/// what was left out, if anything was.
pub fn assemble(offers: &[Offer], budget: Budget) -> Assembly {
    let Budget { unit, limit } = budget;
    let offer = |part: Part| {
        let found = offers.iter().find(|offer| offer.part == part);
        found.map(|offer| offer.sizes.as_slice()).unwrap_or_default()
    };
    let mut choice = Choice::make(&offer, budget, 0);
    let mut rest = None;
    if !choice.left_out(&offer).is_empty()
        && let Some(says) = offer(Part::Rest).first()
    {
        // Room is kept for naming all that may be left out, because it is not known yet how much that will be.
        let droppable = Part::CLAIMS.into_iter().filter(|part| !part.is_never_dropped());
        let droppable: Vec<Part> = droppable.filter(|part| !offer(*part).is_empty()).collect();
        let room = unit.measure(&listed(&says.text, &droppable)) + unit.measure(BETWEEN);
        choice = Choice::make(&offer, budget, room);
        rest = Some(listed(&says.text, &choice.left_out(&offer)));
    }
    let parts = Part::ALL.map(|part| match (part, &rest) {
        (Part::Rest, Some(text)) => announced(unit.measure(text)),
        _ => picked(part, offer(part), choice.taken[part as usize], unit),
    });
    let text_of = |part: Part| match part {
        Part::Rest => rest.clone(),
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
        too_small: (choice.least > limit).then_some(choice.least),
    }
}

/// A text with parts behind it.
fn listed(says: &str, parts: &[Part]) -> String {
    let names: Vec<&str> = parts.iter().map(|part| part.as_str()).collect();
    format!("{says} {}.", names.join(", "))
}

/// Which sizes are taken.
struct Choice {
    /// By part, the place among its sizes.
    taken: [Option<usize>; Part::ALL.len()],
    /// What is shown whatever the budget comes to so much.
    least: usize,
}

impl Choice {
    /// Takes sizes, with so much room kept free.
    fn make<'a>(offer: &dyn Fn(Part) -> &'a [SizedText], budget: Budget, room: usize) -> Self {
        let unit = budget.unit;
        let cost = |text: &SizedText| unit.measure(&text.text) + unit.measure(BETWEEN);
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
        for part in Part::CLAIMS {
            let sizes = offer(part);
            let Some(at) = taken[part as usize] else { continue };
            let without = spent - cost(&sizes[at]);
            let larger = (0..at).find(|larger| without + cost(&sizes[*larger]) <= budget.limit);
            if let Some(larger) = larger {
                taken[part as usize] = Some(larger);
                spent = without + cost(&sizes[larger]);
            }
        }
        Self { taken, least }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn offers() -> impl Strategy<Value = Vec<Offer>> {
        let sizes = || proptest::collection::vec(1_usize..400, 0..4);
        proptest::collection::vec(sizes(), Part::ALL.len()).prop_map(|all| {
            let of_part = |(part, mut sizes): (Part, Vec<usize>)| {
                sizes.sort_unstable_by(|left, right| right.cmp(left));
                if part.is_never_cut() || part == Part::Rest {
                    sizes.truncate(1);
                }
                let details = [Detail::Full, Detail::Digest, Detail::Pointer];
                let texts = sizes.iter().zip(details).map(|(size, detail)| SizedText {
                    detail,
                    text: part.as_str().chars().cycle().take(*size).collect(),
                });
                Offer {
                    part,
                    sizes: texts.collect(),
                }
            };
            Part::ALL.into_iter().zip(all).map(of_part).collect()
        })
    }

    proptest! {
        #[test]
        fn it_fits_and_what_is_never_cut_is_there(offers in offers(), limit in 0_usize..3000) {
            let budget = Budget { unit: Unit::Bytes, limit };
            let assembly = assemble(&offers, budget);
            match assembly.too_small {
                None => prop_assert!(assembly.size <= limit),
                Some(least) => {
                    prop_assert!(least > limit);
                    let more = assembly.parts.iter().filter(|picked| {
                        picked.size > 0 && !picked.part.is_never_dropped() && picked.part != Part::Rest
                    });
                    prop_assert_eq!(more.count(), 0, "nothing else is added to what exceeds already");
                }
            }
            for offer in offers.iter().filter(|offer| offer.part.is_never_cut()) {
                for text in &offer.sizes {
                    prop_assert!(assembly.text.contains(&text.text));
                }
            }
            let said = offers.iter().any(|offer| offer.part == Part::Messages && !offer.sizes.is_empty());
            let shown = assembly.parts.iter().any(|picked| picked.part == Part::Messages && picked.size > 0);
            prop_assert_eq!(said, shown);
            prop_assert_eq!(assemble(&offers, budget), assembly);
        }

        #[test]
        fn what_is_left_out_is_named_and_nothing_else_is(offers in offers(), limit in 0_usize..3000) {
            let assembly = assemble(&offers, Budget { unit: Unit::Bytes, limit });
            let gone: Vec<Part> = assembly
                .parts
                .iter()
                .filter(|picked| picked.verdict == Verdict::LeftOut)
                .map(|picked| picked.part)
                .collect();
            let says = offers.iter().find(|offer| offer.part == Part::Rest).and_then(|offer| offer.sizes.first());
            let expected = says.filter(|_| !gone.is_empty()).map(|says| listed(&says.text, &gone));
            let shown = assembly.shown.iter().find(|(part, _)| *part == Part::Rest).map(|(_, text)| text.clone());
            prop_assert_eq!(shown, expected);
        }

        #[test]
        fn with_room_enough_everything_is_whole(offers in offers()) {
            let assembly = assemble(&offers, Budget { unit: Unit::Utf16, limit: 100_000 });
            for picked in &assembly.parts {
                prop_assert!(matches!(picked.verdict, Verdict::Whole | Verdict::Empty), "{:?}", picked);
            }
        }

        #[test]
        fn nothing_is_smaller_than_it_has_to_be(offers in offers(), limit in 0_usize..3000) {
            let assembly = assemble(&offers, Budget { unit: Unit::Bytes, limit });
            let between = BETWEEN.len();
            // One separator is counted too many, behind the last part.
            let left = limit.saturating_sub(assembly.size + between);
            // Room is kept for the names of all parts that may be left out.
            let names: usize = Part::CLAIMS.iter().map(|part| part.as_str().len() + 2).sum();
            let named = assembly.shown.iter().any(|(part, _)| *part == Part::Rest);
            let left = if named { left.saturating_sub(names) } else { left };
            let cuttable = |picked: &&Picked| !picked.part.is_never_cut() && picked.part != Part::Rest;
            for picked in assembly.parts.iter().filter(cuttable) {
                let offer = offers.iter().find(|offer| offer.part == picked.part).expect("every part is offered");
                let smallest = offer.sizes.last().map_or(0, |text| text.text.len());
                match picked.verdict {
                    Verdict::LeftOut => prop_assert!(smallest + between > left, "{:?}, {} left", picked, left),
                    Verdict::Cut => {
                        let larger = offer.sizes.iter().map(|text| text.text.len()).filter(|size| *size > picked.size);
                        for larger in larger {
                            prop_assert!(larger - picked.size > left, "{:?} could be {}, {} left", picked, larger, left);
                        }
                    }
                    Verdict::Whole | Verdict::Empty | Verdict::Unwanted => {}
                }
            }
        }
    }
}
