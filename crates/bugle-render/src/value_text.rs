//! A JSON value as text for people: strings keep their line breaks, and lists and objects are indented.

use std::fmt::Write as _;

use serde_json::Value;

/// A value as lines with this indentation. Every line ends with a line break.
pub(crate) fn readable(value: &Value, indent: &str) -> String {
    let mut out = String::new();
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                push_entry(&mut out, indent, &format!("{name}:"), value);
            }
        }
        Value::Array(items) => {
            for item in items {
                push_item(&mut out, indent, item);
            }
        }
        Value::String(text) => {
            for line in text.trim_end().lines() {
                let _ = writeln!(out, "{}", format!("{indent}{line}").trim_end());
            }
        }
        scalar => {
            let _ = writeln!(out, "{indent}{scalar}");
        }
    }
    out
}

/// A label with its value: on the same line if the value is one line, else indented below it.
fn push_entry(out: &mut String, indent: &str, label: &str, value: &Value) {
    let line = match value {
        Value::Object(fields) if fields.is_empty() => Some("none".to_owned()),
        Value::Array(items) if items.is_empty() => Some("none".to_owned()),
        Value::Object(_) | Value::Array(_) => None,
        Value::String(text) => Some(text.trim_end().to_owned()).filter(|text| !text.contains('\n')),
        scalar => Some(scalar.to_string()),
    };
    if let Some(line) = line {
        let _ = writeln!(out, "{}", format!("{indent}{label} {line}").trim_end());
    } else {
        let _ = writeln!(out, "{indent}{label}");
        out.push_str(&readable(value, &format!("{indent}  ")));
    }
}

/// An item of a list, with a dash before its first line.
fn push_item(out: &mut String, indent: &str, item: &Value) {
    let inner = readable(item, &format!("{indent}  "));
    match inner.strip_prefix(&format!("{indent}  ")) {
        Some(rest) => {
            let _ = write!(out, "{indent}- {rest}");
        }
        // An empty string, list or object.
        None => {
            let _ = writeln!(out, "{indent}-{inner}");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::readable;

    #[test]
    fn strings_keep_their_line_breaks_and_lists_are_indented() {
        let value = json!({
            "verdict": "revise",
            "score": 3,
            "changes": [],
            "reasons": [{ "about": "C1", "finding": "It \"fails\"." }, "plain", ""],
            "report": "# Report\n\nTwo lines.\n",
        });
        insta::assert_snapshot!(readable(&value, "  "));
    }
}
