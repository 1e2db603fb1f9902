//! Phrases in rules, and the inflected forms that they match.

use std::borrow::Cow;

/// A phrase in a rule: lower-case words separated by single spaces. A slash separates alternatives (`review/reviewer
/// comment`), a leading asterisk stands for any start of a word (`*.md`), an equals sign excludes inflected forms
/// (`=test`), a hash matches a version (`to #`), and a final colon requires a break or the end of the title (`bug:`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase(Cow<'static, str>);

impl Phrase {
    /// Normalises a user's phrase: case and extra spaces do not matter. `None` if it has neither a word nor an
    /// asterisk.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.to_lowercase();
        let (words, end) = text
            .trim()
            .strip_suffix(':')
            .map_or((text.as_str(), ""), |rest| (rest, ":"));
        let words: Vec<&str> = words.split_whitespace().collect();
        let any = words
            .iter()
            .any(|word| word.contains(char::is_alphanumeric) || *word == "*");
        any.then(|| Self(Cow::Owned(words.join(" ") + end)))
    }

    /// A phrase from the built-in table, which is already normalised.
    pub(super) const fn built_in(text: &'static str) -> Self {
        Self(Cow::Borrowed(text))
    }

    /// The text of the phrase.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the phrase is a single asterisk.
    pub(super) fn is_anything(&self) -> bool {
        self.0 == "*"
    }

    /// Whether the phrase starts with an asterisk.
    pub(super) fn is_ending(&self) -> bool {
        self.0.starts_with('*')
    }

    /// Whether a break must follow the phrase.
    pub(super) fn ends(&self) -> bool {
        self.0.ends_with(':')
    }

    /// The phrase's words, each with its alternatives still joined by slashes.
    pub(super) fn words(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        let words: Vec<&str> = self.0.trim_end_matches(':').split(' ').collect();
        words.into_iter()
    }
}

/// Whether a title word is one of the alternatives or a simple inflected form of an alternative.
pub(super) fn same(found: &str, alternatives: &str) -> bool {
    alternatives.split('/').any(|base| {
        if let Some(end) = base.strip_prefix('*') {
            found.len() > end.len() && found.ends_with(end)
        } else if let Some(exact) = base.strip_prefix('=') {
            found == exact
        } else if base == "#" {
            is_version(found)
        } else {
            inflects(found, base)
        }
    })
}

/// Whether a word is a version: `v7`, `1.4.0`, `v2.0.0`.
fn is_version(word: &str) -> bool {
    let digits = word.strip_prefix('v');
    let number = digits.unwrap_or(word);
    number.starts_with(|c: char| c.is_ascii_digit()) && (digits.is_some() || number.contains('.'))
}

/// Whether `found` is `base`, with or without a regular -s or -ing. Excludes -ed: at the start of a title, a word with
/// -ed is an adjective (`Enhanced guard`). Rules must list such words explicitly.
fn inflects(found: &str, base: &str) -> bool {
    if found == base {
        return true;
    }
    // Inflected forms of two-letter words are often different words.
    if base.len() < 3 || !base.is_ascii() || !found.is_ascii() {
        return false;
    }
    let bytes = base.as_bytes();
    let last = bytes[bytes.len() - 1];
    let before = bytes[bytes.len() - 2];
    let shorter = &base[..base.len() - 1];
    let vowel = |byte: u8| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u');
    let rest_is = |stem: &str, endings: &[&str]| {
        found
            .strip_prefix(stem)
            .is_some_and(|rest| endings.contains(&rest))
    };
    if last == b'e' {
        return rest_is(base, &["s"]) || rest_is(shorter, &["ing"]);
    }
    if last == b'y' && !vowel(before) {
        return rest_is(shorter, &["ies"]) || rest_is(base, &["ing"]);
    }
    if rest_is(base, &["s", "es", "ing"]) {
        return true;
    }
    // As in `stopping`: a final consonant after a vowel may be doubled.
    let doubled = !vowel(last) && vowel(before);
    doubled
        && found
            .strip_prefix(base)
            .and_then(|rest| rest.strip_prefix(char::from(last)))
            == Some("ing")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_inflections_match() {
        for (base, forms) in [
            ("implement", "implement implements implementing"),
            ("write", "write writes writing"),
            ("verify", "verify verifies verifying"),
            ("plan", "plan plans planning"),
            ("fix", "fix fixes fixing"),
            ("merge", "merges merging"),
            ("deploy", "deploys deploying"),
            ("review/reviewer", "review reviewer reviewers reviewing"),
        ] {
            for form in forms.split(' ') {
                assert!(same(form, base), "{form} matches {base}");
            }
        }
        for (base, other) in [
            ("implement", "implementation"),
            ("merge", "merger"),
            ("pr", "prs"),
            ("pr", "print"),
            ("plan", "planet"),
            ("fix", "fixture"),
            ("add", "address"),
            ("use", "user"),
            ("enhance", "enhanced"),
            ("test", "tester"),
            ("verify", "verification"),
        ] {
            assert!(!same(other, base), "{other} does not match {base}");
        }
    }

    #[test]
    fn special_characters_widen_or_narrow_a_phrase() {
        assert!(same("test", "=test") && !same("tests", "=test") && !same("testing", "=test"));
        assert!(same("v7", "#") && same("1.4.0", "#") && !same("7", "#") && !same("video", "#"));
        assert!(same("guide.md", "*.md"));
        assert!(same("prettify", "tidy/*ify"));
        for (ending, other) in [("*.md", ".md"), ("*.md", "guide.mdx"), ("*ize", "sizes")] {
            assert!(!same(other, ending), "{other} does not match {ending}");
        }
    }

    #[test]
    fn a_phrase_has_at_least_one_word() {
        assert_eq!(
            Phrase::new("  Roll   OUT ").as_ref().map(Phrase::as_str),
            Some("roll out")
        );
        assert_eq!(Phrase::new("Bug:").as_ref().map(Phrase::as_str), Some("bug:"));
        for nothing in ["", "  ", ":", "- -"] {
            assert_eq!(Phrase::new(nothing), None, "{nothing:?}");
        }
    }
}
