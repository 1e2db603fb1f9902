//! Gates from outside: reviews that count, verdicts that are computed, and a person who decides in the end.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Answer, Sandbox};
use crate::hooked::Client;
use crate::page::Page;
use crate::samples::{REVIEWED, REVIEWER};
use crate::shown::{LastWord, Shown, Step};

/// A project with the skill whose reviewer objects as it is told to.
pub(crate) fn reviewed() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.git_init();
    let folder = sandbox.skill("reviewed", REVIEWED);
    sandbox.write(&folder.join("agents/review.yaml"), REVIEWER);
    sandbox
}

pub(crate) fn finding(severity: &str, category: &str) -> Value {
    json!({
        "severity": severity, "category": category, "location": "src/lib.rs:7", "element": format!("the {category} of parse"),
        "problem": "it accepts anything", "action": "refuse what is not a number",
    })
}

pub(crate) fn review(findings: &[Value]) -> Value {
    json!({ "checks": ["errors", "naming"], "findings": findings })
}

/// Plans so many parts, and goes on to the building.
pub(crate) fn plan(sandbox: &Sandbox, step: &Step, parts: usize) -> Step {
    let parts: Vec<String> = (1..=parts).map(|part| format!("part {part}")).collect();
    sandbox.report(step, &json!({ "parts": parts })).ok().step()
}

/// The sub-agent that this command starts does its one step and ends.
pub(crate) fn build(sandbox: &Sandbox, command: &str) -> LastWord {
    let step = sandbox.printed(command).ok().step();
    last_word(&sandbox.report(&step, &json!({ "report": "built" })).ok())
}

#[track_caller]
pub(crate) fn last_word(answer: &Answer) -> LastWord {
    match answer.shown() {
        Shown::LastWord(word) => word,
        other => panic!("not a last word: {other:?}"),
    }
}

/// Plans, has everything built, and comes to the review.
pub(crate) fn up_to_review(sandbox: &Sandbox, planned: &Step) -> Step {
    let building = plan(sandbox, planned, 2);
    for command in &building.starts {
        build(sandbox, command);
    }
    let gate = sandbox.printed(building.command()).ok().step();
    assert_eq!(gate.step, "review");
    gate
}

/// The reviewer of a gate reports this; what the orchestrator is told.
pub(crate) fn judge(sandbox: &Sandbox, gate: &Step, findings: &[Value]) -> LastWord {
    let [command] = gate.starts.as_slice() else {
        panic!("{gate:?}")
    };
    let first = sandbox.printed(command).ok().step();
    let second = sandbox.printed(first.command()).ok().step();
    last_word(&sandbox.report(&second, &review(findings)).ok())
}

/// The choice that a person makes at a gate's limit, with a reason.
fn choose(sandbox: &Sandbox, step: &Step, answer: &str) -> Answer {
    let choice = step
        .choices
        .iter()
        .find(|choice| choice.answer == answer)
        .unwrap();
    fs::write(step.reason_file.as_ref().unwrap(), "we ship on Friday").unwrap();
    sandbox.printed(&choice.command)
}

/// Fails the gate until a person has to decide.
pub(crate) fn at_the_limit(sandbox: &Sandbox) -> Step {
    up_to_the_limit(sandbox, sandbox.start(&["reviewed"]))
}

fn up_to_the_limit(sandbox: &Sandbox, begun: Step) -> Step {
    let mut step = begun;
    for iteration in 1..=5 {
        let gate = up_to_review(sandbox, &step);
        assert_eq!(gate.banner, Some((iteration, "gate".to_owned())));
        let word = judge(sandbox, &gate, &[finding("must", "errors")]);
        step = sandbox.printed(&word.command).ok().step();
    }
    step
}

