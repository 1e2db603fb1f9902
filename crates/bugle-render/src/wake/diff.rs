//! The difference between two wake-ups, line by line.

use similar::TextDiff;

/// A line diff: `-` marks lines only in the first text, `+` lines only in the second, a space lines in both.
pub fn diff_lines(before: &str, after: &str) -> Vec<String> {
    let (before, after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    TextDiff::from_slices(&before, &after)
        .iter_all_changes()
        .map(|change| format!("{} {}", change.tag(), change.value()))
        .collect()
}

/// Unchanged lines shown before and after a change.
const CONTEXT: usize = 3;

/// Neighbouring changes with the lines around them.
pub(super) struct Hunk<'a> {
    /// The position in both texts.
    pub(super) header: String,
    pub(super) lines: &'a [String],
}

/// The changes of a line diff, each with three lines of context.
pub(super) fn hunks(lines: &[String]) -> Vec<Hunk<'_>> {
    let is_change = |line: &String| !line.starts_with(' ');
    let mut ranges: Vec<std::ops::Range<usize>> = Vec::new();
    for (at, _) in lines.iter().enumerate().filter(|(_, line)| is_change(line)) {
        let (start, end) = (at.saturating_sub(CONTEXT), (at + CONTEXT + 1).min(lines.len()));
        match ranges.last_mut() {
            Some(last) if start <= last.end => last.end = end,
            _ => ranges.push(start..end),
        }
    }
    let hunk = |range: std::ops::Range<usize>| {
        let side = |sign: char| {
            let count = |lines: &[String]| lines.iter().filter(|line| !line.starts_with(sign)).count();
            format!(
                "{},{}",
                count(&lines[..range.start]) + 1,
                count(&lines[range.clone()])
            )
        };
        Hunk {
            header: format!("@@ -{} +{} @@", side('+'), side('-')),
            lines: &lines[range],
        }
    };
    ranges.into_iter().map(hunk).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_added_line_is_the_only_difference() {
        let lines = diff_lines("a\nb\nc\n", "a\nx\nb\nc\n");
        assert_eq!(lines, ["  a", "+ x", "  b", "  c"]);
    }

    #[test]
    fn a_hunk_contains_neighbouring_changes_and_three_lines_around_them() {
        let before: String = (1..=30).map(|line| format!("{line}\n")).collect();
        let after = before.replace("\n4\n", "\nfour\n").replace("\n20\n", "\n");
        let lines = diff_lines(&before, &after);
        let hunks = hunks(&lines);
        let headers: Vec<&str> = hunks.iter().map(|hunk| hunk.header.as_str()).collect();
        assert_eq!(headers, ["@@ -1,7 +1,7 @@", "@@ -17,7 +17,6 @@"]);
        assert_eq!(hunks[1].lines[3], "- 20");
    }

    proptest! {
        #[test]
        fn both_texts_can_be_read_from_the_diff(before in "([a-c]\n){0,12}", after in "([a-c]\n){0,12}") {
            let lines = diff_lines(&before, &after);
            let without = |sign: char| -> String {
                let kept = lines.iter().filter(|line| !line.starts_with(sign));
                kept.map(|line| format!("{}\n", &line[2..])).collect()
            };
            prop_assert_eq!(without('+'), before.as_str());
            prop_assert_eq!(without('-'), after.as_str());
        }
    }
}
