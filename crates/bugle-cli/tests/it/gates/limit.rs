//! The limit on review rounds, and the decision that follows.

use serde_json::json;

use crate::support::review::{
    at_the_limit, build, choose, finding, judge, last_word, plan, review, reviewed, up_to_review,
};

#[test]
fn a_reviewer_that_always_objects_is_counted_and_then_a_person_decides() {
    let sandbox = reviewed();
    let mut step = sandbox.start(&["reviewed"]);
    // From review 4 on `could` does not block, from review 5 on only `must` does. One finding of each kind shows this.
    for iteration in 1..=5 {
        let gate = up_to_review(&sandbox, &step);
        assert_eq!(gate.banner, Some((iteration, "gate".to_owned())));
        let objections = ["must", "should", "could"].map(|severity| {
            let mut objection = finding(severity, severity);
            objection["category"] = json!("errors");
            objection
        });
        let word = judge(&sandbox, &gate, &objections);
        assert_eq!(word.verdict, "The review has 3 findings.");
        let next = sandbox.printed(&word.command).ok().step();
        let (status, sentence) = next.verdict.clone().unwrap();
        assert_eq!(status, "fail");
        let blocking = [3, 3, 3, 2, 1][iteration as usize - 1];
        let told = format!(
            "not passed in review {iteration}. After 5 failed reviews, the user decides. Blocking findings: {blocking}"
        );
        assert!(sentence.contains(&told), "{sentence}");
        if iteration < 5 {
            assert_eq!((next.step.as_str(), next.open_findings.len()), ("plan", blocking));
            assert!(
                next.open_findings.iter().all(|finding| finding.3 == iteration),
                "{next:?}"
            );
        } else {
            assert_eq!(next.step, "review");
            let answers: Vec<&str> = next.choices.iter().map(|choice| choice.answer.as_str()).collect();
            assert_eq!(answers, ["continue", "accept", "abort"]);
            assert_eq!(sandbox.position(&next.run).0, "waiting");
        }
        step = next;
    }
}

#[test]
fn continue_fixes_and_reviews_once_more() {
    let sandbox = reviewed();
    let waiting = at_the_limit(&sandbox);
    let fixing = choose(&sandbox, &waiting, "continue").ok().step();
    assert_eq!((fixing.step.as_str(), fixing.open_findings.len()), ("plan", 1));
    assert_eq!(
        fixing.notices,
        ["At step `review` the user answered `continue`, because: \"we ship on Friday\""]
    );
    let timeline = sandbox.run(&["show", &fixing.run]).ok().out;
    assert_eq!(timeline.matches("we ship on Friday").count(), 1, "{timeline}");
    let building = plan(&sandbox, &fixing, 2);
    let builder = sandbox.printed(&building.starts[0]).ok().step();
    assert_eq!(
        builder.notices,
        ["The user wants one more fix, because: \"we ship on Friday\""],
        "the author sees the reason"
    );
    for command in &building.starts {
        build(&sandbox, command);
    }
    let gate = sandbox.printed(building.command()).ok().step();
    assert_eq!(gate.step, "review");
    assert_eq!(gate.banner, Some((6, "gate".to_owned())), "the count continues");
    judge(&sandbox, &gate, &[]);
    assert_eq!(sandbox.printed(gate.command()).ok().step().step, "deliver");
}

#[test]
fn accept_records_the_findings_as_risks_and_continues_the_run() {
    let sandbox = reviewed();
    let waiting = at_the_limit(&sandbox);
    let next = choose(&sandbox, &waiting, "accept").ok().step();
    assert_eq!(next.step, "deliver");
    assert!(
        next.verdict
            .as_ref()
            .unwrap()
            .1
            .contains("a program relayed the user's decision: accept")
    );
    assert_eq!(
        next.notices,
        ["At step `review` the user answered `accept`, because: \"we ship on Friday\""]
    );
    let timeline = sandbox.run(&["show", &next.run]).ok().out;
    assert!(
        timeline.contains("accepted the risk of 1 finding: we ship on Friday"),
        "{timeline}"
    );
    // The same finding no longer blocks when the work is reviewed again.
    let again = sandbox.run(&["rewind", &format!("{}#1", next.run)]).ok().step();
    let gate = up_to_review(&sandbox, &again);
    let first = sandbox.printed(&gate.starts[0]).ok().step();
    let reviewer = sandbox.printed(first.command()).ok();
    assert!(reviewer.out.contains("<accepted_risks>"), "{}", reviewer.out);
    last_word(
        &sandbox
            .report(&reviewer.step(), &review(&[finding("must", "errors")]))
            .ok(),
    );
    assert_eq!(sandbox.printed(gate.command()).ok().step().step, "deliver");
}

#[test]
fn abort_cancels_the_run() {
    let sandbox = reviewed();
    let waiting = at_the_limit(&sandbox);
    let end = choose(&sandbox, &waiting, "abort").ok().end();
    assert_eq!(end.status, "cancelled");
    assert_eq!(sandbox.position(&waiting.run).0, "cancelled");
    let timeline = sandbox.run(&["show", &waiting.run]).ok().out;
    assert!(timeline.contains("we ship on Friday"), "{timeline}");
    sandbox.verify();
}

#[test]
fn a_decision_needs_a_reason_and_names_who_made_it() {
    let sandbox = reviewed();
    let waiting = at_the_limit(&sandbox);
    let choice = &waiting.choices[1].command;
    sandbox.printed(choice).refused("empty");
    sandbox
        .run(&["decide", &waiting.visit, "perhaps", "--why", "x"])
        .refused("bad-choice");
    let next = sandbox
        .run(&["decide", &waiting.run, "accept", "--why", "a known risk"])
        .ok()
        .step();
    assert_eq!(next.step, "deliver");
    sandbox.run(&["decide", &waiting.visit, "accept"]).ok();
    sandbox
        .run(&["decide", &waiting.visit, "abort", "--why", "no"])
        .refused("stale-visit");
    let detail = sandbox.run(&["show", &next.run, "--json"]).ok().json();
    let timeline = detail["data"]["timeline"].as_array().unwrap();
    let accepted = timeline
        .iter()
        .find(|entry| entry["kind"] == "risks_accepted")
        .unwrap();
    assert!(
        accepted["by"].as_str().is_some_and(|by| !by.is_empty()),
        "{accepted}"
    );
}

#[test]
fn a_reviewer_that_objects_once_causes_one_rework() {
    let sandbox = reviewed();
    let mut visited = vec!["plan".to_owned()];
    let mut step = sandbox.start(&["reviewed"]);
    for objection in [vec![finding("should", "naming")], Vec::new()] {
        let gate = up_to_review(&sandbox, &step);
        judge(&sandbox, &gate, &objection);
        step = sandbox.printed(gate.command()).ok().step();
        visited.extend(["build".to_owned(), "review".to_owned(), step.step.clone()]);
    }
    assert_eq!(visited.join(" "), "plan build review plan build review deliver");
    sandbox.printed(step.command()).ok().end();
    sandbox.verify();
}
