//! Repairs hook calls that are invalid JSON. A model can put any text in a tool's arguments, and clients pass that
//! text on unchanged.

use std::borrow::Cow;

use serde_json::Value;

/// Decodes bytes, and replaces invalid UTF-8.
pub fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Maximum nesting depth; deeper values are dropped. `serde_json` rejects more than 128 levels.
const DEEPEST: usize = 100;

/// Repairs JSON: replaces lone surrogates and control characters, turns values that are nested too deeply into null,
/// and completes truncated JSON.
fn repaired(text: &str) -> String {
    let mut reader = Repair {
        letters: text.chars().collect(),
        at: 0,
        out: String::with_capacity(text.len()),
        open: Vec::new(),
        skipped: 0,
        last_string: 0,
    };
    while reader.at < reader.letters.len() {
        reader.next();
    }
    reader.close()
}

struct Repair {
    letters: Vec<char>,
    at: usize,
    out: String,
    /// The closing brackets that are still missing.
    open: Vec<char>,
    /// The number of open brackets in the value being dropped.
    skipped: usize,
    /// The start of the last string in the output.
    last_string: usize,
}

impl Repair {
    fn next(&mut self) {
        let letter = self.letters[self.at];
        self.at += 1;
        match letter {
            '"' => self.string(),
            '{' | '[' if self.skipped > 0 || self.open.len() >= DEEPEST => {
                if self.skipped == 0 {
                    self.out.push_str("null");
                }
                self.skipped += 1;
            }
            '}' | ']' if self.skipped > 0 => self.skipped -= 1,
            _ if self.skipped > 0 => {}
            '{' | '[' => {
                self.open.push(if letter == '{' { '}' } else { ']' });
                self.out.push(letter);
            }
            '}' | ']' => {
                self.open.pop();
                self.out.push(letter);
            }
            _ => self.out.push(letter),
        }
    }

    /// Reads a string after its opening quote.
    fn string(&mut self) {
        let keep = self.skipped == 0;
        let mut text = String::from("\"");
        while let Some(letter) = self.letters.get(self.at).copied() {
            self.at += 1;
            match letter {
                '"' => break,
                '\\' => self.escape(&mut text),
                letter if letter < ' ' => text.push_str(&format!("\\u{:04x}", u32::from(letter))),
                letter => text.push(letter),
            }
        }
        text.push('"');
        if keep {
            self.last_string = self.out.len();
            self.out.push_str(&text);
        }
    }

    fn escape(&mut self, text: &mut String) {
        let Some(letter) = self.letters.get(self.at).copied() else {
            return;
        };
        self.at += 1;
        match letter {
            'u' => {
                let Some(unit) = self.unit() else {
                    text.push('\u{fffd}');
                    return;
                };
                let low = || -> Option<u32> {
                    let behind = (self.letters.get(self.at)?, self.letters.get(self.at + 1)?);
                    (behind == (&'\\', &'u')).then(|| digits(&self.letters, self.at + 2))?
                };
                match unit {
                    0xD800..=0xDBFF => match low().filter(|low| (0xDC00..=0xDFFF).contains(low)) {
                        Some(low) => {
                            self.at += 6;
                            text.push_str(&format!("\\u{unit:04x}\\u{low:04x}"));
                        }
                        None => text.push('\u{fffd}'),
                    },
                    0xDC00..=0xDFFF => text.push('\u{fffd}'),
                    unit => text.push_str(&format!("\\u{unit:04x}")),
                }
            }
            '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' => {
                text.push('\\');
                text.push(letter);
            }
            // An invalid escape: keep only the character.
            letter => text.push(letter),
        }
    }

    fn unit(&mut self) -> Option<u32> {
        let unit = digits(&self.letters, self.at)?;
        self.at += 4;
        Some(unit)
    }

    /// The output with every open bracket closed.
    fn close(mut self) -> String {
        if !self.open.is_empty() {
            self.end_value();
        }
        while let Some(bracket) = self.open.pop() {
            self.out.push(bracket);
        }
        self.out
    }

