//! Regular expressions in skills: linear time, limited size, and generated samples.

use std::sync::{Arc, OnceLock};

use regex::{Regex, RegexBuilder};
use regex_syntax::hir::{Class, ClassUnicodeRange, Hir, HirKind, Repetition};
use serde::{Deserialize, Serialize};

use crate::length::{Length, MAX_LENGTH};

/// Maximum length of a pattern, in bytes.
const MAX_PATTERN_LENGTH: usize = 500;
/// Maximum size of a compiled pattern, in bytes. Even a short pattern can be large once compiled: `(a{500}){500}`.
const MAX_MEMORY: usize = 1 << 20;
/// Maximum number of repetition counts to try for samples, and of character choices to try with each count.
const TRIES: usize = 64;
/// Preferred characters in samples.
const PLAIN: &str = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// A valid regular expression that must match a whole string. Patterns are equal if their sources are equal.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Pattern(Arc<Source>);

#[derive(Debug)]
struct Source {
    text: String,
    /// Compiled on first use, and then reused for all items of a list. Most commands never need the compiled pattern.
    compiled: OnceLock<Option<Regex>>,
}

/// The error for an invalid pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BadPattern {
    /// The error message.
    pub message: String,
    /// The byte offset of the error.
    pub offset: usize,
}

impl Pattern {
    /// Parses a pattern.
    pub fn new(source: &str) -> Result<Self, BadPattern> {
        compile(source)?;
        whole(source)?;
        Ok(Self::from(source.to_owned()))
    }

    /// The source text.
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    /// Whether all of `text` matches.
    pub fn covers(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }

    fn regex(&self) -> Option<&Regex> {
        self.0.compiled.get_or_init(|| whole(&self.0.text).ok()).as_ref()
    }

