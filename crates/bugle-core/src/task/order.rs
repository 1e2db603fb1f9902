//! Task order: a rank among siblings, and the path of ranks from the root, which orders a whole tree.
//!
//! Paths sort lexically into plan order, parents before children. The paths of a task's descendants are between the
//! task's path and [`TreePath::end`], so an index can search one subtree in order.

use serde::{Deserialize, Serialize};

/// The rank of a task among its siblings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Rank(u64);

/// The distance between new neighbours, which leaves room for tasks between them.
const STEP: u64 = 1 << 12;
/// The number of hexadecimal digits of a rank in a path.
const WIDTH: usize = 10;
/// The first rank that needs more than `WIDTH` digits.
const TOO_LARGE: u64 = 1 << (4 * WIDTH);
/// Maximum depth of a tree.
pub const MAX_LEVELS: usize = 32;

impl Rank {
    /// Wraps a rank that was read from the store.
    pub fn from_stored(number: u64) -> Self {
        Self(number)
    }

    /// The rank in its stored form.
    pub fn stored(self) -> u64 {
        self.0
    }

    /// The rank of the nth sibling, counting from 0, when all siblings are ranked again.
    pub fn nth(place: usize) -> Self {
        Self((place as u64 + 1).saturating_mul(STEP).min(TOO_LARGE - 1))
    }

    /// The first of `count` ranks spread evenly between two neighbours. `None` if they do not fit; then all siblings
    /// must be ranked again.
    pub fn portion(before: Option<Self>, after: Option<Self>, count: usize) -> Option<Self> {
        let low = before.map_or(0, |rank| rank.0);
        let step = match after {
            None => STEP,
            Some(high) => high.0.saturating_sub(low) / (count as u64 + 1),
        };
        let rank = low + step;
        (step > 0 && rank < TOO_LARGE).then_some(Self(rank))
    }
}

/// The ranks from the root to a task, as one string.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreePath(String);

impl TreePath {
    /// The path of a root task.
    pub fn top(rank: Rank) -> Self {
        Self(String::new()).child(rank)
    }

    /// The path of a child.
    #[must_use]
    pub fn child(&self, rank: Rank) -> Self {
        Self(format!("{}{:0width$x}", self.0, rank.0, width = WIDTH))
    }

    /// Wraps a path that was read from the store.
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The exclusive upper bound for the paths of this task's descendants.
    pub fn end(&self) -> String {
        // `g` sorts after all hexadecimal digits.
        format!("{}g", self.0)
    }

    /// The depth; 1 for a root task.
    pub fn levels(&self) -> usize {
        self.0.len() / WIDTH
    }

    /// Whether the other path belongs to this task or one of its descendants.
    pub fn holds(&self, other: &Self) -> bool {
        other.0.starts_with(&self.0)
    }

    /// The paths of the task's ancestors, nearest first.
    pub fn above(&self) -> impl Iterator<Item = Self> + '_ {
        (1..self.levels())
            .rev()
            .map(|levels| Self(self.0[..levels * WIDTH].to_owned()))
    }

    /// The path of the task's root task.
    #[must_use]
    pub fn root(&self) -> Self {
        Self(self.0.get(..WIDTH).unwrap_or(&self.0).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn paths_sort_parents_before_children_and_siblings_in_order() {
        let first = TreePath::top(Rank::nth(0));
        let second = TreePath::top(Rank::nth(1));
        let inside = first.child(Rank::nth(4000));
        assert!(first < inside && inside < second);
        assert!(
            first.holds(&inside) && first.holds(&first) && !second.holds(&inside) && !inside.holds(&first)
        );
        assert!(inside.as_str() < first.end().as_str() && first.end().as_str() < second.as_str());
        assert_eq!(inside.above().collect::<Vec<_>>(), vec![first.clone()]);
        assert_eq!(inside.root(), first);
    }

    proptest! {
        #[test]
        fn a_rank_between_two_others_is_between_them(places in proptest::collection::vec(0_usize..40, 1..200)) {
            let mut ranks = vec![Rank::nth(0)];
            for place in places {
                let place = place.min(ranks.len());
                let before = place.checked_sub(1).map(|at| ranks[at]);
                match Rank::portion(before, ranks.get(place).copied(), 1) {
                    Some(rank) => ranks.insert(place, rank),
                    None => ranks = (0..ranks.len()).map(Rank::nth).collect(),
                }
                prop_assert!(ranks.windows(2).all(|pair| pair[0] < pair[1]));
            }
        }
    }
}
