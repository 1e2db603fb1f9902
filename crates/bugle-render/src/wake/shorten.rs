//! Shortens text: cuts quotations first and the text's own words last. Every cut leaves a mark.

use bugle_core::count::counted;
use bugle_core::fence::Fence;

use super::quote::number;

/// The lengths at which long text is offered, in characters. Each length is about two thirds of the previous one, so
/// that little of the available room stays unused.
pub(super) const LENGTHS: [usize; 10] = [6_000, 4_200, 3_000, 2_100, 1_500, 1_000, 700, 500, 350, 240];

/// Text may exceed the limit by this many characters, because the mark of a cut would take as much room.
const SLACK: usize = 60;

/// A line of at least this many bytes counts as an inserted value, not as the text's own words.
const LONG_LINE: usize = 1_000;

/// An open code block.
pub(super) struct Code<'a> {
    /// The white space before the opening fence.
    pub(super) indent: &'a str,
    fence: Fence,
}

impl<'a> Code<'a> {
    pub(super) fn opened_by(line: &'a str) -> Option<Self> {
        let body = line.trim_start();
        let (fence, _) = Fence::opened_by(body)?;
        Some(Self {
            indent: &line[..line.len() - body.len()],
            fence,
        })
    }

    pub(super) fn is_closed_by(&self, line: &str) -> bool {
        self.fence.is_closed_by(line.trim())
    }
}

/// Text, split into its own words and its quotations.
pub(super) struct Pieces<'a>(Vec<Piece<'a>>);

enum Piece<'a> {
    /// The text's own words.
    Words(&'a str),
    /// A value on a long line, or quoted lines.
    Quoted(&'a str),
    /// A code block with its fences.
    Fenced {
        open: &'a str,
        body: &'a str,
        close: &'a str,
    },
}

impl<'a> Pieces<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let mut pieces: Vec<Piece<'a>> = Vec::new();
        // The start of the current piece, and whether it is a quotation.
        let mut begin = 0;
        let mut quotes = false;
        // The open code block, and the start of its body.
        let mut code: Option<(Code<'a>, usize)> = None;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let end = at + line.len();
            if let Some((open, body)) = &code {
                if open.is_closed_by(line) {
                    pieces.push(Piece::Fenced {
                        open: &text[begin..*body],
                        body: &text[*body..at],
                        close: &text[at..end],
                    });
                    (begin, quotes, code) = (end, false, None);
                }
            } else {
                let opened = Code::opened_by(line);
                let is_quoted = line.starts_with('>') || line.len() > LONG_LINE;
                if opened.is_some() || is_quoted != quotes {
                    pieces.push(stretch(&text[begin..at], quotes));
                    (begin, quotes) = (at, is_quoted);
                }
                code = opened.map(|open| (open, end));
            }
            at = end;
        }
        pieces.push(match code {
            Some((_, body)) => Piece::Fenced {
                open: &text[begin..body],
                body: &text[body..],
                close: "",
            },
            None => stretch(&text[begin..], quotes),
        });
        Self(pieces)
    }

    /// The length of the longest quotation, in bytes.
    pub(super) fn longest(&self) -> usize {
        let lengths = self.0.iter().map(|piece| match piece {
            Piece::Words(_) => 0,
            Piece::Quoted(text) => text.len(),
            Piece::Fenced { body, .. } => body.len(),
        });
        lengths.max().unwrap_or_default()
    }

    /// The text with at most `most` characters of each quotation, and the number of characters left out.
    pub(super) fn shortened(&self, most: usize) -> (String, u64) {
        let mut out = String::new();
        let mut left_out = 0;
        for piece in &self.0 {
            let (text, fences) = match piece {
                Piece::Words(text) | Piece::Quoted(text) => (*text, None),
                Piece::Fenced { open, body, close } => (*body, Some((*open, *close))),
            };
            out.push_str(fences.map_or("", |(open, _)| open));
            let cut = match piece {
                Piece::Words(_) => None,
                _ => beginning(text, most),
            };
            out.push_str(cut.map_or(text, |(kept, _)| kept));
            if cut.is_some() {
                out.push('\n');
            }
            out.push_str(fences.map_or("", |(_, close)| close));
            if let Some((_, missing)) = cut {
                left_out += missing;
                if !out.ends_with('\n') {
                    out.push('\n');
                }
                out.push_str(&mark(missing));
                out.push('\n');
            }
        }
        (out, left_out)
    }
}

fn stretch(text: &str, quotes: bool) -> Piece<'_> {
    if quotes {
        Piece::Quoted(text)
    } else {
        Piece::Words(text)
    }
}

