//! Tests of evaluation and evaluation errors.

use serde_json::{Value, json};

use super::{EvaluationError, Expression, Path};

fn values() -> Value {
    json!({
        "params": {"mode": "full", "count": 3, "ratio": 0.5, "tags": ["a", "b"], "gone": null},
        "items": [{"id": 1, "note": "x"}, {"id": 2}],
        "huge": 9_007_199_254_740_993_i64,
        "unsigned": u64::MAX,
    })
}

fn evaluate(source: &str) -> Result<Value, EvaluationError> {
    Expression::parse(source)
        .unwrap_or_else(|error| panic!("{source}: {error}"))
        .evaluate(&values())
}

#[track_caller]
fn gives(source: &str, expected: Value) {
    assert_eq!(evaluate(source), Ok(expected), "{source}");
}

#[track_caller]
fn fails(source: &str, expected: &EvaluationError) {
    assert_eq!(evaluate(source).as_ref(), Err(expected), "{source}");
}

fn unfit(operation: &'static str, found: &str) -> EvaluationError {
    EvaluationError::Unfit {
        operation,
        found: found.to_owned(),
    }
}

#[test]
fn operators_bind_as_in_cel() {
    gives("1 + 2 * 3 - 4 / 2 % 2", json!(7));
    gives("10 - 3 - 2", json!(5));
    gives("-2 * -3 - -1", json!(7));
    gives("1 + 1 == 2 && 2 < 3 || false", json!(true));
    gives("false && false || true", json!(true));
    gives("true || false && false", json!(true));
    gives("1 < 2 == true", json!(true));
    gives("!false && !!true", json!(true));
    gives("true ? 1 : false ? 2 : 3", json!(1));
    gives("'a' in ['a'] == true", json!(true));
    gives("(1 + 2) * 3 // the sum first", json!(9));
}

#[test]
fn literals_are_written_as_in_cel() {
    gives(
        "[0x1F, -9223372036854775808, 9223372036854775807]",
        json!([31, i64::MIN, i64::MAX]),
    );
    gives(
        "[1.5, .5, 1e3, 2.5E-1, -1.0]",
        json!([1.5, 0.5, 1000.0, 0.25, -1.0]),
    );
    gives(
        r#"["it's", 'a "b"', '\'', "\n\t\\\x41\u00e9\U0001F600\101"]"#,
        json!(["it's", "a \"b\"", "'", "\n\t\\Aé😀A"]),
    );
    gives(
        "[true, false, null, [], [1,],]",
        json!([true, false, null, [], [1]]),
    );
}

#[test]
fn values_are_read_by_name_field_and_index() {
    gives("params.mode", json!("full"));
    gives("items[1].id", json!(2));
    gives("items[1.0].id", json!(2));
    gives("params", values()["params"].clone());
    fails(
        "parms.mode",
        &EvaluationError::UnknownName { name: "parms".into() },
    );
    fails(
        "params.nope",
        &EvaluationError::Absent {
            path: "params.nope".into(),
        },
    );
    fails("items[2]", &EvaluationError::OutOfRange { index: 2, length: 2 });
    fails("items[-1]", &EvaluationError::OutOfRange { index: -1, length: 2 });
    fails("items['id']", &unfit("[]", "a list and text"));
    fails("params.mode.x", &unfit(".", "text"));
}

#[test]
fn null_and_fields_below_an_absent_value_are_absent() {
    gives("has(params.mode)", json!(true));
    gives("has(params.gone)", json!(false));
    gives("has(params.nope.deeper)", json!(false));
    gives("has(items[1].note)", json!(false));
    fails(
        "params.gone",
        &EvaluationError::Absent {
            path: "params.gone".into(),
        },
    );
    fails(
        "has(nope.x)",
        &EvaluationError::UnknownName { name: "nope".into() },
    );
}

#[test]
fn an_error_counts_only_if_nothing_else_decides() {
    for source in [
        "false && nope",
        "nope && false",
        "nope && true && false",
        "1 && false",
    ] {
        gives(source, json!(false));
    }
    for source in [
        "true || nope",
        "nope || true",
        "nope || false || true",
        "items.exists(x, x.note == 'x')",
    ] {
        gives(source, json!(true));
    }
    gives("items.all(x, x.note == 'y')", json!(false));
    let unknown = EvaluationError::UnknownName { name: "nope".into() };
    for source in [
        "nope && true",
        "true && nope",
        "nope || false",
        "nope ? 1 : 2",
        "nope == 1",
    ] {
        fails(source, &unknown);
    }
    fails(
        "items.all(x, x.note == 'x')",
        &EvaluationError::Absent {
            path: "x.note".into(),
        },
    );
    fails("true && 1", &unfit("&&", "a whole number"));
    fails("!1", &unfit("!", "a whole number"));
}

#[test]
fn numbers_of_different_kinds_compare_exactly_but_do_not_mix() {
    gives(
        "1 < 1.5 && 1.5 > 1 && 1 == 1.0 && 2.0 >= 2 && -1 > -1.5",
        json!(true),
    );
    gives(
        "huge > 9007199254740992.0 && huge != 9007199254740992.0",
        json!(true),
    );
    gives("unsigned > 9223372036854775807", json!(true));
    gives("9223372036854775807 < 9223372036854775808.0", json!(true));
    gives("double(3) / 2.0", json!(1.5));
    fails("1 + 1.0", &unfit("+", "a whole number and a number"));
    fails("1.0 % 1.0", &unfit("%", "a number and a number"));
    fails("1 < 'a'", &unfit("<", "a whole number and text"));
    gives("1 == 'a' || null == 0 || [1] == ['a']", json!(false));
}

