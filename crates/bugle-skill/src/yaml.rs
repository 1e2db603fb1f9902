//! Parses YAML into types, and turns mistakes into problems with a rule, a location and a fix.

use bugle_core::did_you_mean::nearest;
use bugle_core::path::SkillPath;
use bugle_core::validate::{Problem, ProblemLocation, Rule};
use serde::Deserialize;
use serde_saphyr::{Error, Location};

use crate::MAX_FILE_BYTES;

/// Parses YAML text as `T`; `shift` is the text's offset in the file.
pub(crate) fn parse<'de, T: Deserialize<'de>>(
    file: &SkillPath,
    text: &'de str,
    shift: usize,
) -> Result<T, Problem> {
    if text.len() > MAX_FILE_BYTES {
        return Err(Problem {
            rule: Rule::UnreadableFile,
            place: ProblemLocation::File(file.clone()),
            message: format!(
                "the file is {} bytes long; the limit is {MAX_FILE_BYTES}",
                text.len()
            ),
            fix: "move long text to separate files".to_owned(),
        });
    }
    serde_saphyr::from_str(text).map_err(|error| problem(file, text, shift, error.without_snippet()))
}

fn problem(file: &SkillPath, text: &str, shift: usize, error: &Error) -> Problem {
    let (rule, message, fix) = describe(error);
    let Some(location) = error.location() else {
        return Problem {
            rule,
            place: ProblemLocation::File(file.clone()),
            message,
            fix,
        };
    };
    let (start, message, fix) = explain(text, byte_of(text, location), error, message, fix);
    let end = text[start..]
        .find(['\n', '\r', ' ', ':', ',', '}', ']'])
        .map_or(text.len(), |length| start + length);
    Problem {
        rule,
        place: ProblemLocation::Bytes {
            file: file.clone(),
            start: start + shift,
            end: end.max(start + 1).min(text.len()) + shift,
        },
        message,
        fix,
    }
}

/// Makes an error more specific by looking at the file: returns the position, the message and the fix.
fn explain(text: &str, start: usize, error: &Error, message: String, fix: String) -> (usize, String, String) {
    let mut lines = text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    });
    let is_tab = match error {
        Error::SerdeUnknownField { field, .. } => field.starts_with('\t'),
        other => other.to_string().contains("found a tab"),
    };
    if is_tab && let Some((line, _)) = lines.find(|(_, line)| line.trim_start_matches(' ').starts_with('\t'))
    {
        let message = "this line is indented with a tab".to_owned();
        return (line, message, "indent with spaces".to_owned());
    }
    if let Error::SerdeMissingField { field, .. } = error {
        return match enclosing_key(text, start) {
            Some((at, key)) => (at, format!("`{key}` has no `{field}`"), fix),
            None => (start, message, fix),
        };
    }
    if text[start..].starts_with("{{") {
        let message = "a value that starts with `{{` must be quoted".to_owned();
        return (start, message, "put the value in quotes".to_owned());
    }
    (start, message, fix)
}

/// The key of the map that contains the key at `start`, with its position; `None` at the top level and in a list.
fn enclosing_key(text: &str, start: usize) -> Option<(usize, &str)> {
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let before = &text[line_start..start];
    if let Some(brace) = before.rfind('{') {
        let key = before[..brace].trim_end().strip_suffix(':')?;
        let at = key.rfind([' ', '{', ',']).map_or(0, |at| at + 1);
        return Some((line_start + at, &key[at..]));
    }
    if before.trim_start().starts_with('-') {
        return None;
    }
    let own = indent(&text[line_start..]);
    let mut from_here = text[start..].lines();
    let key = from_here
        .next()
        .and_then(|line| line.trim_end().strip_suffix(':'));
    if let Some(key) = key.filter(|_| from_here.next().is_none_or(|next| indent(next) <= own)) {
        // The current key has no value, so the missing field belongs here.
        return Some((start, key));
    }
    let mut end = line_start;
    while end > 0 {
        let above = text[..end - 1].rfind('\n').map_or(0, |at| at + 1);
        let line = &text[above..end - 1];
        let is_blank = line.trim().is_empty() || line.trim_start().starts_with('#');
        if !is_blank && indent(line) < own {
            let (key, _) = line.trim_start().split_once(':')?;
            return Some((above + indent(line), key));
        }
        end = above;
    }
    None
}

