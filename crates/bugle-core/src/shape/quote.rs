//! Values in error messages.

/// Quotes a string for an error message, shortened if it is long.
pub(super) fn quoted(text: &str) -> String {
    const SHOWN: usize = 60;
    let mut characters = text.chars();
    let start: String = characters.by_ref().take(SHOWN).collect();
    let cut = if characters.next().is_some() { "..." } else { "" };
    format!("{start:?}{cut}")
}
