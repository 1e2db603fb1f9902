//! Longest increasing subsequence: the list items that can keep their place while the others move.

/// Marks the items in the longest increasing subsequence. Items without a value are never part of it.
pub(crate) fn longest_rising<T: Ord>(values: &[Option<T>]) -> Vec<bool> {
    // Patience sorting: for each length, `tails` contains the index of the smallest last item; `before` contains the
    // predecessor of each item.
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; values.len()];
    for (place, value) in values.iter().enumerate() {
        let Some(value) = value else { continue };
        let length = tails.partition_point(|tail| values[*tail].as_ref().is_some_and(|other| other < value));
        before[place] = length.checked_sub(1).map(|shorter| tails[shorter]);
        if length == tails.len() {
            tails.push(place);
        } else {
            tails[length] = place;
        }
    }
    let mut chosen = vec![false; values.len()];
    let mut at = tails.last().copied();
    while let Some(place) = at {
        chosen[place] = true;
        at = before[place];
    }
    chosen
}