#[test]
fn a_reviewer_that_always_objects_is_counted_and_then_a_person_decides() {
    let sandbox = reviewed();
    let mut step = sandbox.start(&["reviewed"]);
    // At 4 `could` stops blocking, at 5 only `must` blocks: so one finding of each kind shows when it stops.
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
        let told = format!("Review {iteration}, a person decides after 5; blocking findings: {blocking}");
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
fn continue_mends_and_reviews_once_more() {
    let sandbox = reviewed();
    let waiting = at_the_limit(&sandbox);
    let mending = choose(&sandbox, &waiting, "continue").ok().step();
    assert_eq!((mending.step.as_str(), mending.open_findings.len()), ("plan", 1));
    assert_eq!(
        mending.notices,
        ["At step `review` the user answered `continue`, because: \"we ship on Friday\""]
    );
    let timeline = sandbox.run(&["show", &mending.run]).ok().out;
    assert_eq!(timeline.matches("we ship on Friday").count(), 1, "{timeline}");
    let building = plan(&sandbox, &mending, 2);
    let builder = sandbox.printed(&building.starts[0]).ok().step();
    assert_eq!(
        builder.notices,
        ["The user wants it mended once more, because: \"we ship on Friday\""],
        "whoever mends is told"
    );
    for command in &building.starts {
        build(&sandbox, command);
    }
    let gate = sandbox.printed(building.command()).ok().step();
    assert_eq!(gate.step, "review");
    assert_eq!(gate.banner, Some((6, "gate".to_owned())), "it goes on counting");
    judge(&sandbox, &gate, &[]);
    assert_eq!(sandbox.printed(gate.command()).ok().step().step, "deliver");
}

#[test]
fn accept_takes_the_findings_as_risks_and_goes_on() {
    let sandbox = reviewed();
    let waiting = at_the_limit(&sandbox);
    let next = choose(&sandbox, &waiting, "accept").ok().step();
    assert_eq!(next.step, "deliver");
    assert!(
        next.verdict
            .as_ref()
            .unwrap()
            .1
            .contains("a program passed on the user's decision: accept")
    );
    assert_eq!(
        next.notices,
        ["At step `review` the user answered `accept`, because: \"we ship on Friday\""]
    );
    let timeline = sandbox.run(&["show", &next.run]).ok().out;
    assert!(
        timeline.contains("accepted as a risk: 1 finding: we ship on Friday"),
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
fn abort_gives_the_run_up() {
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
fn a_decision_needs_a_reason_and_says_who_took_it() {
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
fn a_reviewer_that_objects_once_sends_the_work_round_once() {
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

#[test]
fn the_first_review_fixes_the_checks_and_only_a_must_adds_to_them() {
    let sandbox = reviewed();
    let mut step = sandbox.start(&["reviewed"]);
    let rounds = [
        (vec![finding("could", "naming")], "plan"),
        // Nobody checked this at first, and it is no must.
        (vec![finding("should", "layout")], "deliver"),
    ];
    for (objection, next) in rounds {
        let gate = up_to_review(&sandbox, &step);
        let first = sandbox.printed(&gate.starts[0]).ok().step();
        let reviewer = sandbox.printed(first.command()).ok().step();
        let fixed: Vec<&str> = reviewer.fixed_checks.iter().map(String::as_str).collect();
        if gate.visit.ends_with("#3") {
            assert!(fixed.is_empty(), "the first review is free to choose: {fixed:?}");
        } else {
            assert_eq!(fixed, ["errors", "naming"]);
            let shown = sandbox.printed(&gate.starts[0]).ok().out;
            assert!(
                !shown.contains("the naming of parse"),
                "no reviewer is told what was found before: {shown}"
            );
        }
        last_word(&sandbox.report(&reviewer, &review(&objection)).ok());
        step = sandbox.printed(gate.command()).ok().step();
        assert_eq!(step.step, next);
    }
    let again = sandbox.run(&["rewind", &format!("{}#4", step.run)]).ok().step();
    let gate = up_to_review(&sandbox, &again);
    judge(&sandbox, &gate, &[finding("must", "layout")]);
    assert_eq!(
        sandbox.printed(gate.command()).ok().step().step,
        "plan",
        "a new must blocks"
    );
}

#[test]
fn a_verdict_names_the_tree_and_goes_stale_with_it() {
    let sandbox = reviewed();
    let step = sandbox.start(&["reviewed"]);
    let gate = up_to_review(&sandbox, &step);
    judge(&sandbox, &gate, &[]);
    sandbox.write(&sandbox.project().join("sneaked-in.rs"), "fn bad() {}");
    let refused = sandbox.printed(gate.command()).refused("review-stale");
    assert!(refused.details[0].contains("bugle retry"), "{refused:?}");
    let retry = refused.details[0].split("again: ").nth(1).unwrap();
    let again = sandbox.printed(retry).ok().step();
    judge(&sandbox, &again, &[]);
    let next = sandbox.printed(again.command()).ok().step();
    assert_eq!(next.step, "deliver");
    assert!(
        next.verdict.as_ref().unwrap().1.contains("Files judged: "),
        "{next:?}"
    );
    let fresh = sandbox.run(&["findings", &gate.visit, "--json"]).ok().json();
    assert_eq!(fresh["data"]["stale"], json!(false));
    let notice = "(review) is stale: the files have changed since.";
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
fn the_user_can_accept_a_finding_before_the_limit_and_an_agent_cannot() {
    let sandbox = reviewed();
    let step = sandbox.start(&["reviewed"]);
    let gate = up_to_review(&sandbox, &step);
    judge(
        &sandbox,
        &gate,
        &[finding("must", "errors"), finding("should", "naming")],
    );
    let mending = sandbox.printed(gate.command()).ok().step();
    let accept = ["accept", gate.visit.as_str(), "1", "--why", "a known risk"];
    let agent = sandbox.run_in_session("CLAUDE_CODE_SESSION_ID", "s-1", &accept);
    agent.refused("person-needed");
    sandbox
        .run_as_person(&["accept", &gate.visit, "7", "--why", "x"])
        .refused("unknown-finding");
    sandbox.run(&accept).refused("person-needed");
    sandbox.run_as_person(&accept).ok();
    let gate = up_to_review(&sandbox, &mending);
    judge(&sandbox, &gate, &[finding("must", "errors")]);
    assert_eq!(
        sandbox.printed(gate.command()).ok().step().step,
        "deliver",
        "what was accepted does not block"
    );
}

#[test]
fn what_is_accepted_at_the_limit_no_longer_blocks() {
    let sandbox = reviewed();
    let mut step = sandbox.start(&["reviewed"]);
    for _ in 1..=5 {
        let gate = up_to_review(&sandbox, &step);
        let word = judge(
            &sandbox,
            &gate,
            &[finding("must", "errors"), finding("must", "naming")],
        );
        step = sandbox.printed(&word.command).ok().step();
    }
    let (run, visit) = (step.run.as_str(), step.visit.as_str());
    let first = sandbox
        .run_as_person(&["accept", visit, "2", "--why", "known"])
        .ok()
        .out;
    assert!(
        first.contains("1 other still does; the run still waits for a decision: "),
        "{first}"
    );
    let found = sandbox.run(&["findings", visit, "--json"]).ok().json();
    let numbers = |kind: &str| -> Vec<u64> {
        let found = found["data"][kind].as_array().unwrap();
        found
            .iter()
            .map(|finding| finding["number"].as_u64().unwrap())
            .collect()
    };
    assert_eq!((numbers("blocking"), numbers("accepted")), (vec![1], vec![2]));
    let waiting = sandbox.run(&["step", run]).ok().step();
    let told = waiting.verdict.unwrap().1;
    assert!(
        told.contains("blocking findings: 1, accepted as risks: 1, others: 0"),
        "{told}"
    );
    assert_eq!(waiting.choices.len(), 3);
    // With the last of them there is nothing left to decide.
    let last = sandbox
        .run_as_person(&["accept", visit, "1", "--why", "known"])
        .ok()
        .out;
    assert!(
        last.contains("Nothing else does; where the run stands: "),
        "{last}"
    );
    let next = sandbox.run(&["step", run]).ok().step();
    assert_eq!(next.step, "deliver");
    let again = sandbox
        .run_as_person(&["accept", visit, "1", "--why", "known"])
        .ok()
        .out;
    assert_eq!(again, last, "the same again changes nothing");
    let decided = sandbox.run(&["decide", visit, "accept", "--why", "known"]).ok();
    assert_eq!(decided.step().visit, next.visit);
    sandbox
        .run(&["decide", visit, "continue", "--why", "no"])
        .refused("stale-visit");
    sandbox.verify();
}

#[test]
fn what_is_accepted_while_it_is_mended_needs_no_mending() {
    let sandbox = reviewed();
    let gate = up_to_review(&sandbox, &sandbox.start(&["reviewed"]));
    judge(&sandbox, &gate, &[finding("must", "errors")]);
    sandbox.printed(gate.command()).ok();
    sandbox
        .run_as_person(&["accept", &gate.visit, "1", "--why", "known"])
        .ok();
    let told = sandbox.run(&["step", &gate.run]).ok().out;
    assert!(told.contains("Nothing is left to fix"), "{told}");
}

#[test]
fn an_agent_passes_on_a_decision_only_after_the_user_spoke() {
    let sandbox = reviewed();
    let begun = sandbox.start(&["reviewed"]);
    let client = Client::claude(&sandbox);
    let prompt = json!({ "prompt": "go on" });
    client.hook("UserPromptSubmit", &prompt);
    let waiting = up_to_the_limit(&sandbox, begun);
    let decide = |session: &str| {
        let words = [
            "decide",
            waiting.visit.as_str(),
            "accept",
            "--why",
            "looks fine to me",
        ];
        sandbox.run_in_session("CLAUDE_CODE_SESSION_ID", session, &words)
    };
    let refused = decide(client.session);
    assert!(refused.out.contains("end your turn"), "{}", refused.out);
    refused.refused("user-not-heard");
    // What is said to a sub-agent is not said by the user.
    client.agent("helper").hook("UserPromptSubmit", &prompt);
    decide(client.session).refused("user-not-heard");
    client.hook("UserPromptSubmit", &json!({ "prompt": "accept it" }));
    let next = decide(client.session).ok().step();
    let told = next.verdict.unwrap().1;
    assert!(
        told.contains("agent session-one passed on the user's decision: accept"),
        "{told}"
    );
}

#[test]
fn a_question_is_answered_by_the_user_in_whatever_way_the_client_tells_of() {
    let skill = "version: 1\nsteps:\n  work:\n    title: Work\n    do: Work.\n    next: ask\n  ask:\n    title: Ask\n    do: Ask.\n    ask: { question: Which?, choices: [left, right] }\n    next: end\n";
    let asked = |prompted: bool| {
        let sandbox = Sandbox::with_skill("asking", skill);
        let client = Client::claude(&sandbox);
        let step = client.start(&["asking"]);
        if prompted {
            client.hook("UserPromptSubmit", &json!({ "prompt": "go on" }));
        }
        let question = sandbox.printed(step.command()).ok().step();
        (sandbox, question)
    };
    let answer = |sandbox: &Sandbox, question: &Step| {
        let words = ["decide", question.visit.as_str(), "left"];
        sandbox.run_in_session("CLAUDE_CODE_SESSION_ID", "session-one", &words)
    };
    let (sandbox, question) = asked(true);
    answer(&sandbox, &question).refused("user-not-heard");
    let client = Client::claude(&sandbox);
    client.used("Read", &json!({}), &json!("text"));
    answer(&sandbox, &question).refused("user-not-heard");
    client.used("AskUserQuestion", &json!({}), &json!("left"));
    answer(&sandbox, &question).ok().end();
    // Where no hook told of a prompt, the user said nothing.
    let (sandbox, question) = asked(false);
    answer(&sandbox, &question).refused("user-not-heard");
    // A program outside the session does not speak for the session's user.
    let decide = ["decide", question.visit.as_str(), "left"];
    sandbox.run(&decide).refused("person-needed");
    // A person needs no relay.
    sandbox.run_as_person(&decide).ok().end();
}

#[test]
fn a_verdict_on_other_files_is_not_passed_off_as_one_on_these() {
    let told = |shown: &str| shown.contains("<notice>The files have changed since they were reviewed");
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
        // Where the step may write, that is what it does.
        assert_eq!(told(&again), says_so, "{again}");
    }
    let sandbox = reviewed();
    let waiting = at_the_limit(&sandbox);
    sandbox.write(&sandbox.project().join("later.rs"), "fn later() {}");
    let again = sandbox.run(&["step", &waiting.run]).ok().out;
    assert!(told(&again), "whoever decides should know: {again}");
}

/// The reviewer of a gate comes to the step in which it reports.
fn reviewing(sandbox: &Sandbox, gate: &Step) -> Answer {
    let [command] = gate.starts.as_slice() else {
        panic!("{gate:?}")
    };
    let first = sandbox.printed(command).ok().step();
    sandbox.printed(first.command()).ok()
}

#[test]
fn a_review_that_leaves_out_a_fixed_check_is_refused_with_the_missing_ones() {
    let sandbox = reviewed();
    let gate = up_to_review(&sandbox, &sandbox.start(&["reviewed"]));
    let word = judge(&sandbox, &gate, &[finding("must", "errors")]);
    let reworked = sandbox.printed(&word.command).ok().step();
    let again = up_to_review(&sandbox, &reworked);
    let judging = reviewing(&sandbox, &again).step();
    let partial = json!({ "checks": ["Naming"], "findings": [] });
    let refused = sandbox.report(&judging, &partial).refused("checks-missing");
    assert_eq!(refused.details, ["missing: errors"]);
    assert_eq!(refused.command.as_deref(), Some(judging.command()));
    let whole = json!({ "checks": ["naming", "errors", "tests"], "findings": [] });
    let word = last_word(&sandbox.report(&judging, &whole).ok());
    sandbox.printed(&word.command).ok();
    let first = sandbox.run(&["findings", &gate.visit, "--json"]).ok().json();
    assert_eq!(first["data"]["checks"], json!(["errors", "naming"]));
    let second = sandbox.run(&["findings", &again.visit, "--json"]).ok().json();
    assert_eq!(
        second["data"]["checks"],
        json!(["naming", "errors", "tests"]),
        "only what was reported"
    );
    sandbox.verify();
}

#[test]
fn a_disputed_finding_reaches_the_next_reviewer_and_no_other_does() {
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
    assert!(!first.out.contains("block in this review"), "{}", first.out);
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
