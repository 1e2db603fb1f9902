//! The status line: open work in one line, empty if nothing is open.

use std::fs;

use serde_json::json;

use crate::support::hook_client::{Client, GUARDED};
use crate::support::sandbox::{Sandbox, answer_with_input};
use crate::support::tasks::{add_one, task};

fn line(sandbox: &Sandbox, input: &str) -> String {
    answer_with_input(&mut sandbox.bugle(&["statusline"]), input.as_bytes())
        .ok()
        .out
}

fn of_session(sandbox: &Sandbox) -> String {
    let workspace = json!({ "current_dir": sandbox.project(), "project_dir": sandbox.project() });
    let facts = json!({ "session_id": "session-one", "cwd": "/", "workspace": workspace });
    line(sandbox, &facts.to_string())
}

#[test]
fn open_work_is_one_line() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    assert_eq!(of_session(&sandbox), "");
    assert!(!sandbox.bugle_home().exists());
    let client = Client::claude(&sandbox);
    let run = client.start(&["guarded"]).run;
    assert_eq!(of_session(&sandbox), format!("guarded {run}: Look around\n"));
    let login = add_one(&sandbox, &["Build the\nlogin"]);
    task(&sandbox, &["start", &login, "--as", "session-one"]);
    sandbox.run(&["say", "@session-one one", "--as", "june"]).ok();
    sandbox.run(&["say", "@session-one two", "--as", "june"]).ok();
    let whole = of_session(&sandbox);
    assert_eq!(
        whole,
        format!("guarded {run}: Look around | Build the login | 2 unread\n")
    );
    assert_eq!(
        of_session(&sandbox),
        whole,
        "the status line marks nothing as read"
    );
    for kept_already in [false, true, true, true, true] {
        client.stop(kept_already);
    }
    assert_eq!(
        of_session(&sandbox),
        format!("guarded {run}: Look around (waiting) | Build the login\n")
    );
    sandbox.run_as_person(&["cancel", &run]).ok();
    assert_eq!(of_session(&sandbox), "Build the login\n");
}

#[test]
fn errors_print_no_line_and_log_no_fault() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    Client::claude(&sandbox).start(&["guarded"]);
    for input in [
        "",
        "{",
        "[]",
        "{\"session_id\": 1}",
        "{\"session_id\": \"nobody\"}",
    ] {
        assert_eq!(line(&sandbox, input), "", "{input}");
    }
    fs::write(sandbox.database(), "this was a database once".repeat(200)).unwrap();
    assert_eq!(of_session(&sandbox), "");
}

#[test]
fn setup_writes_the_line_only_on_request_and_only_where_there_is_none() {
    let sandbox = Sandbox::new();
    let settings = sandbox.project().join(".claude/settings.json");
    let text = || fs::read_to_string(&settings).unwrap();
    sandbox.run(&["setup", "claude"]).ok();
    assert!(!text().contains("statusLine"));
    sandbox.run(&["setup", "claude", "--statusline"]).ok();
    let written = text();
    let document: serde_json::Value = serde_json::from_str(&written).unwrap();
    let command = document["statusLine"]["command"].as_str().unwrap();
    assert!(command.ends_with("bugle statusline"), "{command}");
    // From then on, setup updates, checks and removes the status line even without `--statusline`.
    sandbox.run(&["setup", "claude"]).ok();
    assert_eq!(text(), written);
    let check = sandbox.run(&["setup", "claude", "--check"]).ok();
    assert!(check.out.contains("is set up."), "{}", check.out);
    fs::write(
        &settings,
        written.replace("/bin/bugle statusline", "/old/bugle statusline"),
    )
    .unwrap();
    sandbox.run(&["setup", "claude", "--check"]).exits(1);
    sandbox.run(&["setup", "claude"]).ok();
    assert_eq!(text(), written);
    sandbox.run(&["setup", "claude", "--remove"]).ok();
    assert!(!settings.exists());
    // Another program's status line stays, byte for byte.
    let other = "{\n  \"statusLine\": { \"type\": \"command\", \"command\": \"my-line\" }\n}\n";
    sandbox.write(&settings, other);
    let told = sandbox.run(&["setup", "claude", "--statusline"]).ok().out;
    assert!(
        told.contains("The status line does not belong to Bugle, so it was not changed."),
        "{told}"
    );
    assert!(text().contains("my-line") && !text().contains("bugle statusline"));
    sandbox.run(&["setup", "claude", "--check", "--statusline"]).ok();
    sandbox.run(&["setup", "claude", "--remove"]).ok();
    assert_eq!(text(), other);
}
