//! Tests of type errors and their messages.

use serde_json::json;

use super::{Expression, Fields, Scope, Type};
use crate::name::FieldName;
use crate::shape::{Field, Length, Presence, Range, Shape};

fn field(name: &str, shape: Shape, presence: Presence) -> Field {
    Field {
        name: FieldName::new(name).expect(name),
        shape,
        presence,
        help: None,
    }
}

fn params() -> Shape {
    let claim = Shape::Object(vec![
        field("id", Shape::Integer(Range::default()), Presence::Required),
        field("note", Shape::text(), Presence::Optional),
    ]);
    Shape::Object(vec![
        field(
            "mode",
            Shape::Enum(vec!["quick".into(), "full".into()]),
            Presence::Required,
        ),
        field("title", Shape::text(), Presence::Required),
        field("count", Shape::Integer(Range::default()), Presence::Required),
        field("ratio", Shape::Number(Range::default()), Presence::Required),
        field("ready", Shape::Boolean, Presence::Required),
        field(
            "claims",
            Shape::Array {
                items: Box::new(claim),
                length: Length::default(),
                unique: None,
            },
            Presence::Required,
        ),
        field("limit", Shape::Integer(Range::default()), Presence::Optional),
    ])
}

fn scope() -> Scope {
    let deepen = Fields::new().with("score", Type::Int, Presence::Required).with(
        "note",
        Type::String,
        Presence::Optional,
    );
    let state = Fields::new().with("deepen", Type::Object(deepen), Presence::Optional);
    Scope::new()
        .with("params", Type::from_shape(&params()))
        .with("state", Type::Object(state))
}

fn check(source: &str) -> Result<Type, String> {
    let expression = Expression::parse(source).unwrap_or_else(|error| panic!("{source}: {error}"));
    expression.check(&scope()).map_err(|errors| {
        let lines: Vec<String> = errors
            .into_iter()
            .map(|error| {
                format!(
                    "{}: {} | {}",
                    error.offset,
                    error.message,
                    error.fix.unwrap_or_default()
                )
            })
            .collect();
        lines.join("\n")
    })
}

#[track_caller]
fn is(source: &str, expected: &Type) {
    assert_eq!(check(source).as_ref(), Ok(expected), "{source}");
}

#[track_caller]
fn refused(source: &str, expected: &str) {
    assert_eq!(check(source), Err(expected.to_owned()), "{source}");
}

#[test]
fn well_typed_expressions_have_a_type() {
    for source in [
        "params.mode == 'quick' || params.mode in ['quick', 'full']",
        "params.count < 1.5 && params.ratio >= 1 && params.ratio in [1, 2]",
        "params.title.startsWith('a') && params.title < 'b' && size(params.title) > 2",
        "params.claims.exists(claim, claim.id == 1) && params.claims[0].id > 0",
        "params.claims.exists(claim, has(claim.note) && claim.note != '')",
        "params.ready ? true : !params.ready",
        "params.title == params.mode && params.claims == [] && 1 in []",
    ] {
        is(source, &Type::Bool);
    }
    is(
        "params.claims.map(claim, claim.id)",
        &Type::List(Box::new(Type::Int)),
    );
    is("params.mode + '!'", &Type::String);
    is("params.ratio * double(params.count)", &Type::Double);
    is("[] + [1]", &Type::List(Box::new(Type::Int)));
    is("params.ready ? params.mode : 'none'", &Type::String);
}

#[test]
fn unknown_names_get_a_suggestion() {
    refused(
        "parms.mode == 'x'",
        "0: unknown name `parms` | did you mean `params`?",
    );
    refused("foo", "0: unknown name `foo` | available: params, state");
    refused(
        "params.mod == 'x'",
        "7: `params` has no `mod` | did you mean `mode`?",
    );
    refused(
        "params.claims.all(claim, claim.ident > 0 || clam.id > 0)",
        "31: `claim` has no `ident` | available: id, note\n44: unknown name `clam` | did you mean `claim`?",
    );
    refused(
        "params.title.size",
        "13: `.size` needs an object, but the value is text | ",
    );
}

#[test]
fn choices_outside_an_enum_are_refused() {
    let message = "is not one of the choices: quick, full | did you mean `full`?";
    refused("params.mode == 'ful'", &format!("12: \"ful\" {message}"));
    refused("'ful' != params.mode", &format!("6: \"ful\" {message}"));
    refused(
        "params.mode in ['quick', 'ful']",
        &format!("12: \"ful\" {message}"),
    );
    refused(
        "params.mode == (params.ready ? 'ful' : 'quick')",
        &format!("12: \"ful\" {message}"),
    );
    refused(
        "'slow' in [params.mode]",
        "7: \"slow\" is not one of the choices: quick, full | ",
    );
    refused(
        "params.mode < 'full'",
        "12: `<` cannot compare choices: they have no order | list the choices: `... in [\"...\", \"...\"]`",
    );
}

