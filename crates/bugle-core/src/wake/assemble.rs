//! Assembles a wake-up, so that the most important parts are whole and everything fits.

use super::budget::Budget;
use super::choice::{BETWEEN, Choice, Table};
use super::offer::{Offer, PartResult, Picked};
use super::part::Part;
use crate::digest::Detail;

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
    /// The wake-up's size, if the parts that are never dropped exceed the budget.
    pub too_small: Option<usize>,
}

/// Assembles a wake-up. It always includes the parts that are never cut, even if they exceed the budget, and the list
/// of omitted parts, if there are any.
pub fn assemble(offers: &[Offer], budget: Budget) -> Assembly {
    let Budget { unit, limit } = budget;
    let table = Table::new(offers, budget);
    let choice = Choice::best(&table);
    let left_out = choice.left_out(&table);
    let rest = table.rest_text(&left_out);
    let parts = Part::ALL.map(|part| match (part, &rest) {
        (Part::Rest, Some(text)) => announced(unit.measure(text)),
        _ => choice.picked(&table, part),
    });
    let text_of = |part: Part| match part {
        Part::Rest => rest.clone(),
        part => choice.text(&table, part).map(str::to_owned),
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
    let size = unit.measure(&text);
    Assembly {
        shown,
        size,
        text,
        parts: parts.to_vec(),
        told: choice.shown_messages(&table),
        too_small: (size > limit).then_some(size),
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
        needs: None,
        command: None,
        stage: None,
    }
}
