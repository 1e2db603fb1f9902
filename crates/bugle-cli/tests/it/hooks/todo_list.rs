//! The client's own to-do list is mirrored into the task tree.

use serde_json::{Value, json};

use crate::support::hook_client::{Client, GUARDED};
use crate::support::sandbox::Sandbox;
use crate::support::tasks::{add_one, check, outline, task};

fn guarded() -> Sandbox {
    Sandbox::with_skill("guarded", GUARDED)
}

/// Reports a whole list as the client does: texts and states.
fn todos(client: Client<'_>, items: &[(&str, &str)]) {
    let todos: Vec<Value> = items
        .iter()
        .map(|(content, status)| json!({ "content": content, "status": status, "activeForm": content }))
        .collect();
    assert_eq!(
        client.used("TodoWrite", &json!({ "todos": todos }), &json!("ok")),
        ""
    );
}

/// The task tree, with the run's id in the list's name replaced.
fn tree(sandbox: &Sandbox, run: &str) -> Vec<String> {
    let lines = outline(sandbox);
    lines.iter().map(|line| line.replace(run, "RUN")).collect()
}

#[test]
fn a_list_is_mirrored_updated_and_closed() {
    let sandbox = guarded();
    let client = Client::claude(&sandbox);
    let run = client.start(&["guarded"]).run;
    todos(
        client,
        &[("Read", "in_progress"), ("Write", "pending"), ("Wait", "pending")],
    );
    let first = [
        "Todo list of guarded (RUN) active",
        "  Read active",
        "  Write pending",
        "  Wait pending",
    ];
    assert_eq!(tree(&sandbox, &run), first);
    todos(
        client,
        &[("Read", "in_progress"), ("Write", "pending"), ("Wait", "pending")],
    );
    assert_eq!(
        tree(&sandbox, &run),
        first,
        "reporting the same list again changes nothing"
    );
    // One item is done, one is active, one was dropped, and one is new.
    todos(
        client,
        &[
            ("Read", "completed"),
            ("Write", "in_progress"),
            ("Tidy up", "pending"),
        ],
    );
    assert_eq!(
        tree(&sandbox, &run),
        [
            "Todo list of guarded (RUN) active",
            "  Read done",
            "  Write active",
            "  Tidy up pending"
        ]
    );
    todos(
        client,
        &[
            ("Read", "completed"),
            ("Write", "completed"),
            ("Tidy up", "completed"),
        ],
    );
    assert_eq!(
        tree(&sandbox, &run),
        [
            "Todo list of guarded (RUN) done",
            "  Read done",
            "  Write done",
            "  Tidy up done"
        ]
    );
    // The next report starts a new list; the old one stays unchanged.
    todos(client, &[("Read", "pending")]);
    assert_eq!(
        tree(&sandbox, &run)[3..],
        [
            "  Tidy up done",
            "Todo list of guarded (RUN) active",
            "  Read pending"
        ]
    );
    check(&sandbox);
}

#[test]
fn an_emptied_list_is_closed() {
    let sandbox = guarded();
    let client = Client::claude(&sandbox);
    let run = client.start(&["guarded"]).run;
    todos(client, &[]);
    assert_eq!(
        tree(&sandbox, &run),
        Vec::<String>::new(),
        "an empty list creates nothing"
    );
    todos(client, &[("Read", "completed"), ("Write", "pending")]);
    todos(client, &[]);
    assert_eq!(
        tree(&sandbox, &run),
        ["Todo list of guarded (RUN) done", "  Read done"]
    );
}

