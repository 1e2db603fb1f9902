//! A self-review is refused where hooks can detect it, and marked everywhere else.

use serde_json::{Value, json};

use crate::support::hook_client::Client;
use crate::support::page::Page;
use crate::support::reply::Step;
use crate::support::review::{finding, judge, plan, review, reviewed, up_to_review};
use crate::support::sandbox::{Answer, SESSION, Sandbox};

/// Advances a run in the client's session to its gate, with the session's hooks active.
fn at_gate(client: Client<'_>) -> Step {
    let step = client.start(&["reviewed"]);
    client.hook("SessionStart", &json!({ "source": "startup" }));
    let gate = up_to_review(client.sandbox, &step);
    assert_eq!(client.denied("Read", &json!({ "file_path": "/nowhere" })), "");
    gate
}

/// Runs a printed command in a session.
fn run(sandbox: &Sandbox, session: &str, line: &str) -> Answer {
    let words = format!("{SESSION}={session} {line}");
    sandbox.printed(&words)
}

/// Runs a command as a client's agent; its hook is called first.
fn shell(agent: Client<'_>, line: &str) -> Answer {
    assert_eq!(agent.denied("Bash", &json!({ "command": line })), "");
    run(agent.sandbox, agent.session, line)
}

fn report(step: &Step, findings: &[Value]) -> String {
    std::fs::write(step.result_file(), review(findings).to_string()).unwrap();
    step.command().to_owned()
}

/// Reviews a gate in a session without hooks.
fn review_in(sandbox: &Sandbox, gate: &Step, session: &str) {
    let first = run(sandbox, session, &gate.starts[0]).ok().step();
    let last = run(sandbox, session, first.command()).ok().step();
    run(sandbox, session, &report(&last, &[])).ok();
}

/// Whether the verdict, the findings, the timeline and the dashboard mark a self-review. They must agree.
fn is_marked(sandbox: &Sandbox, gate: &Step) -> bool {
    let next = sandbox.printed(gate.command()).ok().step();
    let out = |words: &[&str]| sandbox.run(words).ok().out;
    let findings = sandbox.run(&["findings", &gate.visit, "--json"]).ok().json();
    let page = Page::open(sandbox).get(&format!("/runs/{}", gate.run));
    let marks = [
        next.verdict.unwrap().1.contains("Self-review"),
        out(&["findings", &gate.visit]).contains("Self-review"),
        out(&["show", &gate.run]).contains("ended with ok, a self-review"),
        findings["data"]["verdict"]["self_review"] == json!(true),
        page.main().contains(">self-review<"),
    ];
    assert!(marks.iter().all(|mark| *mark == marks[0]), "{marks:?}");
    sandbox.verify();
    marks[0]
}

#[test]
fn the_main_thread_can_neither_start_nor_report_the_review_of_its_own_work() {
    for name in ["claude", "codex"] {
        let sandbox = reviewed();
        let main = Client::named(&sandbox, name);
        let gate = at_gate(main);
        let start = gate.starts[0].as_str();
        let refused = shell(main, start).refused("self-review");
        assert!(refused.message.contains("Soundness"), "{refused:?}");
        assert!(refused.details[0].ends_with(start), "{refused:?}");
        // A script that hides the command from the hook is refused too.
        run(&sandbox, main.session, start).refused("self-review");
        assert_eq!(
            sandbox.run(&["step", &gate.run]).ok().step().starts,
            [start.to_owned()]
        );

        let reviewer = main.agent("agent-7");
        let first = shell(reviewer, start).ok().step();
        // The main thread may view the sub-agent's current step.
        shell(main, start).ok();
        let last = shell(reviewer, first.command()).ok().step();
        // A failed attempt by the sub-agent does not let the main thread review.
        shell(reviewer, last.command()).refused("result-missing");
        let end = report(&last, &[]);
        let refused = shell(main, &end).refused("self-review");
        assert_eq!(refused.step.as_deref(), Some("judge"), "{refused:?}");
        shell(reviewer, &end).ok();
        assert!(!is_marked(&sandbox, &gate));
    }
}

