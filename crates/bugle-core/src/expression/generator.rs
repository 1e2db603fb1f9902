//! A generator of random, mostly well-typed expressions over a fixed set of variables.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Fields, Scope, Type};
use crate::shape::Presence;

/// The intended type of an expression. Without parentheses, precedence may change the type.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Bool,
    Int,
    Double,
    Text,
    Ints,
    Texts,
}

/// Strategies for every kind, up to a given depth.
#[derive(Clone)]
struct Level {
    depth: usize,
    kinds: [BoxedStrategy<String>; 6],
}

/// The variables' types.
pub(super) fn scope() -> Scope {
    let list = |items| Type::List(Box::new(items));
    let object = Type::Object(Fields::new().with("id", Type::Int, Presence::Required).with(
        "note",
        Type::String,
        Presence::Optional,
    ));
    Scope::new()
        .with("b0", Type::Bool)
        .with("i0", Type::Int)
        .with("i1", Type::Int)
        .with("d0", Type::Double)
        .with("t0", Type::String)
        .with("is0", list(Type::Int))
        .with("is1", list(Type::Int))
        .with("ts0", list(Type::String))
        .with("o0", object.clone())
        .with("os0", list(object))
}

/// The variables' values, with or without `o0.note`.
pub(super) fn values(with_note: bool) -> Value {
    let first = if with_note {
        json!({"id": 1, "note": "ab"})
    } else {
        json!({"id": 1})
    };
    json!({
        "b0": true, "i0": 3, "i1": -2, "d0": 1.5, "t0": "äb", "is0": [1, 3, 5], "is1": [],
        "ts0": ["a", "äb"], "o0": first, "os0": [{"id": 2, "note": "b"}, {"id": 3}],
    })
}

/// Expressions of every kind.
pub(super) fn any() -> BoxedStrategy<String> {
    levels().of_any()
}

/// Expressions that are meant to be boolean.
pub(super) fn guards() -> BoxedStrategy<String> {
    levels().of(Kind::Bool)
}

fn levels() -> Level {
    (0..3).fold(leaves(), |level, _| level.deeper())
}

fn words(words: &'static [&'static str]) -> BoxedStrategy<String> {
    prop::sample::select(words).prop_map(str::to_owned).boxed()
}

fn leaves() -> Level {
    let kinds = [
        words(&["true", "false", "b0", "has(o0.note)", "has(o0.id)"]),
        words(&[
            "i0",
            "i1",
            "0",
            "1",
            "-7",
            "0x10",
            "9223372036854775807",
            "o0.id",
            "is0[1]",
            "is0[2]",
        ]),
        words(&["d0", "0.5", "-2.0", "1e2", ".25"]),
        words(&["t0", "'b'", "\"a'b\"", "'\\u00e4\\n'", "''", "o0.note", "ts0[0]"]),
        words(&["is0", "is1", "[1, 2]", "[]", "[3,]"]),
        words(&["ts0", "['b', \"\"]", "[t0]"]),
    ];
    Level { depth: 0, kinds }
}

/// Replaces each `#` in a template in order, with or without parentheses around the replacement.
fn fill(template: &'static str, parts: Vec<BoxedStrategy<String>>) -> BoxedStrategy<String> {
    (parts, any_parentheses())
        .prop_map(move |(parts, parentheses)| {
            let filled = parts
                .iter()
                .fold(template.to_owned(), |text, part| text.replacen('#', part, 1));
            if parentheses {
                format!("({filled})")
            } else {
                filled
            }
        })
        .boxed()
}

fn any_parentheses() -> impl Strategy<Value = bool> {
    prop::bool::weighted(0.7)
}

impl Level {
    /// Usually the requested kind, sometimes another one.
    fn of(&self, kind: Kind) -> BoxedStrategy<String> {
        prop_oneof![30 => self.kinds[kind as usize].clone(), 1 => self.of_any()].boxed()
    }

    fn of_any(&self) -> BoxedStrategy<String> {
        prop::strategy::Union::new(self.kinds.clone()).boxed()
    }

    /// A condition on a list item, in which the item variable replaces `stands_for`.
    fn about(
        &self,
        template: &'static str,
        stands_for: &'static str,
        list: Kind,
        body: Kind,
    ) -> BoxedStrategy<String> {
        let variable = format!("v{}", self.depth);
        let lists = match stands_for {
            "o0" => words(&["os0"]),
            _ => self.of(list),
        };
        (lists, self.of(body), any_parentheses())
            .prop_map(move |(list, body, parentheses)| {
                let list = if parentheses { format!("({list})") } else { list };
                let body = body.replace(stands_for, &variable);
                template
                    .replacen('#', &list, 1)
                    .replace('@', &variable)
                    .replacen('#', &body, 1)
            })
            .boxed()
    }

