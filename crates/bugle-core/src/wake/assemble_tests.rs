//! Property tests for assembling wake-ups from any offers within any budget.

use std::rc::Rc;

use proptest::prelude::*;

use super::choice::{BETWEEN, listed};
use super::queue::tests::Letters;
use super::{
    Budget, Offer, Part, PartResult, Queue as _, ShownMessages, SizedText, Unit, assemble, minimum_shown,
};
use crate::digest::Detail;

fn offers() -> impl Strategy<Value = Vec<Offer>> {
    let sizes = || proptest::collection::vec(1_usize..400, 0..12);
    proptest::collection::vec(sizes(), Part::ALL.len()).prop_map(|all| {
        let of_part = |(part, mut sizes): (Part, Vec<usize>)| {
            sizes.sort_unstable_by(|left, right| right.cmp(left));
            if part.is_never_cut() || part == Part::Rest {
                sizes.truncate(1);
            }
            let details = |at: usize| match at {
                0 => Detail::Full,
                _ if at + 1 == sizes.len() => Detail::Pointer,
                _ => Detail::Digest,
            };
            let texts = sizes.iter().enumerate().map(|(at, size)| SizedText {
                detail: details(at),
                text: part.as_str().chars().cycle().take(*size).collect(),
            });
            Offer::new(part, texts.collect())
        };
        Part::ALL.into_iter().zip(all).map(of_part).collect()
    })
}

