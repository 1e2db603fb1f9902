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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_added_line_is_the_only_difference() {
        let lines = diff_lines("a\nb\nc\n", "a\nx\nb\nc\n");
        assert_eq!(lines, ["  a", "+ x", "  b", "  c"]);
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
