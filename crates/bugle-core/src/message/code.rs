//! Extracts the prose from a message: mentions in code spans and fences do not count.
//!
//! Takes one pass over the lines and one over the backticks, so that the cost is linear.

use std::collections::HashMap;
use std::ops::Range;

use crate::fence::Fence;

/// A run of backticks in prose.
struct Ticks {
    at: Range<usize>,
    /// The index of the paragraph. A code span cannot extend beyond its paragraph.
    paragraph: usize,
}

/// The parts of a message that are not code, in order.
pub(super) fn prose(text: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut ticks = Vec::new();
    let mut open: Option<Fence> = None;
    let mut paragraph = 0;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let range = start..start + line.len();
        start = range.end;
        // A fence may be inside a list or a block quote.
        let content = line.trim_start_matches([' ', '\t', '>']).trim_end();
        if let Some(fence) = open {
            if fence.is_closed_by(content) {
                open = None;
            }
            continue;
        }
        open = Fence::opened_by(content).map(|(fence, _)| fence);
        if open.is_some() || content.is_empty() {
            paragraph += 1;
            continue;
        }
        find_ticks(line, range.start, paragraph, &mut ticks);
        parts.push(range);
    }
    without_spans(&parts, &ticks)
}

fn find_ticks(line: &str, offset: usize, paragraph: usize, ticks: &mut Vec<Ticks>) {
    let mut rest = 0;
    while let Some(found) = line[rest..].find('`') {
        let start = rest + found;
        let after = line[start..].trim_start_matches('`');
        rest = line.len() - after.len();
        let at = offset + start..offset + rest;
        ticks.push(Ticks { at, paragraph });
    }
}

/// Removes code spans. Each starts with a run of backticks and ends at the next run of the same length.
fn without_spans(parts: &[Range<usize>], ticks: &[Ticks]) -> Vec<Range<usize>> {
    let mut ends: Vec<Option<usize>> = vec![None; ticks.len()];
    let mut next: HashMap<(usize, usize), usize> = HashMap::new();
    for (index, run) in ticks.iter().enumerate().rev() {
        ends[index] = next.insert((run.paragraph, run.at.len()), index);
    }
    let mut spans = Vec::new();
    let mut index = 0;
    while index < ticks.len() {
        match ends[index] {
            Some(end) => {
                spans.push(ticks[index].at.start..ticks[end].at.end);
                index = end + 1;
            }
            None => index += 1,
        }
    }
    let mut prose = Vec::new();
    let mut spans = spans.into_iter().peekable();
    for part in parts {
        let mut start = part.start;
        while let Some(span) = spans.peek() {
            if span.start >= part.end {
                break;
            }
            if start < span.start {
                prose.push(start..span.start);
            }
            start = start.max(span.end);
            if span.end > part.end {
                // The span continues on the next line.
                break;
            }
            spans.next();
        }
        if start < part.end {
            prose.push(start..part.end);
        }
    }
    prose
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(text: &str) -> String {
        prose(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn code_is_removed_from_prose() {
        for (text, prose) in [
            ("a `b` c", "a  c"),
            ("a ``b ` c`` d", "a  d"),
            ("a ` b", "a ` b"),
            ("a `b\nc` d\ne `f` g", "a  d\ne  g"),
            ("a `b\n\nc` d", "a `b\nc` d"),
            ("a\n```\nb\n```\nc", "a\nc"),
            ("a\n```python\nb\n````\nc", "a\nc"),
            ("a\n````\nb\n```\nc\n````\nd", "a\nd"),
            ("a\n~~~\nb\n```\n~~~\nc", "a\nc"),
            ("- a\n  ```\n  b\n  ```\n  c", "- a\n  c"),
            ("> ```\n> b\n> ```\n> c", "> c"),
            ("a\n```\nb", "a\n"),
            ("```b``` c", " c"),
            ("", ""),
        ] {
            assert_eq!(left(text), prose, "{text:?}");
        }
    }
}
