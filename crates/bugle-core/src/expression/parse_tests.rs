//! Tests of syntax errors and their messages.

use proptest::prelude::*;
use serde_json::json;

use super::{Expression, Scope};

#[track_caller]
fn refused(source: &str, offset: usize, message: &str) {
    let error = Expression::parse(source).expect_err(source);
    assert_eq!(
        (error.offset, error.message.as_str()),
        (offset, message),
        "{source}"
    );
}

#[test]
fn sources_outside_the_cel_grammar_are_refused() {
    refused("true ? false ? 1 : 2 : 3", 13, "expected `:`, found `?`");
    refused("-!true", 1, "expected a value, found `!`");
}

#[test]
fn common_mistakes_are_refused_with_a_correction() {
    refused("", 0, "expected a value, found the end of the expression");
    refused("a = 1", 2, "`=` is not an operator: use `==` to compare");
    refused("a & b", 2, "`&` is not an operator: use `&&` for logical AND");
    refused("a | b", 2, "`|` is not an operator: use `||` for logical OR");
    refused(
        "a and b",
        2,
        "expected an operator or the end of the expression, found `and`: use `&&` for logical AND",
    );
    refused(
        "a == not b",
        9,
        "expected an operator or the end of the expression, found `b`",
    );
    refused("a ==", 4, "expected a value, found the end of the expression");
    refused("(a", 2, "expected `)`, found the end of the expression");
    refused("[1 2]", 3, "expected `,` or `]`, found `2`");
    refused("[,]", 1, "expected a value, found `,`");
    refused("size(a,)", 7, "expected a value, found `)`");
    refused("'abc", 0, "unterminated string: missing '");
    refused("'a\nb'", 0, "unterminated string: missing '");
    refused(r"'a\d'", 2, r"unknown escape `\d`: write `\\` for a backslash");
    refused(r"'\u12'", 1, r"`\u` needs 4 digits that encode a valid character");
    refused(
        r"'\ud800'",
        1,
        r"`\u` needs 4 digits that encode a valid character",
    );
    refused("5u", 1, "unsigned numbers are not supported: remove the `u`");
    refused("9223372036854775808", 0, "the number does not fit into 64 bits");
    refused("99999999999999999999", 0, "the number is too large");
    refused("1e999", 0, "the number is too large");
    refused("{'a': 1}", 0, "object literals are not supported");
    refused(
        "{{ state.a }}",
        0,
        "this is an expression, not a template: remove `{{` and `}}`",
    );
    refused("a.in", 2, "expected a field name, found `in`");
    refused("loop > 1", 0, "`loop` is a reserved word in CEL");
    refused("é", 0, "unexpected character 'é'");
}

#[test]
fn invalid_calls_are_refused_with_a_correction() {
    refused(
        "length(a)",
        0,
        "there is no function `length`; available: has, size, double",
    );
    refused(
        "a.startswith('x')",
        2,
        "there is no function `startswith`: did you mean `startsWith`?",
    );
    refused(
        "contains(a, b)",
        0,
        "invalid call to `contains`: write `text.contains(part)`",
    );
    refused("a.has()", 2, "invalid call to `has`: write `has(value.field)`");
    refused("has(a)", 0, "invalid call to `has`: write `has(value.field)`");
    refused("size()", 0, "invalid call to `size`: write `size(value)`");
    refused(
        "a.map(x, x > 1, x)",
        2,
        "invalid call to `map`: write `list.map(item, expression)`",
    );
    refused(
        "a.all(x.y, true)",
        2,
        "the first argument of `all` must be a variable name: write `list.all(item, condition)`",
    );
}

#[test]
fn long_and_deep_sources_are_refused() {
    let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(64), close.repeat(64));
    let message = "the expression is nested more than 64 levels deep";
    for source in [
        deep("(", ")"),
        deep("[", "]"),
        deep("!", ""),
        deep("-", "").replace('1', "a"),
        deep("size(", ")"),
        format!("a{}", "[0]".repeat(64)),
        format!("a{}", ".b".repeat(64)),
        format!("1{}", "+1".repeat(64)),
        format!("{}1", "true?1:".repeat(64)),
    ] {
        assert_eq!(
            Expression::parse(&source).expect_err(&source).message,
            message,
            "{source}"
        );
    }
    assert!(Expression::parse(&deep("(", ")").replacen("(1)", "1", 1)).is_ok());
    assert!(Expression::parse(&format!("true{}", " && true".repeat(500))).is_ok());
    assert!(
        Expression::parse(&" ".repeat(4096))
            .expect_err("blank")
            .message
            .contains("expected")
    );
    refused(
        &" ".repeat(4097),
        4096,
        "the expression is longer than 4096 bytes",
    );
}

proptest! {
    #[test]
    fn no_source_panics(source in ".{0,200}") {
        let _ = Expression::parse(&source);
    }

    #[test]
    fn no_sequence_of_tokens_panics(words in prop::collection::vec(prop::sample::select(vec![
        "a", "1", "2.5", "'t'", "\"é\"", "(", ")", "[", "]", ".", ",", "?", ":", "!", "-", "+", "*", "/", "%",
        "&&", "||", "==", "<", "in", "has(", "size(", ".all(x,", ".map(x,", "true", "null", "0x", "1e", "\\", "'",
    ]), 0..60)) {
        for glue in ["", " "] {
            if let Ok(expression) = Expression::parse(&words.join(glue)) {
                let _ = expression.check(&Scope::new());
                let _ = expression.evaluate(&json!({"a": [1, 2]}));
                prop_assert!(expression.paths().iter().all(|path| !path.segments.is_empty()));
            }
        }
    }
}
