//! Results, answers and failures each count once.

use bugle_app::{RunSelector, Stop, search};
use bugle_core::reply::StepView;
use serde_json::json;

use super::{ASKING, notices, run_of, started, three, word};
use crate::project::{Project, refused};
use crate::reviewed::{end, request, step, stopped, visit};

/// A run of [`ASKING`] after both answers. Returns the step that can fail.
fn attempt() -> (Project, StepView) {
    let (mut project, choose) = started("asking", ASKING);
    let run = run_of(&choose);
    step(project.decide(&run, Some("left, mostly"), None));
    let attempt = step(project.decide(&run, Some("no reason"), None));
    (project, attempt)
}

#[test]
fn a_step_with_a_result_needs_one_of_the_right_shape() {
    let (mut project, first) = three();
    let missing = refused(project.end_visit(&first), "result-missing");
    assert!(missing.outline.unwrap().contains("\"word\""));
    let misfit = refused(
        project.report(&first, &json!({ "word": 7, "extra": true })),
        "result-mismatch",
    );
    for field in ["word", "extra"] {
        assert!(
            misfit.details.iter().any(|detail| detail.contains(field)),
            "{field}: {misfit:?}"
        );
    }
    assert_eq!(misfit.command, first.command);
    let file = &first.result.as_ref().unwrap().file;
    assert!(
        std::fs::exists(file).unwrap(),
        "the result file is kept and can be fixed"
    );
    let second = step(project.report(&first, &word("fixed")));
    let third = step(project.report(&second, &word("two")));
    let refusal = refused(
        project.end_visit_with(&visit(&third), &word("three")),
        "result-unexpected",
    );
    assert_eq!(refusal.command, third.command);
    end(project.end_visit(&third));
}

#[test]
fn an_answer_counts_once_whether_chosen_or_free() {
    let (mut project, choose) = started("asking", ASKING);
    assert_eq!(choose.command, None, "each choice has its own command");
    let at = run_of(&choose);
    let choose_visit = RunSelector::Visit(visit(&choose));
    let explain = step(project.decide(&choose_visit, Some("it's right"), None));
    assert_eq!(
        step(project.decide(&choose_visit, Some("it's right"), None)),
        explain
    );
    refused(
        project.decide(&choose_visit, Some("left, mostly"), None),
        "stale-visit",
    );
    let ask = explain.ask.as_ref().unwrap();
    assert_eq!(ask.question, "Why \"it's right\"?");
    let explain_visit = RunSelector::Visit(visit(&explain));
    let refusal = refused(project.decide(&explain_visit, None, None), "empty");
    let again = format!("bugle decide '{}' \"TEXT\"", visit(&explain));
    assert_eq!(refusal.command, Some(again));
    std::fs::write(ask.file.as_ref().unwrap(), "it is\nshorter; $(touch x) `y`\n").unwrap();
    let attempt = step(project.decide(&explain_visit, None, None));
    assert_eq!(
        attempt.action,
        "Attempt it, because it is shorter; $(touch x) `y`"
    );
    assert_eq!(step(project.decide(&explain_visit, None, None)), attempt);
    refused(
        project.decide(&explain_visit, Some("something else"), None),
        "stale-visit",
    );
    assert_eq!(step(project.current(&at)), attempt);
    project.check();
}

#[test]
fn the_reason_for_an_answer_is_kept_and_shown() {
    let (mut project, choose) = started("asking", ASKING);
    let at = RunSelector::Visit(visit(&choose));
    let why = Some("the left one\nis closed on Fridays");
    let explain = step(project.decide(&at, Some("it's right"), why));
    let told =
        "At step `choose` the user answered `it's right`, because: \"the left one is closed on Fridays\"";
    assert_eq!(notices(&explain), [told]);
    assert_eq!(
        step(project.decide(&at, Some("it's right"), why)),
        explain,
        "it is taken once"
    );
    let history = project.history(&choose).join("\n");
    assert!(history.contains("closed on Fridays"), "{history}");
    let found = search::search(&mut project.app.store, &project.app.context, "Fridays", 10, false);
    let found = found.unwrap().found;
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].excerpt.contains("closed on Fridays"), "{found:?}");
    // The answer recorded a reason too, but `--fail` is still not a repeat of the answer.
    let failed = stopped(visit(&choose), Stop::Failed, "no way");
    refused(project.finish(failed), "stale-visit");
    project.check();
}

#[test]
fn a_failure_is_reported_once_with_its_reason() {
    let (mut project, attempt) = attempt();
    assert!(attempt.failure_command.is_some());
    let in_file = || {
        let mut failed = request(visit(&attempt));
        failed.stopped = Some((Stop::Failed, None));
        failed
    };
    refused(project.finish(in_file()), "empty");
    let file = attempt.failure_file.as_ref().unwrap();
    std::fs::write(file, "The road\nis closed.").unwrap();
    let mourn = step(project.finish(in_file()));
    assert_eq!(step(project.finish(in_file())), mourn);
    assert_eq!(mourn.position.step.as_deref(), Some("mourn"));
    assert_eq!(
        notices(&mourn),
        ["The agent reported that it could not complete step `attempt`: \"The road is closed.\""]
    );
    refused(project.end_visit(&attempt), "stale-visit");
    let no_way = stopped(visit(&mourn), Stop::Failed, "too sad");
    let refusal = refused(project.finish(no_way), "cannot-fail");
    assert_eq!(refusal.position.unwrap().step.as_deref(), Some("mourn"));
    end(project.end_visit(&mourn));
    project.check();
}
