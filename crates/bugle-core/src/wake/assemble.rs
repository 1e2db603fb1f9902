//! Choosing the size of every part, so that the most important ones are whole and everything fits.

use serde::{Deserialize, Serialize};

use super::budget::{Budget, Unit};
use crate::digest::Detail;

/// A part of a wake-up, in the order in which they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Who the agent is.
    Identity,
    /// The skill.
    Skill,
    /// The plan.
    Plan,
    /// The tasks.
    Tasks,
    /// Where work stands, in a sentence.
    Position,
    /// The current step of a run.
    Step,
    /// What earlier steps and tasks found.
    Learnt,
    /// What happened lately.
    Activity,
    /// What others have said.
    Messages,
    /// What to do next, with the exact command.
    NextAction,
}

impl Part {
    /// Every part, in the order in which they are read.
    pub const ALL: [Self; 10] = [
        Self::Identity,
        Self::Skill,
        Self::Plan,
        Self::Tasks,
        Self::Position,
        Self::Step,
        Self::Learnt,
        Self::Activity,
        Self::Messages,
        Self::NextAction,
    ];

    /// The parts that can be cut, the one with the strongest claim on the budget first.
    const CLAIMS: [Self; 7] = [
        Self::Step,
        Self::Messages,
        Self::Tasks,
        Self::Skill,
        Self::Plan,
        Self::Learnt,
        Self::Activity,
    ];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Skill => "skill",
            Self::Plan => "plan",
            Self::Tasks => "tasks",
            Self::Position => "position",
            Self::Step => "step",
            Self::Learnt => "learnt",
            Self::Activity => "activity",
            Self::Messages => "messages",
            Self::NextAction => "next action",
        }
    }

    /// Whether it is shown whatever the budget.
    pub fn is_never_cut(self) -> bool {
        matches!(self, Self::Identity | Self::Position | Self::NextAction)
    }

    /// Whether at least its smallest size is shown whatever the budget: what others said is never passed over.
    fn is_never_dropped(self) -> bool {
        self.is_never_cut() || self == Self::Messages
    }
}

/// A text at one size. If it is not everything, it says so itself, with the command that shows the rest.
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

/// Puts a wake-up together. What is never cut is always there, even where the budget is too small for it.
pub fn assemble(offers: &[Offer], budget: Budget) -> Assembly {
    let unit = budget.unit;
    let offer = |part: Part| {
        let found = offers.iter().find(|offer| offer.part == part);
        found.map(|offer| offer.sizes.as_slice()).unwrap_or_default()
    };
    let cost = |text: &SizedText| unit.measure(&text.text) + unit.measure(BETWEEN);
    // Which size of each part is taken, by its place among the part's sizes.
    let mut taken: [Option<usize>; Part::ALL.len()] = [None; Part::ALL.len()];
    let mut spent = 0;
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
    let parts = Part::ALL.map(|part| picked(part, offer(part), taken[part as usize], unit));
    let shown: Vec<(Part, String)> = Part::ALL
        .into_iter()
        .filter_map(|part| Some((part, offer(part).get(taken[part as usize]?)?.text.clone())))
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
        too_small: (least > budget.limit).then_some(least),
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
        None if sizes.is_empty() => Verdict::Empty,
        None => Verdict::LeftOut,
    };
    Picked {
        part,
        verdict,
        detail: taken.and_then(|at| sizes.get(at)).map(|text| text.detail),
        size: size(taken),
        whole: size(Some(0)),
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
                if part.is_never_cut() {
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
                    let more = assembly.parts.iter().filter(|picked| picked.size > 0 && !picked.part.is_never_dropped());
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
            for picked in assembly.parts.iter().filter(|picked| !picked.part.is_never_cut()) {
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
                    Verdict::Whole | Verdict::Empty => {}
                }
            }
        }
    }
}
