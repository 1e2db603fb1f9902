//! Tests for positions in layouts.

use proptest::prelude::*;

use super::fixtures::{branch, graphs, large, linear, rework, self_loop, words};
use crate::graph::layout::{Area, Layout, Point, layout};
use crate::graph::{EdgeKind, Graph};

fn overlap(one: Area, other: Area) -> bool {
    const TOUCH: f64 = 0.01;
    one.x + TOUCH < other.right()
        && other.x + TOUCH < one.right()
        && one.y + TOUCH < other.bottom()
        && other.y + TOUCH < one.bottom()
}

fn on_border(area: Area, point: Point) -> bool {
    let near = |one: f64, other: f64| (one - other).abs() < 0.01;
    let across = area.x - 0.01 <= point.x && point.x <= area.right() + 0.01;
    let along = area.y - 0.01 <= point.y && point.y <= area.bottom() + 0.01;
    (across && (near(point.y, area.y) || near(point.y, area.bottom())))
        || (along && (near(point.x, area.x) || near(point.x, area.right())))
}

/// Whether a segment of a line runs through the inside of a box.
fn cuts(area: Area, from: Point, to: Point) -> bool {
    (1..64).any(|step| {
        let share = f64::from(step) / 64.0;
        let x = from.x + (to.x - from.x) * share;
        let y = from.y + (to.y - from.y) * share;
        area.x + 0.5 < x && x < area.right() - 0.5 && area.y + 0.5 < y && y < area.bottom() - 0.5
    })
}

/// The first fault in a layout.
fn fault(graph: &Graph, layout: &Layout) -> Option<String> {
    let nodes = layout.nodes.iter().map(|node| node.area);
    let captions = layout.edges.iter().filter_map(|edge| edge.caption.as_ref());
    let boxes: Vec<Area> = nodes.chain(captions.map(|caption| caption.area)).collect();
    for (index, one) in boxes.iter().enumerate() {
        if let Some(other) = boxes[index + 1..].iter().find(|other| overlap(*one, **other)) {
            return Some(format!("{one:?} overlaps {other:?}"));
        }
        let inside =
            one.x >= 0.0 && one.y >= 0.0 && one.right() <= layout.width && one.bottom() <= layout.height;
        if !inside {
            return Some(format!("{one:?} is outside the drawing"));
        }
    }
    for (edge, placed) in graph.edges().iter().zip(&layout.edges) {
        let (from, to) = (layout.nodes[edge.from].area, layout.nodes[edge.to].area);
        let (Some(first), Some(last)) = (placed.points.first(), placed.points.last()) else {
            return Some(format!("{edge:?} has no line"));
        };
        if !on_border(from, *first) || !on_border(to, *last) {
            return Some(format!("{edge:?} does not join {from:?} and {to:?}: {placed:?}"));
        }
        for piece in placed.points.windows(2) {
            if let Some(cut) = layout
                .nodes
                .iter()
                .find(|node| cuts(node.area, piece[0], piece[1]))
            {
                return Some(format!("{edge:?} runs through {cut:?}"));
            }
        }
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn nothing_overlaps_and_every_line_joins_its_nodes(graph in graphs(5..=40, words())) {
        let layout = layout(&graph);
        prop_assert_eq!(fault(&graph, &layout), None);
    }

    #[test]
    fn a_graph_always_gets_the_same_layout(graph in graphs(0..=20, words())) {
        prop_assert_eq!(layout(&graph), layout(&graph));
    }
}

#[test]
fn the_examples_have_no_faults() {
    for graph in [linear(), self_loop(), branch(), rework(), large()] {
        assert_eq!(fault(&graph, &layout(&graph)), None, "{}", graph.title());
    }
}

#[test]
fn forward_edges_of_a_workflow_lead_down_and_rework_leads_up() {
    let graph = large();
    let layout = layout(&graph);
    for (edge, placed) in graph.edges().iter().zip(&layout.edges) {
        let (first, last) = (placed.points[0].y, placed.points[placed.points.len() - 1].y);
        match edge.kind {
            EdgeKind::Forward | EdgeKind::Error => assert!(first < last, "{edge:?}"),
            EdgeKind::Back => assert!(first > last, "{edge:?}"),
            EdgeKind::Loop => {}
        }
    }
}

#[test]
fn a_chain_is_one_column() {
    let layout = layout(&linear());
    let middles: Vec<f64> = layout.nodes.iter().map(|node| node.area.centre().x).collect();
    assert!(middles.windows(2).all(|pair| (pair[0] - pair[1]).abs() < 0.01));
}

#[test]
fn an_empty_graph_has_an_empty_layout() {
    let layout = layout(&Graph::new("", Vec::new(), Vec::new()).unwrap());
    assert!(layout.nodes.is_empty() && layout.edges.is_empty());
    assert!(layout.width.is_finite() && layout.height.is_finite());
}
