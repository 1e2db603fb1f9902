//! Tests for the model and the order of its nodes.

use super::fixtures::{branch, edge, large, node};
use crate::graph::flow::flow;
use crate::graph::{EdgeKind, Graph, GraphError, NodeKind};

#[test]
fn an_edge_to_a_missing_node_is_refused() {
    let nodes = vec![node("a", "A", NodeKind::Start)];
    let edges = vec![edge(0, 0, "", EdgeKind::Loop), edge(0, 1, "", EdgeKind::Forward)];
    let refused = Graph::new("g", nodes, edges);
    assert_eq!(
        refused,
        Err(GraphError::NoSuchNode {
            edge: 1,
            node: 1,
            nodes: 1
        })
    );
}

#[test]
fn the_authors_order_is_kept_where_forward_edges_allow_it() {
    for graph in [branch(), large()] {
        let expected: Vec<usize> = (0..graph.nodes().len()).collect();
        assert_eq!(flow(&graph).order, expected);
    }
}

#[test]
fn a_step_declared_early_but_reached_late_comes_late() {
    let nodes = ["a", "c", "b"].map(|id| node(id, id, NodeKind::Step));
    let edges = vec![
        edge(0, 2, "", EdgeKind::Forward),
        edge(2, 1, "", EdgeKind::Forward),
        edge(1, 0, "", EdgeKind::Back),
    ];
    let graph = Graph::new("", nodes.to_vec(), edges).unwrap();
    assert_eq!(flow(&graph).order, [0, 2, 1]);
}

#[test]
fn a_cycle_of_forward_edges_is_entered_where_the_work_continues() {
    let nodes = ["a", "b", "c", "d"].map(|id| node(id, id, NodeKind::Step));
    let edges = vec![
        edge(0, 3, "", EdgeKind::Forward),
        edge(3, 2, "", EdgeKind::Forward),
        edge(2, 1, "", EdgeKind::Forward),
        edge(1, 3, "", EdgeKind::Forward),
    ];
    let graph = Graph::new("", nodes.to_vec(), edges).unwrap();
    assert_eq!(flow(&graph).order, [0, 3, 2, 1]);
}
