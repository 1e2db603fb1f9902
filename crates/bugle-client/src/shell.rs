//! Quotes and splits words for a POSIX shell.

/// Quotes a word for a POSIX shell if needed. Also quotes a word with `#`, which some shells treat as a comment.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=+,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The words of a simple command line.
pub(crate) fn shell_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(letters.next()),
            (None, ' ' | '\t') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_special_characters_are_quoted() {
        assert_eq!(shell_word("start"), "start");
        assert_eq!(shell_word("r-7f3a1c#12"), "'r-7f3a1c#12'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("~/x y"), "'~/x y'");
    }

    #[test]
    fn a_quoted_word_is_split_back_unchanged() {
        for word in [
            "/usr/bin/bugle",
            "/my tools/it's \"here\"/bugle",
            r"C:\bin\bugle.exe",
            "",
        ] {
            let line = format!("{} hook  Stop", shell_word(word));
            assert_eq!(shell_words(&line), [word, "hook", "Stop"], "{line}");
        }
    }
}
