//! Answers to a run's questions.

use bugle_core::engine::RunStatus;

use super::{ASKING, run_of, started};
use crate::project::refused;
use crate::reviewed::step;

#[test]
fn an_answer_must_be_one_of_the_choices_and_come_from_decide() {
    let (mut project, choose) = started("asking", ASKING);
    let run = run_of(&choose);
    let choices = choose.ask.as_ref().unwrap().choices.iter();
    let answers: Vec<String> = choices
        .map(|choice| format!("to answer \"{}\": {}", choice.answer, choice.command))
        .collect();
    for answer in [Some("up"), None] {
        let refusal = refused(project.decide(&run, answer, None), "bad-choice");
        assert_eq!(refusal.details, answers);
        assert_eq!(refusal.command, None, "each answer has its own command");
    }
    let refusal = refused(project.end_visit(&choose), "wrong-status");
    assert_eq!(refusal.position.unwrap().status, RunStatus::Waiting);
    let next = format!("bugle step {}", choose.position.run);
    assert_eq!(refusal.command, Some(next));
    assert_eq!(step(project.current(&run)), choose);
    step(project.decide(&run, Some("left, mostly"), None));
}
