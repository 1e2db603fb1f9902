//! Template checks that need no values: unknown filters and tests, and excessive size.

/// The maximum size of a tag or expression in bytes.
const MAX_BLOCK: usize = 4000;
const LONG_BLOCK: &str = "a tag or expression is longer than 4000 bytes";
/// The maximum nesting depth of tags.
const MAX_NESTING: usize = 64;
const DEEP_NESTING: &str = "tags are nested more than 64 levels deep";

/// The names of all filters.
pub(super) const FILTERS: [&str; 16] = [
    "quote",
    "items",
    "fence",
    "json",
    "length",
    "join",
    "upper",
    "lower",
    "default",
    "first",
    "last",
    "map",
    "counted",
    "selectattr",
    "rejectattr",
    "list",
];
/// The names of all tests.
pub(super) const TESTS: [&str; 6] = ["defined", "undefined", "eq", "equalto", "ne", "in"];

/// The first unknown filter (after `|`) or test (after `is`) in a tag or expression.
pub(super) fn unknown_word(source: &str) -> Option<(&str, std::ops::Range<usize>)> {
    let mut at = 0;
    while let Some(open) = source[at..]
        .find("{{")
        .into_iter()
        .chain(source[at..].find("{%"))
        .min()
    {
        let start = at + open + 2;
        let close = if source[start - 2..].starts_with("{{") {
            "}}"
        } else {
            "%}"
        };
        let end = source[start..]
            .find(close)
            .map_or(source.len(), |length| start + length);
        let mut quote: Option<char> = None;
        let mut before = "";
        let mut cursor = start;
        while cursor < end {
            let rest = &source[cursor..end];
            let Some(first) = rest.chars().next() else { break };
            let step = first.len_utf8();
            if let Some(open) = quote {
                quote = (first != open).then_some(open);
                cursor += step;
            } else if first == '"' || first == '\'' {
                quote = Some(first);
                before = "";
                cursor += step;
            } else if first.is_ascii_alphabetic() || first == '_' {
                let length = rest
                    .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .unwrap_or(rest.len());
                let word = &rest[..length];
                let known = match before {
                    "|" => FILTERS.contains(&word),
                    "is" => word == "not" || TESTS.contains(&word),
                    _ => true,
                };
                if !known {
                    return Some((word, cursor..cursor + length));
                }
                before = if before == "is" && word == "not" {
                    "is"
                } else {
                    word
                };
                cursor += length;
            } else {
                if !first.is_whitespace() {
                    before = &rest[..step];
                }
                cursor += step;
            }
        }
        at = end;
    }
    None
}

/// The first tag or expression that is too long or nested too deeply. The engine recurses over both, so tens of
/// thousands of levels would exhaust the stack.
pub(super) fn excess(source: &str) -> Option<(&'static str, std::ops::Range<usize>)> {
    let mut at = 0;
    let mut depth = 0_usize;
    while let Some(open) = source[at..]
        .find("{{")
        .into_iter()
        .chain(source[at..].find("{%"))
        .min()
    {
        let start = at + open;
        let close = if source[start..].starts_with("{{") {
            "}}"
        } else {
            "%}"
        };
        let inside = &source[start + 2..];
        let length = inside.find(close).unwrap_or(inside.len());
        if length > MAX_BLOCK {
            return Some((LONG_BLOCK, start..start + 2));
        }
        let word = inside[..length].trim_start_matches(['-', '+']).trim_start();
        if close == "%}" {
            if word.starts_with("end") {
                depth = depth.saturating_sub(1);
            } else if ["if", "for", "macro", "filter", "with", "call"]
                .iter()
                .any(|tag| word.starts_with(tag))
            {
                depth += 1;
            }
        }
        if depth > MAX_NESTING {
            return Some((DEEP_NESTING, start..start + 2));
        }
        at = start + 2;
    }
    None
}
