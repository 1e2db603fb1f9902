//! Template filters, and the formatter for bare values.

use std::borrow::Cow;

use bugle_core::count;
use minijinja::Error;
use minijinja::value::{Value, ValueKind};

use crate::text::is_plain;

/// A value on one line. The output of filters and macros stays unchanged.
pub(super) fn plain(value: &Value) -> Result<String, Error> {
    if value.is_undefined() {
        return Err(Error::new(
            minijinja::ErrorKind::UndefinedError,
            "undefined value",
        ));
    }
    if value.is_safe() {
        return Ok(value.to_string());
    }
    if value.kind() == ValueKind::Plain {
        return Err(Error::new(
            minijinja::ErrorKind::InvalidOperation,
            "write the macro's arguments in parentheses",
        ));
    }
    Ok(one_line(&as_text(value)))
}

pub(crate) fn as_text(value: &Value) -> String {
    match value.kind() {
        ValueKind::String | ValueKind::Number => value.to_string(),
        ValueKind::Bool => value.is_true().to_string(),
        ValueKind::None => "none".to_owned(),
        _ => serde_json::to_string(value).unwrap_or_default(),
    }
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text's lines, split at every character that a terminal or a parser may treat as a line break.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', '\r', '\u{0b}', '\u{0c}', '\u{85}', '\u{2028}', '\u{2029}'])
}

/// A count with its noun, such as `1 word` or `2 words`. A list counts its items.
pub(super) fn counted(value: &Value, noun: &str) -> Result<String, Error> {
    let items = value.len().filter(|_| value.kind() == ValueKind::Seq);
    match items {
        Some(items) => Ok(count::counted(items, noun)),
        None => Ok(count::counted(i64::try_from(value.clone())?, noun)),
    }
}

pub(super) fn quote(value: &Value) -> Value {
    let text = as_text(value);
    let marked: Vec<String> = lines(text.trim_end())
        .map(|line| format!("> {line}").trim_end().to_owned())
        .collect();
    Value::from_safe_string(marked.join("\n"))
}

pub(super) fn fence(value: &Value) -> Value {
    Value::from_safe_string(fenced("", &as_text(value)))
}

pub(super) fn json(value: &Value) -> Value {
    Value::from_safe_string(fenced(
        "json",
        &serde_json::to_string_pretty(value).unwrap_or_default(),
    ))
}

/// A code block whose fence is longer than any run of backticks inside it.
pub(crate) fn fenced(language: &str, text: &str) -> String {
    let longest = if text.contains('`') {
        text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
    } else {
        0
    };
    let fence = "`".repeat(longest.max(2) + 1);
    let text = text.trim_end();
    // Plain text has no line breaks other than newlines, so it needs no change.
    let body = if is_plain(text) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(lines(text).collect::<Vec<_>>().join("\n"))
    };
    format!("{fence}{language}\n{body}\n{fence}")
}

pub(super) fn items(value: &Value) -> Result<Value, Error> {
    let mut list = Vec::new();
    for item in value.try_iter()? {
        list.push(format!("- {}", item_text(&item)?));
    }
    let text = if list.is_empty() {
        "(none)".to_owned()
    } else {
        list.join("\n")
    };
    Ok(Value::from_safe_string(text))
}

/// An item on one line: the `id` first, then the other fields with their names.
fn item_text(item: &Value) -> Result<String, Error> {
    if item.kind() != ValueKind::Map {
        return Ok(one_line(&as_text(item)));
    }
    let mut lead = None;
    let mut rest = Vec::new();
    for key in item.try_iter()? {
        let text = one_line(&as_text(&item.get_item(&key)?));
        if key.as_str() == Some("id") {
            lead = Some(text);
        } else {
            rest.push(format!("{key}: {text}"));
        }
    }
    let rest = rest.join("; ");
    Ok(match lead {
        Some(lead) if rest.is_empty() => lead,
        Some(lead) => format!("{lead}: {rest}"),
        None => rest,
    })
}
