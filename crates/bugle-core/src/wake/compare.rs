//! What two texts have in common, line by line.

/// The lines of both texts in order: `-` only in the first, `+` only in the second, a space in both. As many lines as can be
/// are taken for the same.
pub fn compare<'a>(before: &'a str, after: &'a str) -> Vec<(char, &'a str)> {
    let old: Vec<&str> = before.lines().collect();
    let new: Vec<&str> = after.lines().collect();
    // What is the same at the beginning and at the end needs no searching.
    let head = old
        .iter()
        .zip(&new)
        .take_while(|(left, right)| left == right)
        .count();
    let tail = old[head..]
        .iter()
        .rev()
        .zip(new[head..].iter().rev())
        .take_while(|(left, right)| left == right)
        .count();
    let (middle_old, middle_new) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    // `longest[i][j]`: how many lines the rests from there on have in common at most.
    let mut longest = vec![vec![0_usize; middle_new.len() + 1]; middle_old.len() + 1];
    for (i, left) in middle_old.iter().enumerate().rev() {
        for (j, right) in middle_new.iter().enumerate().rev() {
            longest[i][j] = if left == right {
                longest[i + 1][j + 1] + 1
            } else {
                longest[i + 1][j].max(longest[i][j + 1])
            };
        }
    }
    let mut lines: Vec<(char, &str)> = old[..head].iter().map(|line| (' ', *line)).collect();
    let (mut i, mut j) = (0, 0);
    while i < middle_old.len() || j < middle_new.len() {
        if i < middle_old.len() && j < middle_new.len() && middle_old[i] == middle_new[j] {
            lines.push((' ', middle_old[i]));
            i += 1;
            j += 1;
        } else if j == middle_new.len() || (i < middle_old.len() && longest[i + 1][j] >= longest[i][j + 1]) {
            lines.push(('-', middle_old[i]));
            i += 1;
        } else {
            lines.push(('+', middle_new[j]));
            j += 1;
        }
    }
    lines.extend(old[old.len() - tail..].iter().map(|line| (' ', *line)));
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_line_that_was_put_in_is_all_that_differs() {
        let lines = compare("a\nb\nc", "a\nx\nb\nc");
        assert_eq!(lines, [(' ', "a"), ('+', "x"), (' ', "b"), (' ', "c")]);
    }

    proptest! {
        #[test]
        fn both_texts_can_be_read_off(before in "([a-c]\n){0,12}", after in "([a-c]\n){0,12}") {
            let lines = compare(&before, &after);
            let read = |without: char| -> String {
                let kept = lines.iter().filter(|(sign, _)| *sign != without);
                kept.map(|(_, line)| format!("{line}\n")).collect()
            };
            prop_assert_eq!(read('+'), before.as_str());
            prop_assert_eq!(read('-'), after.as_str());
        }
    }
}
