//! Longest increasing subsequence: the members of a list that can stay when the rest is put in order.

/// Which members belong to the longest chain of rising values, in the order of the list. What has no value is in none.
pub(crate) fn longest_rising<T: Ord>(values: &[Option<T>]) -> Vec<bool> {
    // By patience: `tails` holds, for each length, where the chain with the smallest end stands, and `before` how each
    // chain came to its last member.
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
