//! The required content of a review, and the files that its verdict covers.

use serde_json::json;

use crate::support::page::Page;
use crate::support::reply::Step;
use crate::support::review::{
    at_the_limit, build, finding, judge, last_word, review, reviewed, up_to_review,
};
use crate::support::sandbox::{Answer, Sandbox};
use crate::support::workflows::{REVIEWED, REVIEWER};

#[test]
fn a_verdict_names_its_tree_and_is_stale_after_a_change() {
    let sandbox = reviewed();
    let step = sandbox.start(&["reviewed"]);
    let gate = up_to_review(&sandbox, &step);
    judge(&sandbox, &gate, &[]);
    sandbox.write(&sandbox.project().join("sneaked-in.rs"), "fn bad() {}");
    let refused = sandbox.printed(gate.command()).refused("review-stale");
    assert!(refused.details[0].contains("bugle run retry"), "{refused:?}");
    assert_eq!(refused.details[1], "changed since the review: sneaked-in.rs");
    let retry = refused.details[0].split("restart the reviewer: ").nth(1).unwrap();
    let stale = sandbox.run(&["step", &gate.run]).ok().step();
    assert_eq!(stale.command(), retry, "the printed command works");
    let again = sandbox.printed(retry).ok().step();
    let text = sandbox.run(&["step", &gate.run, "--format", "text"]).ok().out;
    assert!(text.contains("sub-agent 1: not started"), "{text}");
    judge(&sandbox, &again, &[]);
    let next = sandbox.printed(again.command()).ok().step();
    assert_eq!(next.step, "deliver");
    assert!(
        next.verdict
            .as_ref()
            .unwrap()
            .1
            .contains("Reviewed version of the files: "),
        "{next:?}"
    );
    let fresh = sandbox.run(&["findings", &gate.visit, "--json"]).ok().json();
    assert_eq!(fresh["data"]["stale"], json!(false));
    let notice = "(review) is stale: the files have changed since the review.";
    let shown = || sandbox.run(&["show", &gate.run]).ok().out;
    let page = || {
        Page::open(&sandbox)
            .get(&format!("/runs/{}", gate.run))
            .main()
            .to_owned()
    };
    assert!(!shown().contains(notice) && !page().contains(">stale: "));
    sandbox.write(&sandbox.project().join("later.rs"), "fn later() {}");
    assert!(shown().contains(notice), "{}", shown());
    assert_eq!(page().matches(">stale: ").count(), 1, "{}", page());
    let stale = sandbox.run(&["findings", &gate.visit, "--json"]).ok().json();
    assert_eq!(stale["data"]["stale"], json!(true));
}

#[test]
fn a_notice_says_that_the_files_have_changed_since_the_review() {
    let told = |shown: &str| shown.contains("<notice>The files have changed since the review.");
    for (tools, says_so) in [("tools: { deny: [Edit, Write] }", true), ("phase: end", false)] {
        let sandbox = Sandbox::new();
        sandbox.git_init();
        let workflow = REVIEWED.replace("title: Deliver it", &format!("title: Deliver it\n    {tools}"));
        let folder = sandbox.skill("reviewed", &workflow);
        sandbox.write(&folder.join("agents/review.yaml"), REVIEWER);
        let gate = up_to_review(&sandbox, &sandbox.start(&["reviewed"]));
        judge(&sandbox, &gate, &[]);
        let passed = sandbox.printed(gate.command()).ok();
        assert!(!told(&passed.out), "{}", passed.out);
        sandbox.write(&sandbox.project().join("later.rs"), "fn later() {}");
        let again = sandbox.run(&["step", &gate.run]).ok().out;
        // A step with write access gets no notice, because it is expected to change files.
        assert_eq!(told(&again), says_so, "{again}");
    }
    let sandbox = reviewed();
    let waiting = at_the_limit(&sandbox);
    sandbox.write(&sandbox.project().join("later.rs"), "fn later() {}");
    let again = sandbox.run(&["step", &waiting.run]).ok().out;
    assert!(told(&again), "the decision shows the notice: {again}");
}

/// Advances a gate's reviewer to the step that reports.
fn reviewing(sandbox: &Sandbox, gate: &Step) -> Answer {
    let [command] = gate.starts.as_slice() else {
        panic!("{gate:?}")
    };
    let first = sandbox.printed(command).ok().step();
    sandbox.printed(first.command()).ok()
}

#[test]
fn only_disputed_findings_reach_the_next_reviewer() {
    let sandbox = Sandbox::new();
    sandbox.git_init();
    let workflow = REVIEWED
        .replace("limit: 5 }", "limit: 5, blocks: should }")
        .replace(
            "parts: { type: array, items: string }\n    next",
            "parts: { type: array, items: string }\n      disputes: { type: disputes, required: false }\n    next",
        );
    let folder = sandbox.skill("reviewed", &workflow);
    sandbox.write(&folder.join("agents/review.yaml"), REVIEWER);
    let gate = up_to_review(&sandbox, &sandbox.start(&["reviewed"]));
    let first = reviewing(&sandbox, &gate);
    assert!(!first.out.contains("In this review, "), "{}", first.out);
    let objections = [
        finding("should", "errors"),
        finding("must", "naming"),
        finding("could", "errors"),
    ];
    let word = last_word(&sandbox.report(&first.step(), &review(&objections)).ok());
    let rework = sandbox.printed(&word.command).ok();
    assert!(rework.out.contains("number=\"2\""), "{}", rework.out);
    let disputing = |finding: u32| json!({ "parts": ["one"], "disputes": [{ "finding": finding, "evidence": "src/lib.rs:9 names it" }] });
    sandbox
        .report(&rework.step(), &disputing(3))
        .refused("unknown-dispute");
    let building = sandbox.report(&rework.step(), &disputing(1)).ok().step();
    build(&sandbox, &building.starts[0]);
    let again = sandbox.printed(building.command()).ok().step();
    let second = reviewing(&sandbox, &again).out;
    assert!(
        second.contains("disputed_findings") && second.contains("src/lib.rs:9 names it"),
        "{second}"
    );
    assert!(second.contains("the naming of parse"), "{second}");
    assert!(!second.contains("the errors of parse"), "{second}");
}
