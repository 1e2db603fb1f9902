//! Tools of sub-agents and of their orchestrator.

use serde_json::json;

use crate::support::hook_client::{Client, GUARDED};
use crate::support::reply::Step;
use crate::support::sandbox::{Sandbox, answer};

#[test]
fn only_the_runs_own_session_is_restricted() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let client = Client::claude(&sandbox);
    let step = client.start(&["guarded"]);
    let file = json!({ "file_path": "src/a.rs" });
    assert_ne!(client.denied("Edit", &file), "");
    assert_eq!(client.session("session-two").denied("Edit", &file), "");
    // A helper without a run works for its parent. Its denial does not name the command that ends the parent's step.
    let helper = client.agent("helper").denied("Edit", &file);
    assert!(
        helper.contains("Look around") && helper.contains("Your orchestrator's step also applies to you"),
        "{helper}"
    );
    assert!(!helper.contains(step.command()), "{helper}");
    assert_eq!(client.agent("helper").denied("Read", &file), "");
    assert_eq!(
        client
            .session("session-two")
            .agent("helper")
            .denied("Edit", &file),
        ""
    );
    sandbox.run_as_person(&["pause", &step.run]).ok();
    assert_eq!(client.denied("Edit", &file), "", "a paused run forbids nothing");
    sandbox.run(&["resume", &step.run]).ok();
    assert_ne!(client.denied("Edit", &file), "");
}

/// A step that dispatches a sub-agent with this role and denies this tool to the main thread.
fn sending(main: &str, role: &str) -> Sandbox {
    let workflow = format!(
        "version: 1\nsteps:\n  send:\n    title: Send an explorer\n    do: Look at it.\n    tools: {{ deny: [{main}] }}\n    dispatch: {{ role: {role}, workflow: agents/look.yaml }}\n    next: end\n"
    );
    let sandbox = Sandbox::new();
    let folder = sandbox.skill("sending", &workflow);
    let child = "version: 1\nsteps:\n  look:\n    title: Look at it\n    do: Look.\n    result:\n      report: { type: string }\n    next: end\n";
    sandbox.write(&folder.join("agents/look.yaml"), child);
    sandbox
}

/// Runs a sub-agent's start command, and reports the tool use as the client does.
fn begin(helper: Client<'_>, command: &str) -> Step {
    let mut shell = helper.sandbox.command("sh", &helper.sandbox.elsewhere());
    shell
        .arg("-c")
        .arg(command)
        .env("CLAUDE_CODE_SESSION_ID", helper.session);
    let begun = answer(&mut shell).ok();
    let told = helper.used(
        "Bash",
        &json!({ "command": command }),
        &json!({ "stdout": begun.out }),
    );
    assert_eq!(told, "");
    begun.step()
}

#[test]
fn a_sub_agent_and_the_main_thread_are_each_restricted_by_their_own_run() {
    let file = json!({ "file_path": "src/a.rs" });
    for (role, may_edit) in [("explore", false), ("developer", true)] {
        let sandbox = sending("WebSearch", role);
        let client = Client::claude(&sandbox);
        let helper = client.agent("agent-7");
        let step = client.start(&["sending"]);
        let command = step.starts[0].clone();
        let asked = helper.context("SubagentStart", &json!({}));
        assert!(asked.contains(&command), "{asked}");
        assert_ne!(helper.denied("Edit", &file), "", "before it has begun");
        assert_eq!(helper.denied("Bash", &json!({ "command": command })), "");
        let child = begin(helper, &command);
        assert_ne!(client.denied("WebSearch", &json!({})), "");
        assert_eq!(helper.denied("WebSearch", &json!({})), "");
        assert_ne!(
            client.denied("Edit", &file),
            "",
            "an orchestrator changes no files"
        );
        let own = helper.denied("Edit", &file);
        assert_eq!(own.is_empty(), may_edit, "{own}");
        // After its report, the main thread's restrictions apply to the sub-agent.
        sandbox.report(&child, &json!({ "report": "looked" })).ok();
        assert_ne!(helper.denied("Edit", &file), "", "after its report");
    }
}

