//! What was found, for people.

use std::fmt::Write as _;

use bugle_wire::SearchView;

use crate::run::Clock;
use crate::text::printable;

/// What was found, the latest first.
pub fn list(view: &SearchView, clock: Clock<'_>) -> String {
    if view.found.is_empty() {
        return "Nothing here holds all of these words.\n".to_owned();
    }
    let mut out = String::new();
    for text in &view.found {
        let _ = writeln!(
            out,
            "{}  {}  {} by {}    {}",
            text.place,
            clock(text.at),
            text.kind,
            text.by,
            text.command
        );
        let _ = writeln!(out, "    {}", text.excerpt);
    }
    if view.more > 0 {
        let _ = writeln!(out, "{} more; `--limit NUMBER` shows them.", view.more);
    }
    printable(&out)
}