#[test]
fn arithmetic_errors_are_reported() {
    for source in [
        "9223372036854775807 + 1",
        "-9223372036854775808 - 1",
        "9223372036854775807 * 2",
        "-9223372036854775808 / -1",
        "-9223372036854775808 % -1",
        "-(-9223372036854775808)",
    ] {
        fails(source, &EvaluationError::Overflow);
    }
    fails("1 / 0", &EvaluationError::DivisionByZero);
    fails("1 % 0", &EvaluationError::DivisionByZero);
    fails("1.0 / 0.0", &EvaluationError::NotFinite);
    gives(
        "0.0 / 0.0 == 0.0 / 0.0 || 0.0 / 0.0 < 1.0 || 0.0 / 0.0 >= 1",
        json!(false),
    );
    gives("-7 / 2 * 10 + -7 % 2", json!(-31));
}

#[test]
fn string_and_list_operations_work_as_in_cel() {
    gives("size('äö') + 'abc'.size() + size([1, 2])", json!(7));
    gives("'ab' + 'c' == 'abc' && 'a' < 'b'", json!(true));
    gives("[1] + [2] + []", json!([1, 2]));
    gives(
        "'abc'.startsWith('a') && 'abc'.endsWith('c') && 'abc'.contains('b')",
        json!(true),
    );
    gives(
        "'b' in params.tags && !('c' in params.tags) && 1 in [1.0]",
        json!(true),
    );
    gives("items.map(x, x.id * 2).filter(y, y > 2)", json!([4]));
    gives(
        "items.exists_one(x, x.id == 1) && items.all(x, x.id > 0)",
        json!(true),
    );
    gives(
        "[1, 2].exists(x, [2, 3].exists(x, x == 3) && x == 2)",
        json!(true),
    );
    gives("params.mode == 'full' ? params.tags[0] : 'none'", json!("a"));
    gives("items[0] == items[0] && items != [items[0]]", json!(true));
    fails("size(1)", &unfit("size", "a whole number"));
    fails("'a' in 'abc'", &unfit("in", "text and text"));
    fails("params.all(x, true)", &unfit("all", "an object"));
}

#[test]
fn work_is_bounded() {
    let ten = "[1,2,3,4,5,6,7,8,9,10]";
    let mut nested = "true".to_owned();
    for depth in 0..12 {
        nested = format!("{ten}.all(v{depth}, {nested})");
    }
    fails(&nested, &EvaluationError::TooMuchWork);
    fails(&format!("{nested} || true"), &EvaluationError::TooMuchWork);
    let doubling = |start: &str, step: &str| format!("[{start}]{}", format!(".map(x, {step})").repeat(50));
    fails(&doubling("'text'", "x + x"), &EvaluationError::TooMuchWork);
    fails(&doubling("[1]", "x + x"), &EvaluationError::TooMuchWork);
    fails(&doubling("1", "[x, x]"), &EvaluationError::TooMuchWork);
    let same = doubling("1", "[x, x]");
    fails(&format!("{same} == {same}"), &EvaluationError::TooMuchWork);
    fails(&doubling("1", "[[[[x]]]]"), &EvaluationError::TooMuchWork);
}

#[test]
fn a_guard_is_true_or_false() {
    let guard = |source| Expression::parse(source).expect(source).holds(&values());
    assert_eq!(guard("params.count == 3"), Ok(true));
    assert_eq!(guard("params.count != 3"), Ok(false));
    let error = guard("params.tags").expect_err("a list");
    assert_eq!(
        error.to_string(),
        "the expression must be true or false, but is a list"
    );
}

#[test]
fn paths_exclude_macro_variables() {
    let source = "has(state.a.b) && state.a.b[0].c > visit.iteration || items.all(x, x.y == params.z)";
    let paths = Expression::parse(source).expect(source).paths();
    let shown: Vec<(String, bool)> = paths.iter().map(|path| (path.to_string(), path.tested)).collect();
    let expected = [
        ("state.a.b", true),
        ("state.a.b", false),
        ("visit.iteration", false),
        ("items", false),
        ("params.z", false),
    ];
    assert_eq!(shown, expected.map(|(path, tested)| (path.to_owned(), tested)));
    for Path { segments, offset, .. } in paths {
        assert!(
            source[offset..].starts_with(&segments.join(".")),
            "{segments:?} at {offset}"
        );
    }
}

#[test]
fn an_expression_is_stored_as_its_source() {
    let source = "params.count  > 3 // spaced";
    let expression = Expression::parse(source).expect(source);
    let stored = serde_json::to_string(&expression).expect("serializes");
    assert_eq!(stored, format!("{source:?}"));
    assert_eq!(
        serde_json::from_str::<Expression>(&stored).expect("parses"),
        expression
    );
    assert_eq!(expression.to_string(), source);
    let error = serde_json::from_str::<Expression>("\"a =\"").expect_err("refused");
    assert!(error.to_string().contains("use `==`"), "{error}");
}
