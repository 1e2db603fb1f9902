//! The lexer: splits a source into tokens by CEL's lexical rules.

use super::SyntaxError;

/// A token and its position.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    /// The byte offset in the source.
    pub(super) offset: usize,
}

/// A token's kind.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    /// A whole number without its sign. The parser decides whether a preceding minus belongs to it.
    Int(u64),
    Double(f64),
    Text(String),
    Word(String),
    Symbol(Symbol),
    End,
}

macro_rules! symbols {
    ($($name:ident $text:literal),* $(,)?) => {
        /// Operators and punctuation.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Symbol {
            $($name),*
        }

        impl Symbol {
            /// Longer symbols come first, so that `<=` is never read as `<`.
            const ALL: &'static [(&'static str, Self)] = &[$(($text, Self::$name)),*];

            pub(super) fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text),*
                }
            }
        }
    };
}

symbols! {
    And "&&", Or "||", Equal "==", NotEqual "!=", AtMost "<=", AtLeast ">=",
    Less "<", More ">", Not "!", Plus "+", Minus "-", Times "*", Over "/", Remainder "%",
    Dot ".", Comma ",", Question "?", Colon ":", OpenParen "(", CloseParen ")",
    OpenBracket "[", CloseBracket "]",
}

impl TokenKind {
    /// Describes the token in an error message.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Int(number) => format!("`{number}`"),
            Self::Double(number) => format!("`{number}`"),
            Self::Text(text) => format!("the string {text:?}"),
            Self::Word(word) => format!("`{word}`"),
            Self::Symbol(symbol) => format!("`{}`", symbol.as_str()),
            Self::End => "the end of the expression".to_owned(),
        }
    }
}

/// Splits `source` into tokens. The last token is always `End`.
pub(super) fn tokens(source: &str) -> Result<Vec<Token>, SyntaxError> {
    let mut found = Vec::new();
    let mut offset = skip_blank(source, 0);
    while let Some(first) = rest(source, offset).chars().next() {
        let (kind, end) = token(source, offset, first)?;
        found.push(Token { kind, offset });
        offset = skip_blank(source, end);
    }
    found.push(Token {
        kind: TokenKind::End,
        offset: source.len(),
    });
    Ok(found)
}

fn rest(source: &str, offset: usize) -> &str {
    source.get(offset..).unwrap_or_default()
}

/// Skips white space and `//` comments.
fn skip_blank(source: &str, mut offset: usize) -> usize {
    loop {
        let here = rest(source, offset);
        let blank = |c: char| matches!(c, ' ' | '\t' | '\r' | '\n' | '\u{c}');
        let trimmed = here.trim_start_matches(blank);
        offset += here.len() - trimmed.len();
        if !trimmed.starts_with("//") {
            return offset;
        }
        offset += trimmed.find('\n').unwrap_or(trimmed.len());
    }
}

/// The token at `offset`, and the token's end offset.
fn token(source: &str, offset: usize, first: char) -> Result<(TokenKind, usize), SyntaxError> {
    let here = rest(source, offset);
    if first == '"' || first == '\'' {
        return text(source, offset, first);
    }
    let fraction = first == '.' && here[1..].starts_with(|c: char| c.is_ascii_digit());
    if first.is_ascii_digit() || fraction {
        return number(here, offset);
    }
    if first.is_ascii_alphabetic() || first == '_' {
        let length = leading(here, |b| b.is_ascii_alphanumeric() || b == b'_');
        return Ok((TokenKind::Word(here[..length].to_owned()), offset + length));
    }
    Symbol::ALL
        .iter()
        .find(|(text, _)| here.starts_with(text))
        .map(|(text, symbol)| (TokenKind::Symbol(*symbol), offset + text.len()))
        .ok_or_else(|| SyntaxError {
            message: stray(first, here),
            offset,
        })
}

/// The error for a character that cannot start a token, with the likely correction.
fn stray(first: char, here: &str) -> String {
    match first {
        '{' if here.starts_with("{{") => {
            "this is an expression, not a template: remove `{{` and `}}`".to_owned()
        }
        '=' => "`=` is not an operator: use `==` to compare".to_owned(),
        '&' => "`&` is not an operator: use `&&` for logical AND".to_owned(),
        '|' => "`|` is not an operator: use `||` for logical OR".to_owned(),
        '{' | '}' => "object literals are not supported".to_owned(),
        other => format!("unexpected character {other:?}"),
    }
}

