//! Orders the nodes of a graph that may have cycles.
//!
//! The layered layout and the terminal drawing both follow this order: an edge descends if it leads to a later node,
//! and climbs if it leads to an earlier one.

use super::{EdgeKind, Graph};

/// The nodes in reading order, and each node's position in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Flow {
    /// Node indices from first to last.
    pub(super) order: Vec<usize>,
    /// For each node, its position in `order`.
    pub(super) place: Vec<usize>,
}

/// Orders the nodes so that forward edges descend as far as cycles allow.
///
/// A node is placed after all its predecessors. If several nodes qualify, the author's order decides. If a cycle
/// leaves no such node, the next node is the first unplaced successor of a placed node, in the author's order. Edges
/// from later nodes into that node climb.
pub(super) fn flow(graph: &Graph) -> Flow {
    let count = graph.nodes().len();
    let mut waiting_for = vec![0_usize; count];
    let mut reached = vec![false; count];
    let mut successors = vec![Vec::new(); count];
    for edge in graph.edges() {
        // Loop and rework edges always climb, so they do not affect the order.
        let ordering = matches!(edge.kind, EdgeKind::Forward | EdgeKind::Error);
        if ordering && edge.from != edge.to {
            waiting_for[edge.to] += 1;
            successors[edge.from].push(edge.to);
        }
    }

    let mut order = Vec::with_capacity(count);
    let mut place = vec![0; count];
    let mut remaining: Vec<usize> = (0..count).collect();
    while !remaining.is_empty() {
        let next = remaining
            .iter()
            .position(|node| waiting_for[*node] == 0)
            .or_else(|| remaining.iter().position(|node| reached[*node]))
            .unwrap_or(0);
        let node = remaining.remove(next);
        place[node] = order.len();
        order.push(node);
        for successor in &successors[node] {
            waiting_for[*successor] -= 1;
            reached[*successor] = true;
        }
    }
    Flow { order, place }
}