/// The mark that a cut leaves.
pub(super) fn mark(characters: u64) -> String {
    let characters = counted(characters, "character");
    format!("[{characters} left out]")
}

/// The beginning of the text, up to the end of a line or word, and the number of missing characters. Returns `None` if
/// the text is at most slightly longer than `most`.
pub(super) fn beginning(text: &str, most: usize) -> Option<(&str, u64)> {
    let text = text.trim_end();
    // Bytes are an upper bound for characters.
    if text.len() <= most.saturating_add(SLACK) {
        return None;
    }
    text.char_indices().nth(most + SLACK)?;
    let (end, _) = text.char_indices().nth(most)?;
    let kept = &text[..end];
    let half = end / 2;
    let at_line = kept.rfind('\n').filter(|at| *at > half);
    let at_word = || kept.rfind(' ').filter(|at| *at > half);
    let kept = kept[..at_line.or_else(at_word).unwrap_or(end)].trim_end();
    Some((kept, number(text[kept.len()..].chars().count())))
}

/// The beginning and end of the text, with `most` characters in all, and the number of lines missing between them.
/// Instructions are more often at the ends than in the middle.
pub(super) fn ends(text: &str, most: usize) -> Option<(String, u64)> {
    let text = text.trim_end();
    if text.len() <= most.saturating_add(SLACK) {
        return None;
    }
    let lines: Vec<&str> = text.lines().collect();
    let length = |line: &&str| line.chars().count() + 1;
    let fitting = |room: usize, lines: &mut dyn Iterator<Item = &&str>| {
        let mut left = room;
        lines
            .take_while(|line| {
                let fits = length(line) <= left;
                left = left.saturating_sub(length(line));
                fits
            })
            .count()
    };
    let first = fitting(most / 3, &mut lines.iter());
    let behind = fitting(most - most / 3, &mut lines[first..].iter().rev());
    let missing = lines.len() - first - behind;
    if missing == 0 {
        return None;
    }
    let gap = format!("[{} left out]", counted(number(missing), "line"));
    let kept = lines[..first]
        .iter()
        .copied()
        .chain([gap.as_str()])
        .chain(lines[lines.len() - behind..].iter().copied());
    Some((kept.collect::<Vec<_>>().join("\n"), number(missing)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn long(letter: &str) -> String {
        format!("{letter} ").repeat(200)
    }

    #[test]
    fn shortening_cuts_quotations_and_keeps_own_words() {
        let text = format!(
            "Judge this:\n\n> one\n> {}\n\nAnd this:\n\n```json\n{}\n```\nBriefly.",
            long("two"),
            long("three")
        );
        let (short, left_out) = Pieces::of(&text).shortened(40);
        assert_eq!(
            short,
            "Judge this:\n\n> one\n> two two two two two two two two\n[768 characters left out]\n\nAnd this:\n\n\
             ```json\nthree three three three three three\n```\n[1164 characters left out]\nBriefly."
        );
        assert_eq!(left_out, 768 + 1164);
        assert_eq!(Pieces::of(&text).shortened(10_000), (text.clone(), 0));
    }

    #[test]
    fn both_ends_of_the_text_are_kept() {
        let text: Vec<String> = (0..20).map(|at| format!("line {at:03}, and so on")).collect();
        let (kept, missing) = ends(&text.join("\n"), 120).unwrap();
        assert_eq!(
            kept,
            "line 000, and so on\nline 001, and so on\n[14 lines left out]\nline 016, and so on\nline 017, and so on\n\
             line 018, and so on\nline 019, and so on"
        );
        assert_eq!(missing, 14);
        assert_eq!(ends("short", 120), None);
    }

    proptest! {
        #[test]
        fn every_cut_leaves_a_mark(text in "(>|`{3}|~{3}|[a-c ]{0,90}|\n|é){0,30}", most in 0_usize..200) {
            let pieces = Pieces::of(&text);
            prop_assert_eq!(pieces.shortened(usize::MAX), (text.clone(), 0));
            let (short, left_out) = pieces.shortened(most);
            prop_assert_eq!(left_out > 0, short.contains("left out]"));
            prop_assert!(short.chars().count() <= text.chars().count() || left_out > 0);
            if let Some((kept, missing)) = beginning(&text, most) {
                prop_assert!(text.starts_with(kept) && kept.chars().count() <= most);
                prop_assert_eq!(number(text.trim_end().chars().count()), number(kept.chars().count()) + missing);
            }
        }
    }
}
