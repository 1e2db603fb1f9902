//! Command lines used as evidence: shell text with values between `{{` and `}}`.
//!
//! Bugle quotes each value as a whole, so that the shell always reads it as text and never as code. That works only
//! where quotes have their usual meaning, so values are not allowed anywhere else; [`flaws`] finds the violations.

/// A part of a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fragment<'a> {
    /// Literal text for the shell.
    Text(&'a str),
    /// A value.
    Value {
        /// The expression between the braces.
        expression: &'a str,
        /// The offset of the opening braces.
        start: usize,
        /// The offset after the closing braces.
        end: usize,
    },
}

/// A construct that could make the shell read a value as more than one word of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flaw {
    /// The offset of the construct.
    pub start: usize,
    /// The offset after the construct.
    pub end: usize,
    /// The error message.
    pub message: &'static str,
    /// How to fix the flaw.
    pub fix: &'static str,
}

/// Splits a command line into text and values. The error is the offset of unclosed braces.
pub fn parts(line: &str) -> Result<Vec<Fragment<'_>>, usize> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = line[at..].find("{{").map(|open| at + open) {
        let inside = &line[open + 2..];
        let length = end_of_expression(inside).ok_or(open)?;
        if open > at {
            found.push(Fragment::Text(&line[at..open]));
        }
        at = open + 2 + length + 2;
        found.push(Fragment::Value {
            expression: inside[..length].trim(),
            start: open,
            end: at,
        });
    }
    if at < line.len() {
        found.push(Fragment::Text(&line[at..]));
    }
    Ok(found)
}

/// The offset of the closing braces, ignoring braces in quotes.
fn end_of_expression(inside: &str) -> Option<usize> {
    let mut quote = None;
    for (at, letter) in inside.char_indices() {
        match quote {
            Some(open) => quote = Some(open).filter(|open| *open != letter),
            None if matches!(letter, '"' | '\'') => quote = Some(letter),
            None if inside[at..].starts_with("}}") => return Some(at),
            None => {}
        }
    }
    None
}

/// Finds everything that could make the shell read a value as more than one word of text. A line without values has no
/// flaws.
pub fn flaws(line: &str) -> Vec<Flaw> {
    let parts = match parts(line) {
        Ok(parts) => parts,
        Err(start) => {
            return vec![Flaw {
                start,
                end: start + 2,
                message: "`{{` is not closed",
                fix: "add `}}`, or write literal braces as a value: `{{ '{{.Name}}' }}`",
            }];
        }
    };
    if !parts.iter().any(|part| matches!(part, Fragment::Value { .. })) {
        return Vec::new();
    }
    let mut reader = Reader::default();
    let mut at = 0;
    for part in parts {
        match part {
            Fragment::Text(text) => {
                reader.text(text, at);
                at += text.len();
            }
            Fragment::Value { start, end, .. } => {
                reader.value(start, end);
                at = end;
            }
        }
    }
    if let Some((_, start)) = reader.open.last() {
        reader.flaw(
            (*start, line.len()),
            "a quote or parenthesis is not closed",
            "close it",
        );
    }
    reader.flaws
}

/// The construct that the cursor is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    SingleQuotes,
    DoubleQuotes,
    /// `$( )`, or parentheses inside it.
    Command,
}

/// Parses a command line as the shell does. Constructs that Bugle cannot parse reliably are flaws.
#[derive(Default)]
struct Reader {
    open: Vec<(Inside, usize)>,
    flaws: Vec<Flaw>,
    /// The word before the cursor, outside quotes.
    word: String,
    word_before: String,
    /// A character directly before the cursor that changes the meaning of the next one.
    pending: Option<char>,
}

const PLAIN_WORDS: &str = "use values only as plain command arguments";

impl Reader {
    fn flaw(&mut self, (start, end): (usize, usize), message: &'static str, fix: &'static str) {
        self.flaws.push(Flaw {
            start,
            end,
            message,
            fix,
        });
    }

    fn inside(&self) -> Option<Inside> {
        self.open.last().map(|(inside, _)| *inside)
    }

