//! The parts of a wake-up as Markdown, each at several sizes, for [`bugle_core::wake::assemble`] to choose from.
//!
//! Everything outside fences is Bugle's own: facts in plain words, with values of one line in them. Everything between
//! fences is quoted, and the line above says from where. A size that is not everything says what is missing and how to
//! see it. The same facts give the same texts.

mod brief;
mod cut;
mod errand;
mod known;
mod messages;
mod place;
mod plan;
mod questions;
mod quote;
mod records;
mod recovery;
mod sizes;
mod skill;
mod step;
mod tasks;
mod view;

use bugle_core::wake::{Offer, WakeReason};
use bugle_wire::WakeFacts;

pub use brief::brief;
pub use errand::errand;
pub use records::{detail, difference, list};
pub use skill::unavailable;
pub use view::{explain, xml};

/// Every part that the reason calls for, at the sizes it can have.
///
/// Whoever still has what it knew is told where it stands, what is new and how to go on, and how to see the rest. A
/// replacement knows nothing, whatever the reason.
pub fn offers(facts: &WakeFacts) -> Vec<Offer> {
    let remembers = facts.recovery.is_none() && reason(facts).is_some_and(WakeReason::remembers);
    let program = quote::program(facts);
    let mut offers = vec![
        place::identity(facts, remembers, &program),
        place::position(facts),
    ];
    if remembers {
        offers.push(step::reminder(facts, &program));
    } else {
        offers.push(recovery::offer(facts.recovery.as_ref(), &program));
        offers.push(skill::offer(facts.skill.as_ref()));
        offers.push(plan::offer(facts));
        offers.push(tasks::offer(facts, &program));
        offers.push(step::offer(facts, &program));
        offers.push(known::learnt(facts, &program));
        offers.push(known::activity(facts, &program));
    }
    offers.push(questions::offer(facts, remembers));
    offers.push(messages::offer(facts, remembers, &program));
    offers.push(place::rest(facts));
    offers.push(place::next(facts));
    offers.sort_by_key(|offer| offer.part);
    offers
}

fn reason(facts: &WakeFacts) -> Option<WakeReason> {
    facts.reason.parse().ok()
}
