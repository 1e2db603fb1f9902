//! Search: matches texts against a query and extracts an excerpt around the match.

/// Maximum number of words, and of characters per word, in a database search. Bugle checks the rest of the query
/// itself.
const MAX_PLAIN_WORDS: usize = 16;
const MAX_PLAIN_WORD_LENGTH: usize = 64;

/// A query: words, and phrases in double quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    phrases: Vec<Vec<char>>,
}

/// Folds case one character at a time, so that offsets stay valid.
fn folded(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

impl Query {
    /// Parses a query; `None` if it has no letters or digits.
    pub fn parse(text: &str) -> Option<Self> {
        let mut phrases = Vec::new();
        for (index, part) in text.split('"').enumerate() {
            let quoted = index % 2 == 1;
            let words: Vec<&str> = if quoted {
                vec![part.trim()]
            } else {
                part.split_whitespace().collect()
            };
            let telling = words
                .into_iter()
                .filter(|word| word.contains(char::is_alphanumeric));
            phrases.extend(telling.map(|word| word.chars().map(folded).collect()));
        }
        (!phrases.is_empty()).then_some(Self { phrases })
    }

    /// Lower-case ASCII words that every match contains.
    pub fn plain_words(&self) -> Vec<String> {
        let words = self.phrases.iter().flat_map(|phrase| {
            phrase
                .split(|c| !c.is_alphanumeric())
                .filter(|word| !word.is_empty() && word.iter().all(char::is_ascii_alphanumeric))
        });
        // Match prefixes only: this is a prefilter, and the database limits the length of a pattern.
        words
            .take(MAX_PLAIN_WORDS)
            .map(|word| word.iter().take(MAX_PLAIN_WORD_LENGTH).collect())
            .collect()
    }

    /// Whether a text matches: every word and phrase in the query occurs at the start of a word.
    pub fn finds(&self, text: &str) -> bool {
        let letters: Vec<char> = text.chars().map(folded).collect();
        self.phrases
            .iter()
            .all(|phrase| place_of(phrase, &letters).is_some())
    }

    /// The text around the first match, on one line.
    pub fn excerpt(&self, text: &str, longest: usize) -> String {
        let line: Vec<char> = text
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .chars()
            .collect();
        if line.len() <= longest {
            return line.into_iter().collect();
        }
        let letters: Vec<char> = line.iter().copied().map(folded).collect();
        let places = self
            .phrases
            .iter()
            .filter_map(|phrase| place_of(phrase, &letters));
        let first = places.min().unwrap_or(0);
        let from = first.saturating_sub(longest / 3).min(line.len() - longest);
        let part: String = line[from..from + longest].iter().collect();
        let before = if from > 0 { "..." } else { "" };
        let after = if from + longest < line.len() { "..." } else { "" };
        format!("{before}{part}{after}")
    }
}

/// The offset of the first occurrence of a phrase at the start of a word.
fn place_of(phrase: &[char], letters: &[char]) -> Option<usize> {
    letters
        .windows(phrase.len())
        .enumerate()
        .find_map(|(place, window)| {
            let begins = place == 0
                || !letters[place - 1].is_alphanumeric()
                || phrase.first().is_some_and(|first| !first.is_alphanumeric());
            (begins && window == phrase).then_some(place)
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_query_word_matches_the_start_of_a_word() {
        let finds = |query: &str, text: &str| Query::parse(query).unwrap().finds(text);
        assert!(finds("port", "Which PORT?"));
        assert!(finds("port spec", "the specs of both ports"));
        assert!(!finds("port", "a report"));
        assert!(!finds("port spec", "the ports"));
        assert!(finds("\"is ready\"", "The spec is ready."));
        assert!(!finds("\"is ready\"", "ready it is"));
        assert!(finds("größe", "Die GRÖSSE und die Größe"));
        assert!(finds("@backend", "ask @backend"));
        assert_eq!(Query::parse("  \"\" ?! "), None);
    }

    #[test]
    fn the_excerpt_of_a_long_text_surrounds_the_match() {
        let text = format!(
            "{} the port\nis 8080 {}",
            "before ".repeat(40),
            "after ".repeat(40)
        );
        let part = Query::parse("8080").unwrap().excerpt(&text, 40);
        assert!(part.contains("the port is 8080"), "{part}");
        assert!(part.starts_with("...") && part.ends_with("..."), "{part}");
    }

    #[test]
    fn a_long_query_is_shortened_for_the_database() {
        let long = "x".repeat(100_000);
        let many = "word ".repeat(50_000);
        for text in [&long, &many] {
            let words = Query::parse(text).unwrap().plain_words();
            assert!(words.len() <= 16 && words.iter().all(|word| word.len() <= 64));
            assert!(Query::parse(text).unwrap().finds(text));
        }
    }

    #[test]
    fn the_database_gets_only_plain_words() {
        let words = |query: &str| Query::parse(query).unwrap().plain_words();
        assert_eq!(
            words("Port größe \"is READY, now\" a_b"),
            ["port", "is", "ready", "now", "a", "b"]
        );
    }

    proptest! {
        #[test]
        fn a_match_contains_every_plain_word(query in "[a-zA-Zö\" _%]{1,12}", text in "[a-zA-Zö _%]{0,40}") {
            if let Some(query) = Query::parse(&query) {
                let lower = text.to_ascii_lowercase();
                if query.finds(&text) {
                    for word in query.plain_words() {
                        prop_assert!(lower.contains(&word), "{word:?} {lower:?}");
                    }
                }
                prop_assert!(query.excerpt(&text, 10).chars().count() <= 16);
            }
        }
    }
}