#[expect(clippy::too_many_lines, reason = "a table with one match arm per error kind")]
fn describe(error: &Error) -> (Rule, String, String) {
    match error {
        Error::SerdeUnknownField { field, expected, .. } => (
            Rule::UnknownKey,
            format!("unknown key `{field}`"),
            match nearest(field, expected.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("use one of {}", expected.join(", ")),
            },
        ),
        Error::SerdeUnknownVariant {
            variant, expected, ..
        } => (
            Rule::BadYaml,
            format!("unknown value `{variant}`"),
            match nearest(variant, expected.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("use one of {}", expected.join(", ")),
            },
        ),
        Error::SerdeMissingField { field, .. } => (
            Rule::BadYaml,
            format!("the key `{field}` is missing"),
            format!("add `{field}`"),
        ),
        Error::DuplicateMappingKey { key, .. } => (
            Rule::DuplicateKey,
            format!("duplicate key `{}`", key.as_deref().unwrap_or("?")),
            "remove or rename one of the keys".to_owned(),
        ),
        Error::SerdeInvalidType { unexpected, .. } if unexpected.contains("unit value") => (
            Rule::BadYaml,
            "the value is missing".to_owned(),
            "write the value after the colon".to_owned(),
        ),
        Error::SerdeInvalidType {
            unexpected, expected, ..
        }
        | Error::SerdeInvalidValue {
            unexpected, expected, ..
        } => (
            Rule::BadYaml,
            format!("expected {expected}, found {unexpected}"),
            "change the value, or quote it if it is a string".to_owned(),
        ),
        Error::InvalidScalar { ty, .. } => {
            let wanted = match *ty {
                "bool" | "boolean" => "true or false",
                "f32" | "f64" => "a number",
                _ if ty.starts_with(['u', 'i']) => "a whole number from 0 to 4294967295",
                _ => "a value of another type",
            };
            (
                Rule::BadYaml,
                format!("expected {wanted}"),
                format!("write {wanted}, without quotes"),
            )
        }
        Error::NullIntoString { .. } => (
            Rule::BadYaml,
            "the value is missing".to_owned(),
            "write the value after the colon".to_owned(),
        ),
        Error::Unexpected { expected, .. } => {
            let wanted = if expected.contains("mapping") {
                "a map"
            } else if expected.contains("sequence") {
                "a list"
            } else {
                "a string"
            };
            (
                Rule::BadYaml,
                format!("expected {wanted}"),
                format!("write {wanted}, or remove the key"),
            )
        }
        Error::MultipleDocuments { .. } => (
            Rule::BadYaml,
            "the file must contain only one YAML document, but a second document starts here".to_owned(),
            "remove the `---` line".to_owned(),
        ),
        Error::Eof { .. } => (
            Rule::BadYaml,
            "the file is empty or incomplete".to_owned(),
            "the file ends too early: add the missing keys".to_owned(),
        ),
        Error::Budget { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => (
            Rule::BadYaml,
            "the file is too large after its aliases are expanded".to_owned(),
            "shorten the file and remove aliases".to_owned(),
        ),
        other => {
            let message = other.to_string();
            let first = message.lines().next().unwrap_or_default();
            if first.contains("budget") {
                let fix = "shorten the file and remove aliases".to_owned();
                return (
                    Rule::BadYaml,
                    "the file is too large after its aliases are expanded".to_owned(),
                    fix,
                );
            }
            // Remove the location from the message. The caller shows the location relative to the whole file.
            let first = first.split(" at line ").next().unwrap_or(first).to_owned();
            (
                Rule::BadYaml,
                first,
                "check indentation, quotes and brackets here".to_owned(),
            )
        }
    }
}

/// The byte offset of a line and column, both 1-based; columns count characters.
fn byte_of(text: &str, location: Location) -> usize {
    let line = usize::try_from(location.line()).unwrap_or(1).saturating_sub(1);
    let column = usize::try_from(location.column()).unwrap_or(1).saturating_sub(1);
    let mut start = 0;
    for (index, content) in text.split_inclusive('\n').enumerate() {
        if index == line {
            return start
                + content
                    .char_indices()
                    .nth(column)
                    .map_or(content.trim_end().len(), |(at, _)| at);
        }
        start += content.len();
    }
    text.len()
}
