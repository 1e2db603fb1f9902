//! Search words: lower case, without stop words, reduced to a simple stem.

/// Stop words: too common to distinguish sections.
const EMPTY: &[&str] = &[
    "a", "about", "after", "all", "an", "and", "any", "are", "as", "at", "be", "before", "but", "by", "can",
    "do", "does", "each", "every", "for", "from", "has", "have", "how", "if", "in", "into", "is", "it",
    "its", "more", "new", "no", "not", "of", "on", "one", "or", "our", "out", "over", "so", "some", "step",
    "task", "than", "that", "the", "their", "them", "then", "there", "they", "this", "to", "use", "using",
    "was", "we", "what", "when", "where", "which", "who", "why", "will", "with", "you", "your",
];

/// The stems of all words, each once, in order of first occurrence.
pub(super) fn stems(text: &str) -> Vec<String> {
    let words = words_with_stems(text);
    words.into_iter().map(|(_, stem)| stem).collect()
}

/// The words in lower case with their stems, each stem once.
pub(super) fn words_with_stems(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for word in plain_words(text) {
        let lower = word.to_lowercase();
        if lower.chars().count() < 2 || EMPTY.contains(&lower.as_str()) {
            continue;
        }
        let stem = stem(&lower);
        if !found.iter().any(|(_, known)| *known == stem) {
            found.push((lower, stem));
        }
    }
    found
}

/// Whether a title starts or ends with a phrase, ignoring case, articles and numbers.
pub(super) fn is_titled(title: &str, phrase: &str) -> bool {
    let says = |word: &&str| !matches!(*word, "the" | "a" | "an") && word.contains(char::is_alphabetic);
    let title = title.to_lowercase();
    let title: Vec<&str> = plain_words(&title).filter(says).collect();
    let phrase: Vec<&str> = plain_words(phrase).collect();
    !phrase.is_empty() && (title.starts_with(&phrase) || title.ends_with(&phrase))
}

/// Whether a title contains a word or phrase of a list, ignoring case and inflection. Words are separated by spaces, the
/// words of a phrase by hyphens.
pub(super) fn names_any(title: &str, list: &str) -> bool {
    let stems = |text: &str| -> Vec<String> {
        let words = plain_words(text).map(|word| stem(&word.to_lowercase()));
        words.collect()
    };
    let title = stems(title);
    list.split_whitespace().any(|phrase| {
        let phrase = stems(phrase);
        title.windows(phrase.len()).any(|words| words == phrase)
    })
}

fn plain_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

/// Removes -ing, -ed, -es, -s and a final e, so that `merge`, `merges` and `merging` share a stem.
fn stem(word: &str) -> String {
    if !word.is_ascii() || word.len() < 4 {
        return word.to_owned();
    }
    let acts = ["ing", "ed"]
        .into_iter()
        .find_map(|ending| word.strip_suffix(ending).filter(|rest| rest.len() >= 3));
    if let Some(rest) = acts {
        // planning -> plan, but rolling -> roll.
        let bytes = rest.as_bytes();
        let last = bytes[bytes.len() - 1];
        let doubled = last == bytes[bytes.len() - 2] && !matches!(last, b'l' | b's' | b'z');
        return with_plain_end(if doubled { &rest[..rest.len() - 1] } else { rest });
    }
    let plural = word.strip_suffix("es").filter(|rest| {
        ["s", "x", "z", "ch", "sh"]
            .into_iter()
            .any(|end| rest.ends_with(end))
    });
    let singular = plural.or_else(|| word.strip_suffix('s').filter(|rest| !rest.ends_with('s')));
    with_plain_end(singular.unwrap_or(word))
}

/// Drops a final e and turns a final y or ie into i, so that verify, verifies and verifying share a stem.
fn with_plain_end(word: &str) -> String {
    if let Some(rest) = word.strip_suffix("ie").or_else(|| word.strip_suffix('y')) {
        return format!("{rest}i");
    }
    let cut = word.strip_suffix('e').filter(|rest| rest.len() > 3);
    cut.unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inflections_share_a_stem() {
        for family in [
            "merge merges merging merged",
            "plan plans planning planned",
            "test tests testing tested",
            "verify verifies verifying",
            "branch branches branching",
        ] {
            assert_eq!(stems(family).len(), 1, "{family}: {:?}", stems(family));
        }
        assert_eq!(
            stems("The process of a class, step by step"),
            ["process", "class"]
        );
    }

    #[test]
    fn different_words_have_different_stems() {
        assert_eq!(
            stems("role roll note not process class bus"),
            ["role", "roll", "note", "process", "class", "bus"]
        );
    }

    #[test]
    fn a_title_matches_a_phrase_at_its_start_or_end() {
        assert!(is_titled("Red Flags: stop here", "red flags"));
        assert!(is_titled("The Iron Law", "iron law"));
        assert!(is_titled("Phase 2: Build", "phase"));
        assert!(is_titled("2. Common Anti-patterns", "anti-patterns"));
        assert!(!is_titled("Overruled", "rule"));
        assert!(!is_titled("A law for all", "for"));
        assert!(!is_titled("anything", ""));
    }
}
