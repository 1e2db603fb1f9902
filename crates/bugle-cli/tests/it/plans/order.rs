//! Plan order applies to ready, claimed and dispatched tasks; a person can override it.

use crate::support::sandbox::Sandbox;
use crate::support::tasks::{check, id_of, import, import_again, shown, texts};
use crate::support::workflows::WAVES;

const PLAN: &str = "# Shop\n\n## Phase 1: Base\n\n### Task 1: Parse\n\nIt.\n\n### Task 2: Print\n\nIt.\n\n\
    ## Phase 2: Rest\n\n### Task 3: Test\n\nRun all tests.\n\n### Task 4: Ship\n\nIt.\n";

fn with_plan(text: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    import(&sandbox, "plan.md", text);
    sandbox
}

/// The labels of the ready tasks.
fn ready(sandbox: &Sandbox) -> Vec<String> {
    let document = sandbox.run(&["task", "ready", "--json"]).ok().json();
    texts(&document["data"]["tasks"], "label")
}

#[test]
fn a_task_started_out_of_order_is_refused_with_the_task_that_comes_first() {
    let sandbox = with_plan(PLAN);
    let second = id_of(&sandbox, "Task 2: Print");
    for command in ["start", "done"] {
        let refused = sandbox.run(&["task", command, &second]).exits(3);
        assert!(refused.out.contains("Task 1: Parse"), "{}", refused.out);
        assert!(
            refused.out.contains("tasks before it in the plan are still open"),
            "{}",
            refused.out
        );
    }
    let about = shown(&sandbox, &second);
    assert_eq!(texts(&about["comes_after"], "label"), ["Task 1: Parse"]);
    assert_eq!(
        about["task"]["state"], "pending",
        "the task is waiting for its turn, not blocked"
    );
    let text = sandbox.run(&["task", "show", &second]).ok().out;
    assert!(text.contains("comes after Task 1 (Parse) (plan order)"), "{text}");
    let plan = sandbox.run(&["plan", "show"]).ok().out;
    assert!(plan.contains("(after Task 1 (plan order))"), "{plan}");
    assert!(
        plan.contains("(0 of 2 closed; after Phase 1 (plan order))"),
        "{plan}"
    );
}

#[test]
fn a_person_waives_the_order_permanently_and_an_agent_only_after_its_user_typed() {
    let sandbox = with_plan(PLAN);
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

#[test]
fn a_run_over_an_ordered_plan_dispatches_its_first_task_alone() {
    let sandbox = Sandbox::with_skill("planned", WAVES);
    sandbox.write(&sandbox.project().join("plan.md"), PLAN);
    let read = sandbox.start(&["planned"]);
    let wave = sandbox.printed(read.command()).ok().step();
    assert_eq!(wave.starts.len(), 1, "{:?}", wave.starts);
    let child = sandbox.printed(&wave.starts[0]).ok().step();
    assert!(child.action.contains("### Task 1: Parse"), "{}", child.action);
    let active = sandbox.run(&["task", "list", "--json"]).ok().json();
    let states = texts(&active["data"]["tasks"], "state");
    assert_eq!(
        states.iter().filter(|state| *state == "active").count(),
        3,
        "the task, its phase, the plan"
    );
}

#[test]
fn a_missing_plan_is_refused_at_the_start_with_a_similar_name() {
    let sandbox = Sandbox::new();
    sandbox.write(&sandbox.project().join("docs/plans/login.md"), PLAN);
    let refused = sandbox
        .run(&["start", "execute-plan", "plan=docs/plans/logn.md"])
        .exits(4);
    assert!(
        refused.err.contains("there is no plan docs/plans/logn.md"),
        "{}",
        refused.err
    );
    assert!(
        refused.err.contains("Did you mean `docs/plans/login.md`?"),
        "{}",
        refused.err
    );
    let moved = sandbox.run(&["start", "execute-plan", "plan=login.md"]).exits(4);
    assert!(
        moved.err.contains("Did you mean `docs/plans/login.md`?"),
        "{}",
        moved.err
    );
    let runs = sandbox.run(&["runs", "--json"]).ok().json();
    assert_eq!(
        runs["data"]["runs"].as_array().map(Vec::len),
        Some(0),
        "no run was started"
    );
    sandbox
        .run(&["start", "execute-plan", "plan=docs/plans/login.md"])
        .ok();
}
