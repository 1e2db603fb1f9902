//! Pausing, resuming, cancelling and notes.

use bugle_core::engine::{Command, Decision, Refusal, RunStatus};
use bugle_core::id::{Actor, Timestamp, VisitNumber};
use bugle_core::outcome::Outcome;
use bugle_core::workflow::Workflow;

use crate::support::{Build, Drive, begun, done, gave_up, step, workflow};

fn two_steps() -> Workflow {
    workflow([step("a").to("b"), step("b")])
}

fn pause() -> Command<'static> {
    Command::Pause {
        reason: Some("lunch".to_owned()),
    }
}

fn cancel() -> Command<'static> {
    Command::Cancel { reason: None }
}

#[test]
fn a_resumed_run_continues_at_the_same_step() {
    let workflow = two_steps();
    let mut run = begun(&workflow);
    run.accept(done(1));
    run.accept(pause());
    assert_eq!(run.state.status, RunStatus::Paused);
    assert_eq!(run.at(), "b");
    run.accept(Command::Resume);
    assert_eq!(run.state.status, RunStatus::Active);
    run.accept(done(2));
    assert_eq!(run.state.status, RunStatus::Completed);
}

#[test]
fn a_run_whose_last_step_fails_has_failed() {
    let workflow = workflow([step("a").to("b").on(Outcome::Fail, "end"), step("b")]);
    let mut run = begun(&workflow);
    run.accept(gave_up(1, "no access"));
    assert_eq!(run.state.status, RunStatus::Failed);
    for command in [pause(), cancel(), Command::Resume] {
        assert_eq!(run.refusal(command), Refusal::WrongStatus(RunStatus::Failed));
    }
    run.accept(Command::Rewind { to: VisitNumber(1) });
    assert_eq!(run.state.status, RunStatus::Active);
    run.accept(done(2));
    run.accept(done(3));
    assert_eq!(run.state.status, RunStatus::Completed);
}

#[test]
fn a_repeated_command_changes_nothing() {
    let workflow = two_steps();
    let mut run = begun(&workflow);
    assert_eq!(run.decide(Command::Resume), Decision::Already);
    run.accept(pause());
    assert_eq!(run.decide(pause()), Decision::Already);
    run.accept(cancel());
    assert_eq!(run.decide(cancel()), Decision::Already);
}

#[test]
fn a_finished_run_cannot_be_paused_resumed_or_cancelled() {
    let workflow = two_steps();
    let mut completed = begun(&workflow);
    completed.accept(done(1));
    completed.accept(done(2));
    let mut cancelled = begun(&workflow);
    cancelled.accept(cancel());
    for command in [pause(), Command::Resume] {
        for run in [&completed, &cancelled] {
            let refusal = run.refusal(command.clone());
            assert_eq!(refusal, Refusal::WrongStatus(run.state.status));
        }
    }
    assert_eq!(
        completed.refusal(cancel()),
        Refusal::WrongStatus(RunStatus::Completed)
    );
}

#[test]
fn a_cancelled_run_has_no_open_visit() {
    let workflow = two_steps();
    let mut run = begun(&workflow);
    run.accept(pause());
    run.accept(cancel());
    assert_eq!(run.state.current(), None);
    assert!(!run.state.status.is_open());
    let back = Command::Rewind { to: VisitNumber(1) };
    assert_eq!(run.refusal(back), Refusal::WrongStatus(RunStatus::Cancelled));
}

#[test]
fn a_note_is_recorded_with_its_visit_time_and_author() {
    let workflow = two_steps();
    let mut run = begun(&workflow);
    run.accept(Command::Note("the tests were red before".to_owned()));
    run.accept(done(1));
    run.accept(pause());
    run.accept(Command::Note("asked for access".to_owned()));
    let notes = |visit: usize| run.state.visits()[visit].notes.clone();
    let (first, second) = (notes(0), notes(1));
    assert_eq!(first.len(), 1);
    assert_eq!(first[0].text, "the tests were red before");
    assert_eq!(second[0].text, "asked for access");
    assert_eq!(
        (second[0].at, &second[0].by),
        (run.state.changed_at, &run.events.last().unwrap().by)
    );
    assert!(matches!(first[0].by, Actor::Agent(_)));
    assert!(first[0].at > Timestamp(0));
}

#[test]
fn a_finished_run_accepts_notes() {
    let workflow = two_steps();
    let mut run = begun(&workflow);
    run.accept(done(1));
    run.accept(done(2));
    run.accept(Command::Note("the customer liked it".to_owned()));
    assert_eq!(run.state.status, RunStatus::Completed);
    assert_eq!(run.state.visits()[1].notes.len(), 1);
}

#[test]
fn an_empty_note_is_refused() {
    let workflow = two_steps();
    let run = begun(&workflow);
    assert_eq!(
        run.refusal(Command::Note("\n".to_owned())),
        Refusal::Empty("the note")
    );
}

#[test]
fn a_printed_status_parses() {
    for status in RunStatus::ALL {
        assert_eq!(status.to_string().parse(), Ok(status));
    }
    assert_eq!("asleep".parse::<RunStatus>(), Err(()));
}