proptest! {
    #[test]
    fn a_skill_never_shrinks_the_step(offers in offers(), limit in 0_usize..3000) {
        let budget = Budget { unit: Unit::Bytes, limit };
        let step = |without: &[Part]| {
            let offers: Vec<Offer> = offers.iter().filter(|offer| !without.contains(&offer.part)).cloned().collect();
            let assembly = assemble(&offers, budget);
            assembly.parts.iter().find(|picked| picked.part == Part::Step).map_or(0, |picked| picked.size)
        };
        // Exclude the list of omitted parts, because the list itself needs room.
        prop_assert!(step(&[Part::Rest]) >= step(&[Part::Rest, Part::Skill]));
    }

    #[test]
    fn the_text_fits_and_has_every_part_that_is_never_cut(offers in offers(), limit in 0_usize..3000) {
        let budget = Budget { unit: Unit::Bytes, limit };
        let assembly = assemble(&offers, budget);
        match assembly.too_small {
            None => prop_assert!(assembly.size <= limit),
            Some(least) => {
                prop_assert!(least > limit);
                let more = assembly.parts.iter().filter(|picked| {
                    picked.size > 0 && !picked.part.is_never_dropped() && picked.part != Part::Rest
                });
                prop_assert_eq!(more.count(), 0, "nothing is added to a wake-up that exceeds its budget");
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
    fn messages_fill_the_room_and_their_number_is_reported(
        offers in offers(),
        messages in proptest::collection::vec(1_usize..700, 1..12),
        is_announced in any::<bool>(),
        limit in 0_usize..6_000,
    ) {
        let queue = Letters { messages, is_announced };
        let sized = |detail, told| SizedText { detail, text: queue.text(told) };
        let all = ShownMessages::whole(queue.len());
        let mut sizes = vec![sized(Detail::Full, all), sized(Detail::Pointer, minimum_shown(&queue))];
        sizes.dedup_by(|smaller, larger| smaller.text.len() >= larger.text.len());
        let (smallest, count) = (sizes[sizes.len() - 1].text.clone(), queue.len());
        let queue = Rc::new(queue);
        let mut offers = offers;
        offers.retain(|offer| offer.part != Part::Messages);
        offers.push(Offer { queue: Some(queue.clone()), ..Offer::new(Part::Messages, sizes) });
        let assembly = assemble(&offers, Budget { unit: Unit::Bytes, limit });
        if assembly.too_small.is_none() {
            prop_assert!(assembly.size <= limit, "{} of {limit}", assembly.size);
        }
        let (_, text) = assembly.shown.iter().find(|(part, _)| *part == Part::Messages).expect("messages are never omitted");
        let waiting = format!("{} wait", count - assembly.told);
        prop_assert!(text.ends_with(&waiting), "{text}");
        prop_assert!(assembly.told > 0 || !is_announced);
        // A whole message can be shorter than its announcement.
        let least = minimum_shown(queue.as_ref());
        let is_whole_instead = assembly.told == least.count() && !text.contains(" and more.");
        prop_assert!(text.len() >= smallest.len() || assembly.told > least.count() || is_whole_instead);
        let picked = assembly.parts.iter().find(|picked| picked.part == Part::Messages).expect("every part has a result");
        prop_assert_eq!(picked.size, text.len());
        if assembly.told < count && !text.contains("and more.") {
            let one_more = queue.text(ShownMessages::whole(assembly.told + 1)).len() - text.len();
            let left = limit.saturating_sub(assembly.size + BETWEEN.len());
            let names: usize = Part::CLAIMS.iter().map(|part| part.as_str().len() + 2).sum();
            prop_assert!(one_more + names > left, "one more message of size {one_more} fits in {left}");
        }
    }

    #[test]
    fn exactly_the_omitted_parts_are_listed(offers in offers(), limit in 0_usize..3000) {
        let assembly = assemble(&offers, Budget { unit: Unit::Bytes, limit });
        let gone: Vec<Part> = assembly
            .parts
            .iter()
            .filter(|picked| picked.verdict == PartResult::LeftOut)
            .map(|picked| picked.part)
            .collect();
        let says = offers.iter().find(|offer| offer.part == Part::Rest).and_then(|offer| offer.sizes.first());
        let expected = says.filter(|_| !gone.is_empty()).map(|says| listed(&says.text, &gone));
        let shown = assembly.shown.iter().find(|(part, _)| *part == Part::Rest).map(|(_, text)| text.clone());
        prop_assert_eq!(shown, expected);
    }

    #[test]
    fn an_urgent_part_grows_before_any_part_with_lower_priority(offers in offers(), limit in 0_usize..3000) {
        // Exclude the list of omitted parts, because the list itself needs room.
        let offers: Vec<Offer> = offers.into_iter().filter(|offer| offer.part != Part::Rest).collect();
        let assembly = assemble(&offers, Budget { unit: Unit::Bytes, limit });
        let shown = |part: Part| assembly.parts.iter().find(|picked| picked.part == part).expect("every part has a result");
        let offered = |part: Part| &offers.iter().find(|offer| offer.part == part).expect("every part is offered").sizes;
        let cost = |size: usize| if size == 0 { 0 } else { size + BETWEEN.len() };
        let fixed: usize = Part::ALL.into_iter().filter(|part| part.is_never_cut()).map(|part| cost(shown(part).size)).sum();
        for (rank, part) in Part::CLAIMS.into_iter().enumerate().filter(|(_, part)| part.is_urgent()) {
            let Some(next) = offered(part).iter().rev().map(|text| text.text.len()).find(|size| *size > shown(part).size) else {
                continue;
            };
            let higher: usize = Part::CLAIMS[..rank].iter().map(|part| cost(shown(*part).size)).sum();
            // The room reserved for a part with lower priority: at most its smallest size. For the step, only pointers
            // are reserved first, except the skill's.
            let needed = |lower: Part| match offered(lower).last() {
                Some(text) if lower.is_never_dropped() => cost(text.text.len()),
                Some(text) if part != Part::Step || (text.detail == Detail::Pointer && lower != Part::Skill) => {
                    cost(text.text.len().min(shown(lower).size))
                }
                _ => 0,
            };
            let lower: usize = Part::CLAIMS[rank + 1..].iter().map(|part| needed(*part)).sum();
            prop_assert!(
                fixed + higher + cost(next) + lower > limit + BETWEEN.len(),
                "{:?} could have size {next}", shown(part)
            );
        }
    }

    #[test]
    fn a_large_budget_shows_everything(offers in offers()) {
        let assembly = assemble(&offers, Budget { unit: Unit::Utf16, limit: 100_000 });
        for picked in &assembly.parts {
            prop_assert!(matches!(picked.verdict, PartResult::Whole | PartResult::Empty), "{:?}", picked);
        }
    }

    #[test]
    fn no_part_is_smaller_than_necessary(offers in offers(), limit in 0_usize..3000) {
        let assembly = assemble(&offers, Budget { unit: Unit::Bytes, limit });
        let left = limit.saturating_sub(assembly.size);
        for picked in &assembly.parts {
            match picked.verdict {
                PartResult::LeftOut | PartResult::Cut => {
                    let needs = picked.needs.expect("a missing part needs space");
                    prop_assert!(needs > left || assembly.too_small.is_some(), "{picked:?} would fit, {left} left");
                }
                PartResult::Whole | PartResult::Empty | PartResult::Known | PartResult::PartlyKnown | PartResult::Unwanted => {
                    prop_assert_eq!(picked.needs, None);
                }
            }
        }
    }

    #[test]
    fn a_part_that_needs_less_than_the_space_left_over_is_shown(offers in offers(), limit in 0_usize..3000) {
        let budget = Budget { unit: Unit::Bytes, limit };
        let assembly = assemble(&offers, budget);
        for picked in assembly.parts.iter().filter(|picked| picked.verdict == PartResult::LeftOut) {
            // Show the part at its smallest size, and list the other omitted parts.
            let gone = assembly.parts.iter().filter(|other| other.verdict == PartResult::LeftOut && other.part != picked.part);
            let gone: Vec<Part> = gone.map(|other| other.part).collect();
            let offer = |part: Part| offers.iter().find(|offer| offer.part == part).expect("every part is offered");
            let says = offer(Part::Rest).sizes.first().filter(|_| !gone.is_empty());
            let rest = says.map(|says| listed(&says.text, &gone));
            let others = assembly.shown.iter().filter(|(part, _)| *part != Part::Rest).map(|(_, text)| text.clone());
            let smallest = offer(picked.part).sizes.last().map(|text| text.text.clone());
            let text = others.chain(smallest).chain(rest).collect::<Vec<_>>().join(BETWEEN);
            prop_assert!(text.len() > limit, "{picked:?} would fit");
            prop_assert_eq!(picked.needs, Some(text.len().saturating_sub(assembly.size)));
        }
    }
}

/// A part with sizes of these lengths, largest first.
fn part(part: Part, sizes: &[usize]) -> Offer {
    let text = |(at, size): (usize, &usize)| SizedText {
        detail: match at {
            0 => Detail::Full,
            _ if at + 1 == sizes.len() => Detail::Pointer,
            _ => Detail::Digest,
        },
        text: "x".repeat(*size),
    };
    Offer::new(part, sizes.iter().enumerate().map(text).collect())
}

fn sizes(offers: &[Offer], limit: usize) -> Vec<(Part, usize)> {
    let budget = Budget {
        unit: Unit::Bytes,
        limit,
    };
    let parts = assemble(offers, budget).parts.into_iter();
    parts
        .filter(|picked| picked.size > 0)
        .map(|picked| (picked.part, picked.size))
        .collect()
}

#[test]
fn a_long_skill_leaves_room_for_a_digest_of_the_plan() {
    let offers = [
        part(Part::Skill, &[8_500, 4_000, 100]),
        part(Part::Plan, &[5_000, 3_000, 1_000, 100]),
    ];
    let expected = [(Part::Skill, 4_000), (Part::Plan, 3_000)];
    assert_eq!(sizes(&offers, 9_000), expected);
}

#[test]
fn a_shortened_step_leaves_room_for_pointers_only() {
    let offers = [
        part(Part::Step, &[80_000, 7_500, 4_000, 2_000, 100]),
        part(Part::Plan, &[5_000, 3_000, 1_000, 100]),
        part(Part::Activity, &[3_000, 500, 50]),
    ];
    let expected = [(Part::Plan, 1_000), (Part::Step, 7_500), (Part::Activity, 50)];
    assert_eq!(sizes(&offers, 9_000), expected);
}

#[test]
fn a_step_that_fits_is_whole_even_if_others_are_pointers() {
    let offers = [
        part(Part::Step, &[8_000, 4_000, 100]),
        part(Part::Plan, &[5_000, 1_000, 100]),
    ];
    assert_eq!(sizes(&offers, 8_500), [(Part::Plan, 100), (Part::Step, 8_000)]);
}

#[test]
fn a_long_pointer_does_not_crowd_out_the_digest_of_the_step() {
    let offers = [
        part(Part::Step, &[3_000, 700, 100]),
        part(Part::Tasks, &[2_000, 900, 600]),
        part(Part::Plan, &[800, 100]),
    ];
    assert_eq!(sizes(&offers, 1_000), [(Part::Plan, 100), (Part::Step, 700)]);
}

#[test]
fn a_short_part_without_a_pointer_is_not_left_out_for_a_longer_one() {
    let offers = [part(Part::Plan, &[900, 400, 100]), part(Part::Learnt, &[60])];
    assert_eq!(sizes(&offers, 500), [(Part::Plan, 400), (Part::Learnt, 60)]);
}

#[test]
fn the_size_of_a_wake_up_that_exceeds_its_budget_is_the_size_of_its_text() {
    let offers = [part(Part::Identity, &[500]), part(Part::NextAction, &[300])];
    let budget = Budget {
        unit: Unit::Bytes,
        limit: 700,
    };
    let assembly = assemble(&offers, budget);
    assert_eq!(assembly.too_small, Some(802));
    assert_eq!(assembly.size, assembly.text.len());
}