    /// Completes JSON that was cut off after a comma, after a key, or inside a number or a word.
    fn end_value(&mut self) {
        self.out.truncate(self.out.trim_end().len());
        match self.out.chars().next_back() {
            Some(',') => {
                self.out.pop();
            }
            Some(':') => self.out.push_str("null"),
            Some('"') if self.ends_with_key() => self.out.push_str(":null"),
            Some('"' | '{' | '[' | '}' | ']') | None => {}
            Some(_) => {
                let begins = self.out.rfind(['{', '[', ',', ':']).map_or(0, |at| at + 1);
                if !is_value(self.out[begins..].trim()) {
                    self.out.truncate(begins);
                    self.out.push_str("null");
                }
            }
        }
    }

    /// Whether the last string in the output is a key. A key follows `{`, or `,` in an object.
    fn ends_with_key(&self) -> bool {
        let before = self.out[..self.last_string].trim_end();
        self.open.last() == Some(&'}') && before.ends_with(['{', ','])
    }
}

/// Whether text is a JSON value.
fn is_value(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Parses four hexadecimal digits.
fn digits(letters: &[char], at: usize) -> Option<u32> {
    let digits: String = letters.get(at..at + 4)?.iter().collect();
    u32::from_str_radix(&digits, 16).ok()
}

/// Parses a client's JSON. Ignores a byte order mark, which some shells add. Repairs invalid JSON, because a hook that
/// cannot parse a call cannot deny it.
pub(super) fn json(text: &str) -> Result<Value, serde_json::Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str(text).or_else(|_| serde_json::from_str(&repaired(text)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Value {
        serde_json::from_str(&repaired(text)).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    #[test]
    fn invalid_json_is_repaired() {
        assert_eq!(read(r#"{"a": "x\ud800y", "b": 1}"#)["a"], "x\u{fffd}y");
        assert_eq!(read(r#"{"a": "\udc00"}"#)["a"], "\u{fffd}");
        assert_eq!(read(r#"{"a": "\ud83d\ude00"}"#)["a"], "\u{1f600}");
        assert_eq!(read(r#"{"a": "\ud83d\n"}"#)["a"], "\u{fffd}\n");
        assert_eq!(read(r#"{"a": "\u12"}"#)["a"], "\u{fffd}12");
        assert_eq!(read("{\"a\": \"one\ntwo\u{1}\"}")["a"], "one\ntwo\u{1}");
        assert_eq!(
            read(r#"{"a": {"b": "cut off in the mid"#)["a"]["b"],
            "cut off in the mid"
        );
        assert_eq!(read(r#"{"a": 1, "b":"#)["a"], 1);
        assert_eq!(read(r#"{"a": [1, "#)["a"][0], 1);
        for cut in ["-", "2.", "2e", "tr", "nul"] {
            assert_eq!(
                read(&format!(r#"{{"a": [1, {cut}"#))["a"],
                serde_json::json!([1, null])
            );
            assert_eq!(read(&format!(r#"{{"a": 1, "b": {cut}"#))["a"], 1);
        }
        let deep = format!("{{\"a\": {}1{}, \"b\": 2}}", "[".repeat(500), "]".repeat(500));
        assert_eq!(read(&deep)["b"], 2);
        assert_eq!(text(b"a\xffb"), "a\u{fffd}b");
    }

    proptest! {
        #[test]
        fn valid_json_is_unchanged(value in "[ -~]{0,40}", number in any::<i64>()) {
            let whole = serde_json::json!({ "a": [value, number, null], "b": { "c": value } });
            prop_assert_eq!(read(&whole.to_string()), whole);
        }

        #[test]
        fn a_call_that_is_cut_off_keeps_its_beginning(cut in 19_usize..120) {
            let call = r#"{"tool_name":"Edit","tool_input":{"file_path":"src/a.rs","old":"\u00e9x","n":[1,-2.5e3],"all":true,"x": null}}"#;
            prop_assert_eq!(&read(&call[..cut.min(call.len())])["tool_name"], "Edit");
        }
    }
}