    fn value(&mut self, start: usize, end: usize) {
        let place = (start, end);
        match (self.inside(), self.pending.take()) {
            (Some(Inside::SingleQuotes | Inside::DoubleQuotes), _) => self.flaw(
                place,
                "a value is inside quotes",
                "remove the quotes: Bugle quotes every value itself",
            ),
            (_, Some('\\')) => self.flaw(place, "a value follows a backslash", "remove the backslash"),
            (_, Some(_)) => self.flaw(place, "a value follows a `$`", "remove the `$`"),
            _ if self.word.is_empty() && self.word_before == "-c" => self.flaw(
                place,
                "the shell would run a value after `-c` as code",
                "write the code in the command, and pass values to the code as arguments",
            ),
            _ => {}
        }
        self.word.push('x');
    }

    fn text(&mut self, text: &str, offset: usize) {
        let mut letters = text.char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            let place = (offset + at, offset + at + letter.len_utf8());
            let before = self.pending.take();
            if self.inside() == Some(Inside::SingleQuotes) {
                if letter == '\'' {
                    self.open.pop();
                }
                continue;
            }
            let quoted = self.inside() == Some(Inside::DoubleQuotes);
            if before == Some('\\') {
                self.word.push(letter);
                continue;
            }
            match letter {
                '\\' | '$' => self.pending = Some(letter),
                '`' => self.flaw(
                    place,
                    "a command that contains `{{ }}` cannot use backticks",
                    "use `$( )`",
                ),
                '"' if quoted => {
                    self.open.pop();
                }
                '"' | '\'' if before == Some('$') && !quoted => {
                    self.flaw(
                        place,
                        "a command that contains `{{ }}` cannot use `$` before a quote",
                        "remove the `$`",
                    );
                }
                '{' if before == Some('$') => self.expansion(&mut letters, place),
                '(' if before == Some('$') => {
                    if letters.peek().is_some_and(|(_, next)| *next == '(') {
                        self.flaw(
                            place,
                            "a command that contains `{{ }}` cannot use arithmetic",
                            PLAIN_WORDS,
                        );
                    }
                    self.open.push((Inside::Command, place.0));
                    self.end_of_word(place);
                }
                _ if quoted => {}
                '"' => self.open.push((Inside::DoubleQuotes, place.0)),
                '\'' => self.open.push((Inside::SingleQuotes, place.0)),
                '(' => {
                    if letters.peek().is_some_and(|(_, next)| *next == '(') {
                        self.flaw(
                            place,
                            "a command that contains `{{ }}` cannot use arithmetic",
                            PLAIN_WORDS,
                        );
                    }
                    self.open.push((Inside::Command, place.0));
                    self.end_of_word(place);
                }
                ')' => {
                    self.end_of_word(place);
                    if self.open.pop().is_none() {
                        self.flaw(place, "`)` has no matching `(`", "add `(`, or remove `)`");
                    }
                }
                '<' if letters.peek().is_some_and(|(_, next)| *next == '<') => {
                    self.flaw(
                        place,
                        "a command that contains `{{ }}` cannot use `<<`",
                        "pass the value as an argument",
                    );
                }
                '#' if self.word.is_empty() => {
                    self.flaw(
                        place,
                        "a command that contains `{{ }}` cannot have a comment",
                        "remove the comment",
                    );
                }
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' => self.end_of_word(place),
                _ => self.word.push(letter),
            }
        }
    }

    /// `${...}`, in which quotes and nesting have their own rules.
    fn expansion(
        &mut self,
        letters: &mut std::iter::Peekable<std::str::CharIndices<'_>>,
        place: (usize, usize),
    ) {
        for (_, letter) in letters.by_ref() {
            match letter {
                '}' => {
                    self.word.push('x');
                    return;
                }
                '"' | '\'' | '$' | '`' | '\\' | '{' => break,
                _ => {}
            }
        }
        self.flaw(
            place,
            "a command that contains `{{ }}` cannot use a nested `${ }`",
            "use a plain `${NAME}`",
        );
    }

    fn end_of_word(&mut self, place: (usize, usize)) {
        if matches!(self.word.as_str(), "case" | "eval" | "let" | "[[") {
            self.flaw(
                place,
                "a command that contains `{{ }}` cannot use `case`, `eval`, `let` or `[[`",
                PLAIN_WORDS,
            );
        }
        if !self.word.is_empty() {
            self.word_before = std::mem::take(&mut self.word);
        }
    }
}

