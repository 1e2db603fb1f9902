//! An agent that hides its session is recognised by its parent processes.

use std::collections::BTreeMap;

use crate::support::sandbox::{Answer, SESSION, Sandbox, answer, answer_at_terminal};
use crate::support::workflows::ASKING;

const PROVING: &str = "version: 1\nsteps:\n  prove:\n    title: Prove it\n    do: Prove it.\n    expect:\n      - command: 'true'\n    next: end\n";

/// Runs a line in a shell that a client started for its agent.
fn in_clients_shell(sandbox: &Sandbox, line: &str) -> Answer {
    let mut shell = sandbox.command("sh", &sandbox.project());
    // A second command keeps the shell alive as the parent.
    shell
        .args(["-c", &format!("{line}; exit $?")])
        .env(SESSION, "s-1");
    answer_at_terminal(&mut shell)
}

/// A command prefix that passes on only Bugle's variables, without those that reveal a session.
fn bare(sandbox: &Sandbox) -> String {
    format!(
        "env -i PATH=\"$PATH\" HOME=\"$HOME\" BUGLE_HOME='{}' BUGLE_DATABASE_URL=\"$BUGLE_DATABASE_URL\" BUGLE_TESTED_BY={}",
        sandbox.bugle_home().display(),
        std::process::id()
    )
}

#[test]
#[cfg(target_os = "linux")]
fn an_agent_that_hides_its_session_is_recognised_by_its_parent_processes() {
    let sandbox = Sandbox::with_skill("proof", PROVING);
    let asking = sandbox.skill("asking", ASKING);
    assert!(asking.exists());
    let step = sandbox.start(&["asking"]);
    let decide = format!("decide '{}' \"it's right\"", step.visit);
    let bare = bare(&sandbox);
    for hidden in [
        format!("env -u {SESSION} bugle"),
        format!("unset {SESSION}; bugle"),
        format!("{bare} bugle"),
        format!("{bare} setsid --wait bugle"),
        format!("{bare} nohup bugle"),
        format!("{bare} sh -c '{bare} bugle \"$@\"; exit $?' -"),
    ] {
        let trust = in_clients_shell(&sandbox, &format!("{hidden} trust proof"));
        assert_eq!(trust.code, Some(3), "{hidden}: {trust:?}");
        assert!(trust.out.contains("Only a person can trust a skill"), "{trust:?}");
        let ui = in_clients_shell(&sandbox, &format!("{hidden} ui --no-open --port 0"));
        assert_eq!(ui.code, Some(3), "{hidden}: {ui:?}");
        // Skip the case with `sh -c`, because the answer contains quotes.
        if !hidden.contains("sh -c") {
            let decided = in_clients_shell(&sandbox, &format!("{hidden} {decide}"));
            assert!(decided.out.contains("user-not-heard"), "{hidden}: {decided:?}");
        }
    }
    let listed = sandbox.run(&["trust", "list", "--json"]).ok().json();
    assert_eq!(listed["data"]["trusted"].as_array().unwrap().len(), 0, "{listed}");
    // The same command works for a person.
    let mut shell = sandbox.command("sh", &sandbox.project());
    let person = answer_at_terminal(shell.args(["-c", "bugle trust proof; exit $?"]));
    person.ok();
}

