//! Results that have the right shape but fail a check are refused, with all problems at once.

use serde_json::json;

use super::started;
use crate::project::{Project, refused};
use crate::reviewed::step;

const CHOOSING: &str = r#"version: 1
params:
  topic: { type: string, default: cache }
steps:
  approaches:
    title: Find approaches
    do: Find approaches for {{ params.topic }}.
    result:
      list:
        type: array
        min: 1
        unique: id
        items:
          type: object
          fields: { id: { type: string, pattern: "A[0-9]+" }, text: string }
    check:
      - { that: "result.list.all(a, size(a.text) > 10)", say: Each approach is a sentence. }
    next: choose
  choose:
    title: Choose
    do: Choose one.
    result:
      chosen: { type: string, min: 1 }
      because: { type: string }
    check:
      - { that: "result.chosen in state.approaches.list.map(a, a.id)", say: "`chosen` is one of the approaches." }
      - { that: "result.because.contains(params.topic)", say: The reason speaks of the topic. }
      - { that: "result.because != state.approaches.list[1].text", say: The reason is new. }
    next: end
"#;

#[test]
fn a_result_is_refused_with_every_check_that_fails() {
    let (mut project, first) = started("choosing", CHOOSING);
    let result = first.result.clone().unwrap();
    let missing = refused(project.end_visit(&first), "result-missing");
    std::fs::write(&result.file, "{").unwrap();
    let unreadable = refused(project.end_visit(&first), "result-unreadable");
    let outlines = [missing, unreadable].map(|refusal| refusal.outline.unwrap());
    for outline in [result.outline].iter().chain(&outlines) {
        for part in ["no duplicate `id`", "// Each approach is a sentence."] {
            assert_eq!(outline.matches(part).count(), 1, "{outline}");
        }
    }
    let twice = json!({ "list": [
        { "id": "A1", "text": "Cache in memory." }, { "id": "A1", "text": "Cache on disk." }, { "id": "b", "text": "x" },
    ] });
    let details = refused(project.report(&first, &twice), "result-mismatch").details;
    assert_eq!(details.len(), 2, "{details:?}");
    assert!(
        details.iter().any(|line| line.contains("duplicates list[0].id")),
        "{details:?}"
    );
    let short = json!({ "list": [{ "id": "A1", "text": "x" }] });
    let refusal = refused(project.report(&first, &short), "checks-failed");
    assert_eq!(
        refusal.details,
        [
            "Each approach is a sentence. Failing item: result.list[0] (id \"A1\"). Check: result.list.all(a, size(a.text) > 10)"
        ]
    );
    assert_eq!(refusal.command, first.command);
    assert!(refusal.outline.is_some());
    let good = json!({ "list": [{ "id": "A1", "text": "Cache in memory." }] });
    let choose = step(project.report(&first, &good));
    let chosen = json!({ "chosen": "A9", "because": "it is short" });
    let details = refused(project.report(&choose, &chosen), "checks-failed").details;
    assert_eq!(details.len(), 3, "{details:?}");
    assert!(
        details[0].starts_with("`chosen` is one of the approaches."),
        "{details:?}"
    );
    assert!(
        details[2].contains("could not evaluate the check: index 1 is out of range for a list of length 1"),
        "{details:?}"
    );
    project.check();
}

#[test]
fn an_invalid_check_is_found_before_a_run() {
    let mut project = Project::new();
    let wrong_field = CHOOSING.replace("map(a, a.id)", "map(a, a.name)");
    let wrong_pattern = CHOOSING.replace("A[0-9]+", "A[0-9");
    for (workflow, code, says) in [
        (wrong_field, "ill-typed-check", "has no `name`"),
        (wrong_pattern, "bad-pattern", "unclosed character class"),
    ] {
        project.write_skill("choosing", &workflow);
        let report = project.check_skill("choosing");
        let problems = &report.skills[0].problems;
        assert!(
            problems
                .iter()
                .any(|problem| problem.code == code && problem.message.contains(says)),
            "{problems:?}"
        );
    }
}

const CITING: &str = r"version: 1
steps:
  look:
    title: Look
    do: Look.
    result:
      seen: { type: array, items: { type: object, fields: { at: place, text: { type: quote, required: false } } } }
    next: end
";

#[test]
fn a_place_must_exist_and_a_quote_must_be_in_its_file() {
    let (mut project, first) = started("citing", CITING);
    project.write("src/cache.rs", "fn get() {\n    map.get(&key)\n}\n");
    let seen = |at: &str, text: &str| json!({ "seen": [{ "at": at, "text": text }] });
    for (result, detail) in [
        (
            seen("src/cache.rs", "map"),
            "seen[0].at: expected a place such as src/lib.rs:42 or src/lib.rs:40-44, found \"src/cache.rs\"",
        ),
        (
            seen("src/cache.rs:9", "map"),
            "seen[0].at: \"src/cache.rs\" has only 3 lines",
        ),
        (
            seen("src/other.rs:1", "map"),
            "seen[0].at: \"src/other.rs\" is not a file in the project",
        ),
        (
            seen("../outside.rs:1", "map"),
            "seen[0].at: \"../outside.rs\" is not a file in the project",
        ),
        (
            seen("src:1", "map"),
            "seen[0].at: \"src\" cannot be read: not a regular file",
        ),
        (
            seen("src/cache.rs:2", "map.take(&key)"),
            "seen[0].text: \"src/cache.rs\" does not contain \"map.take(&key)\"",
        ),
    ] {
        let refusal = refused(project.report(&first, &result), "result-mismatch");
        assert_eq!(refusal.details, [detail]);
    }
    project
        .report(&first, &seen("src/cache.rs:1-2", "fn get() { map.get(&key)"))
        .unwrap();
    project.check();
}