    /// Up to `most` different matching strings of the allowed length, shortest first; the empty string comes last.
    pub fn samples(&self, length: Length, most: usize) -> Vec<String> {
        let (Some(regex), Ok(tree)) = (self.regex(), regex_syntax::parse(self.as_str())) else {
            return Vec::new();
        };
        let mut found: Vec<String> = Vec::new();
        let mut empty = false;
        for (more, pick) in (0..TRIES).flat_map(|more| (0..TRIES).map(move |pick| (more, pick))) {
            if found.len() >= most {
                break;
            }
            let mut text = String::new();
            write_sample(&tree, more, pick, &mut text);
            let fits = length.admits(text.chars().count()) && regex.is_match(&text);
            empty |= fits && text.is_empty();
            if fits && !text.is_empty() && !found.contains(&text) {
                found.push(text);
            }
        }
        if empty && found.len() < most {
            found.push(String::new());
        }
        found
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Pattern {}

/// Only for patterns that were validated before they were stored.
impl From<String> for Pattern {
    fn from(source: String) -> Self {
        Self(Arc::new(Source {
            text: source,
            compiled: OnceLock::new(),
        }))
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.as_str().to_owned()
    }
}

/// Compiles a pattern that may match anywhere in a string.
pub(crate) fn compile(source: &str) -> Result<Regex, BadPattern> {
    if source.len() > MAX_PATTERN_LENGTH {
        return Err(BadPattern {
            message: format!("the pattern is longer than {MAX_PATTERN_LENGTH} bytes"),
            offset: MAX_PATTERN_LENGTH,
        });
    }
    if let Err(error) = regex_syntax::parse(source) {
        let (message, offset) = match &error {
            regex_syntax::Error::Parse(error) => (error.kind().to_string(), error.span().start.offset),
            regex_syntax::Error::Translate(error) => (error.kind().to_string(), error.span().start.offset),
            _ => (error.to_string(), 0),
        };
        return Err(BadPattern { message, offset });
    }
    build(source)
}

/// Compiles a pattern that must match a whole string.
fn whole(source: &str) -> Result<Regex, BadPattern> {
    build(&format!(r"\A(?:{source})\z"))
}

fn build(source: &str) -> Result<Regex, BadPattern> {
    RegexBuilder::new(source)
        .size_limit(MAX_MEMORY)
        .build()
        .map_err(|error| BadPattern {
            message: match error {
                regex::Error::CompiledTooBig(_) => "the pattern has too many repetitions".to_owned(),
                // A pattern that parses alone but not in parentheses must end in a comment.
                _ => "the pattern ends inside a comment".to_owned(),
            },
            offset: 0,
        })
}

/// Appends a string that the tree matches, unless a look-around forbids it. Repetitions occur `more` times above their
/// minimum, and `pick` chooses characters and alternatives.
fn write_sample(tree: &Hir, more: usize, pick: usize, out: &mut String) {
    if out.len() > MAX_LENGTH {
        return;
    }
    match tree.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(class) => out.extend(character(class, pick)),
        HirKind::Repetition(Repetition { min, max, sub, .. }) => {
            let wanted = *min as usize + more;
            let count = max.map_or(wanted, |max| wanted.min(max as usize));
            for _ in 0..count.min(MAX_LENGTH) {
                write_sample(sub, more, pick, out);
            }
        }
        HirKind::Capture(capture) => write_sample(&capture.sub, more, pick, out),
        HirKind::Concat(parts) => parts.iter().for_each(|part| write_sample(part, more, pick, out)),
        HirKind::Alternation(parts) => {
            if let Some(part) = parts.get(pick % parts.len().max(1)) {
                write_sample(part, more, pick / parts.len().max(1), out);
            }
        }
    }
}

fn character(class: &Class, pick: usize) -> Option<char> {
    let holds = |wanted: &char| match class {
        Class::Unicode(class) => class
            .iter()
            .any(|range| (range.start()..=range.end()).contains(wanted)),
        Class::Bytes(class) => class.iter().any(|range| {
            u8::try_from(*wanted).is_ok_and(|byte| (range.start()..=range.end()).contains(&byte))
        }),
    };
    let plain: Vec<char> = PLAIN.chars().filter(holds).collect();
    let first = || match class {
        Class::Unicode(class) => class.iter().next().map(ClassUnicodeRange::start),
        Class::Bytes(class) => class.iter().next().map(|range| char::from(range.start())),
    };
    plain.get(pick % plain.len().max(1)).copied().or_else(first)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_pattern_must_match_the_whole_string() {
        let pattern = Pattern::new("E[0-9]+|none").expect("it parses");
        assert!(pattern.covers("E12") && pattern.covers("none"));
        assert!(!pattern.covers("E12 ") && !pattern.covers("xE1") && !pattern.covers("E1\n"));
    }

    #[test]
    fn an_invalid_pattern_reports_the_problem_and_its_offset() {
        let bad = Pattern::new("E[0-9").expect_err("the class is not closed");
        assert_eq!(
            (bad.message.as_str(), bad.offset),
            ("unclosed character class", 1)
        );
        assert!(Pattern::new("a)|(?:b").is_err());
        assert!(Pattern::new("(?x) a # b").is_err());
        assert_eq!(
            Pattern::new("((a{90}){90}){90}").expect_err("too large").message,
            "the pattern has too many repetitions"
        );
        assert!(Pattern::new(&"a".repeat(MAX_PATTERN_LENGTH + 1)).is_err());
    }

    #[test]
    fn samples_match_and_differ() {
        for source in [
            "E[0-9]+",
            "[a-z]{3}-\\d{2}",
            "(docs|src)/.+\\.md",
            "[^a-z]+",
            "\\w*",
            "\\S+:\\d+",
        ] {
            let pattern = Pattern::new(source).expect("it parses");
            let samples = pattern.samples(Length::default(), 5);
            assert_eq!(samples.len(), 5, "{source}: {samples:?}");
            assert!(samples.iter().all(|sample| pattern.covers(sample)));
        }
        let long = Length {
            min: Some(20),
            max: None,
        };
        let pattern = Pattern::new("a[b-d]*").expect("it parses");
        assert_eq!(pattern.samples(long, 1), ["abbbbbbbbbbbbbbbbbbb"]);
    }

    proptest! {
        #[test]
        fn no_pattern_panics_and_every_sample_matches(source in "[a-c()\\[\\]{}*+?|.\\\\^$0-9-]{0,20}", text in ".{0,40}") {
            if let Ok(pattern) = Pattern::new(&source) {
                pattern.covers(&text);
                for sample in pattern.samples(Length::default(), 2) {
                    prop_assert!(pattern.covers(&sample));
                }
            }
        }
    }
}
