//! Reads values from the fields of a client's JSON.

use serde_json::Value;

/// A field's value, if it is a string.
pub(crate) fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str()
}

/// A tool's input: the most informative field, or else the whole input.
pub(crate) fn input(value: &Value) -> String {
    for name in ["command", "cmd", "file_path", "path", "pattern", "url"] {
        match value.get(name) {
            Some(Value::String(text)) => return text.clone(),
            Some(Value::Array(words)) => {
                let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
                return words.join(" ");
            }
            _ => {}
        }
    }
    if value.is_null() {
        String::new()
    } else {
        value.to_string()
    }
}

/// The text of a string or of a list of text blocks; other values as JSON.
pub(crate) fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<String> = blocks
                .iter()
                .map(|block| {
                    let plain = block.as_str().or_else(|| text(block, "text"));
                    plain.map_or_else(|| block.to_string(), str::to_owned)
                })
                .collect();
            texts.join("\n")
        }
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Converts dollars to millionths of a dollar.
pub(crate) fn millionths(value: Option<&Value>) -> u64 {
    let dollars = value.and_then(Value::as_f64).unwrap_or_default();
    format!("{:.0}", dollars.max(0.0) * 1_000_000.0)
        .parse()
        .unwrap_or_default()
}

pub(crate) fn number(value: &Value, name: &str) -> u64 {
    value.get(name).and_then(Value::as_u64).unwrap_or_default()
}
