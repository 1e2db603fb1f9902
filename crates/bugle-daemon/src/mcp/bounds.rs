//! Truncates answers to a size that every client accepts. A notice marks the cut.

/// Maximum number of characters in an answer.
const MOST: usize = 20_000;
/// The number of characters kept at the end. A step's text ends with the command that finishes the step.
const END: usize = 5_000;
/// The number of characters reserved for the truncation notice.
const ROOM: usize = 1_000;
/// The number of characters kept at the beginning.
pub(super) const BEGINNING: usize = MOST - END - ROOM;

/// Returns the text. If it is too long, returns its beginning and end, with a notice in between that names the
/// command for the rest.
pub(super) fn bounded(text: String, command: &str) -> String {
    let length = text.chars().count();
    if length <= MOST {
        return text;
    }
    let left_out = length - BEGINNING - END;
    let head: String = text.chars().take(BEGINNING).collect();
    let tail: String = text.chars().skip(length - END).collect();
    format!("{head}\n[{left_out} characters omitted. To read them: {command}]\n{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_answer_is_unchanged_and_a_long_one_names_the_command_for_the_rest() {
        let fits = "ä".repeat(MOST);
        assert_eq!(bounded(fits.clone(), "bugle step"), fits);
        let long = format!("first {} last", "ä".repeat(MOST));
        let cut = bounded(long.clone(), "bugle step");
        assert!(cut.chars().count() <= MOST, "{}", cut.chars().count());
        assert!(cut.starts_with("first ") && cut.ends_with(" last"));
        let left_out = long.chars().count() - (MOST - ROOM);
        assert!(cut.contains(&format!(
            "[{left_out} characters omitted. To read them: bugle step]"
        )));
    }
}
