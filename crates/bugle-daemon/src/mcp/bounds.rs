//! An answer has a size that every client takes whole. A longer one is cut, and says so.

/// How many characters an answer has at most.
const MOST: usize = 20_000;
/// How many of them are from the end, where a step says how it is ended.
const END: usize = 5_000;
/// Room for the sentence about the cut.
const ROOM: usize = 1_000;

/// The text, or its beginning and its end with the command between them that shows all of it.
pub(super) fn bounded(text: String, command: &str) -> String {
    let length = text.chars().count();
    if length <= MOST {
        return text;
    }
    let beginning = MOST - END - ROOM;
    let left_out = length - beginning - END;
    let head: String = text.chars().take(beginning).collect();
    let tail: String = text.chars().skip(length - END).collect();
    format!("{head}\n[{left_out} characters are left out here. This shows all of it: {command}]\n{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_not_touched_and_what_does_not_says_how_to_see_it() {
        let fits = "ä".repeat(MOST);
        assert_eq!(bounded(fits.clone(), "bugle step"), fits);
        let long = format!("first {} last", "ä".repeat(MOST));
        let cut = bounded(long.clone(), "bugle step");
        assert!(cut.chars().count() <= MOST, "{}", cut.chars().count());
        assert!(cut.starts_with("first ") && cut.ends_with(" last"));
        let left_out = long.chars().count() - (MOST - ROOM);
        assert!(cut.contains(&format!(
            "[{left_out} characters are left out here. This shows all of it: bugle step]"
        )));
    }
}
