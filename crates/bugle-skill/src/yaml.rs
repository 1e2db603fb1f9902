//! YAML into types, with mistakes turned into problems that have a rule, a place and a fix.

use bugle_core::did_you_mean::nearest;
use bugle_core::path::SkillPath;
use bugle_core::validate::{Problem, ProblemLocation, Rule};
use serde::Deserialize;
use serde_saphyr::{Error, Location};

use crate::MAX_FILE_BYTES;

/// Reads a text as `T`; `shift` bytes stand before it in its file.
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
                "the file has {} bytes; more than {MAX_FILE_BYTES} are not read",
                text.len()
            ),
            fix: "move long texts into files of their own".to_owned(),
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

#[expect(
    clippy::too_many_lines,
    reason = "one arm per kind of mistake, read as a table"
)]
fn describe(error: &Error) -> (Rule, String, String) {
    match error {
        Error::SerdeUnknownField { field, expected, .. } => (
            Rule::UnknownKey,
            format!("there is no key `{field}` here"),
            match nearest(field, expected.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("the keys are {}", expected.join(", ")),
            },
        ),
        Error::SerdeUnknownVariant {
            variant, expected, ..
        } => (
            Rule::BadYaml,
            format!("`{variant}` is not known here"),
            match nearest(variant, expected.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("it is one of {}", expected.join(", ")),
            },
        ),
        Error::SerdeMissingField { field, .. } => (
            Rule::BadYaml,
            format!("the key `{field}` is missing"),
            format!("add `{field}`"),
        ),
        Error::DuplicateMappingKey { key, .. } => (
            Rule::DuplicateKey,
            format!("the key `{}` stands twice", key.as_deref().unwrap_or("?")),
            "remove one of the two, or give it another name".to_owned(),
        ),
        Error::SerdeInvalidType {
            unexpected, expected, ..
        }
        | Error::SerdeInvalidValue {
            unexpected, expected, ..
        } => (
            Rule::BadYaml,
            format!("expected {expected}, found {unexpected}"),
            "write it as expected; quotes make a value text".to_owned(),
        ),
        Error::InvalidScalar { ty, .. } => {
            let wanted = match *ty {
                "bool" | "boolean" => "true or false",
                "f32" | "f64" => "a number",
                _ if ty.starts_with(['u', 'i']) => "a whole number from 0 to 4294967295",
                _ => "another kind of value",
            };
            (
                Rule::BadYaml,
                format!("expected {wanted} here"),
                format!("write {wanted}, without quotes"),
            )
        }
        Error::NullIntoString { .. } => (
            Rule::BadYaml,
            "a value is missing here".to_owned(),
            "write a text, or remove the key".to_owned(),
        ),
        Error::Unexpected { expected, .. } => {
            let wanted = if expected.contains("mapping") {
                "keys with values"
            } else if expected.contains("sequence") {
                "a list"
            } else {
                "a text"
            };
            (
                Rule::BadYaml,
                format!("expected {wanted} here"),
                format!("write {wanted}, or remove the key"),
            )
        }
        Error::MultipleDocuments { .. } => (
            Rule::BadYaml,
            "one file holds one workflow, and here a second one begins".to_owned(),
            "remove the line `---`".to_owned(),
        ),
        Error::Eof { .. } => (
            Rule::BadYaml,
            "the file ends too early, or is empty".to_owned(),
            "write what is missing".to_owned(),
        ),
        Error::Budget { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => (
            Rule::BadYaml,
            "the file unfolds into more than a workflow can be".to_owned(),
            "write it out without aliases, and shorter".to_owned(),
        ),
        other => {
            let message = other.to_string();
            let first = message.lines().next().unwrap_or_default();
            if first.contains("budget") {
                let fix = "write it out without aliases, and shorter".to_owned();
                return (
                    Rule::BadYaml,
                    "the file unfolds into more than a workflow can be".to_owned(),
                    fix,
                );
            }
            // The place is shown below, counted in the whole file.
            let first = first.split(" at line ").next().unwrap_or(first).to_owned();
            (
                Rule::BadYaml,
                first,
                "check indentation, quotes and brackets around this place".to_owned(),
            )
        }
    }
}

/// The byte of a line and column, both counted from 1 and in characters.
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