#[test]
fn an_agent_that_leads_sub_agents_has_the_orchestrators_tools() {
    let file = json!({ "file_path": "src/a.rs" });
    let sandbox = Sandbox::new();
    // The list of tools restricts the sub-agent. It must not keep the orchestrator from starting the sub-agent.
    sandbox.skill(
        "asking",
        "version: 1\nsteps:\n  ask:\n    title: Ask an explorer\n    do: Look.\n    tools: { allow: [Read, Bash] }\n    dispatch: { role: explore }\n    next: write\n  write:\n    title: Write it down\n    do: Write.\n    next: end\n",
    );
    for (skill, arguments) in [
        ("planner", vec!["planner", "task=Add a cache"]),
        ("asking", vec!["asking"]),
    ] {
        let client = Client::claude(&sandbox);
        let client = client.session(skill);
        let step = client.start(&arguments);
        for tool in ["Edit", "Write", "MultiEdit", "NotebookEdit"] {
            let why = client.denied(tool, &file);
            assert!(why.contains(tool), "{skill}, {tool}: {why}");
        }
        assert_ne!(
            client.denied("Bash", &json!({ "command": "echo x > src/a.rs" })),
            ""
        );
        for tool in ["Agent", "Read", "WebSearch"] {
            assert_eq!(client.denied(tool, &file), "", "{skill}, {tool}");
        }
        let shown = sandbox.run(&["step", &step.run, "--format", "xml"]).ok().out;
        let denied = shown.split("</denied_tools>").next().unwrap();
        let denied = denied.split("<denied_tools").nth(1).unwrap();
        assert!(denied.contains("NotebookEdit"), "{shown}");
        let call = json!({ "tool_name": "write_file", "tool_input": file });
        let gemini = Client::named(&sandbox, "gemini").session(skill);
        assert_ne!(gemini.hook("BeforeTool", &call), "");
    }
}

#[test]
fn a_sub_agent_must_report_and_the_orchestrator_sees_it() {
    let sandbox = sending("WebSearch", "explore");
    let client = Client::claude(&sandbox);
    let helper = client.agent("agent-7");
    let step = client.start(&["sending"]);
    let child = begin(helper, &step.starts[0]);
    let refused = helper.told("SubagentStop", &json!({ "stop_hook_active": false }));
    assert_eq!(refused["decision"], "block", "{refused}");
    assert!(
        refused["reason"].as_str().unwrap().contains(child.command()),
        "{refused}"
    );
    let told = client.used("Agent", &json!({}), &json!("done"));
    assert_eq!(told, "", "it is still working");
    sandbox.report(&child, &json!({ "report": "looked" })).ok();
    assert_eq!(
        helper.hook("SubagentStop", &json!({ "stop_hook_active": true })),
        ""
    );
    let told = client.used("Agent", &json!({}), &json!("done"));
    assert!(told.contains("1 of 1") && told.contains(step.command()), "{told}");
    // The hook ignores a client's own summariser, which has no type.
    let summariser = json!({ "agent_type": "" });
    assert_eq!(client.agent("agent-8").hook("SubagentStart", &summariser), "");
    assert_eq!(client.agent("agent-8").hook("SubagentStop", &summariser), "");
}

#[test]
fn a_lost_sub_agents_work_is_resumed_by_another_that_must_report() {
    let sandbox = sending("WebSearch", "explore");
    let client = Client::claude(&sandbox);
    let step = client.start(&["sending"]);
    let command = step.starts[0].clone();
    let first = client.agent("agent-1");
    let begun = begin(first, &command);
    let is_kept = |helper: Client<'_>, again: bool| {
        helper.told("SubagentStop", &json!({ "stop_hook_active": again }))["decision"] == "block"
    };
    let kept: Vec<bool> = [false, true, true, true]
        .map(|again| is_kept(first, again))
        .into();
    assert_eq!(kept, [true, true, true, false]);
    let shown = sandbox.run(&["step", &step.run]).ok().out;
    assert!(
        shown.contains("stopped without a report") && !shown.contains("is waiting for the user"),
        "{shown}"
    );
    assert!(client.stop(false).contains(&command), "no sub-agent is working");
    let second = client.agent("agent-2");
    assert!(second.context("SubagentStart", &json!({})).contains(&command));
    assert_eq!(begin(second, &command), begun, "it continues where it was");
    assert_eq!(sandbox.position(&begun.run).0, "active");
    assert!(is_kept(second, false), "it must report");
    sandbox.report(&begun, &json!({ "report": "looked" })).ok();
    assert!(!is_kept(second, true));
    sandbox.verify();
}

#[test]
fn an_exported_role_that_never_started_is_asked_once_to_start() {
    let sandbox = sending("WebSearch", "explore");
    let client = Client::claude(&sandbox);
    let step = client.start(&["sending"]);
    let kept_by = |agent: &'static str, kind: &str| {
        let facts = json!({ "agent_type": kind, "stop_hook_active": false });
        let told = client.agent(agent).told("SubagentStop", &facts);
        told["reason"].as_str().unwrap_or_default().to_owned()
    };
    let asked = kept_by("agent-1", "bugle-explore");
    assert!(asked.contains(&step.starts[0]), "{asked}");
    assert_eq!(kept_by("agent-1", "bugle-explore"), "", "once");
    assert_ne!(kept_by("agent-2", "bugle:bugle-explore"), "");
    assert_eq!(
        kept_by("agent-3", "general-purpose"),
        "",
        "only exported roles are asked"
    );
    let child = sandbox.printed(&step.starts[0]).ok().step();
    sandbox.report(&child, &json!({ "report": "looked" })).ok();
    assert_eq!(
        kept_by("agent-4", "bugle-explore"),
        "",
        "no work is left to start"
    );
}
