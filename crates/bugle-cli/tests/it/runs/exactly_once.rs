//! A step ends once: repeated, late, invented and competing reports.

use std::fs;

use serde_json::{Value, json};

use super::{three, word};
use crate::support::sandbox::{Answer, Sandbox, all_at_once};
use crate::support::workflows::{ASKING, THREE};

/// Ends a visit with a result given on the command line.
fn done(sandbox: &Sandbox, visit: &str, result: &Value) -> Answer {
    sandbox.run(&["done", visit, "--result", &result.to_string()])
}

#[test]
fn a_repeated_report_prints_the_same_and_advances_once() {
    let (sandbox, first) = three();
    fs::write(first.result_file(), word("one").to_string()).unwrap();
    let once = sandbox.printed(first.command()).ok();
    let events = sandbox.events(&first.run);
    // Even if the result file is gone and the answer was lost, the printed command is the same.
    assert!(!first.result_file().exists());
    assert_eq!(sandbox.printed(first.command()), once);
    assert_eq!(done(&sandbox, &first.visit, &word("one")), once);
    fs::write(first.result_file(), word("one").to_string()).unwrap();
    assert_eq!(sandbox.printed(first.command()), once, "the file is still there");
    assert_eq!(sandbox.events(&first.run), events);
    assert_eq!(once.step().step, "second");
    sandbox.verify();
}

#[test]
fn a_step_with_a_result_needs_one_of_the_right_shape() {
    let (sandbox, first) = three();
    let missing = sandbox.printed(first.command()).refused("result-missing");
    assert!(missing.outline.unwrap().contains("\"word\""));
    let misfit = sandbox
        .report(&first, &json!({ "word": 7, "extra": true }))
        .refused("result-mismatch");
    assert!(
        misfit.details.iter().any(|detail| detail.contains("word")),
        "{:?}",
        misfit.details
    );
    assert!(
        misfit.details.iter().any(|detail| detail.contains("extra")),
        "{:?}",
        misfit.details
    );
    assert_eq!(misfit.command(), first.command());
    assert!(
        first.result_file().exists(),
        "the result file is kept and can be fixed"
    );
    fs::write(first.result_file(), word("mended").to_string()).unwrap();
    let second = sandbox.printed(misfit.command()).ok().step();
    let third = sandbox.report(&second, &word("two")).ok().step();
    let refused = done(&sandbox, &third.visit, &word("three")).refused("result-unexpected");
    sandbox.printed(refused.command()).ok().end();
}

#[test]
fn many_processes_with_the_same_report_advance_the_run_once() {
    let (sandbox, first) = three();
    fs::write(first.result_file(), word("one").to_string()).unwrap();
    let answers = all_at_once((0..16).map(|_| sandbox.bugle(&["done", &first.visit])).collect());
    let expected = sandbox.run(&["step", &first.run]).ok();
    assert_eq!(expected.step().visit, format!("{}#2", first.run));
    for answer in answers {
        assert_eq!(answer, expected);
    }
    assert_eq!(sandbox.events(&first.run), 4, "started, entered, ended, entered");
    sandbox.verify();
}

#[test]
fn one_of_many_processes_with_different_reports_wins() {
    let (sandbox, first) = three();
    let results: Vec<String> = (0..16)
        .map(|number| word(&format!("number {number}")).to_string())
        .collect();
    let answers = all_at_once(
        results
            .iter()
            .map(|result| sandbox.bugle(&["done", &first.visit, "--result", result]))
            .collect(),
    );
    let (won, lost): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.code == Some(0));
    assert_eq!(won.len(), 1);
    let next = won[0].step();
    assert!(next.action.starts_with("The first thing was number "));
    for answer in lost {
        let refused = answer.refused("stale-visit");
        assert_eq!(refused.visit.as_deref(), Some(next.visit.as_str()));
    }
    assert_eq!(sandbox.run(&["step", &first.run]).ok().step(), next);
    assert_eq!(sandbox.events(&first.run), 4);
    sandbox.verify();
}

