//! Makes any text well-formed XML 1.0 without changing how it reads.
//!
//! Agents copy commands and code from the output, so content is literal: text that a parser would misread is written
//! in a CDATA section, where every character means itself. Attributes have no such form, so their special characters
//! become references.
//!
//! XML 1.0 cannot express most control characters, not even as references. [`replace_forbidden`] replaces them with
//! visible characters.

use std::borrow::Cow;

const OPEN: &str = "<![CDATA[";
const CLOSE: &str = "]]>";

/// Escapes a value for element content.
///
/// A value with `&`, `<` or `]]>` is written in a CDATA section. `]]>` would end a section, so it is split between
/// two sections. A carriage return becomes a character reference outside any section, because a parser turns a bare
/// one into a newline.
pub fn text(value: &str) -> Cow<'_, str> {
    let value = replace_forbidden(value);
    if !value.contains(['&', '<', '\r']) && !value.contains(CLOSE) {
        return value;
    }
    let pieces: Vec<Cow<'_, str>> = value.split('\r').map(literal).collect();
    Cow::Owned(pieces.join("&#13;"))
}

/// Text without carriage returns, in a CDATA section if it needs one.
fn literal(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<']) && !text.contains(CLOSE) {
        return Cow::Borrowed(text);
    }
    let divided = text.replace(CLOSE, &format!("]]{CLOSE}{OPEN}>"));
    Cow::Owned(format!("{OPEN}{divided}{CLOSE}"))
}

/// Escapes a value for an attribute in double quotes.
///
/// Besides `&` and `<`, double quotes, tabs and line breaks become references: a parser would end the value at a
/// quote and turn the others into spaces. Single quotes stay, so that conditions remain readable.
pub fn attribute(value: &str) -> Cow<'_, str> {
    rewrite(value, |character| match character {
        '&' => Some("&amp;".into()),
        '<' => Some("&lt;".into()),
        '"' => Some("&quot;".into()),
        '\t' => Some("&#9;".into()),
        '\n' => Some("&#10;".into()),
        '\r' => Some("&#13;".into()),
        _ => replacement(character),
    })
}

/// Replaces only the characters that XML 1.0 cannot express.
///
/// A control character becomes its control picture (U+0007 becomes U+2407, `␇`), so that the reader can still identify
/// the character. U+FFFE and U+FFFF become U+FFFD. A parser reads back exactly this form of the value.
pub fn replace_forbidden(value: &str) -> Cow<'_, str> {
    rewrite(value, replacement)
}

/// The visible form of a C0 control character.
pub(crate) fn control_picture(character: char) -> Option<char> {
    match character {
        '\0'..='\u{1F}' => char::from_u32(0x2400 + u32::from(character)),
        _ => None,
    }
}

fn replacement(character: char) -> Option<Cow<'static, str>> {
    let visible = match character {
        '\t' | '\n' | '\r' => None,
        // XML allows C1 controls, but a terminal would interpret them.
        '\u{80}'..='\u{9F}' | '\u{FFFE}' | '\u{FFFF}' => Some(char::REPLACEMENT_CHARACTER),
        _ => control_picture(character),
    };
    visible.map(|character| character.to_string().into())
}

/// Replaces each character for which `change` returns a replacement. Most values need no change and are borrowed.
fn rewrite(value: &str, change: impl Fn(char) -> Option<Cow<'static, str>>) -> Cow<'_, str> {
    let mut written = String::new();
    let mut copied = 0;
    for (position, character) in value.char_indices() {
        if let Some(other) = change(character) {
            written.push_str(&value[copied..position]);
            written.push_str(&other);
            copied = position + character.len_utf8();
        }
    }
    if copied == 0 {
        return Cow::Borrowed(value);
    }
    written.push_str(&value[copied..]);
    Cow::Owned(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_keeps_what_a_reader_needs_and_a_parser_accepts() {
        for readable in [
            "> quoted\n-> arrow\tand 'quotes' \"too\"",
            "bugle done 'r-7f3a#12' > /tmp/out 2>log",
            "a]>b ]] > c",
            "\u{7F} \u{2028} \u{202E} \u{D7FF}\u{E000} 🎺",
        ] {
            assert!(matches!(text(readable), Cow::Borrowed(same) if same == readable));
        }
    }

    #[test]
    fn text_that_a_parser_would_misread_stays_literal_in_a_section() {
        assert_eq!(text("a && b < c"), "<![CDATA[a && b < c]]>");
        assert_eq!(text("fn f<T>(a: &T)\n&lt;"), "<![CDATA[fn f<T>(a: &T)\n&lt;]]>");
        assert_eq!(text("a[b[0]]>c"), "<![CDATA[a[b[0]]]]><![CDATA[>c]]>");
    }

    #[test]
    fn a_carriage_return_is_a_reference_outside_sections() {
        assert_eq!(text("one\r\ntwo"), "one&#13;\ntwo");
        assert_eq!(text("a & b\r\nc"), "<![CDATA[a & b]]>&#13;\nc");
        assert_eq!(text("]]\r>"), "]]&#13;>");
    }

    #[test]
    fn attributes_also_protect_quotes_and_white_space() {
        assert_eq!(attribute("say \"a\" & 'b'"), "say &quot;a&quot; &amp; 'b'");
        assert_eq!(attribute("\t\r\n<]]>"), "&#9;&#13;&#10;&lt;]]>");
    }

    #[test]
    fn forbidden_characters_become_visible_ones() {
        assert_eq!(text("\0\u{1B}[31m\u{1F}"), "␀␛[31m␟");
        assert_eq!(text("\u{9B}31m \u{85}"), "\u{FFFD}31m \u{FFFD}");
        assert_eq!(attribute("\u{7}\u{FFFE}"), "␇\u{FFFD}");
        assert_eq!(replace_forbidden("\u{FFFF}&<\r\n\t"), "\u{FFFD}&<\r\n\t");
    }
}
