//! Arithmetic: overflow-checked for whole numbers, IEEE 754 for doubles. `+` also joins strings and lists.

use super::EvaluationError;
use super::datum::{Datum, List, Text};
use super::syntax::Arithmetic;

/// The result of an operation. As in CEL, whole numbers and doubles do not mix.
pub(super) fn calculate<'a>(
    operator: Arithmetic,
    left: &Datum<'a>,
    right: &Datum<'a>,
) -> Result<Datum<'a>, EvaluationError> {
    match (left, right) {
        (Datum::Int(left), Datum::Int(right)) => whole(operator, *left, *right).map(Datum::Int),
        (Datum::Double(one), Datum::Double(two)) => double(operator, *one, *two)
            .map(Datum::Double)
            .ok_or_else(|| EvaluationError::unfit(operator.as_str(), &[left, right])),
        (Datum::Text(left), Datum::Text(right)) if operator == Arithmetic::Add => Ok(Datum::Text(
            Text::Made([left.as_str(), right.as_str()].concat().into()),
        )),
        (Datum::List(left), Datum::List(right)) if operator == Arithmetic::Add => {
            Ok(Datum::List(List::Made(left.iter().chain(right.iter()).collect())))
        }
        _ => Err(EvaluationError::unfit(operator.as_str(), &[left, right])),
    }
}

fn whole(operator: Arithmetic, left: i64, right: i64) -> Result<i64, EvaluationError> {
    let divides = matches!(operator, Arithmetic::Divide | Arithmetic::Remainder);
    if divides && right == 0 {
        return Err(EvaluationError::DivisionByZero);
    }
    let outcome = match operator {
        Arithmetic::Add => left.checked_add(right),
        Arithmetic::Subtract => left.checked_sub(right),
        Arithmetic::Multiply => left.checked_mul(right),
        Arithmetic::Divide => left.checked_div(right),
        Arithmetic::Remainder => left.checked_rem(right),
    };
    outcome.ok_or(EvaluationError::Overflow)
}

fn double(operator: Arithmetic, left: f64, right: f64) -> Option<f64> {
    match operator {
        Arithmetic::Add => Some(left + right),
        Arithmetic::Subtract => Some(left - right),
        Arithmetic::Multiply => Some(left * right),
        Arithmetic::Divide => Some(left / right),
        Arithmetic::Remainder => None,
    }
}
