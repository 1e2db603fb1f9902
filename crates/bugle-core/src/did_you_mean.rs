//! Suggests the closest known name.

/// The known name that is closest to `wrong`, if it is close enough to be a typo.
pub fn nearest<'k>(wrong: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let tolerance = (wrong.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(wrong, name), name))
        .filter(|(distance, name)| *distance <= tolerance && *distance < name.chars().count())
        .min()
        .map(|(_, name)| name)
}
