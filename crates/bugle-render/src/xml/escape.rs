//! Escaping that makes any text well-formed XML 1.0 and changes as little as possible.
//!
//! Agents read the output as text, so a character is escaped only where a parser
//! would otherwise misread it: quotations (`> like this`), arrows (`->`) and
//! redirections (`> file`) keep their `>`, and a shell command without `&` and
//! `<` runs exactly as it is printed.
//!
//! XML 1.0 has no way to write most control characters, not even as references.
//! They are replaced by something visible, see [`replace_forbidden`].

use std::borrow::Cow;

/// Escapes a value for the space between two tags.
///
/// `&` and `<` become entities; `>` becomes one only where it would complete
/// `]]>`, which XML forbids in text. A carriage return becomes a character
/// reference, because a parser turns a bare one into a line feed.
pub fn text(value: &str) -> Cow<'_, str> {
    rewrite(value, |before, character| match character {
        '&' => Some("&amp;".into()),
        '<' => Some("&lt;".into()),
        '>' if before.ends_with("]]") => Some("&gt;".into()),
        '\r' => Some("&#13;".into()),
        _ => replacement(character),
    })
}

/// Escapes a value for an attribute that stands in double quotes.
///
/// Besides `&` and `<`, the quote, the tab and the line breaks are written as
/// references: a parser would end the value at the quote and turn the others
/// into spaces. Single quotes stay, so that conditions remain readable.
pub fn attribute(value: &str) -> Cow<'_, str> {
    rewrite(value, |_, character| match character {
        '&' => Some("&amp;".into()),
        '<' => Some("&lt;".into()),
        '"' => Some("&quot;".into()),
        '\t' => Some("&#9;".into()),
        '\n' => Some("&#10;".into()),
        '\r' => Some("&#13;".into()),
        _ => replacement(character),
    })
}

/// Replaces what XML 1.0 cannot express, and nothing else.
///
/// A control character becomes its picture (U+0007 becomes U+2407, `␇`), so
/// that a reader still sees which one it was; U+FFFE and U+FFFF become U+FFFD.
/// A parser that reads the output back finds exactly this form of the value.
pub fn replace_forbidden(value: &str) -> Cow<'_, str> {
    rewrite(value, |_, character| replacement(character))
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
        // XML allows the C1 controls, but a terminal that shows the output obeys them.
        '\u{80}'..='\u{9F}' | '\u{FFFE}' | '\u{FFFF}' => Some(char::REPLACEMENT_CHARACTER),
        _ => control_picture(character),
    };
    visible.map(|character| character.to_string().into())
}

/// Copies `value`, with another text for each character that `change` names one
/// for. `change` sees what precedes the character; most values need no change
/// and are borrowed.
fn rewrite(value: &str, change: impl Fn(&str, char) -> Option<Cow<'static, str>>) -> Cow<'_, str> {
    let mut written = String::new();
    let mut copied = 0;
    for (position, character) in value.char_indices() {
        if let Some(other) = change(&value[..position], character) {
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
    fn text_escapes_what_a_parser_would_misread() {
        assert_eq!(text("a && b < c"), "a &amp;&amp; b &lt; c");
        assert_eq!(text("]]> ]]]>> &lt;"), "]]&gt; ]]]&gt;> &amp;lt;");
        assert_eq!(text("one\r\ntwo"), "one&#13;\ntwo");
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
