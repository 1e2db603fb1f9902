//! Steps that ask a person: the run waits for the answer, and the answer decides how it continues.

use bugle_core::engine::{Command, Decision, Event, Refusal, RunStatus};
use bugle_core::id::VisitNumber;
use bugle_core::outcome::Outcome::Skip;
use bugle_core::workflow::Workflow;
use serde_json::{Value, json};

use crate::support::{Build, Drive, answer, begun, done, gave_up, step, workflow};

fn asking(choices: &[&str]) -> Workflow {
    workflow([
        step("ask")
            .asks(choices)
            .when("result.answer == 'no'", Skip)
            .to("go")
            .on(Skip, "stay"),
        step("go").to("check"),
        step("stay"),
        step("check")
            .when("state.ask.answer.startsWith('y')", Skip)
            .on(Skip, "stay"),
    ])
}

fn answer_to(visit: u32, text: &str) -> Command<'static> {
    Command::Answer {
        visit: Some(VisitNumber(visit)),
        answer: Some(text.to_owned()),
        reason: None,
    }
}

#[test]
fn a_run_waits_for_the_answer_which_decides_the_route() {
    let workflow = asking(&["yes", "no"]);
    for (text, next) in [("yes", "go"), ("no", "stay")] {
        let mut run = begun(&workflow);
        assert_eq!(run.state.status, RunStatus::Waiting);
        assert!(run.state.current().unwrap().asked.is_some());
        run.accept(answer(text));
        assert_eq!((run.state.status, run.at().as_str()), (RunStatus::Active, next));
    }
}

#[test]
fn later_steps_see_the_answer() {
    let workflow = asking(&[]);
    let mut run = begun(&workflow);
    run.accept(answer("yes, please"));
    run.accept(done(2));
    let results = run.state.results_before(VisitNumber(3));
    assert_eq!(
        Value::Object(results),
        json!({ "ask": { "answer": "yes, please" } })
    );
    run.accept(done(3));
    assert_eq!(run.at(), "stay");
}

#[test]
fn the_answer_must_be_one_of_the_choices() {
    let workflow = asking(&["yes", "no"]);
    let run = begun(&workflow);
    let refusal = run.refusal(answer("Yes"));
    let expected = Refusal::BadChoice {
        answer: "Yes".to_owned(),
        choices: vec!["yes".to_owned(), "no".to_owned()],
    };
    assert_eq!(refusal, expected);
}

fn no_answer() -> Command<'static> {
    Command::Answer {
        visit: None,
        answer: None,
        reason: None,
    }
}

#[test]
fn an_empty_answer_is_refused() {
    let workflow = asking(&[]);
    let run = begun(&workflow);
    for nothing in [answer(" \t"), no_answer()] {
        assert_eq!(run.refusal(nothing), Refusal::Empty("the answer"));
    }
}

#[test]
fn an_empty_answer_to_a_question_with_choices_is_refused_with_the_choices() {
    let workflow = asking(&["yes", "no"]);
    let run = begun(&workflow);
    let expected = Refusal::BadChoice {
        answer: String::new(),
        choices: vec!["yes".to_owned(), "no".to_owned()],
    };
    for nothing in [answer(" \t"), no_answer()] {
        assert_eq!(run.refusal(nothing), expected);
    }
}

#[test]
fn an_agent_cannot_finish_a_question() {
    let workflow = asking(&[]);
    let run = begun(&workflow);
    assert_eq!(run.refusal(done(1)), Refusal::WrongStatus(RunStatus::Waiting));
    assert_eq!(
        run.refusal(gave_up(1, "no")),
        Refusal::WrongStatus(RunStatus::Waiting)
    );
}

#[test]
fn a_step_without_a_question_accepts_no_answer() {
    let workflow = workflow([step("a")]);
    let mut run = begun(&workflow);
    assert_eq!(run.refusal(answer("yes")), Refusal::NotAsking);
    run.accept(done(1));
    assert_eq!(
        run.refusal(answer("yes")),
        Refusal::WrongStatus(RunStatus::Completed)
    );
}

#[test]
fn a_repeated_answer_counts_once() {
    let workflow = asking(&["yes", "no"]);
    let mut run = begun(&workflow);
    run.accept(answer_to(1, "yes"));
    assert_eq!(run.decide(answer_to(1, "yes")), Decision::Already);
    // Repeat the printed command without an answer.
    let again = Command::Answer {
        visit: Some(VisitNumber(1)),
        answer: None,
        reason: None,
    };
    assert_eq!(run.decide(again), Decision::Already);
    assert_eq!(run.refusal(answer_to(1, "no")).code(), "stale-visit");
    assert_eq!(
        run.refusal(answer_to(9, "no")),
        Refusal::UnknownVisit(VisitNumber(9))
    );
    run.accept(done(2));
    assert_eq!(run.refusal(answer_to(1, "yes")).code(), "stale-visit");
}

#[test]
fn a_paused_run_accepts_no_answer_and_waits_again_after_resuming() {
    let workflow = asking(&["yes", "no"]);
    let mut run = begun(&workflow);
    run.accept(Command::Pause { reason: None });
    assert_eq!(
        run.refusal(answer("yes")),
        Refusal::WrongStatus(RunStatus::Paused)
    );
    run.accept(Command::Resume);
    assert_eq!(run.state.status, RunStatus::Waiting);
    run.accept(answer("yes"));
    assert_eq!(run.at(), "go");
}

#[test]
fn the_question_is_recorded_after_entering_the_step() {
    let workflow = workflow([step("a").to("ask"), step("ask").asks(&[])]);
    let mut run = begun(&workflow);
    let events = run.accept(done(1));
    let words: Vec<&str> = events
        .iter()
        .map(|event| match event {
            Event::Ended { .. } => "ended",
            Event::Entered { .. } => "entered",
            Event::Asked { .. } => "asked",
            _ => "other",
        })
        .collect();
    assert_eq!(words, ["ended", "entered", "asked"]);
}