    fn deeper(self) -> Self {
        use Kind::{Bool, Double, Int, Ints, Text, Texts};
        let fill =
            |template, kinds: &[Kind]| fill(template, kinds.iter().map(|kind| self.of(*kind)).collect());
        let union = |options: Vec<BoxedStrategy<String>>| prop::strategy::Union::new(options).boxed();
        let about = |template, stands_for, list, body| self.about(template, stands_for, list, body);
        let kinds = [
            union(vec![
                fill("# && #", &[Bool, Bool]),
                fill("# || #", &[Bool, Bool]),
                fill("# && # && #", &[Bool, Bool, Bool]),
                fill("has(o0.note) && #", &[Bool]),
                fill("!has(o0.note) || #", &[Bool]),
                // Never `!!x` or `--x`, which the `cel` crate reads as `x` whatever the type of `x`.
                fill("!(#)", &[Bool]),
                fill("!b0 == #", &[Bool]),
                fill("# ? # : #", &[Bool, Bool, Bool]),
                fill("# < #", &[Int, Int]),
                fill("# >= #", &[Int, Double]),
                fill("# <= #", &[Double, Int]),
                fill("# > #", &[Text, Text]),
                fill("# == #", &[Int, Double]),
                fill("# == #", &[Text, Text]),
                fill("# != #", &[Ints, Ints]),
                fill("# != #", &[Bool, Bool]),
                // In parentheses: otherwise, `list + o0` could result, which only the `cel` crate accepts.
                fill("(# == o0)", &[Texts]),
                fill("(o0 == os0[#])", &[Int]),
                fill("# in #", &[Int, Ints]),
                fill("# in #", &[Text, Texts]),
                fill("#.startsWith(#)", &[Text, Text]),
                fill("#.endsWith(#)", &[Text, Text]),
                fill("#.contains(#)", &[Text, Text]),
                fill("#.matches('^[ab]+$')", &[Text]),
                fill("#.matches('(ä|n).?')", &[Text]),
                fill("#.matches('\\\\w{2}')", &[Text]),
                fill("has(os0[#].note)", &[Int]),
                about("#.all(@, #)", "i0", Ints, Bool),
                about("#.exists(@, #)", "t0", Texts, Bool),
                about("#.exists_one(@, #)", "i0", Ints, Bool),
                about("#.all(@, #)", "o0", Texts, Bool),
                about("#.exists(@, #)", "o0", Texts, Bool),
            ]),
            union(vec![
                fill("# + #", &[Int, Int]),
                fill("# - #", &[Int, Int]),
                fill("# * #", &[Int, Int]),
                fill("# / #", &[Int, Int]),
                fill("# % #", &[Int, Int]),
                fill("-(#)", &[Int]),
                fill("-i0 * #", &[Int]),
                fill("size(#)", &[Text]),
                fill("#.size()", &[Ints]),
                fill("#[0]", &[Ints]),
                fill("is0[#]", &[Int]),
                fill("# ? # : #", &[Bool, Int, Int]),
            ]),
            union(vec![
                fill("# + #", &[Double, Double]),
                fill("# - #", &[Double, Double]),
                fill("# * #", &[Double, Double]),
                // The divisor is never zero: the `cel` crate does not compare NaN, but the specification says that
                // every such comparison is false.
                fill("# / 4.0", &[Double]),
                fill("-(#)", &[Double]),
                // Only small numbers: the `cel` crate rounds large ones before comparing them.
                fill("double(size(#) - 2)", &[Ints]),
            ]),
            union(vec![
                fill("# + #", &[Text, Text]),
                fill("#[1]", &[Texts]),
                fill("ts0[#]", &[Int]),
                fill("# ? # : #", &[Bool, Text, Text]),
                fill("has(o0.note) ? o0.note : #", &[Text]),
            ]),
            union(vec![
                fill("[#, #]", &[Int, Int]),
                fill("# + #", &[Ints, Ints]),
                about("#.filter(@, #)", "i0", Ints, Bool),
                about("#.map(@, #)", "i0", Ints, Int),
                about("#.map(@, #)", "t0", Texts, Int),
                about("#.map(@, #)", "o0", Texts, Int),
            ]),
            union(vec![
                fill("[#, #]", &[Text, Text]),
                fill("# + #", &[Texts, Texts]),
                about("#.filter(@, #)", "t0", Texts, Bool),
                about("#.map(@, #)", "i0", Ints, Text),
            ]),
        ];
        let here = self.kinds.clone();
        let both = |(shallow, deep): (BoxedStrategy<String>, BoxedStrategy<String>)| {
            prop_oneof![1 => shallow, 4 => deep].boxed()
        };
        let mut pairs = here.into_iter().zip(kinds).map(both);
        let kinds = std::array::from_fn(|_| pairs.next().unwrap_or_else(|| Just(String::new()).boxed()));
        Self {
            depth: self.depth + 1,
            kinds,
        }
    }
}
