//! A step ends once: repeated and competing reports.

use std::fs;

use serde_json::Value;

use super::{three, word};
use crate::support::sandbox::{Answer, Sandbox, all_at_once};
use crate::support::workflows::THREE;

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
