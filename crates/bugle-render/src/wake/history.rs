//! Earlier results and recent activity.

use bugle_core::count::count_phrase;
use bugle_core::digest::Detail;
use bugle_core::reply::{ActivitySubject, ActivityView, WakeFacts};
use bugle_core::wake::{Offer, Part};

use super::quote::{Program, clipped, code, fence, inline, items, number, speaker, tags_remark};
use super::shorten::LENGTHS;
use super::sizes;
use crate::{author_text, timeline_text};

/// Maximum length of a shortened result, in characters.
const MOST_OF_ONE: usize = 200;

/// Maximum number of results shown at a shortened size.
const MOST_FOUND: usize = 12;

/// Maximum number of results shown at a smaller size.
const FEWER: usize = 6;

/// Maximum number of results shown at the smallest size.
const FEWEST: usize = 3;

/// The results of earlier steps and tasks.
pub(super) fn learnt(facts: &WakeFacts, program: &Program) -> Offer {
    const HEADING: &str = "## Earlier results";
    if facts.learnt.is_empty() {
        return sizes::nothing(Part::Learnt);
    }
    let mut full = vec![HEADING.to_owned()];
    for entry in &facts.learnt {
        let from = clipped(&entry.from, MOST_OF_ONE);
        full.push(format!("**From {from}**{}:", tags_remark(&entry.what)));
        full.push(fence(&entry.what));
    }
    let longest = facts.learnt.iter().map(|entry| entry.what.len()).max();
    // The results belong to several tasks. Only the command that prints the whole wake-up shows all of them.
    let whole = if facts.again.is_empty() {
        sources(facts, program)
    } else {
        format!("Full text: {}", code(&facts.again))
    };
    let mut offered = vec![(Detail::Full, full)];
    // Shorten the entries first, then show fewer.
    let shorter = LENGTHS
        .into_iter()
        .filter(|most| *most > MOST_OF_ONE && Some(*most) < longest)
        .map(|most| (MOST_FOUND, most));
    let fewer = [MOST_FOUND, FEWER, FEWEST].map(|found| (found, MOST_OF_ONE));
    for (found, of_one) in shorter.chain(fewer) {
        let blocks = vec![HEADING.to_owned(), found_in_lines(facts, found, of_one, &whole)];
        offered.push((Detail::Digest, blocks));
    }
    let entries = count_phrase(number(facts.learnt.len()), "entry is", "entries are");
    let pointer = vec![HEADING.to_owned(), format!("{entries} not shown. {whole}")];
    offered.push((Detail::Pointer, pointer));
    sizes::offer(Part::Learnt, offered)
}

/// The first `found` results, one per line and cut to `of_one` characters, and a note on what is missing.
fn found_in_lines(facts: &WakeFacts, found: usize, of_one: usize, whole: &str) -> String {
    let shown = &facts.learnt[..facts.learnt.len().min(found)];
    let lines = shown.iter().map(|entry| {
        format!(
            "{}: {}{}",
            clipped(&entry.from, MOST_OF_ONE),
            clipped(&entry.what, of_one),
            tags_remark(&entry.what)
        )
    });
    let is_cut = |what: &str| inline(what).chars().count() > of_one;
    let cut = number(shown.iter().filter(|entry| is_cut(&entry.what)).count());
    let hidden = number(facts.learnt.len() - shown.len());
    let mut missing = Vec::new();
    if cut > 0 {
        missing.push(count_phrase(
            cut,
            "of these is shortened",
            "of these are shortened",
        ));
    }
    if hidden > 0 {
        missing.push(count_phrase(hidden, "more is not shown", "more are not shown"));
    }
    let lines = items(lines);
    if missing.is_empty() {
        return lines;
    }
    format!("{lines}\n\n{}. {whole}", missing.join(", "))
}

/// The commands that show everything.
fn sources(facts: &WakeFacts, program: &Program) -> String {
    let run = facts
        .step
        .as_ref()
        .map(|step| program.command(&["run", "show", step.position.run.as_str()]));
    let task = facts.position.as_ref();
    let task = task.map(|at| program.command(&["task", "show", at.task.id.as_str(), "--full"]));
    let commands: Vec<String> = run.iter().chain(&task).map(|command| code(command)).collect();
    if commands.is_empty() {
        "The full text is in the task and run notes.".to_owned()
    } else {
        format!("Full text: {}", commands.join(" and "))
    }
}

/// Recent activity.
pub(super) fn activity(facts: &WakeFacts, program: &Program) -> Offer {
    const HEADING: &str = "## Recent activity";
    let all = &facts.activity;
    if all.is_empty() {
        return sizes::nothing(Part::Activity);
    }
    let full = vec![HEADING.to_owned(), items(all.iter().map(line))];
    let whole = sources(facts, program);
    let mut offered = vec![(Detail::Full, full)];
    for few in [FEWER, FEWEST] {
        let earlier = all.len().saturating_sub(few);
        if earlier == 0 {
            continue;
        }
        let left_out = count_phrase(number(earlier), "earlier event is", "earlier events are");
        let lines = items(all[earlier..].iter().map(line));
        offered.push((
            Detail::Digest,
            vec![
                HEADING.to_owned(),
                lines,
                format!("{left_out} not shown. {whole}"),
            ],
        ));
    }
    let left_out = count_phrase(number(all.len()), "recent event is", "recent events are");
    offered.push((Detail::Pointer, vec![format!("{left_out} not shown. {whole}")]));
    sizes::offer(Part::Activity, offered)
}

fn line(event: &ActivityView) -> String {
    activity_line(event, 2 * MOST_OF_ONE)
}

/// An event on one line, with a description of at most `most` characters.
pub(super) fn activity_line(event: &ActivityView, most: usize) -> String {
    let subject = match &event.subject {
        ActivitySubject::Run(run) => format!("run {run}"),
        ActivitySubject::Task(task) => task.inline_label(),
    };
    let what = format!("{subject}: {}", timeline_text::change(&event.change));
    format!(
        "{} {}: {}",
        clipped(&event.at, 40),
        speaker(&author_text::speaker(&event.by)),
        clipped(&what, most)
    )
}
