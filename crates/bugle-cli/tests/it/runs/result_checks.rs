//! Results that have the right shape but fail a check are refused, with all problems at once.

use serde_json::json;

use crate::support::sandbox::Sandbox;

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
    let sandbox = Sandbox::with_skill("choosing", CHOOSING);
    let begun = sandbox.run(&["start", "choosing"]).ok();
    for part in ["no duplicate `id`", "// Each approach is a sentence."] {
        assert_eq!(begun.out.matches(part).count(), 1, "{}", begun.out);
    }
    let step = begun.step();
    let missing = sandbox.printed(step.command()).refused("result-missing");
    std::fs::write(step.result_file(), "{").unwrap();
    let unreadable = sandbox.printed(step.command()).refused("result-unreadable");
    for refused in [missing, unreadable] {
        let outline = refused.outline.clone().unwrap_or_default();
        assert!(outline.contains("no duplicate `id`"), "{refused:?}");
        assert!(outline.contains("// Each approach is a sentence."), "{refused:?}");
    }
    let twice = json!({ "list": [
        { "id": "A1", "text": "Cache in memory." }, { "id": "A1", "text": "Cache on disk." }, { "id": "b", "text": "x" },
    ] });
    let refused = sandbox.report(&step, &twice).refused("result-mismatch");
    assert_eq!(refused.details.len(), 2, "{:?}", refused.details);
    assert!(
        refused
            .details
            .iter()
            .any(|line| line.contains("duplicates list[0].id")),
        "{:?}",
        refused.details
    );
    let short = json!({ "list": [{ "id": "A1", "text": "x" }] });
    let refused = sandbox.report(&step, &short).refused("checks-failed");
    assert_eq!(
        refused.details,
        [
            "Each approach is a sentence. Failing item: result.list[0] (id \"A1\"). Check: result.list.all(a, size(a.text) > 10)"
        ]
    );
    assert_eq!(refused.command(), step.command());
    assert!(refused.outline.is_some());
    let good = json!({ "list": [{ "id": "A1", "text": "Cache in memory." }] });
    let step = sandbox.report(&step, &good).ok().step();
    let refused = sandbox
        .report(&step, &json!({ "chosen": "A9", "because": "it is short" }))
        .refused("checks-failed");
    assert_eq!(refused.details.len(), 3, "{:?}", refused.details);
    assert!(
        refused.details[0].starts_with("`chosen` is one of the approaches."),
        "{:?}",
        refused.details
    );
    assert!(
        refused.details[2]
            .contains("could not evaluate the check: index 1 is out of range for a list of length 1"),
        "{:?}",
        refused.details
    );
    sandbox.verify();
}

#[test]
fn an_invalid_check_is_found_before_a_run() {
    let wrong = CHOOSING
        .replace("map(a, a.id)", "map(a, a.name)")
        .replace("A[0-9]+", "A[0-9");
    let sandbox = Sandbox::with_skill("choosing", &wrong);
    let found = sandbox.run(&["skill", "check", "choosing"]).exits(3);
    let said = format!("{}{}", found.out, found.err);
    assert!(said.contains("bad-pattern"), "{said}");
    let sandbox = Sandbox::with_skill("choosing", &CHOOSING.replace("map(a, a.id)", "map(a, a.name)"));
    let found = sandbox.run(&["skill", "check", "choosing"]).exits(3);
    let said = format!("{}{}", found.out, found.err);
    assert!(
        said.contains("ill-typed-check") && said.contains("has no `name`"),
        "{said}"
    );
}
