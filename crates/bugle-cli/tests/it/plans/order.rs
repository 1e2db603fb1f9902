//! Rights to waive a plan's order.

use crate::support::sandbox::Sandbox;
use crate::support::tasks::{check, id_of, import, import_again, texts};

const PLAN: &str = "# Shop\n\n### Task 1: Parse\n\nIt.\n\n### Task 2: Print\n\nIt.\n";

/// The labels of the ready tasks.
fn ready(sandbox: &Sandbox) -> Vec<String> {
    let document = sandbox.run(&["task", "ready", "--json"]).ok().json();
    texts(&document["data"]["tasks"], "label")
}

#[test]
fn a_person_waives_the_order_permanently_and_an_agent_only_after_its_user_typed() {
    let sandbox = Sandbox::new();
    import(&sandbox, "plan.md", PLAN);
    let (first, second) = (id_of(&sandbox, "Task 1: Parse"), id_of(&sandbox, "Task 2: Print"));
    let words = ["task", "depend", &second, &first, "--no-more"];
    let client = crate::support::hook_client::Client::claude(&sandbox).session("s-1");
    let variable = "CLAUDE_CODE_SESSION_ID";
    let refused = sandbox
        .run_in_session(variable, "s-1", &words)
        .refused("user-not-heard");
    assert!(
        refused
            .details
            .iter()
            .any(|detail| detail.contains("task depend --no-more")),
        "{refused:?}"
    );
    // Without the variable, the parent processes still identify the agent.
    let mut shell = sandbox.command("sh", &sandbox.project());
    let hidden = format!("env -u {variable} bugle {}; exit $?", words.join(" "));
    let hidden = crate::support::sandbox::answer(shell.args(["-c", &hidden]).env(variable, "s-1"));
    assert_eq!(hidden.code, Some(3), "{hidden:?}");
    client.hook(
        "UserPromptSubmit",
        &serde_json::json!({ "prompt": "Do task 2 now." }),
    );
    sandbox.run_in_session(variable, "s-1", &words).ok();
    assert_eq!(ready(&sandbox), ["Task 1: Parse", "Task 2: Print"]);
    import_again(&sandbox, &["plan.md"]);
    assert_eq!(ready(&sandbox), ["Task 1: Parse", "Task 2: Print"]);
    check(&sandbox);
}
