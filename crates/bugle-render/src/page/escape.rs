//! Escapes text for a page. Escaped text contains no markup, and its control characters cannot affect other text.

use std::fmt::Write as _;

use crate::xml::escape::control_picture;

/// Escapes text for use between tags and in quoted attributes. Control characters become control pictures, and
/// bidirectional controls become their code points.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(character),
            // CR LF becomes LF.
            '\r' if rest.peek() == Some(&'\n') => {}
            '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                // Writing to a string cannot fail.
                let _ = write!(out, "[U+{:04X}]", u32::from(character));
            }
            _ => out.push(control_picture(character).unwrap_or(character)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_control_characters_are_escaped() {
        assert_eq!(
            escape("<script>alert('x')</script> & \"y\" ]]>"),
            "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;y&quot; ]]&gt;"
        );
        assert_eq!(escape("a\0b\u{1b}[31m\u{9b}\u{7f}"), "a␀b␛[31m\u{fffd}\u{fffd}");
        assert_eq!(escape("abc\u{202e}fed\u{2069}"), "abc[U+202E]fed[U+2069]");
        assert_eq!(escape("one\r\ntwo\rthree\tfour"), "one\ntwo␍three\tfour");
        assert_eq!(
            escape("plain text, größer, 漢字 🎺"),
            "plain text, größer, 漢字 🎺"
        );
    }
}
