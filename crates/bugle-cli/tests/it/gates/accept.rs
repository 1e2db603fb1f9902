//! Findings that the user accepts, and decisions that an agent relays.

use serde_json::json;

use crate::support::hook_client::Client;
use crate::support::reply::Step;
use crate::support::review::{finding, judge, reviewed, up_to_review, up_to_the_limit};
use crate::support::sandbox::Sandbox;

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
    let fixing = sandbox.printed(gate.command()).ok().step();
    let accept = ["accept", gate.visit.as_str(), "1", "--why", "a known risk"];
    let agent = sandbox.run_in_session("CLAUDE_CODE_SESSION_ID", "s-1", &accept);
    agent.refused("person-needed");
    sandbox
        .run_as_person(&["accept", &gate.visit, "7", "--why", "x"])
        .refused("unknown-finding");
    sandbox.run(&accept).refused("person-needed");
    sandbox.run_as_person(&accept).ok();
    let gate = up_to_review(&sandbox, &fixing);
    judge(&sandbox, &gate, &[finding("must", "errors")]);
    assert_eq!(
        sandbox.printed(gate.command()).ok().step().step,
        "deliver",
        "an accepted finding does not block"
    );
}

#[test]
fn findings_accepted_at_the_limit_no_longer_block() {
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
    let blocks = format!(
        "{visit} still has 1 blocking finding. The run is still waiting for a decision. To see the question, run: "
    );
    assert!(first.contains(&blocks), "{first}");
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
        told.contains("Blocking findings: 1, accepted as risks: 1, others: 0"),
        "{told}"
    );
    assert_eq!(waiting.choices.len(), 3);
    // After the last finding is accepted, there is nothing left to decide.
    let last = sandbox
        .run_as_person(&["accept", visit, "1", "--why", "known"])
        .ok()
        .out;
    let blocks = format!("{visit} has no more blocking findings. To see the current step, run: ");
    assert!(last.contains(&blocks), "{last}");
    let next = sandbox.run(&["step", run]).ok().step();
    assert_eq!(next.step, "deliver");
    let again = sandbox
        .run_as_person(&["accept", visit, "1", "--why", "known"])
        .ok()
        .out;
    assert_eq!(again, last, "accepting again changes nothing");
    let decided = sandbox.run(&["decide", visit, "accept", "--why", "known"]).ok();
    assert_eq!(decided.step().visit, next.visit);
    sandbox
        .run(&["decide", visit, "continue", "--why", "no"])
        .refused("stale-visit");
    sandbox.verify();
}

#[test]
fn findings_accepted_during_a_fix_need_no_fix() {
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
fn an_agent_relays_a_decision_only_after_the_user_typed() {
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
    // A prompt to a sub-agent does not come from the user.
    client.agent("helper").hook("UserPromptSubmit", &prompt);
    decide(client.session).refused("user-not-heard");
    client.hook("UserPromptSubmit", &json!({ "prompt": "accept it" }));
    let next = decide(client.session).ok().step();
    let told = next.verdict.unwrap().1;
    assert!(
        told.contains("agent session-one relayed the user's decision: accept"),
        "{told}"
    );
}

#[test]
fn the_users_answer_counts_however_the_client_reports_it() {
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
    // Without a prompt hook, the user typed nothing.
    let (sandbox, question) = asked(false);
    answer(&sandbox, &question).refused("user-not-heard");
    // A program outside the session cannot act for the session's user.
    let decide = ["decide", question.visit.as_str(), "left"];
    sandbox.run(&decide).refused("person-needed");
    // A person needs no relay. The output describes what happens next, and is not a step.
    let answered = sandbox.run_as_person(&decide).ok().out;
    assert!(answered.starts_with("Answer recorded. Run "), "{answered}");
}
