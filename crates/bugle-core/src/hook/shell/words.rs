//! Splits a shell command into simple commands, each with its words, redirections and input.
//!
//! Supports the relevant parts of POSIX shells and bash: quotes, expansions, here-documents, comments, operators,
//! tests, arithmetic, functions. Parsing never fails: a shell runs the lines before a syntax error, so a parser that
//! rejects the whole input would miss them.

use std::collections::BTreeMap;

use super::word::{Input, Known, Parsed, Simple, UNKNOWN, Word};

/// Parses a command.
pub(super) fn parse(text: &str, known: Known<'_>) -> Parsed {
    let mut reader = Reader {
        rest: text.chars().collect(),
        at: 0,
        found: Vec::new(),
        documents: Vec::new(),
        bodies: BTreeMap::new(),
        depth: 0,
        in_backticks: false,
        cases: 0,
        next_id: 1,
        outside: known.outside,
        variables: known.inside.clone(),
    };
    reader.list(None);
    reader.read_documents();
    reader.found.retain(|simple| !simple.is_empty());
    for simple in &mut reader.found {
        if let Some(body) = reader.bodies.remove(&simple.id) {
            simple.input = Input::Text(body);
        }
    }
    let positions = reader.found.iter().enumerate();
    Parsed {
        positions: positions
            .map(|(position, simple)| (simple.id, position))
            .collect(),
        commands: reader.found,
        variables: reader.variables,
    }
}

/// Maximum lookahead for the end of a bracket, so that the cost stays linear.
pub(super) const MAX_LOOK_LENGTH: usize = 1_000;
/// Maximum nesting depth of substitutions.
pub(super) const MAX_DEPTH: usize = 40;
/// Keywords that are followed by a command.
const KEYWORDS: [&str; 12] = [
    "if", "then", "else", "elif", "fi", "do", "done", "while", "until", "!", "{", "}",
];
/// Commands that set variables through their arguments.
const DECLARES: [&str; 5] = ["export", "declare", "typeset", "local", "readonly"];

/// A here-document whose body starts on the next line.
struct Document {
    of: usize,
    end: String,
    is_quoted: bool,
}

pub(super) struct Reader<'a> {
    pub(super) rest: Vec<char>,
    pub(super) at: usize,
    pub(super) found: Vec<Simple>,
    documents: Vec<Document>,
    bodies: BTreeMap<usize, String>,
    pub(super) depth: usize,
    /// Whether a backtick ends the current text.
    pub(super) in_backticks: bool,
    /// How many `case` commands are open.
    pub(super) cases: usize,
    next_id: usize,
    pub(super) outside: &'a dyn Fn(&str) -> Option<String>,
    pub(super) variables: BTreeMap<String, String>,
}