#[test]
#[cfg(target_os = "linux")]
fn a_terminal_that_an_agent_opened_does_not_make_it_a_person() {
    let sandbox = Sandbox::with_skill("proof", PROVING);
    let line = format!("script -qec '{} bugle trust proof' /dev/null", bare(&sandbox));
    let refused = in_clients_shell(&sandbox, &line);
    assert!(
        refused.out.contains("Only a person can trust a skill"),
        "{refused:?}"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_command_under_a_clients_process_counts_as_an_agents_despite_its_environment() {
    let sandbox = Sandbox::with_skill("proof", PROVING);
    for name in ["claude", "codex", "opencode"] {
        let client = sandbox.root().join("bin").join(name);
        std::os::unix::fs::symlink("/bin/sh", &client).unwrap();
        let mut command = sandbox.command(&client, &sandbox.project());
        let refused = answer_at_terminal(command.args(["-c", "bugle trust proof; exit $?"]));
        refused.refused("person-needed");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_client_in_another_clients_shell_has_its_own_session() {
    let sandbox = Sandbox::with_skill("asking", ASKING);
    let client = sandbox.root().join("bin").join("claude");
    std::os::unix::fs::symlink("/bin/sh", &client).unwrap();
    let mut runs = BTreeMap::new();
    for session in ["outer", "inner", "child"] {
        let started = sandbox.run_in_session(SESSION, session, &["start", "asking"]);
        runs.insert(started.ok().step().visit, session);
    }
    // The session of a command that the inner client's agent runs, by the session's run.
    let session = |outer: Option<&str>, variables: &str| {
        let mut command = sandbox.command(&client, &sandbox.project());
        command.args(["-c", &format!("{variables} bugle step --format xml; exit $?")]);
        if let Some(session) = outer {
            command.env("BUGLE_SESSION", session);
        }
        runs[&answer(&mut command).ok().step().visit]
    };
    let inner = format!("{SESSION}=inner");
    let child = format!("{inner} BUGLE_SESSION=child");
    assert_eq!(session(Some("outer"), &inner), "inner");
    // The inner client's own hook names the session of a sub-agent.
    assert_eq!(session(None, &child), "child");
    assert_eq!(session(Some("outer"), &child), "child");
}

#[test]
#[cfg(target_os = "linux")]
fn a_client_that_an_agent_started_has_no_user() {
    let sandbox = Sandbox::with_skill("asking", ASKING);
    let inner = crate::support::hook_client::Client::claude(&sandbox).session("inner");
    let step = inner.start(&["asking"]);
    inner.hook("UserPromptSubmit", &serde_json::json!({ "prompt": "it's right" }));
    let decide = format!("bugle decide '{}' \"it's right\"; exit $?", step.visit);
    // The outer agent's shell started the inner client, so the outer agent wrote the inner client's prompts.
    let mut shell = sandbox.command("sh", &sandbox.project());
    let line = format!(
        "{SESSION}=inner sh -c '{}'; exit $?",
        decide.replace('\'', "'\\''")
    );
    answer(shell.args(["-c", &line]).env(SESSION, "outer")).refused("user-not-heard");
    answer(
        sandbox
            .bugle(&["decide", &step.visit, "it's right"])
            .env(SESSION, "inner"),
    )
    .ok();
}

#[test]
fn only_a_person_can_trust_a_skill() {
    let sandbox = Sandbox::with_skill("proof", PROVING);
    sandbox.run(&["trust", "proof"]).refused("person-needed");
    sandbox
        .run_in_session(SESSION, "s-1", &["trust", "revoke", "proof"])
        .refused("person-needed");
    for mark in ["GEMINI_CLI", "OPENCODE", "CLAUDECODE", "BUGLE_AGENT"] {
        let mut command = sandbox.bugle(&["trust", "proof"]);
        answer_at_terminal(command.env(mark, "1")).refused("person-needed");
    }
}

#[test]
fn trust_is_listed_and_revoked_even_for_an_active_run() {
    let sandbox = Sandbox::with_skill("proof", PROVING);
    assert_eq!(sandbox.run(&["trust", "list"]).ok().out, "No skill is trusted.\n");
    let step = sandbox.start(&["proof"]);
    let mut trust = sandbox.bugle(&["trust", "proof"]);
    answer_at_terminal(trust.env("USER", "ada")).ok();
    let listed = sandbox.run(&["trust", "list"]).ok().out;
    // A server knows the person by their database role.
    let person = if sandbox.is_on_server() { "bugle" } else { "ada" };
    assert!(
        listed.starts_with("proof  ") && listed.ends_with(&format!("  by {person}  (current)\n")),
        "{listed}"
    );
    sandbox.skill("proof", &PROVING.replace("Prove it.", "Prove it well."));
    let listed = sandbox.run(&["trust", "list"]).ok().out;
    assert!(listed.contains("(not the installed version)"), "{listed}");
    sandbox
        .run(&["trust", "revoke", "proof"])
        .refused("person-needed");
    let revoked = sandbox.run_as_person(&["trust", "revoke", "proof"]).ok().out;
    assert!(revoked.starts_with("Revoked trust in proof "), "{revoked}");
    sandbox.printed(step.command()).refused("untrusted");
    sandbox
        .run_as_person(&["trust", "revoke", "proof"])
        .fails(4, "there is no trusted skill or version `proof`");
    sandbox.start(&["planner", "task=x"]);
    sandbox
        .run_as_person(&["trust", "revoke", "planner"])
        .fails(2, "is always trusted: it is built in");
    sandbox.verify();
}

#[test]
fn an_agent_can_neither_serve_the_dashboard_nor_remove_the_setup() {
    let sandbox = Sandbox::new();
    sandbox.run(&["setup", "claude"]).ok();
    sandbox
        .run_in_session(SESSION, "s-1", &["ui", "--no-open", "--port", "0"])
        .refused("person-needed");
    sandbox
        .run_in_session(SESSION, "s-1", &["setup", "claude", "--remove"])
        .refused("user-not-heard");
    let settings = sandbox.project().join(".claude/settings.json");
    assert!(std::fs::read_to_string(&settings).unwrap().contains("bugle"));
    sandbox.run(&["setup", "claude", "--remove"]).ok();
}
