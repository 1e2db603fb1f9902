//! Search results as text.

use std::fmt::Write as _;

use bugle_core::reply::SearchView;

use crate::author_text::author;
use crate::run::Clock;
use crate::text::printable;

/// Search results, latest first.
pub fn list(view: &SearchView, clock: Clock<'_>) -> String {
    let mut out = String::new();
    if view.found.is_empty() {
        out.push_str("No text in this project contains all of these words.\n");
    }
    for text in &view.found {
        let _ = writeln!(
            out,
            "{}  {}  {} by {}    {}",
            text.place,
            clock(text.at),
            text.kind,
            author(&text.by),
            text.command
        );
        let _ = writeln!(out, "    {}", text.excerpt);
    }
    if view.more > 0 {
        let _ = writeln!(out, "{} more; `--limit NUMBER` shows them.", view.more);
    }
    if let Some(moment) = view.searched_after {
        let _ = writeln!(
            out,
            "Searched everything after {}; `--all` searches older text too.",
            clock(moment)
        );
    }
    printable(&out)
}
