//! The history of a run.

use bugle_app::RunSelector;
use bugle_core::engine::Event;
use bugle_core::id::VisitNumber;
use bugle_core::reply::{Change, TimelineEntry};

use super::{run_of, three, word};
use crate::project::refused;
use crate::reviewed::{step, visit, with_result};

/// The visit and the text of a note.
fn note(entry: TimelineEntry) -> Option<(VisitNumber, String)> {
    match entry.change {
        Change::Run(change) => match change.event {
            Event::Noted { visit, text } => Some((visit, text)),
            _ => None,
        },
        Change::Task(_) => None,
    }
}

#[test]
fn a_note_stays_with_the_visit_it_was_made_in() {
    let (mut project, first) = three();
    let run = project
        .note(&RunSelector::Here, "the test bench is down")
        .unwrap();
    assert_eq!(run, first.position.run);
    let mut done = with_result(visit(&first), &word("one"));
    done.note = Some("this took long".to_owned());
    step(project.finish(done));
    refused(project.note(&run_of(&first), ""), "empty");
    let shown = project.try_show_run(&RunSelector::Here).unwrap();
    let notes: Vec<_> = shown.timeline.into_iter().filter_map(note).collect();
    let first_visit = VisitNumber(1);
    assert_eq!(
        notes,
        [
            (first_visit, "the test bench is down".to_owned()),
            (first_visit, "this took long".to_owned())
        ]
    );
}
