//! Translates key names to input events.

use serde_json::{Value, json};

/// A key press, alone or with modifier keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stroke {
    key: String,
    code: String,
    number: u32,
    text: Option<String>,
    held: u32,
}

/// Keys whose name is not the text they type: name, key code, text.
const NAMED: &[(&str, u32, Option<&str>)] = &[
    ("Backspace", 8, None),
    ("Tab", 9, None),
    ("Enter", 13, Some("\r")),
    ("Escape", 27, None),
    ("Space", 32, Some(" ")),
    ("PageUp", 33, None),
    ("PageDown", 34, None),
    ("End", 35, None),
    ("Home", 36, None),
    ("ArrowLeft", 37, None),
    ("ArrowUp", 38, None),
    ("ArrowRight", 39, None),
    ("ArrowDown", 40, None),
    ("Delete", 46, None),
];

const HELD: &[(&str, u32)] = &[("Alt", 1), ("Control", 2), ("Meta", 4), ("Shift", 8)];

impl Stroke {
    /// Parses `Tab`, `Shift+Tab`, `Control+a`, `x`.
    pub(super) fn read(words: &str) -> Option<Self> {
        let mut held = 0;
        let mut rest = words;
        while let Some((first, after)) = rest.split_once('+')
            && let Some((_, bit)) = HELD.iter().find(|(name, _)| *name == first)
        {
            held |= bit;
            rest = after;
        }
        if let Some((name, number, text)) = NAMED.iter().find(|(name, ..)| *name == rest) {
            return Some(Self {
                key: if *name == "Space" { " " } else { name }.to_owned(),
                code: (*name).to_owned(),
                number: *number,
                text: text.map(str::to_owned),
                held,
            });
        }
        let mut letters = rest.chars();
        let stroke = letters.next().map(Self::letter)?;
        letters.next().is_none().then_some(Self { held, ..stroke })
    }

    /// The key that types a letter.
    pub(super) fn letter(letter: char) -> Self {
        let upper = letter.to_ascii_uppercase();
        let code = match upper {
            'A'..='Z' => format!("Key{upper}"),
            '0'..='9' => format!("Digit{upper}"),
            _ => String::new(),
        };
        Self {
            key: letter.to_string(),
            number: if code.is_empty() { 0 } else { u32::from(upper) },
            code,
            text: Some(letter.to_string()),
            held: 0,
        }
    }

    /// The events for pressing and releasing the key.
    pub(super) fn events(&self) -> [Value; 2] {
        // With a modifier other than Shift, a key types nothing.
        let text = self.text.as_deref().filter(|_| self.held & !8 == 0);
        let event = |kind: &str| {
            json!({
                "type": kind, "key": self.key, "code": self.code, "modifiers": self.held,
                "windowsVirtualKeyCode": self.number, "nativeVirtualKeyCode": self.number,
            })
        };
        let mut down = event(if text.is_some() { "keyDown" } else { "rawKeyDown" });
        if let Some(text) = text {
            down["text"] = text.into();
        }
        [down, event("keyUp")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_names_are_parsed() {
        let down = |words| Stroke::read(words).map(|stroke| stroke.events()[0].clone());
        let tab = down("Shift+Tab").unwrap();
        assert_eq!((&tab["key"], &tab["modifiers"]), (&json!("Tab"), &json!(8)));
        assert_eq!(tab["text"], Value::Null);
        let all = down("Control+a").unwrap();
        assert_eq!((&all["code"], &all["text"]), (&json!("KeyA"), &Value::Null));
        assert_eq!(down("+").unwrap()["text"], "+");
        assert_eq!(down("Enter").unwrap()["text"], "\r");
        assert!(down("Tabb").is_none());
        assert!(down("").is_none());
    }
}
