//! Recognises lines that start with `Step` and a number.

use bugle_core::plan::TaskNumber;

use super::text::{after_word, clean_title, number, separator};

/// The number and title of a step: `**Step 1: Title**`, `**Step 1:** Title`, `Step 1 - Title`.
pub(super) fn step_words(text: &str) -> Option<(TaskNumber, String)> {
    let bare = text.trim_start_matches(['*', '_', ' ']);
    let emphasis = text[..text.len() - bare.len()].trim();
    let rest = after_word(bare, "Step")?;
    let (number, rest) = number(rest.trim_start())?;
    let closing = emphasis.len().min(2);
    let inner = rest.trim_start_matches(['*', '_', ' ']);
    if inner.is_empty() && !emphasis.is_empty() {
        return Some((number, String::new()));
    }
    if let Some(title) = separator(inner)
        .filter(|_| inner.len() < rest.len())
        .or_else(|| separator(rest))
    {
        // Remove the emphasis that closes inside the title: it was opened before the word `Step`.
        let open = closing > 0 && !rest[..rest.len() - inner.len()].contains(['*', '_']);
        let title = match title.find(&emphasis[..closing]).filter(|_| open) {
            Some(at) => format!("{}{}", &title[..at], &title[at + closing..]),
            None => title.to_owned(),
        };
        return Some((number, clean_title(&title)));
    }
    None
}
