//! The type rules for operators, with corrections for common mistakes.

use super::presence::Place;
use super::syntax::{Arithmetic, Comparison, Node, NodeKind};
use super::types::Type;
use crate::did_you_mean::nearest;

/// The type of the result, or the error and its fix.
type Outcome = Result<Type, (String, Option<String>)>;

/// An operand and its type.
type Operand<'n> = (&'n Node, &'n Type);

/// The rules for comparisons. `place` is the path of one of the operands, for the fix.
pub(super) fn comparison(
    operator: Comparison,
    (left_node, left): Operand<'_>,
    (right_node, right): Operand<'_>,
    place: Option<&Place>,
) -> Outcome {
    let negated = match operator {
        Comparison::Equal => "!",
        Comparison::NotEqual => "",
        Comparison::Less | Comparison::AtMost | Comparison::More | Comparison::AtLeast => {
            return order(operator, left, right);
        }
    };
    check_choices(left, right_node)?;
    check_choices(right, left_node)?;
    if left.comparable(right) {
        return Ok(Type::Bool);
    }
    let with_null = *left == Type::Null || *right == Type::Null;
    let named = place.map_or_else(|| "....field".to_owned(), ToString::to_string);
    let fix = with_null.then(|| format!("test for the field: `{negated}has({named})`"));
    Err((format!("{left} is never equal to {right}"), fix))
}

fn order(operator: Comparison, left: &Type, right: &Type) -> Outcome {
    let choices = [left, right].iter().any(|side| matches!(side, Type::Enum(_)));
    if choices && left.is_text() && right.is_text() {
        let fix = Some("list the choices: `... in [\"...\", \"...\"]`".to_owned());
        return Err((
            format!(
                "`{}` cannot compare choices: they have no order",
                operator.as_str()
            ),
            fix,
        ));
    }
    let fits = (left.is_number() && right.is_number()) || (left.is_text() && right.is_text());
    if fits {
        return Ok(Type::Bool);
    }
    let sized = [left, right].iter().any(|side| matches!(side, Type::List(_)));
    let fix = sized.then(|| "compare the list's size: `size(...)`".to_owned());
    Err((
        format!("`{}` cannot be used with {left} and {right}", operator.as_str()),
        fix,
    ))
}

/// The rules for `in`.
pub(super) fn membership((item_node, item): Operand<'_>, (list_node, list): Operand<'_>) -> Outcome {
    let items = match list {
        Type::List(items) => items,
        Type::Unknown => return Ok(Type::Bool),
        other => {
            let fix = match other {
                Type::String | Type::Enum(_) => Some("search text with `text.contains(part)`".to_owned()),
                Type::Object(_) => Some("test for a field with `has(object.field)`".to_owned()),
                _ => None,
            };
            return Err((format!("`in` needs a list, but the value is {other}"), fix));
        }
    };
    check_choices(&Type::List(Box::new(item.clone())), list_node)?;
    check_choices(items, item_node)?;
    if item.comparable(items) {
        Ok(Type::Bool)
    } else {
        Err((
            format!("the list never contains {item}: each item is {items}"),
            None,
        ))
    }
}

/// A literal compared with an enum must be one of its choices.
fn check_choices(beside: &Type, node: &Node) -> Result<(), (String, Option<String>)> {
    match (beside, &node.kind) {
        (Type::Enum(choices), NodeKind::Text(text)) if !choices.contains(text) => {
            let close = nearest(text, choices.iter().map(String::as_str));
            let fix = close.map(|close| format!("did you mean `{close}`?"));
            Err((
                format!("{text:?} is not one of the choices: {}", choices.join(", ")),
                fix,
            ))
        }
        (Type::List(each), NodeKind::List(items)) => {
            items.iter().try_for_each(|item| check_choices(each, item))
        }
        (_, NodeKind::Choose { then, otherwise, .. }) => [then, otherwise]
            .into_iter()
            .try_for_each(|end| check_choices(beside, end)),
        _ => Ok(()),
    }
}

/// The rules for `+`, `-`, `*`, `/` and `%`.
pub(super) fn arithmetic(
    operator: Arithmetic,
    (left_node, left): Operand<'_>,
    (right_node, right): Operand<'_>,
) -> Outcome {
    let adds = operator == Arithmetic::Add;
    match (left, right) {
        (Type::Unknown, known) | (known, Type::Unknown)
            if known.is_number() || (adds && matches!(known, Type::List(_))) =>
        {
            Ok(known.clone())
        }
        (Type::Int, Type::Int) => Ok(Type::Int),
        (Type::Double, Type::Double) if operator != Arithmetic::Remainder => Ok(Type::Double),
        (Type::List(_), Type::List(_)) if adds => left.unite(right).ok_or_else(|| {
            (
                "list items must have the same type: ".to_owned() + &refusal(operator, left, right),
                None,
            )
        }),
        _ if adds && left.is_text() && right.is_text() => Ok(Type::String),
        _ => {
            let message = refusal(operator, left, right);
            let fix = match (left, right) {
                (Type::Double, Type::Double) => Some("`%` works only with whole numbers".to_owned()),
                (Type::Int, Type::Double) => Some(fraction_for(left_node)),
                (Type::Double, Type::Int) => Some(fraction_for(right_node)),
                _ => None,
            };
            Err((message, fix))
        }
    }
}

fn refusal(operator: Arithmetic, left: &Type, right: &Type) -> String {
    format!("`{}` cannot be used with {left} and {right}", operator.as_str())
}

/// How to write a whole number so that it can be used with doubles.
fn fraction_for(node: &Node) -> String {
    match node.kind {
        NodeKind::Int(number) => format!("write `{number}.0`"),
        _ => "wrap the whole number in `double(...)`".to_owned(),
    }
}
