//! The parts of a wake-up as Markdown, each at several sizes, for [`bugle_core::wake::assemble`] to choose from.
//!
//! Text outside fences is Bugle's own: facts, with one-line values. Text between fences is quoted, and the line above
//! it names the source. A shortened size names the missing part and how to see it. The same facts give the same text.

mod brief;
mod diff;
mod explain;
mod history;
mod messages;
mod notice;
mod plan;
mod position;
mod prompt;
mod questions;
mod quote;
mod recovery;
mod shorten;
mod sizes;
mod skill;
mod step;
mod tasks;
mod wakeups;

use bugle_core::reply::WakeFacts;
use bugle_core::wake::{Offer, Part};
use quote::Program;

pub use brief::brief;
pub use diff::diff_lines;
pub use explain::{Space, explain, explain_recorded, why, xml};
pub use notice::notice;
pub use prompt::agent_prompt;
pub use wakeups::{detail, difference, list};

/// The parts that are not repeated to an agent that still has its context.
const NOT_REPEATED: [Part; 5] = [Part::Skill, Part::Plan, Part::Tasks, Part::Learnt, Part::Activity];

/// Every part that the agent needs, at every size.
///
/// An agent that still has its context gets its position, new information, the next command, and how to see the rest.
pub fn offers(facts: &WakeFacts) -> Vec<Offer> {
    let remembers = facts.remembers;
    let program = quote::program(facts);
    let mut offers = vec![
        position::identity(facts, remembers, &program),
        position::position(facts),
    ];
    if remembers {
        offers.push(step::reminder(facts, &program));
        offers.extend(NOT_REPEATED.map(|part| sizes::not_repeated(part, sizes::known(facts, part))));
    } else {
        offers.push(recovery::offer(facts.recovery.as_ref(), &program));
        offers.push(skill::offer(facts.skill.as_ref()));
        offers.push(plan::offer(facts));
        offers.push(tasks::offer(facts, &program));
        offers.push(step::offer(facts, &program));
        offers.push(history::learnt(facts, &program));
        offers.push(history::activity(facts, &program));
    }
    offers.push(questions::offer(facts, &program));
    offers.push(messages::offer(facts, remembers, &program));
    offers.push(position::rest(facts));
    offers.push(position::next(facts));
    offers.sort_by_key(|offer| offer.part);
    for offer in &mut offers {
        offer.command = whole_command(facts, offer.part, &program);
    }
    offers
}

/// The command that shows the whole part.
fn whole_command(facts: &WakeFacts, part: Part, program: &Program) -> Option<String> {
    let again = (!facts.again.is_empty()).then(|| facts.again.clone());
    match part {
        Part::Skill => facts.skill.as_ref().and_then(|skill| skill.whole.clone()),
        Part::Plan => {
            let plan = facts.plan.as_ref()?;
            Some(plan.task_command.clone().unwrap_or_else(|| plan.command.clone()))
        }
        Part::Tasks => facts
            .position
            .as_ref()
            .map(|_| program.command(&["task", "list"])),
        Part::Step => {
            let step = facts.step.as_ref()?;
            Some(program.command(&["step", step.position.run.as_str()]))
        }
        Part::Messages => Some(program.command(&["message", "list", "--unread", "--take"])),
        Part::Recovery | Part::Learnt | Part::Activity | Part::Questions => {
            again.filter(|_| !facts.remembers)
        }
        Part::Identity | Part::Position | Part::Rest | Part::NextAction => None,
    }
}