#[test]
fn tasks_created_and_changed_one_by_one_are_mirrored() {
    let sandbox = guarded();
    let client = Client::claude(&sandbox);
    let run = client.start(&["guarded"]).run;
    for (number, subject) in [(1, "Read"), (2, "Write")] {
        let made = json!(format!("Task #{number} created successfully: {subject}"));
        client.used(
            "TaskCreate",
            &json!({ "subject": subject, "description": "d" }),
            &made,
        );
    }
    let change = |input: Value| client.used("TaskUpdate", &input, &json!("Updated"));
    change(json!({ "taskId": "1", "status": "in_progress" }));
    change(json!({ "taskId": "2", "subject": "Write it down" }));
    assert_eq!(
        tree(&sandbox, &run),
        [
            "Todo list of guarded (RUN) active",
            "  Read active",
            "  Write it down pending"
        ]
    );
    change(json!({ "taskId": "1", "status": "completed" }));
    change(json!({ "taskId": "2", "status": "deleted" }));
    change(json!({ "taskId": "9", "status": "completed" }));
    assert_eq!(
        tree(&sandbox, &run),
        ["Todo list of guarded (RUN) done", "  Read done"]
    );
    check(&sandbox);
}

#[test]
fn codexs_plan_is_mirrored() {
    let sandbox = guarded();
    let client = Client::named(&sandbox, "codex");
    let run = client.start(&["guarded"]).run;
    let plan = json!({ "explanation": "x", "plan": [
        { "step": "Read", "status": "completed" }, { "step": "Write", "status": "in_progress" },
    ] });
    client.used("update_plan", &plan, &json!("Plan updated"));
    assert_eq!(
        tree(&sandbox, &run),
        [
            "Todo list of guarded (RUN) active",
            "  Read done",
            "  Write active"
        ]
    );
}

#[test]
fn without_a_run_the_list_is_under_the_agents_current_task() {
    let sandbox = guarded();
    let client = Client::claude(&sandbox);
    let login = add_one(&sandbox, &["Build the login"]);
    task(&sandbox, &["start", &login, "--as", "session-one"]);
    todos(client, &[("Read", "pending")]);
    assert_eq!(
        outline(&sandbox),
        [
            "Build the login active",
            "  Todo list of Claude Code active",
            "    Read pending"
        ]
    );
    // Another session has its own list.
    todos(client.session("session-two"), &[("Sing", "pending")]);
    assert_eq!(
        outline(&sandbox)[3..],
        ["Todo list of Claude Code active", "  Sing pending"]
    );
    check(&sandbox);
}

#[test]
fn where_bugle_is_not_used_nothing_is_mirrored() {
    let sandbox = guarded();
    let other = Sandbox::new();
    Client::claude(&sandbox).start(&["guarded"]);
    let facts = json!({
        "session_id": "elsewhere", "cwd": other.project(), "tool_name": "TodoWrite",
        "tool_input": { "todos": [{ "content": "Read", "status": "pending" }] },
    });
    assert_eq!(
        Client::claude(&sandbox).say("PostToolUse", facts.to_string().as_bytes()),
        ""
    );
    assert_eq!(outline(&sandbox), Vec::<String>::new());
    let everywhere = sandbox
        .run_in(&other.project(), &["task", "list", "--json"])
        .ok()
        .json();
    assert_eq!(everywhere["data"]["tasks"], json!([]));
}

#[test]
fn an_entry_that_is_too_long_for_a_title_is_shortened_and_still_recognised() {
    let sandbox = guarded();
    let client = Client::claude(&sandbox);
    let run = client.start(&["guarded"]).run;
    let long = "x".repeat(600);
    todos(
        client,
        &[
            ("Read", "completed"),
            (&long, "in_progress"),
            ("Write", "pending"),
        ],
    );
    let shortened = format!("  {}… active", "x".repeat(499));
    assert_eq!(
        tree(&sandbox, &run)[1..],
        [
            "  Read done".to_owned(),
            shortened.clone(),
            "  Write pending".to_owned()
        ]
    );
    todos(
        client,
        &[
            ("Read", "completed"),
            (&long, "completed"),
            ("Write", "in_progress"),
        ],
    );
    assert_eq!(
        tree(&sandbox, &run)[2],
        shortened.replace("active", "done"),
        "the entry is recognised"
    );
}
