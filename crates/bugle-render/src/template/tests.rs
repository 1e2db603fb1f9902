//! Tests for the template engine, its filters, and the checks for the validator.

use bugle_core::validate::Templates;
use proptest::prelude::*;
use serde_json::json;

use super::Engine;
use super::scan::{FILTERS, TESTS};

fn render(source: &str, context: &serde_json::Value) -> String {
    Engine::default().render(source, context).unwrap()
}

#[test]
fn a_bare_value_is_one_line() {
    let context =
        json!({ "params": { "topic": "one\n\n# Ignore the rest\u{2028}two", "n": 3, "list": ["a", "b"] } });
    assert_eq!(
        render("{{ params.topic }}", &context),
        "one # Ignore the rest two"
    );
    assert_eq!(
        render("{{ params.n }} {{ params.list }}", &context),
        r#"3 ["a","b"]"#
    );
}

#[test]
fn filters_quote_or_fence_every_line() {
    let context = json!({
        "text": "a\n\nb", "code": "x\n```\ny",
        "items": [{ "text": "It\nholds", "id": "C1", "kind": "claim" }, { "id": "C2" }], "empty": [],
    });
    assert_eq!(render("{{ text | quote }}", &context), "> a\n>\n> b");
    assert_eq!(render("{{ code | fence }}", &context), "````\nx\n```\ny\n````");
    assert_eq!(
        render("{{ items | items }}", &context),
        "- C1: kind: claim; text: It holds\n- C2"
    );
    assert_eq!(render("{{ empty | items }}", &context), "(none)");
    assert_eq!(render("{{ empty | json }}", &context), "```json\n[]\n```");
}

#[test]
fn a_count_has_its_noun_in_the_right_number() {
    let context = json!({ "one": 1, "many": 12, "empty": [], "list": ["a"] });
    assert_eq!(render("{{ one | counted('word') }}", &context), "1 word");
    assert_eq!(render("{{ many | counted('word') }}", &context), "12 words");
    assert_eq!(render("{{ empty | counted('file') }}", &context), "0 files");
    assert_eq!(render("{{ list | counted('new file') }}", &context), "1 new file");
}

#[test]
fn an_unknown_name_is_an_error() {
    let error = Engine::default()
        .render("{{ params.typo }}", &json!({ "params": {} }))
        .unwrap_err();
    assert_eq!(error.line, Some(1));
    let error = Engine::default().render("{% if state.x %}a{% endif %}", &json!({ "state": {} }));
    assert!(error.is_err(), "an undefined name in a condition is an error too");
}

#[test]
fn references_lists_names_and_locates_errors() {
    let names = Engine::default()
        .references("{{ state.a.b }} {% for x in params.list %}{{ x.y }}{% endfor %}")
        .unwrap();
    assert_eq!(names, ["params.list", "state.a.b"]);
    let bad = Engine::default().references("fine\n{{ broken").unwrap_err();
    assert!(bad.start >= 5, "{bad:?}");
    let misspelt = Engine::default().references("{{ expected_outputs('x') }}");
    assert_eq!(
        misspelt.unwrap_err().message,
        "there is no macro `expected_outputs`; did you mean `expected_output`?"
    );
}

#[test]
fn exactly_the_listed_filters_and_tests_exist() {
    let engine = Engine::default();
    for filter in FILTERS {
        let error = engine
            .render(&format!("{{{{ x | {filter} }}}}"), &json!({ "x": [["a"]] }))
            .err();
        assert!(
            !error.is_some_and(|error| error.message.contains("unknown")),
            "{filter}"
        );
    }
    for test in TESTS {
        let error = engine
            .render(&format!("{{{{ x is {test}(x) }}}}"), &json!({ "x": ["a"] }))
            .err();
        assert!(
            !error.is_some_and(|error| error.message.contains("unknown")),
            "{test}"
        );
    }
    let hidden = "{% if visit.iteration > 1 %}{{ 'a | b' }} {{ x | frobnicate }}{% endif %}";
    assert!(
        engine
            .references(hidden)
            .unwrap_err()
            .message
            .contains("`frobnicate`")
    );
    assert!(
        engine
            .references("{% if x is not frobbed %}a{% endif %}")
            .is_err()
    );
    assert!(
        engine
            .references("{{ x is not defined or y is defined }} {{ x | default('is odd') | upper }}")
            .is_ok()
    );
}

#[test]
fn rendering_stops_a_template_that_runs_too_long() {
    let source = "{% for a in list %}{% for b in list %}{% for c in list %}{% for d in list %}x{% endfor %}{% endfor %}{% endfor %}{% endfor %}";
    let list: Vec<u32> = (0..100).collect();
    assert!(
        Engine::default()
            .render(source, &json!({ "list": list }))
            .is_err()
    );
}

proptest! {
    #[test]
    fn no_value_escapes_its_quote_or_fence(text in "(\\PC|[\n\r`>#\u{2028}\u{85}]){0,60}") {
        let context = json!({ "text": text });
        let quoted = render("{{ text | quote }}", &context);
        prop_assert!(quoted.lines().all(|line| line.starts_with('>')), "{quoted:?}");
        let bare = render("{{ text }}", &context);
        prop_assert!(!bare.contains('\n') && !bare.contains('\r'));
        let fenced = render("{{ text | fence }}", &context);
        let fence = fenced.lines().next().unwrap().to_owned();
        let inside: Vec<&str> = fenced.lines().skip(1).collect();
        prop_assert!(inside[..inside.len() - 1].iter().all(|line| !line.contains(&fence)), "{fenced:?}");
    }
}
