//! Mermaid and DOT.

use proptest::prelude::*;

use super::fixtures::{anything, edge, graphs, large, node, rework};
use crate::graph::text::{one_line, shorten, wrap};
use crate::graph::{EdgeKind, Graph, NodeKind, dot, mermaid};

/// A graph with markup characters in every string.
fn hostile() -> Graph {
    let text = "1. say \"no\" [x] {y} <b>&amp; `z` #35; a|b; C:\\n end\u{1b}[31m\n%% it's";
    let nodes = vec![
        node("end", text, NodeKind::Start),
        node("\"", "", NodeKind::Gate),
        node("", "", NodeKind::End),
    ];
    let edges = vec![
        edge(0, 1, text, EdgeKind::Error),
        edge(1, 2, "", EdgeKind::Forward),
    ];
    Graph::new(text, nodes, edges).unwrap()
}

#[test]
fn mermaid_of_a_large_workflow() {
    insta::assert_snapshot!(mermaid(&large()));
}

#[test]
fn mermaid_escapes_what_it_would_misread() {
    insta::assert_snapshot!(mermaid(&hostile()));
}

#[test]
fn dot_of_a_workflow_with_rework() {
    insta::assert_snapshot!(dot(&rework()));
}

#[test]
fn dot_escapes_what_it_would_misread() {
    insta::assert_snapshot!(dot(&hostile()));
}

proptest! {
    #[test]
    fn every_mermaid_line_is_a_node_an_edge_or_a_class(graph in graphs(0..=6, anything())) {
        let drawn = mermaid(&graph);
        let body = drawn.split_once("flowchart TD\n").unwrap().1;
        prop_assert!(!drawn.chars().any(|c| c.is_control() && c != '\n'));
        for line in body.lines() {
            // Quotes come in pairs, and only around names.
            prop_assert!(line.matches('"').count() <= 2, "{}", line);
            let known = line.starts_with("  n") || line.starts_with("  classDef ");
            prop_assert!(known, "{}", line);
        }
        let names = body.lines().filter(|line| line.starts_with("  n")).count();
        prop_assert_eq!(names, graph.nodes().len() + graph.edges().len());
    }

    #[test]
    fn every_dot_string_is_closed(graph in graphs(0..=6, anything())) {
        let drawn = dot(&graph);
        prop_assert!(!drawn.chars().any(|c| c.is_control() && c != '\n'));
        for line in drawn.lines() {
            let unescaped = line.replace("\\\\", "").replace("\\\"", "");
            prop_assert!(unescaped.matches('"').count() % 2 == 0, "{}", line);
        }
        prop_assert_eq!(drawn.lines().count(), 5 + graph.nodes().len() + graph.edges().len());
    }

    #[test]
    fn wrapping_loses_nothing_that_fits(text in "[a-z]{1,30}( [a-z]{1,30}){0,8}") {
        let lines = wrap(&text, 14.0, 190.0, usize::MAX);
        let squeezed = |text: &str| text.replace(' ', "");
        prop_assert_eq!(squeezed(&lines.concat()), squeezed(&text));
    }
}

#[test]
fn a_line_is_broken_between_words_where_it_can_be() {
    let lines = wrap("Explore the code in parallel", 14.0, 120.0, 3);
    assert_eq!(lines, ["Explore the", "code in parallel"]);
}

#[test]
fn shortening_counts_columns_not_characters() {
    assert_eq!(shorten("漢字漢字", 8), "漢字漢字");
    assert_eq!(shorten("漢字漢字", 7), "漢字漢…");
    assert_eq!(shorten("plain", 4), "pla…");
}

#[test]
fn a_line_cannot_control_a_terminal() {
    assert_eq!(one_line(" a\n\tb\u{1b}[2J\u{202e}c "), "a b\u{fffd}[2J\u{fffd}c");
}
