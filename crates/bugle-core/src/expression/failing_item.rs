//! Finds the list item that makes a check fail.

use serde_json::Value;

use super::evaluate::{evaluate, is_true};
use super::syntax::{Node, NodeKind, Walk};

/// The first item of a list for which `list.all(item, ...)` is false.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailingItem {
    /// The item's path, such as `result.claims[1]`.
    pub path: String,
    /// The item's `id`, if it has one.
    pub id: Option<String>,
}

/// The item that makes an expression false, if the expression tests the items of a named list.
pub(super) fn failing_item(root: &Node, values: &Value) -> Option<FailingItem> {
    match &root.kind {
        NodeKind::Logic(_, operands) => operands
            .iter()
            .filter(|operand| matches!(is_true(operand, values), Ok(false)))
            .find_map(|operand| failing_item(operand, values)),
        NodeKind::ForEach {
            walk: Walk::All,
            list,
            variable,
            body,
        } => {
            let name = list.dotted()?.join(".");
            let Ok(Value::Array(items)) = evaluate(list, values) else {
                return None;
            };
            let mut scope = Value::Object(values.as_object()?.clone());
            items.into_iter().enumerate().find_map(|(index, item)| {
                scope[variable.as_str()] = item;
                matches!(is_true(body, &scope), Ok(false)).then(|| FailingItem {
                    path: format!("{name}[{index}]"),
                    id: scope[variable.as_str()].get("id").and_then(id_text),
                })
            })
        }
        _ => None,
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
    fn the_first_failing_item_is_named_by_index_and_id() {
        let values = json!({
            "result": {
                "claims": [{ "id": "c1", "text": "long" }, { "id": "c2", "text": "" }, { "id": "c3", "text": "" }],
                "sizes": [1, 2, 3],
            },
        });
        let named = |source: &str| {
            let expression = Expression::parse(source).unwrap();
            assert_eq!(expression.holds(&values), Ok(false), "{source}");
            expression
                .failing_item(&values)
                .map(|item| (item.path, item.id.unwrap_or_default()))
        };
        let found = |path: &str, id: &str| Some((path.to_owned(), id.to_owned()));
        assert_eq!(
            named("result.claims.all(c, c.text != '')"),
            found("result.claims[1]", "c2")
        );
        assert_eq!(
            named("size(result.sizes) == 3 && result.sizes.all(s, s < 2)"),
            found("result.sizes[1]", "")
        );
        assert_eq!(
            named("!has(result.claims) || result.claims.all(c, c.text != '')"),
            found("result.claims[1]", "c2")
        );
        assert_eq!(named("result.claims.exists(c, c.text == 'short')"), None);
        assert_eq!(named("result.sizes.map(s, s + 1).all(s, s < 3)"), None);
    }
}
