//! Tests for terminal drawings.

use proptest::prelude::*;
use unicode_width::UnicodeWidthStr as _;

use super::fixtures::{anything, branch, edge, graphs, large, linear, node, rework, self_loop, words};
use crate::graph::{Edge, EdgeKind, Graph, NodeKind, TerminalStyle, terminal};

fn plain(graph: &Graph, width: usize) -> String {
    terminal(graph, TerminalStyle { width, colour: false })
}

#[test]
fn seven_steps_in_a_row() {
    insta::assert_snapshot!(plain(&linear(), 80));
}

#[test]
fn one_loop() {
    insta::assert_snapshot!(plain(&self_loop(), 80));
}

#[test]
fn two_ways_that_meet_again() {
    insta::assert_snapshot!(plain(&branch(), 80));
}

#[test]
fn a_gate_that_sends_work_back() {
    insta::assert_snapshot!(plain(&rework(), 80));
}

#[test]
fn fourteen_steps_with_everything() {
    insta::assert_snapshot!(plain(&large(), 80));
}

#[test]
fn fourteen_steps_in_forty_columns() {
    insta::assert_snapshot!(plain(&large(), 40));
}

#[test]
fn more_lanes_than_there_is_room_for() {
    let nodes = (0..20)
        .map(|index| node(&format!("step-{index}"), "", NodeKind::Step))
        .collect();
    let edges = (0..20)
        .map(|from| edge(from, (from * 7 + 3) % 20, "go", EdgeKind::Back))
        .collect();
    insta::assert_snapshot!(plain(&Graph::new("", nodes, edges).unwrap(), 40));
}

#[test]
fn colour_marks_the_current_node_and_nothing_else() {
    let drawn = terminal(
        &rework(),
        TerminalStyle {
            width: 80,
            colour: true,
        },
    );
    let coloured: Vec<&str> = drawn.lines().filter(|line| line.contains('\u{1b}')).collect();
    assert_eq!(coloured.len(), 1);
    assert!(coloured[0].contains("review"));
    let stripped = drawn.replace("\u{1b}[1;36m", "").replace("\u{1b}[0m", "");
    assert_eq!(stripped, plain(&rework(), 80));
}

/// The source, caption and target of each edge in a drawing. The nodes must be named `s0`, `s1`, and so on.
fn read_back(drawn: &str) -> Vec<(usize, String, usize)> {
    let number = |id: &str| id.strip_prefix('s').and_then(|id| id.parse::<usize>().ok());
    let mut edges = Vec::new();
    let mut above = None;
    let mut railed: Option<String> = None;
    for line in drawn.lines() {
        let mut cells = line.chars().skip(1);
        let first = cells.next().unwrap_or(' ');
        let rest: String = cells.collect();
        match first {
            '○' | '●' | '▶' | '□' | '■' => {
                let here = rest.split_whitespace().next().and_then(number).unwrap();
                if let (Some(above), Some(caption)) = (above, railed.take()) {
                    edges.push((above, caption, here));
                }
                above = Some(here);
            }
            '├' | '└' => {
                let text = rest.trim_start_matches("─ ");
                let at = text.find(['↓', '↑', '↺']).unwrap();
                let target = text[at..].split_whitespace().nth(1).and_then(number).unwrap();
                edges.push((above.unwrap(), text[..at].trim().to_owned(), target));
            }
            '│' => {
                let caption = rest.split(['│', '┼']).next().unwrap_or_default().trim();
                railed = Some(caption.to_owned());
            }
            _ => railed = None,
        }
    }
    edges.sort();
    edges
}

/// The graph with short identifiers.
fn numbered(graph: &Graph) -> Graph {
    let nodes = graph.nodes().iter().enumerate();
    let nodes = nodes.map(|(index, _)| node(&format!("s{index}"), "", NodeKind::Step));
    let edges = graph.edges().iter().enumerate().map(|(index, edge)| Edge {
        label: (index % 3 > 0).then(|| format!("e{index}")),
        count: None,
        ..edge.clone()
    });
    Graph::new("", nodes.collect(), edges.collect()).unwrap()
}

proptest! {
    #[test]
    fn every_edge_can_be_read_back(graph in graphs(1..=40, words()), width in 40_usize..120) {
        let graph = numbered(&graph);
        let mut expected: Vec<(usize, String, usize)> = graph
            .edges()
            .iter()
            .map(|edge| (edge.from, edge.label.clone().unwrap_or_default(), edge.to))
            .collect();
        expected.sort();
        prop_assert_eq!(read_back(&plain(&graph, width)), expected);
    }

    #[test]
    fn no_line_is_too_long(graph in graphs(0..=40, anything()), width in 0_usize..120) {
        for line in plain(&graph, width).lines() {
            prop_assert!(line.width() <= width.max(40), "{}", line);
            prop_assert!(!line.chars().any(char::is_control));
        }
    }
}
