//! Values as Postgres sends and receives them.

use std::error::Error;
use std::sync::Arc;

use tokio_postgres::types::{FromSql, ToSql, Type};

use super::errors;
use crate::StoreError;
use crate::row::{Row, Value};

/// A NULL parameter. The server infers its type from the statement.
static NULL: Option<String> = None;

/// A parameter with its type, so that the driver does not have to ask the server for it.
pub(super) fn typed(value: &Value) -> (&(dyn ToSql + Sync), Type) {
    match value {
        Value::Null => (&NULL, Type::UNKNOWN),
        Value::Int(number) => (number, Type::INT8),
        Value::Text(text) => (text, Type::TEXT),
        Value::Blob(bytes) => (bytes, Type::BYTEA),
    }
}

/// The rows of a result.
pub(super) fn read(rows: &[tokio_postgres::Row]) -> Result<Vec<Row>, StoreError> {
    let Some(first) = rows.first() else {
        return Ok(Vec::new());
    };
    let names: Arc<[String]> = first
        .columns()
        .iter()
        .map(|column| column.name().to_owned())
        .collect();
    rows.iter()
        .map(|row| {
            let values = (0..names.len())
                .map(|column| row.try_get::<_, Cell>(column).map(|cell| cell.0))
                .collect::<Result<_, tokio_postgres::Error>>()
                .map_err(|error| errors::of_reading(&error))?;
            Ok(Row::new(Arc::clone(&names), values))
        })
        .collect()
}

/// A value in a result.
struct Cell(Value);

type Unreadable = Box<dyn Error + Sync + Send>;

impl<'a> FromSql<'a> for Cell {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, Unreadable> {
        Ok(Self(match *kind {
            Type::INT2 => Value::Int(i16::from_sql(kind, raw)?.into()),
            Type::INT4 => Value::Int(i32::from_sql(kind, raw)?.into()),
            Type::INT8 => Value::Int(i64::from_sql(kind, raw)?),
            Type::NUMERIC => Value::Int(whole_number(raw).ok_or("not a 64-bit integer")?),
            Type::BYTEA => Value::Blob(raw.to_vec()),
            _ => Value::Text(String::from_sql(kind, raw)?),
        }))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Unreadable> {
        Ok(Self(Value::Null))
    }

    fn accepts(kind: &Type) -> bool {
        matches!(
            *kind,
            Type::INT2 | Type::INT4 | Type::INT8 | Type::NUMERIC | Type::BYTEA
        ) || <String as FromSql<'_>>::accepts(kind)
    }
}

/// A whole number sent as `NUMERIC`, such as a sum of `BIGINT`. It consists of four 16-bit fields (number of digits,
/// weight of the first, sign, scale) and base-10,000 digits.
fn whole_number(raw: &[u8]) -> Option<i64> {
    const NEGATIVE: u16 = 0x4000;
    let fields: Vec<u16> = raw
        .chunks_exact(2)
        .map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
        .collect();
    let [count, weight, sign, _scale, digits @ ..] = fields.as_slice() else {
        return None;
    };
    if digits.len() != usize::from(*count) || *sign > NEGATIVE {
        return None;
    }
    let places = if digits.is_empty() {
        0
    } else {
        i32::from(weight.cast_signed()) + 1
    };
    let mut number: i128 = 0;
    for place in 0..usize::try_from(places).ok()?.max(digits.len()) {
        let digit = digits.get(place).copied().unwrap_or(0);
        if place < usize::try_from(places).ok()? {
            number = number.checked_mul(10_000)?.checked_add(i128::from(digit))?;
        } else if digit != 0 {
            return None;
        }
    }
    i64::try_from(if *sign == NEGATIVE { -number } else { number }).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numeric(weight: i16, sign: u16, digits: &[u16]) -> Option<i64> {
        let count = u16::try_from(digits.len()).unwrap();
        let fields = [count, weight.cast_unsigned(), sign, 0];
        let raw: Vec<u8> = fields
            .iter()
            .chain(digits)
            .flat_map(|field| field.to_be_bytes())
            .collect();
        whole_number(&raw)
    }

    #[test]
    fn sums_are_whole_numbers() {
        assert_eq!(numeric(0, 0, &[]), Some(0));
        assert_eq!(numeric(0, 0, &[42]), Some(42));
        assert_eq!(numeric(0, 0x4000, &[42]), Some(-42));
        assert_eq!(numeric(2, 0, &[1]), Some(100_000_000));
        assert_eq!(numeric(1, 0, &[12, 3456]), Some(123_456));
        assert_eq!(
            numeric(4, 0, &[922, 3372, 368, 5477, 5807]),
            Some(9_223_372_036_854_775_807)
        );
    }

    #[test]
    fn a_fraction_a_special_value_and_a_number_that_is_too_large_are_unreadable() {
        assert_eq!(numeric(-1, 0, &[5000]), None);
        assert_eq!(numeric(0, 0, &[1, 5000]), None);
        assert_eq!(numeric(0, 0xC000, &[]), None);
        assert_eq!(numeric(4, 0, &[922, 3372, 368, 5477, 5808]), None);
        assert_eq!(whole_number(&[0, 1]), None);
    }
}
