//! The sizes at which a part is offered.

use bugle_core::digest::Detail;
use bugle_core::reply::WakeFacts;
use bugle_core::wake::{Known, Offer, Part, SizedText, Unit};

use crate::text::page;

/// A part with blocks for each size. Empty blocks and empty sizes are dropped.
pub(super) fn offer(part: Part, sizes: Vec<(Detail, Vec<String>)>) -> Offer {
    let texts = sizes.into_iter().map(|(detail, blocks)| SizedText {
        detail,
        text: page(&blocks),
    });
    Offer::new(
        part,
        shrinking(texts.filter(|sized| !sized.text.is_empty()).collect()),
    )
}

/// A part with one size.
pub(super) fn whole(part: Part, blocks: Vec<String>) -> Offer {
    offer(part, vec![(Detail::Full, blocks)])
}

/// An empty part.
pub(super) fn nothing(part: Part) -> Offer {
    Offer::new(part, Vec::new())
}

/// A part that is not repeated, because the agent still has it in its context.
pub(super) fn not_repeated(part: Part, known: Known) -> Offer {
    Offer {
        known: Some(known),
        ..nothing(part)
    }
}

/// A reminder of a part that the agent still has in its context.
pub(super) fn reminder(part: Part, known: Known, reminder: Vec<String>, full: &[String]) -> Offer {
    Offer {
        known: Some(known),
        full: Some(page(full)),
        ..offer(part, vec![(Detail::Pointer, reminder)])
    }
}

/// How much of a part is still in the agent's context.
pub(super) fn known(facts: &WakeFacts, part: Part) -> Known {
    if facts.given_in_part.contains(&part) {
        Known::Partly
    } else {
        Known::Whole
    }
}

/// The sizes to offer, largest first. A size is offered only if it is smaller than the previous size in every unit.
pub(super) fn shrinking(sizes: Vec<SizedText>) -> Vec<SizedText> {
    let mut kept: Vec<SizedText> = Vec::new();
    for sized in sizes {
        if kept
            .last()
            .is_none_or(|larger| is_smaller(&sized.text, &larger.text))
        {
            kept.push(sized);
        }
    }
    kept
}

fn is_smaller(text: &str, than: &str) -> bool {
    let less = |unit: Unit| unit.measure(text) < unit.measure(than);
    // Token counts are an estimate, too coarse for small differences. Text has at most one token per two bytes and at
    // least one per four. If these bounds settle the comparison, the tokens are not counted.
    let no_more_tokens =
        || text.len() / 2 < than.len() / 4 || Unit::Tokens.measure(text) <= Unit::Tokens.measure(than);
    less(Unit::Bytes) && less(Unit::Utf16) && no_more_tokens()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sized(detail: Detail, text: &str) -> SizedText {
        SizedText {
            detail,
            text: text.to_owned(),
        }
    }

    #[test]
    fn a_size_that_saves_nothing_is_dropped() {
        let sizes = vec![
            sized(Detail::Full, "12345"),
            sized(Detail::Digest, "123456"),
            sized(Detail::Pointer, "1"),
        ];
        let details: Vec<Detail> = shrinking(sizes).iter().map(|sized| sized.detail).collect();
        assert_eq!(details, [Detail::Full, Detail::Pointer]);
    }

    #[test]
    fn a_size_must_be_smaller_in_every_unit() {
        // Fewer UTF-16 units, but more bytes.
        let sizes = vec![
            sized(Detail::Full, "1234"),
            sized(Detail::Pointer, "\u{20ac}\u{20ac}"),
        ];
        assert_eq!(shrinking(sizes).len(), 1);
    }

    #[test]
    fn a_part_without_text_has_no_sizes() {
        assert_eq!(offer(Part::Plan, vec![(Detail::Full, Vec::new())]).sizes, []);
    }

    proptest! {
        #[test]
        fn sizes_get_smaller(texts in proptest::collection::vec(".{0,20}", 0..5)) {
            let sizes = texts.iter().map(|text| sized(Detail::Full, text)).collect();
            let kept = shrinking(sizes);
            for unit in [Unit::Utf16, Unit::Bytes] {
                let measures: Vec<usize> = kept.iter().map(|sized| unit.measure(&sized.text)).collect();
                prop_assert!(measures.windows(2).all(|pair| pair[1] < pair[0]), "{measures:?}");
            }
            prop_assert_eq!(kept.first().map(|first| first.text.as_str()), texts.first().map(String::as_str));
        }
    }
}
