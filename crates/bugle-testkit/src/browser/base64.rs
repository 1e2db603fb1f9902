//! Decodes base64, the encoding in which the browser sends screenshots.

/// The decoded bytes; `None` if the text is not base64.
pub(super) fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for letters in text.trim_end_matches('=').as_bytes().chunks(4) {
        let mut bits = 0u32;
        for letter in letters {
            bits = bits << 6 | u32::from(value(*letter)?);
        }
        // A group of fewer than four characters encodes fewer than three bytes.
        bits <<= 6 * (4 - letters.len());
        let [_, rest @ ..] = bits.to_be_bytes();
        bytes.extend_from_slice(rest.get(..letters.len().checked_sub(1)?)?);
    }
    Some(bytes)
}

fn value(letter: u8) -> Option<u8> {
    match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        b'0'..=b'9' => Some(letter - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_becomes_bytes() {
        let text = |text| decoded(text).and_then(|bytes| String::from_utf8(bytes).ok());
        assert_eq!(text("").as_deref(), Some(""));
        assert_eq!(text("YQ==").as_deref(), Some("a"));
        assert_eq!(text("YWI=").as_deref(), Some("ab"));
        assert_eq!(text("YWJj").as_deref(), Some("abc"));
        assert_eq!(decoded("+/8="), Some(vec![0xfb, 0xff]));
        assert_eq!(decoded("a!"), None);
    }
}
