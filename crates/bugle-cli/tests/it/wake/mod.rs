//! Wake-ups.

mod amnesia;
mod budget;
mod context;
mod history;
mod invalid_input;
mod messages;
mod recovery;
mod size;

use serde_json::Value;

use crate::support::sandbox::{Answer, SESSION, Sandbox};

const PLAN: &str = "# Authentication\n\n**Goal:** users can log in\n\n## Global Constraints\n\n- No new dependency\n\n\
    ### Task 1: Add user model\n\nFiles: `user.go`\n\n### Task 2: Add login endpoint\n\n**Files:**\n- Create: `login.go`\n\n\
    Answer 401 for a wrong password.\n\n### Task 3: Add JWT middleware\n\nCheck the signature of tokens.\n";

/// The design note's task tree: three tasks, the second implemented and in review.
fn in_review() -> (Sandbox, Vec<String>) {
    let sandbox = Sandbox::new();
    sandbox.write(&sandbox.project().join("docs/auth.md"), PLAN);
    sandbox.run(&["plan", "import", "docs/auth.md"]).ok();
    let tasks = ids(&sandbox, &["task", "list", "--json"]);
    let added = sandbox
        .run(&[
            "task",
            "add",
            "--under",
            &tasks[2],
            "Implementation",
            "Spec review",
            "Code quality review",
            "--json",
        ])
        .ok()
        .json();
    let steps: Vec<String> = texts(&added["data"]["tasks"]);
    sandbox.run(&["task", "done", &tasks[1]]).ok();
    sandbox
        .run(&["task", "note", &steps[0], "Passwords are hashed with argon2."])
        .ok();
    sandbox.run(&["task", "done", &steps[0]]).ok();
    sandbox
        .run(&["task", "start", &steps[1], "--as", "spec-reviewer"])
        .ok();
    (sandbox, steps)
}

fn texts(tasks: &Value) -> Vec<String> {
    let tasks = tasks.as_array().unwrap().iter();
    tasks
        .map(|task| task["id"].as_str().unwrap().to_owned())
        .collect()
}

fn ids(sandbox: &Sandbox, words: &[&str]) -> Vec<String> {
    texts(&sandbox.run(words).ok().json()["data"]["tasks"])
}

fn woken(sandbox: &Sandbox, words: &[&str]) -> Answer {
    let words: Vec<&str> = ["wake"].into_iter().chain(words.iter().copied()).collect();
    sandbox.run_in_session(SESSION, "june", &words)
}
