//! Ranks siblings in a new order, changing as few ranks as possible.

use super::order::Rank;
use crate::lis::longest_rising;

/// Ranks siblings in the wanted order. Existing ranks are kept where they fit. If the other siblings do not fit between
/// them, all are ranked again.
pub fn settle(wanted: &[Option<Rank>]) -> Vec<Rank> {
    let kept = longest_rising(wanted);
    // For each position, the next position that keeps its rank.
    let mut next_kept: Vec<Option<usize>> = vec![None; wanted.len()];
    let mut next = None;
    for place in (0..wanted.len()).rev() {
        if kept[place] {
            next = Some(place);
        }
        next_kept[place] = next;
    }
    let mut ranks: Vec<Rank> = Vec::with_capacity(wanted.len());
    for (place, old) in wanted.iter().enumerate() {
        if let Some(old) = old.filter(|_| kept[place]) {
            ranks.push(old);
            continue;
        }
        // Spread these siblings evenly before the next one that keeps its rank.
        let next = next_kept[place];
        let high = next.and_then(|at| wanted[at]);
        let still = next.unwrap_or(place + 1) - place;
        match Rank::portion(ranks.last().copied(), high, still) {
            Some(rank) => ranks.push(rank),
            None => return (0..wanted.len()).map(Rank::nth).collect(),
        }
    }
    ranks
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_insertion_keeps_the_other_ranks() {
        let old: Vec<Option<Rank>> = (0..4).map(|place| Some(Rank::nth(place))).collect();
        let mut wanted = old.clone();
        wanted.insert(2, None);
        let ranks = settle(&wanted);
        let others: Vec<Option<Rank>> = [0, 1, 3, 4].map(|place| Some(ranks[place])).to_vec();
        assert_eq!(others, old);
    }

    proptest! {
        #[test]
        fn the_ranks_have_the_wanted_order(
            order in Just((0_usize..30).collect::<Vec<_>>()).prop_shuffle(),
            fresh in proptest::collection::vec(any::<bool>(), 30),
            close in any::<bool>(),
        ) {
            let wanted: Vec<Option<Rank>> = order
                .iter()
                .map(|place| {
                    let rank = if close { Rank::portion(None, Some(Rank::nth(0)), 4095 - place) } else { Some(Rank::nth(*place)) };
                    rank.filter(|_| !fresh[*place])
                })
                .collect();
            let ranks = settle(&wanted);
            prop_assert_eq!(ranks.len(), wanted.len());
            prop_assert!(ranks.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", ranks);
        }
    }
}
