//! Adds and reads tasks and plans through the program.

use std::collections::BTreeMap;

use serde_json::Value;

use super::sandbox::{Answer, Sandbox};

/// The phases in the design note's task tree.
pub(crate) const PHASES: [&str; 5] = [
    "Brainstorm",
    "Create worktree",
    "Write plan",
    "Execute plan",
    "Finish branch",
];

/// The design note's tree, with the first three phases done and Task 2 implemented.
#[derive(Debug)]
pub(crate) struct Authentication {
    pub(crate) execute: String,
    pub(crate) task_two: String,
    pub(crate) spec_review: String,
    pub(crate) quality_review: String,
}

/// A typical plan with two tasks and a group.
pub(crate) const PLAN: &str = "\
# Login Implementation Plan

> **For Claude:** REQUIRED SUB-SKILL: Use superpowers:executing-plans to implement this plan task-by-task.

**Goal:** People can log in.

## Global Constraints

- No new dependencies.

## Phase 1: The form

### Task 1: Parse the header

**Files:**
- Create: `src/header.rs`

- [ ] **Step 1: Write the failing test**
- [ ] **Step 2: Make it pass**

### Task 2: Show the form

Draw it.

## Phase 2: The rest

### Task 3: Keep the session

Depends on: Task 1

Store the cookie.
";

/// Adds tasks; returns their ids in the same order.
#[track_caller]
pub(crate) fn add(sandbox: &Sandbox, arguments: &[&str]) -> Vec<String> {
    let words: Vec<&str> = ["task", "add", "--json"]
        .into_iter()
        .chain(arguments.iter().copied())
        .collect();
    ids(&sandbox.run(&words).ok().json()["data"]["tasks"])
}

/// Adds one task.
#[track_caller]
pub(crate) fn add_one(sandbox: &Sandbox, arguments: &[&str]) -> String {
    add(sandbox, arguments).remove(0)
}

/// The ids of tasks in a document.
pub(crate) fn ids(tasks: &Value) -> Vec<String> {
    texts(tasks, "id")
}

/// One field of every item in a JSON list.
#[track_caller]
pub(crate) fn texts(items: &Value, field: &str) -> Vec<String> {
    let items = items.as_array().unwrap_or_else(|| panic!("not a list: {items}"));
    items
        .iter()
        .map(|item| item[field].as_str().unwrap_or_default().to_owned())
        .collect()
}

/// Runs a `bugle task` command, which must succeed.
#[track_caller]
pub(crate) fn task(sandbox: &Sandbox, arguments: &[&str]) -> Answer {
    let words: Vec<&str> = ["task"].into_iter().chain(arguments.iter().copied()).collect();
    sandbox.run(&words).ok()
}

/// A task's JSON document.
#[track_caller]
pub(crate) fn shown(sandbox: &Sandbox, id: &str) -> Value {
    sandbox.run(&["task", "show", id, "--full", "--json"]).ok().json()["data"].clone()
}

/// The state of a task.
#[track_caller]
pub(crate) fn state(sandbox: &Sandbox, id: &str) -> String {
    shown(sandbox, id)["task"]["state"].as_str().unwrap().to_owned()
}

/// The whole tree: a line for each task, indented, with its state.
#[track_caller]
pub(crate) fn outline(sandbox: &Sandbox) -> Vec<String> {
    let document = sandbox
        .run(&["task", "list", "--all", "--limit", "100000", "--json"])
        .ok()
        .json();
    let lines = document["data"]["tasks"].as_array().unwrap();
    lines
        .iter()
        .map(|line| {
            let depth = usize::try_from(line["depth"].as_u64().unwrap()).unwrap();
            format!(
                "{}{} {}",
                "  ".repeat(depth),
                line["label"].as_str().unwrap(),
                line["state"].as_str().unwrap()
            )
        })
        .collect()
}

/// The labels of the whole tree, in order.
#[track_caller]
pub(crate) fn labels(sandbox: &Sandbox) -> Vec<String> {
    let document = sandbox
        .run(&["task", "list", "--all", "--limit", "100000", "--json"])
        .ok()
        .json();
    texts(&document["data"]["tasks"], "label")
}

/// Adds a plan file to the project and imports it; returns the changes.
#[track_caller]
pub(crate) fn import(sandbox: &Sandbox, file: &str, text: &str) -> Value {
    sandbox.write(&sandbox.project().join(file), text);
    import_again(sandbox, &[file])
}

