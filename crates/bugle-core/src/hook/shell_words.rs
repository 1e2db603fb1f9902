//! A shell command taken apart: its simple commands with their words, and the files that each redirects into.
//!
//! It reads as much of the language of POSIX shells as it takes to find words: quotes, substitutions, here-documents,
//! comments, operators. It never fails; what it does not know it takes for words.

/// A word of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Word {
    /// Without its quotes.
    pub text: String,
    /// Whether it stands for itself: nothing in it is filled in when the command runs.
    pub is_literal: bool,
}

/// A command without operators.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Simple {
    /// Its words.
    pub words: Vec<Word>,
    /// What its output is redirected into.
    pub targets: Vec<Word>,
}

/// The simple commands of a text, also those in substitutions.
pub(super) fn simple_commands(text: &str) -> Vec<Simple> {
    let mut reader = Reader {
        rest: text.chars().collect(),
        at: 0,
        found: Vec::new(),
        here_documents: Vec::new(),
        depth: 0,
        in_backticks: false,
    };
    reader.list(None);
    reader.found.retain(|simple| simple != &Simple::default());
    reader.found
}

/// How deep substitutions are read.
const DEEPEST: usize = 40;
/// Words that begin or go on with a compound command: another command follows.
const KEYWORDS: [&str; 12] = [
    "if", "then", "else", "elif", "fi", "do", "done", "while", "until", "!", "{", "}",
];

