//! Template filters: glyphs, URLs, readable JSON.

use std::fmt::Write as _;

use bugle_core::reply::{AgentHost, RunNotice, WakeNotice, WakePart};
use bugle_core::wake::Part;
use minijinja::value::Serde;
use minijinja::{Environment, Value};

use super::escape;
use crate::wake::{self, Space};
use crate::{agent, notice_text};

/// Maximum size of text shown on a page, in bytes. The page names the command that shows the rest.
const LONGEST_TEXT: usize = 20_000;

pub(super) fn add_to(environment: &mut Environment<'static>) {
    environment.add_filter("glyph", |word: &str| glyph(word));
    environment.add_filter("url", |text: &str| url(text));
    environment.add_filter("pretty", |value: Value| pretty(&value));
    environment.add_filter("bounded", |text: &str| bounded(text).to_owned());
    environment.add_filter("is_long", |text: &str| bounded(text).len() < text.len());
    environment.add_filter("percent", percent);
    environment.add_filter("folder", |place: &str| folder(place).to_owned());
    environment.add_filter("coded", |text: &str| Value::from_safe_string(coded(text)));
    environment.add_filter("times", |count: u64| times(count));
    environment.add_filter("host", |host: Serde<AgentHost>| agent::host(&host));
    environment.add_filter("run_notice", |notice: Serde<RunNotice>| notice_text::run(&notice));
    environment.add_filter("wake_notice", |notice: Serde<WakeNotice>| wake::notice(&notice));
    environment.add_filter("part_title", |part: Serde<Part>| part.title());
    environment.add_filter("verdict", |part: Serde<WakePart>| part.verdict.as_str());
    environment.add_filter("why", |part: Serde<WakePart>, size: usize, limit: usize| {
        wake::why(&part, Space { size, limit })
    });
    environment.add_filter("initial", |text: &str| initial(text));
}

/// The glyph for a status or state. The page always shows the word next to it.
fn glyph(word: &str) -> &'static str {
    match word {
        "active" | "busy" => "▶",
        "waiting" | "blocked" | "needs_decision" | "uncertainty" => "◆",
        "paused" => "‖",
        "completed" | "complete" | "done" => "✓",
        "failed" | "cancelled" => "✗",
        "skipped" | "archived" => "–",
        _ => "○",
    }
}

/// Percent-encodes text for a URL.
pub fn url(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// A readable form of a value: text unchanged, anything else as JSON.
fn pretty(value: &Value) -> String {
    match value.as_str() {
        Some(text) => text.to_owned(),
        None => serde_json::to_string_pretty(value).unwrap_or_default(),
    }
}

/// The part of the text that a page shows.
fn bounded(text: &str) -> &str {
    text.get(..text.floor_char_boundary(LONGEST_TEXT)).unwrap_or(text)
}

/// A share in whole percent: at least 1 if it is not zero, at most 100.
fn percent(part: u64, whole: u64) -> u64 {
    let share = part.saturating_mul(100).checked_div(whole).unwrap_or(0).min(100);
    if part > 0 { share.max(1) } else { 0 }
}

/// A project's folder, without a trailing `/.git`.
fn folder(place: &str) -> &str {
    place.strip_suffix("/.git").unwrap_or(place)
}

/// Escapes text, and turns text between backticks into code. Text with doubled or unpaired backticks is only escaped.
fn coded(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) || text.contains("``") {
        return escape(text);
    }
    let mut out = String::new();
    for (at, part) in parts.into_iter().enumerate() {
        let part = escape(part);
        if at % 2 == 1 {
            // Writing to a string cannot fail.
            let _ = write!(out, "<code>{part}</code>");
        } else {
            out.push_str(&part);
        }
    }
    out
}

/// A count as an adverb: `never`, `once`, `3 times`.
fn times(count: u64) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        more => format!("{more} times"),
    }
}

/// The text with its first letter in upper case.
fn initial(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    format!("{}{}", first.unwrap_or_default(), letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_can_be_percent_encoded() {
        assert_eq!(
            url("shop:feature/x & y=1#?"),
            "shop%3Afeature%2Fx%20%26%20y%3D1%23%3F"
        );
        assert_eq!(url("größe"), "gr%C3%B6%C3%9Fe");
    }

    #[test]
    fn text_between_backticks_becomes_code_and_the_rest_is_escaped() {
        assert_eq!(coded("`a<b` & c"), "<code>a&lt;b</code> &amp; c");
        for plain in ["a ` b", "```x```", "``", ""] {
            assert_eq!(coded(plain), plain);
        }
    }

    #[test]
    fn a_share_is_at_least_one_and_at_most_a_hundred_percent() {
        assert_eq!(
            [
                percent(0, 10),
                percent(1, 1000),
                percent(5, 10),
                percent(20, 10),
                percent(1, 0)
            ],
            [0, 1, 50, 100, 1]
        );
    }
}
