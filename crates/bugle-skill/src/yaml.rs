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
    let place = error.location().map_or_else(
        || ProblemLocation::File(file.clone()),
        |location| {
            let start = byte_of(text, location);
            let end = text[start..]
                .find(['\n', '\r', ' ', ':', ',', '}', ']'])
                .map_or(text.len(), |length| start + length);
            ProblemLocation::Bytes {
                file: file.clone(),
                start: start + shift,
                end: end.max(start + 1).min(text.len()) + shift,
            }
        },
    );
    let (rule, message, fix) = describe(error);
    Problem {
        rule,
        place,
        message,
        fix,
    }
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
            "add a string, or remove the key".to_owned(),
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
            // The location is shown below, relative to the whole file.
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
