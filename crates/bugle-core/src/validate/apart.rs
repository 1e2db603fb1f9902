//! Checks that the reader of a question can see where each value ends.
//!
//! Punctuation, a quote, a bracket or a line break must separate a value from the next value or sentence. Numbers,
//! choices and booleans are exempt.

use std::collections::BTreeSet;

use super::guards::{KnownValues, guard_scope};
use super::{Problem, ProblemLocation, Rule, Subject};
use crate::expression::{Expression, Scope, Type};

pub(super) fn check(subject: &Subject<'_>, out: &mut Vec<Problem>) {
    let all: BTreeSet<usize> = (0..subject.definition.steps.len()).collect();
    let scope = guard_scope(subject.definition, KnownValues::everything(&all));
    for step in &subject.definition.steps {
        let Some(ask) = &step.ask else { continue };
        for run in runs_together(&ask.question, &|value| ends_by_itself(value, &scope)) {
            let message = match run.next {
                Next::Value => format!("`{}` runs into the next value", run.value),
                Next::Sentence => format!("`{}` runs into the next sentence", run.value),
            };
            out.push(Problem {
                rule: Rule::ValuesRunTogether,
                place: ProblemLocation::Inside {
                    file: subject.file.clone(),
                    path: format!("steps.{}.ask.question", step.id),
                    offset: run.offset,
                },
                message,
                fix: "quote the value, add punctuation after it, or start a new line".to_owned(),
            });
        }
    }
}

/// Whether the value is a number, a choice or a boolean, so that the reader can see where it ends.
fn ends_by_itself(value: &str, scope: &Scope) -> bool {
    let mut parts = value.split('|').map(str::trim);
    let path = parts.next().unwrap_or_default();
    let counted = parts.any(|filter| matches!(filter, "length" | "count" | "int" | "round"));
    let read = || Expression::parse(path).ok()?.check(scope).ok();
    counted
        || read().is_some_and(|found| matches!(found, Type::Int | Type::Double | Type::Bool | Type::Enum(_)))
}

/// The text after a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Value,
    Sentence,
}

/// A value that runs into the next value or sentence.
#[derive(Debug, PartialEq, Eq)]
struct Run<'a> {
    value: &'a str,
    next: Next,
    /// The value's offset.
    offset: usize,
}

/// Finds the values in a template that run into the text after them.
fn runs_together<'a>(source: &'a str, ends_by_itself: &dyn Fn(&str) -> bool) -> Vec<Run<'a>> {
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(start) = source[rest..].find("{{").map(|at| rest + at) {
        let Some(end) = source[start..].find("}}").map(|at| start + at + 2) else {
            break;
        };
        let value = source[start + 2..end - 2].trim_matches(['-', ' ', '\n']);
        rest = end;
        if ends_by_itself(value) {
            continue;
        }
        let next = match following(&source[end..]) {
            Some((Next::Value, at)) => {
                let inside = &source[end + at + 2..];
                let inside = inside.split("}}").next().unwrap_or_default();
                (!ends_by_itself(inside.trim_matches(['-', ' ', '\n']))).then_some(Next::Value)
            }
            Some((next, _)) => Some(next),
            None => None,
        };
        found.extend(next.map(|next| Run {
            value,
            next,
            offset: start,
        }));
    }
    found
}

/// The next value or sentence and its offset, if only words and spaces precede it. Blocks such as `{% if %}` print
/// nothing, so they are not separators.
fn following(text: &str) -> Option<(Next, usize)> {
    let mut at = 0;
    let mut word_before = false;
    while let Some(character) = text[at..].chars().next() {
        if text[at..].starts_with("{{") {
            return Some((Next::Value, at));
        }
        if text[at..].starts_with("{%") || text[at..].starts_with("{#") {
            at += text[at..].find('}').map_or(text.len() - at, |end| end + 1);
            continue;
        }
        if character.is_uppercase() && !word_before {
            return Some((Next::Sentence, at));
        }
        let plain = character.is_alphanumeric() || (character.is_whitespace() && character != '\n');
        if !plain {
            return None;
        }
        word_before |= character.is_alphanumeric();
        at += character.len_utf8();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<(&str, Next)> {
        let counts = |value: &str| value == "n";
        runs_together(source, &counts)
            .into_iter()
            .map(|run| (run.value, run.next))
            .collect()
    }

    #[test]
    fn a_value_that_ends_in_words_runs_into_the_next_one() {
        assert_eq!(found("{{ a }} {{ b }}?"), [("a", Next::Value)]);
        assert_eq!(found("Take {{ a }} because {{ b }}."), [("a", Next::Value)]);
        assert_eq!(
            found("{{ a }}{% if c %} and {{ b }}{% endif %}"),
            [("a", Next::Value)]
        );
        assert_eq!(
            found("because {{ a }} Answer with a letter"),
            [("a", Next::Sentence)]
        );
    }

    #[test]
    fn punctuation_quotes_and_lines_keep_values_apart() {
        for source in [
            "{{ a }}: {{ b }}",
            "\"{{ a }}\" or \"{{ b }}\"",
            "{{ a }}\n{{ b }}",
            "{{ a }}. Answer with a letter.",
            "Is {{ a }} right for the project?",
            "{{ n }} of {{ n }} tasks are {{ a }}.",
            "{{ a }} in {{ n }} files",
            "{{ a",
        ] {
            assert_eq!(found(source), [], "{source}");
        }
    }
}