#[test]
fn many_processes_can_create_the_store_at_once() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let answers = all_at_once((0..16).map(|_| sandbox.bugle(&["start", "three"])).collect());
    let mut runs: Vec<String> = answers.into_iter().map(|answer| answer.ok().step().run).collect();
    runs.sort();
    runs.dedup();
    assert_eq!(runs.len(), 16);
    sandbox.verify();
}

#[test]
fn an_answer_counts_once_whether_chosen_or_free() {
    let sandbox = Sandbox::with_skill("asking", ASKING);
    let choose = sandbox.start(&["asking"]);
    assert_eq!(sandbox.position(&choose.run).0, "waiting");
    assert_eq!(choose.command, None, "each choice has its own command");
    let picked = &choose.choices[1];
    assert_eq!(picked.answer, "it's right");
    let explained = sandbox.printed(&picked.command).ok();
    assert_eq!(sandbox.printed(&picked.command), explained);
    sandbox.printed(&choose.choices[0].command).refused("stale-visit");

    let explain = explained.step();
    assert_eq!(explain.question.as_deref(), Some("Why \"it's right\"?"));
    let refused = sandbox.printed(explain.command()).refused("empty");
    assert_eq!(
        refused.command(),
        format!("bugle decide '{}' \"TEXT\"", explain.visit)
    );
    fs::write(
        explain.answer_file.as_ref().unwrap(),
        "it is\nshorter; $(touch x) `y`\n",
    )
    .unwrap();
    let attempted = sandbox.printed(explain.command()).ok();
    assert_eq!(
        attempted.step().action,
        "Attempt it, because it is shorter; $(touch x) `y`"
    );
    assert_eq!(sandbox.printed(explain.command()), attempted);
    sandbox
        .run(&["decide", &explain.visit, "something else"])
        .refused("stale-visit");
    sandbox.verify();
}

#[test]
fn the_reason_for_an_answer_is_kept_and_shown() {
    let sandbox = Sandbox::with_skill("asking", ASKING);
    let choose = sandbox.start(&["asking"]);
    let why = "the left one\nis closed on Fridays";
    let decide = ["decide", choose.visit.as_str(), "it's right", "--why", why];
    let explain = sandbox.run(&decide).ok();
    let told =
        "At step `choose` the user answered `it's right`, because: \"the left one is closed on Fridays\"";
    assert_eq!(explain.step().notices, [told]);
    assert_eq!(sandbox.run(&decide), explain, "it is taken once");
    let shown = sandbox.run(&["show", &choose.run]).ok().out;
    assert!(shown.contains("closed on Fridays"), "{shown}");
    let found = sandbox.run(&["search", "Fridays"]).ok().out;
    assert!(found.contains("closed on Fridays"), "{found}");
    // The answer recorded a reason too, but `--fail` is still not a repeat of the answer.
    sandbox
        .run(&["done", &choose.visit, "--fail", "no way"])
        .refused("stale-visit");
    sandbox.verify();
}

#[test]
fn a_failure_is_reported_once_with_its_reason() {
    let sandbox = Sandbox::with_skill("asking", ASKING);
    let run = sandbox.start(&["asking"]).run;
    sandbox.run(&["decide", &run, "left, mostly"]).ok();
    let attempt = sandbox.run(&["decide", &run, "no reason"]).ok().step();
    let (command, file) = attempt.failure.as_ref().unwrap();
    sandbox.printed(command).refused("empty");
    fs::write(file, "The road\nis closed.").unwrap();
    let mourned = sandbox.printed(command).ok();
    assert_eq!(sandbox.printed(command), mourned);
    let mourn = mourned.step();
    assert_eq!(mourn.step, "mourn");
    assert_eq!(
        mourn.notices,
        ["The agent reported that it could not complete step `attempt`: \"The road is closed.\""]
    );
    sandbox.printed(attempt.command()).refused("stale-visit");
    let no_way = sandbox
        .run(&["done", &mourn.visit, "--fail", "too sad"])
        .refused("cannot-fail");
    assert_eq!(no_way.step.as_deref(), Some("mourn"));
    sandbox.printed(mourn.command()).ok().end();
    sandbox.verify();
}
