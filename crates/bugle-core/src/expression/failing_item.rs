//! Finds the list items that make a check fail.

use serde_json::Value;

use super::evaluate::{evaluate, is_true};
use super::syntax::{Node, NodeKind, Walk};

/// An item of a list for which `list.all(item, ...)` is false.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailingItem {
    /// The item's path, such as `result.claims[1]`.
    pub path: String,
    /// The item's `id`, if it has one.
    pub id: Option<String>,
}

/// The items that make an expression false, if the expression tests the items of a named list.
pub(super) fn failing_items(root: &Node, values: &Value) -> Vec<FailingItem> {
    match &root.kind {
        NodeKind::Logic(_, operands) => operands
            .iter()
            .filter(|operand| matches!(is_true(operand, values), Ok(false)))
            .map(|operand| failing_items(operand, values))
            .find(|items| !items.is_empty())
            .unwrap_or_default(),
        NodeKind::ForEach {
            walk: Walk::All,
            list,
            variable,
            body,
        } => {
            let (Some(names), Some(values_by_name)) = (list.dotted(), values.as_object()) else {
                return Vec::new();
            };
            let Ok(Value::Array(items)) = evaluate(list, values) else {
                return Vec::new();
            };
            let name = names.join(".");
            let mut scope = Value::Object(values_by_name.clone());
            let failing = items.into_iter().enumerate().filter_map(|(index, item)| {
                scope[variable.as_str()] = item;
                matches!(is_true(body, &scope), Ok(false)).then(|| FailingItem {
                    path: format!("{name}[{index}]"),
                    id: scope[variable.as_str()].get("id").and_then(id_text),
                })
            });
            failing.collect()
        }
        _ => Vec::new(),
    }
}

fn id_text(id: &Value) -> Option<String> {
    match id {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::expression::Expression;

    #[test]
    fn every_failing_item_is_named_by_index_and_id() {
        let values = json!({
            "result": {
                "claims": [{ "id": "c1", "text": "long" }, { "id": "c2", "text": "" }, { "id": "c3", "text": "" }],
                "sizes": [1, 2, 3],
            },
        });
        let named = |source: &str| -> Vec<(String, String)> {
            let expression = Expression::parse(source).unwrap();
            assert_eq!(expression.holds(&values), Ok(false), "{source}");
            let items = expression.failing_items(&values).into_iter();
            items
                .map(|item| (item.path, item.id.unwrap_or_default()))
                .collect()
        };
        let found = |items: &[(&str, &str)]| -> Vec<(String, String)> {
            let items = items.iter();
            items
                .map(|(path, id)| ((*path).to_owned(), (*id).to_owned()))
                .collect()
        };
        let claims = found(&[("result.claims[1]", "c2"), ("result.claims[2]", "c3")]);
        assert_eq!(named("result.claims.all(c, c.text != '')"), claims);
        assert_eq!(
            named("size(result.sizes) == 3 && result.sizes.all(s, s < 2)"),
            found(&[("result.sizes[1]", ""), ("result.sizes[2]", "")])
        );
        assert_eq!(
            named("!has(result.claims) || result.claims.all(c, c.text != '')"),
            claims
        );
        assert_eq!(named("result.claims.exists(c, c.text == 'short')"), found(&[]));
        assert_eq!(named("result.sizes.map(s, s + 1).all(s, s < 3)"), found(&[]));
    }
}