#[test]
fn a_sub_agent_that_did_the_work_cannot_review_it() {
    let sandbox = reviewed();
    let main = Client::claude(&sandbox);
    let builder = main.agent("agent-5");
    let step = main.start(&["reviewed"]);
    main.hook("SessionStart", &json!({ "source": "startup" }));
    let building = plan(&sandbox, &step, 1);
    let part = shell(builder, &building.starts[0]).ok().step();
    std::fs::write(part.result_file(), r#"{ "report": "built" }"#).unwrap();
    shell(builder, part.command()).ok();
    let gate = shell(main, building.command()).ok().step();
    shell(builder, &gate.starts[0]).refused("self-review");
    shell(main.agent("agent-7"), &gate.starts[0]).ok();
}

#[test]
fn a_sub_agent_that_did_the_work_long_ago_cannot_review_it() {
    let sandbox = reviewed();
    let main = Client::claude(&sandbox);
    let (builder, other) = (main.agent("agent-5"), main.agent("agent-6"));
    let step = main.start(&["reviewed"]);
    main.hook("SessionStart", &json!({ "source": "startup" }));
    let build = |agent: Client<'_>, step: &Step| {
        let building = plan(&sandbox, step, 1);
        let part = shell(agent, &building.starts[0]).ok().step();
        std::fs::write(part.result_file(), r#"{ "report": "built" }"#).unwrap();
        shell(agent, part.command()).ok();
        shell(main, building.command()).ok().step()
    };
    let gate = build(builder, &step);
    let first = shell(main.agent("agent-7"), &gate.starts[0]).ok().step();
    let last = shell(main.agent("agent-7"), first.command()).ok().step();
    shell(
        main.agent("agent-7"),
        &report(&last, &[finding("must", "errors")]),
    )
    .ok();
    let again = shell(main, gate.command()).ok().step();
    let gate = build(other, &again);
    // After this many events, the stored state no longer contains the first build.
    for number in 0..64 {
        sandbox
            .run(&["note", &format!("note {number}"), "--run", &gate.run])
            .ok();
    }
    shell(builder, &gate.starts[0]).refused("self-review");
    shell(main.agent("agent-8"), &gate.starts[0]).ok();
}

#[test]
fn the_main_thread_may_do_work_other_than_reviews() {
    let sandbox = reviewed();
    let main = Client::claude(&sandbox);
    let step = main.start(&["reviewed"]);
    main.hook("SessionStart", &json!({ "source": "startup" }));
    let building = plan(&sandbox, &step, 1);
    shell(main, &building.starts[0]).ok();
}

#[test]
fn a_self_review_is_marked_where_hooks_cannot_detect_it() {
    let without_session = reviewed();
    let in_gemini = |line: &str| without_session.printed(&format!("GEMINI_CLI=1 {line}")).ok();
    let gate = up_to_review(&without_session, &without_session.start(&["reviewed"]));
    let first = in_gemini(&gate.starts[0]).step();
    let last = in_gemini(first.command()).step();
    in_gemini(&report(&last, &[]));
    in_gemini(gate.command());
    let findings = without_session
        .run(&["findings", &gate.visit, "--json"])
        .ok()
        .json();
    assert_eq!(findings["data"]["verdict"]["self_review"], json!(true));

    let without_hooks = reviewed();
    let step = Client::claude(&without_hooks).start(&["reviewed"]);
    let gate = up_to_review(&without_hooks, &step);
    review_in(&without_hooks, &gate, "session-one");
    assert!(is_marked(&without_hooks, &gate));
}

#[test]
fn a_review_in_another_session_or_outside_any_is_not_marked() {
    let by_another = reviewed();
    let gate = at_gate(Client::claude(&by_another));
    review_in(&by_another, &gate, "session-two");
    assert!(!is_marked(&by_another, &gate));

    let outside = reviewed();
    let gate = at_gate(Client::claude(&outside));
    judge(&outside, &gate, &[]);
    assert!(!is_marked(&outside, &gate));
}