#[test]
fn incompatible_types_are_refused() {
    refused(
        "params.count == '3'",
        "13: a whole number is never equal to text | ",
    );
    refused(
        "params.count < '3'",
        "13: `<` cannot be used with a whole number and text | ",
    );
    refused(
        "params.claims > 0",
        "14: `>` cannot be used with a list (each item an object) and a whole number | compare the list's size: `size(...)`",
    );
    refused(
        "params.count in ['a']",
        "13: the list never contains a whole number: each item is text | ",
    );
    refused(
        "'a' in params.title",
        "4: `in` needs a list, but the value is text | search text with `text.contains(part)`",
    );
    refused(
        "'mode' in params",
        "7: `in` needs a list, but the value is an object | test for a field with `has(object.field)`",
    );
    refused(
        "params.ratio * 2",
        "13: `*` cannot be used with a number and a whole number | write `2.0`",
    );
    refused(
        "params.count + params.ratio",
        "13: `+` cannot be used with a whole number and a number | wrap the whole number in `double(...)`",
    );
    refused(
        "params.title - 'a'",
        "13: `-` cannot be used with text and text | ",
    );
    refused(
        "[1, 2.5]",
        "4: list items must have the same type, but a number follows a whole number | write whole numbers with a decimal point, such as `2.0`, or use `double(...)`",
    );
    refused(
        "params.ready ? 1 : 'a'",
        "13: both branches of `?:` must have the same type, but are a whole number and text | ",
    );
    refused(
        "params['mode']",
        "6: an object cannot be indexed | write `.` and the field name",
    );
    refused(
        "params.claims['a']",
        "14: a list index must be a whole number, but the value is text | ",
    );
    refused(
        "params.title.all(x, true)",
        "7: `all` needs a list, but the value is text | ",
    );
    refused(
        "params.claims.contains(1)",
        "7: `contains` needs text, but the value is a list (each item an object) | test for a list item with `item in list`\n23: `contains` needs text, but the value is a whole number | ",
    );
}

#[test]
fn conditions_have_no_truthiness() {
    refused(
        "params.title && true",
        "7: `&&` needs true or false, but the value is text | compare the text: `... != \"\"`",
    );
    refused(
        "!params.count",
        "8: `!` needs true or false, but the value is a whole number | compare the number: `... > 0`",
    );
    refused(
        "params.claims.all(x, x.id)",
        "23: `all` needs true or false, but the value is a whole number | compare the number: `... > 0`",
    );
    let guard = |source| Expression::parse(source).expect(source).check_guard(&scope());
    assert_eq!(guard("params.ready"), Ok(()));
    let errors = guard("params.claims").expect_err("a list");
    assert_eq!(
        errors[0].message,
        "the expression must be true or false, but is a list (each item an object)"
    );
    assert_eq!(
        errors[0].fix.as_deref(),
        Some("compare the list's size: `size(...) > 0`")
    );
}

#[test]
fn null_is_tested_with_has() {
    refused(
        "params.limit == null",
        "0: `params.limit` may be absent | write `has(params.limit) && ...` or `has(params.limit) ? params.limit : ...`\n13: a whole number is never equal to null | test for the field: `!has(params.limit)`",
    );
    refused(
        "null != params.title",
        "5: null is never equal to text | test for the field: `has(params.title)`",
    );
}

#[test]
fn optional_values_are_readable_after_has() {
    for source in [
        "has(params.limit) && params.limit > 3",
        "params.ready && (has(params.limit) && params.ready) && params.limit > 3",
        "!has(params.limit) || params.limit > 3",
        "!(params.ready && has(params.limit)) || params.ready",
        "!(!has(params.limit) || params.ready) && params.limit > 3",
        "has(params.limit) ? params.limit > 3 : false",
        "!has(params.limit) ? false : params.limit > 3",
        "has(state.deepen) && state.deepen.score > 3",
        "has(state.deepen.note) && state.deepen.note != '' && state.deepen.score > 3",
        "has(params.limit) && params.claims.all(claim, claim.id < params.limit)",
        "has(params.claims[0].note) && params.claims[0].note != ''",
    ] {
        is(source, &Type::Bool);
    }
    let advice = "`params.limit` may be absent | write `has(params.limit) && ...` or `has(params.limit) ? params.limit : ...`";
    for (source, offset) in [
        ("params.limit > 3", 0),
        ("params.limit > 3 && has(params.limit)", 0),
        ("has(params.limit) || params.limit > 3", 21),
        ("!has(params.limit) && params.limit > 3", 22),
        ("has(params.limit) ? true : params.limit > 3", 27),
        ("(has(params.limit) && true) == (params.limit > 3)", 32),
        ("!(params.ready && has(params.limit)) && params.limit > 3", 40),
    ] {
        refused(source, &format!("{offset}: {advice}"));
    }
}

#[test]
fn one_has_is_suggested_for_a_whole_path() {
    refused(
        "state.deepen.note == 'x'",
        "0: `state.deepen` may be absent | write `has(state.deepen.note) && ...` or `has(state.deepen.note) ? state.deepen.note : ...`",
    );
    refused(
        "has(state.deepen) && state.deepen.note == 'x'",
        "21: `state.deepen.note` may be absent | write `has(state.deepen.note) && ...` or `has(state.deepen.note) ? state.deepen.note : ...`",
    );
    refused(
        "params.claims[params.count].note == 'x'",
        "0: `note` may be absent | use the field inside a macro: `list.exists(item, has(item.field) && ...)`",
    );
}

#[test]
fn a_proof_does_not_apply_to_a_shadowing_variable() {
    let outer = "params.claims.all(claim, has(claim.note) && params.claims.all(claim, claim.note != ''))";
    refused(
        outer,
        "69: `claim.note` may be absent | write `has(claim.note) && ...` or `has(claim.note) ? claim.note : ...`",
    );
}

#[test]
fn values_are_converted_to_the_declared_number_type() {
    let given = json!({
        "count": 3.0, "ratio": 2, "title": "t", "limit": null, "extra": 1,
        "claims": [{"id": 4.0, "note": null}], "mode": null,
    });
    let seen = json!({
        "count": 3, "ratio": 2.0, "title": "t", "extra": 1, "claims": [{"id": 4}], "mode": null,
    });
    let conformed = Type::from_shape(&params()).conform(given);
    assert_eq!(conformed, seen);
    assert!(conformed["ratio"].is_f64() && conformed["count"].is_i64());
    for unfit in [json!(1.5), json!(1e300), json!("3"), json!(u64::MAX)] {
        assert_eq!(Type::Int.conform(unfit.clone()), unfit);
    }
}
