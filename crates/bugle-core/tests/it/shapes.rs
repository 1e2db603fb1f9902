//! Types: which values fit, the paths of mismatches, and how types are described.

use bugle_core::shape::{Length, Mismatch, Range, Shape};
use bugle_testkit::strategy::sound_shape;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{cases, one_of, optional, required};

fn at_least(min: usize) -> Length {
    Length {
        min: Some(min),
        max: None,
    }
}

fn at_most(max: usize) -> Length {
    Length {
        min: None,
        max: Some(max),
    }
}

fn within(min: usize, max: usize) -> Length {
    Length {
        min: Some(min),
        max: Some(max),
    }
}

fn list(items: Shape, length: Length) -> Shape {
    Shape::Array {
        items: Box::new(items),
        length,
        unique: None,
    }
}

fn between(min: Option<f64>, max: Option<f64>) -> Range {
    Range { min, max }
}

/// A report with sections and findings; a finding may have a location.
fn report() -> Shape {
    let place = Shape::Object(vec![required("line", Shape::Integer(between(Some(1.0), None)))]);
    let finding = Shape::Object(vec![
        required("severity", one_of(&["must", "should"])),
        optional("place", place),
    ]);
    let section = Shape::Object(vec![
        required("title", Shape::String(at_least(1))),
        required("findings", list(finding, at_most(2))),
    ]);
    Shape::Object(vec![required("sections", list(section, at_least(1)))])
}

fn told(shape: &Shape, value: &Value) -> Vec<String> {
    shape.mismatches(value).iter().map(Mismatch::to_string).collect()
}

#[test]
fn a_fitting_value_has_no_mismatch() {
    let section = |findings: Value| json!({ "sections": [{ "title": "One", "findings": findings }] });
    let fitting = [
        section(json!([])),
        section(json!([{ "severity": "must", "place": { "line": 3 } }])),
        section(json!([{ "severity": "must", "place": null }, { "severity": "should" }])),
    ];
    for value in fitting {
        assert_eq!(told(&report(), &value), Vec::<String>::new(), "{value}");
    }
}

#[test]
fn a_mismatch_has_a_path_in_lists_and_objects() {
    let value = json!({
        "sections": [
            { "title": "", "findings": [] },
            {
                "title": "Two",
                "findings": [
                    { "severity": "must", "place": { "line": 0 } },
                    { "severity": "may", "place": 7, "mood": "bad" },
                    { "place": { "line": "first" } },
                ],
            },
            null,
        ],
        "extra": true,
    });
    let mismatches = report().mismatches(&value);
    let paths: Vec<&str> = mismatches.iter().map(|mismatch| mismatch.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "sections[0].title",
            "sections[1].findings",
            "sections[1].findings[0].place.line",
            "sections[1].findings[1].severity",
            "sections[1].findings[1].place",
            "sections[1].findings[1].mood",
            "sections[1].findings[2].severity",
            "sections[1].findings[2].place.line",
            "sections[2]",
            "extra",
        ]
    );
    insta::assert_snapshot!(told(&report(), &value).join("\n"));
}

#[test]
fn a_mismatch_of_the_whole_value_has_no_path() {
    let mismatches = Shape::Boolean.mismatches(&json!("true"));
    assert_eq!(mismatches.len(), 1);
    assert_eq!(mismatches[0].path, "");
    assert_eq!(
        mismatches[0].to_string(),
        "the value: expected true or false, found text"
    );
}

#[test]
fn lengths_count_characters_and_bounds_are_inclusive() {
    let two = Shape::String(within(2, 2));
    assert!(two.mismatches(&json!("äö")).is_empty());
    assert!(!two.mismatches(&json!("ä")).is_empty());
    let named = Shape::String(Length {
        min: Some(1),
        max: None,
    });
    assert_eq!(
        named.mismatches(&json!(" \n"))[0].message,
        "expected text (not empty), found only spaces"
    );
    assert!(Shape::text().mismatches(&json!(" ")).is_empty());
    let digit = Shape::Integer(between(Some(0.0), Some(9.0)));
    for (value, fits) in [
        (json!(0), true),
        (json!(9), true),
        (json!(9.0), true),
        (json!(10), false),
        (json!(0.5), false),
    ] {
        assert_eq!(digit.mismatches(&value).is_empty(), fits, "{value}");
    }
    let ratio = Shape::Number(between(Some(0.0), Some(1.0)));
    for (value, fits) in [
        (json!(0.5), true),
        (json!(1), true),
        (json!(1.1), false),
        (json!("1"), false),
    ] {
        assert_eq!(ratio.mismatches(&value).is_empty(), fits, "{value}");
    }
}

#[test]
fn types_are_described_in_words() {
    let shapes = [
        Shape::text(),
        Shape::String(at_least(1)),
        Shape::String(at_least(2)),
        Shape::String(at_most(80)),
        Shape::String(at_most(1)),
        Shape::String(within(3, 3)),
        Shape::String(within(1, 9)),
        Shape::Integer(Range::default()),
        Shape::Integer(between(Some(1.0), Some(10.0))),
        Shape::Number(between(Some(0.5), None)),
        Shape::Number(between(None, Some(-2.5))),
        Shape::Boolean,
        one_of(&["quick", "full"]),
        list(Shape::text(), Length::default()),
        list(Shape::Boolean, at_least(1)),
        list(list(one_of(&["a", "b"]), at_most(3)), within(2, 2)),
        report(),
        Shape::Object(vec![
            required("claims", Shape::text()),
            optional("note", Shape::text()),
        ]),
    ];
    let page: Vec<String> = shapes.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(page.join("\n"));
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn an_example_fits_its_own_type(shape in sound_shape()) {
        let example = shape.example();
        prop_assert_eq!(told(&shape, &example), Vec::<String>::new(), "{}", example);
    }

    #[test]
    fn a_stored_type_reads_back(shape in sound_shape()) {
        let text = serde_json::to_string(&shape).unwrap();
        prop_assert_eq!(serde_json::from_str::<Shape>(&text).unwrap(), shape);
    }

    #[test]
    fn every_mismatch_has_a_message(shape in sound_shape(), other in sound_shape()) {
        let found = shape.mismatches(&other.example());
        for mismatch in found {
            prop_assert!(!mismatch.message.is_empty());
        }
    }
}
