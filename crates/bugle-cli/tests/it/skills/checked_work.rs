//! Work of built-in skills that Bugle repeats itself.

use serde_json::{Value, json};

use crate::support::sandbox::Sandbox;
use crate::support::script::Script;

const CATEGORIES: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../skills/refactor/resources/categories.md"
));

/// The category with this number.
fn category(number: u64) -> &'static str {
    let row = format!("| {number} | ");
    let line = CATEGORIES
        .lines()
        .find_map(|line| line.strip_prefix(&row))
        .unwrap();
    line.split(" | ").next().unwrap()
}

/// A result of refactor's first step with these categories.
fn selection(numbers: &[u64]) -> Value {
    let categories: Vec<&str> = numbers.iter().map(|number| category(*number)).collect();
    json!({
        "paths": ["src"], "left_out": [], "size": "file", "draw": numbers, "categories": categories,
        "project": "A small library that reads dates in several formats.",
    })
}

#[test]
fn refactor_accepts_only_the_categories_that_were_drawn() {
    let sandbox = Sandbox::new();
    let step = sandbox.start(&["refactor", "scope=src"]);
    let line = step.action.lines().find(|line| line.contains("awk")).unwrap();
    let drawn = sandbox.printed(&line.trim().replace("n=N", "n=5")).ok().out;
    let drawn: Vec<u64> = drawn.lines().map(|line| line.parse().unwrap()).collect();
    let chosen = if drawn == [1, 2, 3, 4, 5] {
        [2, 3, 4, 5, 6]
    } else {
        [1, 2, 3, 4, 5]
    };
    sandbox
        .report(&step, &selection(&chosen))
        .refused("evidence-unmet");
    let mut renamed = selection(&drawn);
    renamed["categories"] = selection(&chosen)["categories"].clone();
    sandbox.report(&step, &renamed).refused("checks-failed");
    assert_eq!(
        sandbox.report(&step, &selection(&drawn)).ok().step().step,
        "explore"
    );
}

#[test]
fn fix_is_not_done_while_the_test_fails() {
    let sandbox = Sandbox::new();
    let mut script = Script::read("fix.json");
    for (path, text) in [
        ("total.sh", "#!/bin/sh\nread -r n < \"$1\"\necho \"$n\"\n"),
        (
            "Makefile",
            "last-line:\n\techo 'expected 3, got 1'\n\t[ \"$$(printf '1\\n2' | sh total.sh /dev/stdin)\" = 3 ]\n",
        ),
    ] {
        sandbox.write(&sandbox.project().join(path), text);
    }
    let bug = format!("bug={}", script.params["bug"].as_str().unwrap());
    let step = sandbox.start(&["fix", &bug]);
    let result = script.next_result("reproduce");
    let step = sandbox.report(&step, &result).ok().step();
    sandbox.write(&sandbox.project().join("tests/last_line.sh"), "exit 1\n");
    let result = script.next_result("test");
    let step = sandbox.report(&step, &result).ok().step();
    let result = script.next_result("fix");
    sandbox.report(&step, &result).refused("evidence-unmet");
}
