//! Comparison: equality, order and membership.

use std::cmp::Ordering;

use super::EvaluationError;
use super::datum::{Datum, List, field, set};
use super::syntax::Comparison;
use super::work::{MAX_DEPTH, Work, scanned};

/// The result of a comparison.
pub(super) fn compare(
    work: &mut Work,
    comparison: Comparison,
    left: &Datum<'_>,
    right: &Datum<'_>,
) -> Result<bool, EvaluationError> {
    let wanted: fn(Ordering) -> bool = match comparison {
        Comparison::Equal => return equal(work, left, right, 0),
        Comparison::NotEqual => return equal(work, left, right, 0).map(|same| !same),
        Comparison::Less => Ordering::is_lt,
        Comparison::AtMost => Ordering::is_le,
        Comparison::More => Ordering::is_gt,
        Comparison::AtLeast => Ordering::is_ge,
    };
    work.pay(scanned(left))?;
    let order = left
        .order(right)
        .map_err(|_| EvaluationError::unfit(comparison.as_str(), &[left, right]))?;
    Ok(order.is_some_and(wanted))
}

/// Whether a list contains an item.
pub(super) fn holds(work: &mut Work, list: &List<'_>, item: &Datum<'_>) -> Result<bool, EvaluationError> {
    for one in list.iter() {
        if equal(work, &one, item, 0)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Values of different kinds are never equal, except for whole numbers and doubles.
fn equal(
    work: &mut Work,
    left: &Datum<'_>,
    right: &Datum<'_>,
    depth: usize,
) -> Result<bool, EvaluationError> {
    if depth > MAX_DEPTH {
        return Err(EvaluationError::TooMuchWork);
    }
    work.pay(1 + scanned(left))?;
    match (left, right) {
        (Datum::Null, Datum::Null) => Ok(true),
        (Datum::List(one), Datum::List(two)) if one.len() == two.len() => {
            for (left, right) in one.iter().zip(two.iter()) {
                if !equal(work, &left, &right, depth + 1)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Datum::Object(one), Datum::Object(two)) if set(one).count() == set(two).count() => {
            for (name, left) in set(one) {
                let same = match field(two, name) {
                    Some(right) => equal(work, &left, &right, depth + 1)?,
                    None => false,
                };
                if !same {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        _ => Ok(left.order(right) == Ok(Some(Ordering::Equal))),
    }
}
