//! Parses the words of a shell command: quotes and expansions.

use super::word::{BRACES, GLOB, UNKNOWN};
use super::word::{Simple, Word};
use super::words::{MAX_DEPTH, MAX_LOOK_LENGTH, Reader};

impl Reader<'_> {
    pub(super) fn word(&mut self) -> Word {
        let from = self.at;
        let mut word = Word::plain("");
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
                '$' if self.peek_after(1) == Some('\'') => self.ansi_quoted(&mut word),
                '$' if self.peek_after(1) == Some('"') => {
                    self.at += 1;
                    self.double_quoted(&mut word);
                }
                '$' | '`' => self.expansion(&mut word),
                '~' if self.at == from => self.home(&mut word),
                UNKNOWN => {
                    word.text.push(c);
                    word.is_certain = false;
                    self.at += 1;
                }
                '*' | '?' => {
                    word.text.push(GLOB);
                    self.at += 1;
                }
                '[' | '{' => self.bracket(c, &mut word),
                _ => {
                    word.text.push(c);
                    self.at += 1;
                }
            }
        }
        self.at = self.at.min(self.rest.len());
        if self.at == from {
            return Word::default();
        }
        word.raw = self.rest[from..self.at].iter().collect();
        word
    }

    /// Reads a bracket. `[a-z]` and `{a,b}` match several strings; other brackets are literal.
    fn bracket(&mut self, open: char, word: &mut Word) {
        let close = if open == '[' { ']' } else { '}' };
        let is_end = |c: &char| *c == close || c.is_whitespace() || "'\"$`;&|()<>/".contains(*c);
        let rest = &self.rest[self.at + 1..];
        let end = rest
            .iter()
            .take(MAX_LOOK_LENGTH)
            .position(is_end)
            .filter(|end| rest.get(*end) == Some(&close));
        let several = |inner: &[char]| {
            if open == '[' {
                !inner.is_empty()
            } else {
                inner.contains(&',') || inner.windows(2).any(|pair| pair == ['.', '.'])
            }
        };
        if let Some(end) = end.filter(|end| several(&rest[..*end])) {
            word.text.push(if open == '[' { GLOB } else { BRACES });
            self.at += end + 2;
        } else {
            word.text.push(open);
            self.at += 1;
        }
    }

    /// A tilde at the start of a word.
    fn home(&mut self, word: &mut Word) {
        self.at += 1;
        let is_own = self
            .peek()
            .is_none_or(|c| c == '/' || c.is_whitespace() || ";&|()<>".contains(c));
        if let Some(home) = (self.outside)("HOME").filter(|_| is_own) {
            word.text.push_str(&home);
        } else {
            word.text.push(UNKNOWN);
            word.is_certain = false;
        }
    }

    fn double_quoted(&mut self, word: &mut Word) {
        self.at += 1;
        while let Some(c) = self.peek() {
            if c == '"' {
                self.at += 1;
                return;
            }
            self.quoted_char(c, word);
        }
    }

    /// A character in double quotes or in a here-document, with its expansion.
    pub(super) fn quoted_char(&mut self, c: char, word: &mut Word) {
        match c {
            '\\' => {
                let next = self.peek_after(1);
                if !matches!(next, Some('"' | '\\' | '$' | '`' | '\n')) {
                    word.text.push('\\');
                }
                word.text.extend(next.filter(|c| *c != '\n'));
                self.at += 2;
            }
            '$' | '`' => self.expansion(word),
            UNKNOWN => {
                word.text.push(c);
                word.is_certain = false;
                self.at += 1;
            }
            _ => {
                word.text.push(c);
                self.at += 1;
            }
        }
    }

    /// `$'...'`, with its escapes.
    fn ansi_quoted(&mut self, word: &mut Word) {
        self.at += 2;
        while let Some(c) = self.peek() {
            self.at += 1;
            match c {
                '\'' => return,
                '\\' => {
                    let escape = self.peek();
                    self.at += 1;
                    let (radix, most) = match escape {
                        Some('x') => (16, 2),
                        Some('u') => (16, 4),
                        Some('U') => (16, 8),
                        Some('0'..='7') => {
                            self.at -= 1;
                            (8, 3)
                        }
                        other => {
                            word.text.extend(other.map(|c| match c {
                                'n' => '\n',
                                't' => '\t',
                                'r' => '\r',
                                c => c,
                            }));
                            continue;
                        }
                    };
                    word.text.extend(self.number(radix, most));
                }
                _ => word.text.push(c),
            }
        }
    }

    fn number(&mut self, radix: u32, most: usize) -> Option<char> {
        let mut value = 0_u32;
        for _ in 0..most {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(radix)) else {
                break;
            };
            value = value.wrapping_mul(radix).wrapping_add(digit);
            self.at += 1;
        }
        char::from_u32(value)
    }

    /// An expansion, whose value is known only when the command runs. The commands inside it are parsed too.
    pub(super) fn expansion(&mut self, word: &mut Word) {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.at = self.rest.len();
            word.text.push(UNKNOWN);
            word.is_certain = false;
        } else {
            self.expand(word);
        }
        self.depth -= 1;
    }

    fn expand(&mut self, word: &mut Word) {
        let c = self.peek();
        self.at += 1;
        if c == Some('`') {
            self.substitution('`', word);
            return;
        }
        match self.peek() {
            Some('(') if self.is_arithmetic() => {
                self.at += 2;
                self.arithmetic();
                word.text.push(UNKNOWN);
                word.is_certain = false;
            }
            Some('(') => {
                self.at += 1;
                self.substitution(')', word);
            }
            Some('{') => self.braced(word),
            Some(c) if c.is_alphabetic() || c == '_' => {
                let from = self.at;
                while self.peek().is_some_and(|c| c.is_alphanumeric() || c == '_') {
                    self.at += 1;
                }
                let name: String = self.rest[from..self.at].iter().collect();
                self.variable(&name, word);
            }
            Some(c) if c.is_ascii_digit() || "@*#?!-".contains(c) => {
                self.at += 1;
                word.text.push(UNKNOWN);
                word.is_certain = false;
            }
            _ => word.text.push('$'),
        }
    }

    fn variable(&mut self, name: &str, word: &mut Word) {
        if let Some(value) = self.variables.get(name) {
            word.text.push_str(value);
            // A command that is not parsed here may set the variable again.
            word.is_certain = false;
        } else if let Some(value) = (self.outside)(name) {
            word.text.push_str(&value);
        } else {
            word.text.push(UNKNOWN);
            word.is_certain = false;
        }
    }

    /// `${name}`, or an operation on a variable.
    fn braced(&mut self, word: &mut Word) {
        self.at += 1;
        let from = self.at;
        while self.peek().is_some_and(|c| c.is_alphanumeric() || c == '_') {
            self.at += 1;
        }
        if self.peek() == Some('}') && self.at > from {
            let name: String = self.rest[from..self.at].iter().collect();
            self.at += 1;
            self.variable(&name, word);
            return;
        }
        let mut ignored = Word::plain("");
        while let Some(c) = self.peek() {
            match c {
                '}' => {
                    self.at += 1;
                    break;
                }
                '\'' => {
                    self.at += 1;
                    while self.peek().is_some_and(|c| c != '\'') {
                        self.at += 1;
                    }
                    self.at += 1;
                }
                '"' => self.double_quoted(&mut ignored),
                c => self.quoted_char(c, &mut ignored),
            }
        }
        word.text.push(UNKNOWN);
        word.is_certain = false;
    }

    /// A command substitution. Its output is known if the commands only print a string or locate a program.
    fn substitution(&mut self, end: char, word: &mut Word) {
        let before = self.found.len();
        self.nested(end);
        let inner: Vec<&Simple> = self.found[before..].iter().filter(|s| !s.is_empty()).collect();
        let printed = match inner.as_slice() {
            [one] if one.targets.is_empty() => {
                let words: Vec<&str> = one.words.iter().map(|word| word.text.as_str()).collect();
                match words.as_slice() {
                    ["which" | "echo" | "basename", printed] | ["command", "-v", printed] => {
                        Some((*printed).to_owned())
                    }
                    ["pwd"] => Some(".".to_owned()),
                    _ => None,
                }
            }
            _ => None,
        };
        word.is_certain = false;
        match printed {
            Some(printed) => word.text.push_str(&printed),
            None => word.text.push(UNKNOWN),
        }
    }

    /// Arithmetic up to its two closing parentheses. The commands inside it are parsed too.
    pub(super) fn arithmetic(&mut self) {
        let mut open = 2_usize;
        let mut ignored = Word::plain("");
        while open > 0
            && let Some(c) = self.peek()
        {
            match c {
                '(' => open += 1,
                ')' => open -= 1,
                '$' | '`' => {
                    self.expansion(&mut ignored);
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    pub(super) fn nested(&mut self, end: char) {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.at = self.rest.len();
        } else {
            let outside = std::mem::replace(&mut self.in_backticks, end == '`');
            let cases = std::mem::replace(&mut self.cases, 0);
            self.list(Some(end));
            self.in_backticks = outside;
            self.cases = cases;
        }
        self.depth -= 1;
    }
}