/// Imports a plan that is already in the project.
#[track_caller]
pub(crate) fn import_again(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let words: Vec<&str> = ["plan", "import", "--json"]
        .into_iter()
        .chain(arguments.iter().copied())
        .collect();
    sandbox.run(&words).ok().json()["data"].clone()
}

/// The id of the task with this label.
#[track_caller]
pub(crate) fn id_of(sandbox: &Sandbox, label: &str) -> String {
    let document = sandbox
        .run(&["task", "list", "--all", "--limit", "100000", "--json"])
        .ok()
        .json();
    let lines = document["data"]["tasks"].as_array().unwrap();
    let found = lines.iter().find(|line| line["label"] == label);
    let found = found.unwrap_or_else(|| panic!("no task {label:?} in {document}"));
    found["id"].as_str().unwrap().to_owned()
}

impl Authentication {
    pub(crate) fn new(sandbox: &Sandbox) -> Self {
        let root = add_one(sandbox, &["Build authentication"]);
        let under = |parent: &str, titles: &[&str]| {
            let words: Vec<&str> = ["--under", parent]
                .into_iter()
                .chain(titles.iter().copied())
                .collect();
            add(sandbox, &words)
        };
        let phases = under(&root, &PHASES);
        let tasks = under(
            &phases[3],
            &["Task 1: User model", "Task 2: Login form", "Task 3: Sessions"],
        );
        let steps = under(&tasks[1], &["Implement", "Spec review", "Code quality review"]);
        for done in [&phases[0], &phases[1], &phases[2], &tasks[0], &steps[0]] {
            task(sandbox, &["done", done]);
        }
        Self {
            execute: phases[3].clone(),
            task_two: tasks[1].clone(),
            spec_review: steps[1].clone(),
            quality_review: steps[2].clone(),
        }
    }
}

/// Numbers ids in order of appearance, and replaces folders, times and hashes.
pub(crate) fn neutral(sandbox: &Sandbox, text: &str) -> String {
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    // With a store on a server, the output also names the program's user.
    let text = sandbox.neutral(text).replace("a program for bugle", "a program");
    let mut out = String::new();
    let mut word = String::new();
    for letter in text.chars().chain(std::iter::once('\n')) {
        if letter.is_ascii_alphanumeric() || matches!(letter, '-' | ':') {
            word.push(letter);
            continue;
        }
        out.push_str(&replaced(&word, &mut numbers));
        word.clear();
        out.push(letter);
    }
    out.pop();
    out
}

fn replaced(word: &str, numbers: &mut BTreeMap<String, usize>) -> String {
    let core = word.trim_end_matches(':');
    let tail = &word[core.len()..];
    let kind = match (core.get(..2), core.len()) {
        (Some("t-"), 10) => Some("t-"),
        (Some("p-"), 8) => Some("p-"),
        _ => None,
    };
    if let Some(kind) = kind {
        let known = numbers.len() + 1;
        let number = *numbers.entry(core.to_owned()).or_insert(known);
        return format!("{kind}{number}{tail}");
    }
    let digits = |text: &str| {
        text.chars()
            .all(|letter| letter.is_ascii_digit() || matches!(letter, '-' | ':'))
    };
    if core.len() >= 5 && digits(core) && core.matches(['-', ':']).count() >= 1 {
        return format!("[TIME]{tail}");
    }
    let is_hash = core.len() >= 12 && core.chars().all(|letter| letter.is_ascii_hexdigit());
    if is_hash && core.chars().any(|letter| letter.is_ascii_digit()) {
        return format!("[HASH]{tail}");
    }
    word.to_owned()
}

/// The stored counts must match the tree, and no closed task may have an open descendant.
#[track_caller]
pub(crate) fn check(sandbox: &Sandbox) {
    sandbox.verify();
    let document = sandbox
        .run(&["task", "list", "--all", "--limit", "100000", "--json"])
        .ok()
        .json();
    let lines = document["data"]["tasks"].as_array().unwrap();
    let depth = |line: &Value| line["depth"].as_u64().unwrap();
    let closed = |line: &Value| line["state"] == "done" || line["state"] == "skipped";
    for (at, line) in lines.iter().enumerate() {
        let inside: Vec<&Value> = lines[at + 1..]
            .iter()
            .take_while(|inner| depth(inner) > depth(line))
            .collect();
        let children = inside.iter().filter(|inner| depth(inner) == depth(line) + 1);
        let open = children.clone().filter(|inner| !closed(inner)).count();
        assert_eq!(line["children"], children.count(), "{line}");
        assert_eq!(line["open_children"], open, "{line}");
        assert!(
            !closed(line) || inside.iter().all(|inner| closed(inner)),
            "{line}"
        );
    }
}