struct Reader {
    rest: Vec<char>,
    at: usize,
    found: Vec<Simple>,
    /// The ends of here-documents whose text begins on the next line.
    here_documents: Vec<String>,
    depth: usize,
    /// Whether a backtick ends what is read.
    in_backticks: bool,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.rest.get(self.at).copied()
    }

    fn peek_after(&self, places: usize) -> Option<char> {
        self.rest.get(self.at + places).copied()
    }

    /// Commands up to an end, which is taken too.
    fn list(&mut self, end: Option<char>) {
        let mut simple = Simple::default();
        while let Some(c) = self.peek() {
            if Some(c) == end {
                self.at += 1;
                break;
            }
            match c {
                '\n' => {
                    self.at += 1;
                    self.found.push(std::mem::take(&mut simple));
                    self.skip_here_documents();
                }
                ' ' | '\t' | '\r' => self.at += 1,
                '#' => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                '&' if self.peek_after(1) == Some('>') => {
                    self.at += 1;
                    self.redirection(&mut simple);
                }
                ';' | '&' | '|' | '(' | ')' => {
                    self.at += 1;
                    self.found.push(std::mem::take(&mut simple));
                }
                '<' | '>' => self.redirection(&mut simple),
                _ => self.next_word(&mut simple),
            }
        }
        self.found.push(simple);
    }

    fn next_word(&mut self, simple: &mut Simple) {
        let from = self.at;
        let word = self.word();
        if self.at == from {
            // Nothing that a word can begin with: it is passed over, so that reading always goes on.
            self.at += 1;
            return;
        }
        let is_number = !word.text.is_empty() && word.text.chars().all(|c| c.is_ascii_digit());
        if is_number && matches!(self.peek(), Some('<' | '>')) {
            self.redirection(simple);
        } else if simple.words.is_empty() && KEYWORDS.contains(&word.text.as_str()) {
            self.found.push(std::mem::take(simple));
        } else if simple.words.is_empty() && word.text == "[[" {
            self.test();
        } else {
            simple.words.push(word);
        }
    }

    /// A test in double brackets: `>` compares in it.
    fn test(&mut self) {
        while self.peek().is_some_and(|c| c != '\n') {
            if self.peek() == Some(']') && self.peek_after(1) == Some(']') {
                self.at += 2;
                return;
            }
            self.at += 1;
        }
    }

    /// A redirection; the reader stands at its first arrow.
    fn redirection(&mut self, simple: &mut Simple) {
        let first = self.peek();
        self.at += 1;
        let reads = first == Some('<');
        if reads && self.peek() == Some('<') {
            self.at += 1;
            if self.peek() == Some('<') {
                // A here-string: one word.
                self.at += 1;
                self.skip_blanks();
                self.word();
                return;
            }
            if self.peek() == Some('-') {
                self.at += 1;
            }
            self.skip_blanks();
            let end = self.word();
            self.here_documents.push(end.text);
            return;
        }
        if self.peek() == Some('(') {
            // A process: what is in it is a command of its own.
            self.at += 1;
            self.nested(')');
            return;
        }
        let writes = !reads || self.peek() == Some('>');
        while matches!(self.peek(), Some('>' | '|')) {
            self.at += 1;
        }
        let duplicates = self.peek() == Some('&');
        if duplicates {
            self.at += 1;
        }
        self.skip_blanks();
        let target = self.word();
        let is_descriptor = duplicates && target.text.chars().all(|c| c.is_ascii_digit() || c == '-');
        if writes && !is_descriptor && target != Word::default() {
            simple.targets.push(target);
        }
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.at += 1;
        }
    }

    fn skip_here_documents(&mut self) {
        for end in std::mem::take(&mut self.here_documents) {
            while self.at < self.rest.len() {
                let line: String = self.rest[self.at..].iter().take_while(|c| **c != '\n').collect();
                self.at += line.chars().count() + 1;
                if line.trim_start_matches('\t') == end {
                    break;
                }
            }
            self.at = self.at.min(self.rest.len());
        }
    }

    fn word(&mut self) -> Word {
        let mut word = Word {
            text: String::new(),
            is_literal: true,
        };
        let from = self.at;
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
                '\'' => {
                    self.at += 1;
                    while let Some(c) = self.peek().filter(|c| *c != '\'') {
                        word.text.push(c);
                        self.at += 1;
                    }
                    self.at += 1;
                }
                '"' => self.double_quoted(&mut word),
                '\\' => {
                    word.text.extend(self.peek_after(1).filter(|c| *c != '\n'));
                    self.at += 2;
                }
                '`' if self.in_backticks => break,
                '$' | '`' => self.expansion(&mut word),
                '*' | '?' | '~' => {
                    word.is_literal = false;
                    word.text.push(c);
                    self.at += 1;
                }
                _ => {
                    word.text.push(c);
                    self.at += 1;
                }
            }
        }
        self.at = self.at.min(self.rest.len());
        if self.at == from { Word::default() } else { word }
    }

    fn double_quoted(&mut self, word: &mut Word) {
        self.at += 1;
        while let Some(c) = self.peek() {
            match c {
                '"' => {
                    self.at += 1;
                    return;
                }
                '\\' => {
                    let next = self.peek_after(1);
                    if !matches!(next, Some('"' | '\\' | '$' | '`' | '\n')) {
                        word.text.push('\\');
                    }
                    word.text.extend(next.filter(|c| *c != '\n'));
                    self.at += 2;
                }
                '$' | '`' => self.expansion(word),
                _ => {
                    word.text.push(c);
                    self.at += 1;
                }
            }
        }
    }

    /// Something that is filled in when the command runs. Commands in it are looked at.
    fn expansion(&mut self, word: &mut Word) {
        word.is_literal = false;
        let c = self.peek();
        self.at += 1;
        if c == Some('`') {
            word.text.push('`');
            self.nested('`');
            return;
        }
        word.text.push('$');
        if self.peek() == Some('(') {
            self.at += 1;
            if self.peek() == Some('(') {
                self.arithmetic();
            } else {
                self.nested(')');
            }
        }
    }

    fn arithmetic(&mut self) {
        let mut open = 1_usize;
        while open > 0
            && let Some(c) = self.peek()
        {
            match c {
                '(' => open += 1,
                ')' => open -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }

    fn nested(&mut self, end: char) {
        self.depth += 1;
        if self.depth > DEEPEST {
            self.at = self.rest.len();
        } else {
            let outside = std::mem::replace(&mut self.in_backticks, end == '`');
            self.list(Some(end));
            self.in_backticks = outside;
        }
        self.depth -= 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_text_is_taken_apart(text in "([ -~\\n]|é){0,80}") {
            simple_commands(&text);
        }

        #[test]
        fn quoted_words_come_out_as_they_were(words in proptest::collection::vec("[ -~]{1,12}", 1..5)) {
            let quoted: Vec<String> = words.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect();
            let simple = simple_commands(&format!("x {}", quoted.join(" ")));
            prop_assert_eq!(simple.len(), 1);
            let read: Vec<&str> = simple[0].words.iter().skip(1).map(|word| word.text.as_str()).collect();
            prop_assert_eq!(read, words.iter().map(String::as_str).collect::<Vec<_>>());
            prop_assert!(simple[0].words.iter().all(|word| word.is_literal));
        }
    }

    #[test]
    fn parentheses_without_end_are_bounded() {
        simple_commands(&"$(".repeat(10_000));
        simple_commands(&"`".repeat(10_000));
        simple_commands(&"<(".repeat(10_000));
    }
}