/// Words that are special at the start of a shell command.
const RESERVED: [&str; 18] = [
    "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for", "in",
    "select", "function", "time", "coproc", "!",
];

/// Quotes a value as one shell word. It stays unquoted only if it is a whole word of safe characters.
pub fn quoted(value: &str, stands_alone: bool) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+,".contains(c);
    if stands_alone && !value.is_empty() && value.chars().all(plain) && !RESERVED.contains(&value) {
        return value.to_owned();
    }
    format!("'{}'", value.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_between_braces() {
        let value = |expression, start, end| Fragment::Value {
            expression,
            start,
            end,
        };
        assert_eq!(
            parts("a {{ b }}c{{d}}").unwrap(),
            [
                Fragment::Text("a "),
                value("b", 2, 9),
                Fragment::Text("c"),
                value("d", 10, 15)
            ]
        );
        assert_eq!(
            parts("x {{ '{{.Name}}' }}").unwrap()[1],
            value("'{{.Name}}'", 2, 19)
        );
        assert_eq!(
            parts("{% if %} ${#x} {#").unwrap(),
            [Fragment::Text("{% if %} ${#x} {#")]
        );
        assert_eq!(parts("a {{ b"), Err(2));
    }

    #[test]
    fn a_value_is_allowed_where_quotes_have_their_usual_meaning() {
        for line in [
            "git rev-parse v{{ params.version }}",
            "test \"$(git rev-parse HEAD)\" = {{ result.commit }}",
            "test \"$(git rev-parse {{ result.commit }})\" = \"$(cat \"x y\")\"",
            "cd 'a b' && (cargo test {{ x }}) | grep -q \"it's\" > /dev/null",
            "FOO={{ x }} ${BAR} make",
            "echo \\' {{ x }} a#b",
        ] {
            assert_eq!(flaws(line), [], "{line}");
        }
        for line in [
            "echo `date` # \"unclosed",
            "case x in a) ;; esac",
            "docker inspect -f '{.State}'",
        ] {
            assert_eq!(flaws(line), [], "a line without values has no flaws: {line}");
        }
    }

    #[test]
    fn a_value_is_refused_anywhere_else() {
        for line in [
            "echo '{{ x }}'",
            "echo \"{{ x }}\"",
            "echo \"a $(b) {{ x }}\"",
            "echo \\{{ x }}",
            "echo ${{ x }}",
            "echo `echo {{ x }}`",
            "echo `date` {{ x }}",
            "true # {{ x }}",
            "cat <<EOF\n{{ x }}\nEOF",
            "echo $((1 + {{ x }}))",
            "((  {{ x }} ))",
            "echo ${a:-{{ x }}}",
            "echo ${a:-'b'} {{ x }}",
            "echo $'a\\'' {{ x }}",
            "\"$(case x in a) echo \"{{ x }}\" ;; esac)\"",
            "eval {{ x }}",
            "[[ {{ x }} -eq 1 ]]",
            "sh -c {{ x }}",
            "echo 'open {{ x }}",
            "echo {{ x }} \"open",
            "echo {{ x",
            "echo ) {{ x }}",
        ] {
            assert_ne!(flaws(line), [], "{line}");
        }
    }

    #[test]
    fn any_value_is_one_word() {
        assert_eq!(quoted("1.2.3", true), "1.2.3");
        assert_eq!(quoted("1.2.3", false), "'1.2.3'");
        assert_eq!(quoted("", true), "''");
        assert_eq!(quoted("done", true), "'done'");
        assert_eq!(
            quoted("a b; rm -rf ~ 'x' $(y)", true),
            r"'a b; rm -rf ~ '\''x'\'' $(y)'"
        );
    }
}