/// The number of leading bytes that satisfy `wanted`, which must accept only ASCII.
fn leading(text: &str, wanted: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|b| wanted(*b)).count()
}

fn digits(text: &str) -> usize {
    leading(text, |b| b.is_ascii_digit())
}

fn number(here: &str, offset: usize) -> Result<(TokenKind, usize), SyntaxError> {
    let too_large = || SyntaxError {
        message: "the number is too large".to_owned(),
        offset,
    };
    let hexadecimal = here.strip_prefix("0x").unwrap_or_default();
    let hexadecimal = &hexadecimal[..leading(hexadecimal, |b| b.is_ascii_hexdigit())];
    let (kind, length) = if hexadecimal.is_empty() {
        let length = decimal_length(here);
        let spelled = &here[..length];
        if length == digits(here) {
            (TokenKind::Int(spelled.parse().map_err(|_| too_large())?), length)
        } else {
            let value: f64 = spelled.parse().map_err(|_| too_large())?;
            if value.is_infinite() {
                return Err(too_large());
            }
            (TokenKind::Double(value), length)
        }
    } else {
        let value = u64::from_str_radix(hexadecimal, 16).map_err(|_| too_large())?;
        (TokenKind::Int(value), 2 + hexadecimal.len())
    };
    if here[length..].starts_with(['u', 'U']) {
        let message = "unsigned numbers are not supported: remove the `u`".to_owned();
        return Err(SyntaxError {
            message,
            offset: offset + length,
        });
    }
    Ok((kind, offset + length))
}

/// The length of a decimal number: the digits, plus the fraction and exponent if they are complete.
fn decimal_length(here: &str) -> usize {
    let mut length = digits(here);
    if here[length..].starts_with('.') {
        let fraction = digits(&here[length + 1..]);
        if fraction > 0 {
            length += 1 + fraction;
        }
    }
    let after = &here[length..];
    if after.starts_with(['e', 'E']) {
        let sign = usize::from(after[1..].starts_with(['+', '-']));
        let exponent = digits(&after[1 + sign..]);
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}

fn text(source: &str, start: usize, quote: char) -> Result<(TokenKind, usize), SyntaxError> {
    let unclosed = || SyntaxError {
        message: format!("unterminated string: missing {quote}"),
        offset: start,
    };
    let mut value = String::new();
    let mut offset = start + 1;
    loop {
        let here = rest(source, offset);
        match here.chars().next() {
            None | Some('\n' | '\r') => return Err(unclosed()),
            Some('\\') => {
                let (character, length) =
                    escape(&here[1..]).map_err(|message| SyntaxError { message, offset })?;
                value.push(character);
                offset += 1 + length;
            }
            Some(character) if character == quote => {
                return Ok((TokenKind::Text(value), offset + 1));
            }
            Some(character) => {
                value.push(character);
                offset += character.len_utf8();
            }
        }
    }
}

/// The character that an escape encodes, and the escape's length without its backslash.
fn escape(after: &str) -> Result<(char, usize), String> {
    let Some(letter) = after.chars().next() else {
        return Err("the string ends in a backslash".to_owned());
    };
    let simple = match letter {
        'a' => Some('\u{7}'),
        'b' => Some('\u{8}'),
        'f' => Some('\u{c}'),
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        'v' => Some('\u{b}'),
        '\\' | '\'' | '"' | '`' | '?' => Some(letter),
        _ => None,
    };
    if let Some(character) = simple {
        return Ok((character, 1));
    }
    let (start, length, radix) = match letter {
        'x' | 'X' => (1, 2, 16),
        'u' => (1, 4, 16),
        'U' => (1, 8, 16),
        '0'..='3' => (0, 3, 8),
        other => {
            return Err(format!(
                "unknown escape `\\{other}`: write `\\\\` for a backslash"
            ));
        }
    };
    after
        .get(start..start + length)
        .filter(|code| code.chars().all(|c| c.is_digit(radix)))
        .and_then(|code| u32::from_str_radix(code, radix).ok())
        .and_then(char::from_u32)
        .map(|character| (character, start + length))
        .ok_or_else(|| format!("`\\{letter}` needs {length} digits that encode a valid character"))
}