impl Reader<'_> {
    pub(super) fn peek(&self) -> Option<char> {
        self.rest.get(self.at).copied()
    }

    pub(super) fn peek_after(&self, places: usize) -> Option<char> {
        self.rest.get(self.at + places).copied()
    }

    fn begin(&mut self, after: Option<usize>) -> Simple {
        let id = self.next_id;
        self.next_id += 1;
        Simple {
            id,
            after,
            ..Simple::default()
        }
    }

    /// Ends the current command and starts the next.
    fn end(&mut self, simple: &mut Simple, is_piped: bool) {
        let next = self.begin(is_piped.then_some(simple.id));
        let done = std::mem::replace(simple, next);
        self.note_variables(&done);
        self.found.push(done);
    }

    fn note_variables(&mut self, simple: &Simple) {
        let declares = simple
            .words
            .first()
            .is_some_and(|word| DECLARES.contains(&word.text.as_str()));
        let all_assign = simple.words.iter().all(|word| word.assignment().is_some());
        if !declares && !all_assign {
            return;
        }
        for (name, value) in simple.words.iter().filter_map(Word::assignment) {
            let value = match value.strip_prefix('~') {
                Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                    format!("{}{rest}", (self.outside)("HOME").unwrap_or_default())
                }
                _ => value.to_owned(),
            };
            self.variables.insert(name.to_owned(), value);
        }
    }

    /// Parses commands up to and including an end character.
    pub(super) fn list(&mut self, end: Option<char>) {
        let mut simple = self.begin(None);
        let mut open = 0_usize;
        while let Some(c) = self.peek() {
            // In a `case`, a closing parenthesis ends a pattern; elsewhere it belongs to a subshell or a function.
            if Some(c) == end && (c != ')' || self.cases == 0 && open == 0) {
                self.at += 1;
                break;
            }
            match c {
                '\n' => {
                    self.at += 1;
                    self.end(&mut simple, false);
                    self.read_documents();
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
                '|' => {
                    let is_or = self.peek_after(1) == Some('|');
                    let takes_both = self.peek_after(1) == Some('&');
                    self.at += 1 + usize::from(is_or || takes_both);
                    self.end(&mut simple, !is_or);
                }
                '(' if simple.words.is_empty() && self.is_arithmetic() => {
                    self.at += 2;
                    self.arithmetic();
                }
                ';' | '&' | '(' | ')' => {
                    match c {
                        '(' => open += 1,
                        ')' => open = open.saturating_sub(1),
                        _ => {}
                    }
                    self.at += 1;
                    self.end(&mut simple, false);
                }
                '<' | '>' => self.redirection(&mut simple),
                _ => self.next_word(&mut simple),
            }
        }
        self.end(&mut simple, false);
    }

    fn next_word(&mut self, simple: &mut Simple) {
        let from = self.at;
        let word = self.word();
        if self.at == from {
            // No word can start here. Skip the character, so that the parser always advances.
            self.at += 1;
            return;
        }
        let is_number = !word.text.is_empty() && word.text.chars().all(|c| c.is_ascii_digit());
        let is_first = simple.words.is_empty();
        if is_number && matches!(self.peek(), Some('<' | '>')) {
            self.redirection(simple);
        } else if is_first && KEYWORDS.contains(&word.raw.as_str()) {
            self.end(simple, false);
        } else if is_first && matches!(word.raw.as_str(), "function" | "coproc") {
            self.name_before_group(word.raw == "coproc");
            self.end(simple, false);
        } else if is_first && word.raw == "[[" {
            self.test();
        } else {
            match word.raw.as_str() {
                "for" | "select" | "read" if is_first => self.forget_next(),
                "case" if is_first => self.cases += 1,
                "esac" if is_first => self.cases = self.cases.saturating_sub(1),
                _ => {}
            }
            simple.words.push(word);
        }
    }

    /// Reads the name of a function, or of a coprocess if a group follows.
    fn name_before_group(&mut self, is_optional: bool) {
        let from = self.at;
        self.skip_blanks();
        self.word();
        let mut ahead = self.at;
        while matches!(self.rest.get(ahead), Some(' ' | '\t' | '\n')) {
            ahead += 1;
        }
        if is_optional && !matches!(self.rest.get(ahead), Some('{' | '(')) {
            self.at = from;
        }
    }

    /// Marks the value of the variable that follows as unknown.
    fn forget_next(&mut self) {
        let from = self.at;
        self.skip_blanks();
        let name = self.word().text;
        self.variables.insert(name, UNKNOWN.to_string());
        self.at = from;
    }

    /// Reads a test in double brackets, where `>` is a comparison, not a redirection.
    fn test(&mut self) {
        while let Some(c) = self.peek() {
            if c == ']' && self.peek_after(1) == Some(']') {
                self.at += 2;
                return;
            }
            let from = self.at;
            if c != ']' {
                self.word();
            }
            if self.at == from {
                self.at += 1;
            }
        }
    }

    /// Whether the two parentheses here start arithmetic instead of two subshells. If so, two adjacent closing
    /// parentheses end it.
    pub(super) fn is_arithmetic(&self) -> bool {
        if self.peek_after(1) != Some('(') {
            return false;
        }
        let mut open = 0_usize;
        for (at, c) in self
            .rest
            .iter()
            .enumerate()
            .skip(self.at + 1)
            .take(MAX_LOOK_LENGTH)
        {
            match c {
                '(' => open += 1,
                ')' => open = open.saturating_sub(1),
                _ => {}
            }
            if open == 0 {
                return self.rest.get(at + 1) == Some(&')');
            }
        }
        false
    }

    /// A redirection, starting at its first arrow.
    fn redirection(&mut self, simple: &mut Simple) {
        let from = self.at;
        let first = self.peek();
        self.at += 1;
        let reads = first == Some('<');
        if reads && self.peek() == Some('<') {
            self.at += 1;
            if self.peek() == Some('<') {
                // A here-string: one word.
                self.at += 1;
                self.skip_blanks();
                simple.input = Input::Text(self.word().text);
                return;
            }
            if self.peek() == Some('-') {
                self.at += 1;
            }
            self.skip_blanks();
            let end = self.word();
            self.documents.push(Document {
                of: simple.id,
                is_quoted: end.raw.contains(['\'', '"', '\\']),
                end: end.text.replace(UNKNOWN, "$"),
            });
            return;
        }
        if self.peek() == Some('(') {
            self.process(simple, from);
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
        if matches!(self.peek(), Some('<' | '>')) && self.peek_after(1) == Some('(') {
            // `> >(command)`: the command is parsed separately.
            self.at += 2;
            self.nested(')');
            if reads {
                simple.input = Input::Elsewhere;
            }
            return;
        }
        let target = self.word();
        let is_descriptor = duplicates && target.text.chars().all(|c| c.is_ascii_digit() || c == '-');
        if is_descriptor || target == Word::default() {
            return;
        }
        if writes {
            simple.targets.push(target);
        }
        if reads {
            simple.input = Input::Elsewhere;
        }
    }

    /// A process substitution: a placeholder word, and the commands inside it.
    fn process(&mut self, simple: &mut Simple, from: usize) {
        self.at += 1;
        self.nested(')');
        simple.words.push(Word {
            raw: self.rest[from..self.at.min(self.rest.len())].iter().collect(),
            text: UNKNOWN.to_string(),
            is_certain: false,
            is_process: true,
        });
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.at += 1;
        }
    }

    fn read_documents(&mut self) {
        for document in std::mem::take(&mut self.documents) {
            let mut body = String::new();
            while self.at < self.rest.len() {
                let line: String = self.rest[self.at..].iter().take_while(|c| **c != '\n').collect();
                self.at += line.chars().count() + 1;
                if line.trim_start_matches('\t') == document.end {
                    break;
                }
                body.push_str(&line);
                body.push('\n');
            }
            self.at = self.at.min(self.rest.len());
            if !document.is_quoted {
                body = self.expanded(&body);
            }
            self.bodies.insert(document.of, body);
        }
    }

    /// Text with its expansions, as in double quotes.
    fn expanded(&mut self, text: &str) -> String {
        let outer = std::mem::replace(&mut self.rest, text.chars().collect());
        let at = std::mem::replace(&mut self.at, 0);
        let mut word = Word::plain("");
        while let Some(c) = self.peek() {
            self.quoted_char(c, &mut word);
        }
        self.rest = outer;
        self.at = at;
        word.text
    }
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
