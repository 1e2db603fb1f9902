//! Counts with their nouns.

use std::fmt::Display;

/// A count with its noun: `1 task`, `2 tasks`.
pub fn counted<N: Copy + Display + From<u8> + PartialEq>(count: N, noun: &str) -> String {
    count_phrase(count, noun, &format!("{noun}s"))
}

/// A count with a phrase that has its own plural: `1 task is`, `2 tasks are`.
pub fn count_phrase<N: Copy + Display + From<u8> + PartialEq>(count: N, one: &str, many: &str) -> String {
    let phrase = if count == N::from(1) { one } else { many };
    format!("{count} {phrase}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_count_of_one_is_singular() {
        let counts = [0_u64, 1, 2].map(|count| counted(count, "run"));
        assert_eq!(counts, ["0 runs", "1 run", "2 runs"]);
        assert_eq!(count_phrase(1_usize, "file has", "files have"), "1 file has");
        assert_eq!(count_phrase(0_usize, "file has", "files have"), "0 files have");
    }
}
