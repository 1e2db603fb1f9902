//! Outlines of shapes: the JSON that an agent must write.

use bugle_core::name::FieldName;
use bugle_core::pattern::Pattern;
use bugle_core::shape::{Field, Length, Presence, Range, Shape, Unique};
use bugle_render::{outline, outline_with_checks};

fn field(name: &str, shape: Shape) -> Field {
    Field {
        name: FieldName::new(name).unwrap(),
        shape,
        presence: Presence::Required,
        help: None,
    }
}

fn optional(field: Field) -> Field {
    Field {
        presence: Presence::Optional,
        ..field
    }
}

fn helped(field: Field, help: &str) -> Field {
    Field {
        help: Some(help.to_owned()),
        ..field
    }
}

fn list(items: Shape, min: Option<usize>, max: Option<usize>) -> Shape {
    Shape::Array {
        items: Box::new(items),
        length: Length { min, max },
        unique: None,
    }
}

fn words(words: &[&str]) -> Shape {
    Shape::Enum(words.iter().map(|word| (*word).to_owned()).collect())
}

fn between(min: Option<f64>, max: Option<f64>) -> Range {
    Range { min, max }
}

#[test]
fn of_every_plain_type() {
    let text = |min, max| Shape::String(Length { min, max });
    let shape = Shape::Object(vec![
        field("any", Shape::text()),
        field("some", text(Some(1), None)),
        field("few", text(None, Some(80))),
        field("exact", text(Some(3), Some(3))),
        field("count", Shape::Integer(between(None, None))),
        field("from_one", Shape::Integer(between(Some(1.0), None))),
        field("share", Shape::Number(between(Some(0.0), Some(1.0)))),
        field("below", Shape::Number(between(None, Some(-0.5)))),
        field("sure", Shape::Boolean),
        field("grade", words(&["high", "low"])),
        field("word", words(&["only"])),
        helped(field("helped", Shape::text()), "where it stands"),
        optional(field("perhaps", Shape::Boolean)),
        helped(
            optional(field("perhaps_helped", Shape::text())),
            "only if there is one",
        ),
    ]);
    insta::assert_snapshot!(outline(&shape));
}

#[test]
fn of_lists_in_objects_in_lists() {
    let source = Shape::Object(vec![
        field("file", Shape::text()),
        helped(
            optional(field("line", Shape::Integer(between(Some(1.0), None)))),
            "from 1",
        ),
    ]);
    let claim = Shape::Object(vec![
        field(
            "id",
            Shape::String(Length {
                min: Some(2),
                max: Some(4),
            }),
        ),
        field("kind", words(&["claim", "assumption"])),
        helped(
            field("sources", list(source, None, Some(5))),
            "where it was found",
        ),
    ]);
    let shape = Shape::Object(vec![
        helped(
            field("claims", list(claim, Some(1), Some(24))),
            "in the order of the text",
        ),
        field(
            "table",
            list(
                list(Shape::Number(between(None, None)), Some(2), Some(2)),
                None,
                None,
            ),
        ),
        field("names", list(Shape::text(), Some(1), None)),
        optional(field("extra", Shape::Object(vec![field("note", Shape::text())]))),
    ]);
    insta::assert_snapshot!(outline(&shape));
}

#[test]
fn of_an_object_without_fields() {
    insta::assert_snapshot!(outline(&Shape::Object(vec![field(
        "empty",
        Shape::Object(Vec::new())
    )])));
}

#[test]
fn a_remark_is_one_line() {
    let shape = Shape::Object(vec![
        helped(field("a", Shape::text()), "first line\nsecond line"),
        field("b", Shape::text()),
    ]);
    let lines: Vec<String> = outline(&shape).lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 4, "{lines:#?}");
}

#[test]
fn a_word_is_escaped_as_json() {
    let shape = words(&["say \"no\"", "a\\b"]);
    assert_eq!(outline(&shape), r#""say \"no\"" | "a\\b""#);
}

#[test]
fn an_outline_has_uniqueness_and_checks() {
    let id = Shape::Pattern(Pattern::new("E[0-9]+").unwrap(), Length::default());
    let items = Shape::Object(vec![field("id", id)]);
    let list = |items: Shape, unique| Shape::Array {
        items: Box::new(items),
        length: Length::default(),
        unique: Some(unique),
    };
    let shape = Shape::Object(vec![
        field(
            "evidence",
            list(items, Unique::Field(FieldName::new("id").unwrap())),
        ),
        field("words", list(Shape::text(), Unique::Items)),
    ]);
    let says = ["Each finding\n  is a sentence.", "There are two."];
    insta::assert_snapshot!(outline_with_checks(&shape, says));
}
