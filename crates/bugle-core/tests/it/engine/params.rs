//! A run's params.

use bugle_core::engine::{BadParam, parse_param, resolve_params};
use bugle_core::shape::{Length, Presence, Range, Shape};
use bugle_core::workflow::{Arg, Workflow, WorkflowDef};
use serde_json::{Map, Value, json};

use crate::support::{one_of, sound, step};

fn params() -> Workflow {
    let decision = Arg {
        help: Some("The decision under examination".to_owned()),
        ..Arg::required("decision", Shape::text()).unwrap()
    };
    let depth = Arg {
        presence: Presence::Optional,
        ..Arg::required("depth", Shape::Integer(Range::default())).unwrap()
    };
    let files = Shape::Array {
        items: Box::new(Shape::text()),
        length: Length::default(),
        unique: None,
    };
    let definition = WorkflowDef::new([step("a")])
        .param(decision)
        .param(Arg::with_default("mode", one_of(&["quick", "full"]), json!("full")).unwrap())
        .param(depth)
        .param(Arg::with_default("files", files, json!([])).unwrap());
    sound(definition)
}

fn resolved(given: Value) -> Result<Value, Vec<BadParam>> {
    let Value::Object(given) = given else {
        panic!("params are an object");
    };
    resolve_params(&params(), &given).map(Value::Object)
}

#[test]
fn defaults_are_filled_in_and_optional_params_stay_absent() {
    let expected = json!({ "decision": "move", "mode": "full", "files": [] });
    assert_eq!(resolved(json!({ "decision": "move" })), Ok(expected));
    let all = json!({ "decision": "move", "mode": "quick", "depth": 3, "files": ["a"] });
    assert_eq!(resolved(all.clone()), Ok(all));
}

#[test]
fn a_missing_param_is_reported_with_its_help() {
    let bad = resolved(json!({})).unwrap_err();
    assert_eq!(
        bad,
        [BadParam::Missing {
            name: "decision".to_owned(),
            help: Some("The decision under examination".to_owned()),
        }]
    );
    assert_eq!(
        bad[0].to_string(),
        "param `decision` is missing: The decision under examination"
    );
}

#[test]
fn an_unknown_param_is_reported_with_the_closest_name() {
    let bad = resolved(json!({ "decision": "move", "mdoe": "quick", "colour": "red" })).unwrap_err();
    let words: Vec<String> = bad.iter().map(ToString::to_string).collect();
    assert!(
        words.contains(&"there is no param `mdoe`; did you mean `mode`?".to_owned()),
        "{words:?}"
    );
    assert!(
        words.contains(&"there is no param `colour`".to_owned()),
        "{words:?}"
    );
}

#[test]
fn every_mismatch_is_reported_at_once() {
    let given = json!({ "mode": "slow", "depth": "deep", "files": ["a", 1] });
    let bad = resolved(given).unwrap_err();
    let words: Vec<String> = bad.iter().map(ToString::to_string).collect();
    assert_eq!(
        words,
        [
            "param `decision` is missing: The decision under examination",
            "param `mode`: expected one of quick, full, found \"slow\"",
            "param `depth`: expected a whole number, found text",
            "param `files` at [1]: expected text, found a number",
        ]
    );
}

#[test]
fn a_workflow_without_params_accepts_none() {
    let workflow = sound(WorkflowDef::new([step("a")]));
    assert_eq!(resolve_params(&workflow, &Map::new()), Ok(Map::new()));
}

#[test]
fn a_command_line_value_is_parsed_by_its_type() {
    let workflow = params();
    let read = [
        ("decision", "12", json!("12")),
        ("decision", "[1]", json!("[1]")),
        ("mode", "quick", json!("quick")),
        ("depth", "12", json!(12)),
        ("depth", "deep", json!("deep")),
        ("files", "[\"a\", \"b\"]", json!(["a", "b"])),
        ("files", "a.md", json!("a.md")),
        ("unknown", "true", json!("true")),
    ];
    for (name, text, value) in read {
        assert_eq!(parse_param(&workflow, name, text), value, "{name} {text}");
    }
}
