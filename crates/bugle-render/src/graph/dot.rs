//! A graph in the DOT language, for Graphviz.

use std::fmt::Write as _;

use super::text::one_line;
use super::{EdgeKind, Graph, NodeKind, NodeState};

/// Writes the graph in the DOT language, from top to bottom.
pub fn dot(graph: &Graph) -> String {
    let title = quoted(&one_line(graph.title()));
    let mut out = format!(
        "digraph {title} {{\n  graph [rankdir=TB, label={title}, labelloc=t];\n  node [shape=box, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=11];\n"
    );
    for (index, node) in graph.nodes().iter().enumerate() {
        let checks: Vec<String> = node.checks.iter().map(|check| one_line(check)).collect();
        let tooltip = if checks.is_empty() {
            String::new()
        } else {
            format!(", tooltip={}", quoted(&format!("Checks: {}", checks.join(" "))))
        };
        let _ = writeln!(
            out,
            "  n{index} [label={}, {}{tooltip}];",
            quoted(&node.name()),
            node_look(node.kind, node.state)
        );
    }
    for edge in graph.edges() {
        let label = edge
            .caption()
            .map(|caption| format!("label={}, ", quoted(&caption)))
            .unwrap_or_default();
        let look = edge_look(edge.kind);
        let _ = writeln!(out, "  n{} -> n{} [{label}{look}];", edge.from, edge.to);
    }
    out.push_str("}\n");
    out
}

fn node_look(kind: NodeKind, state: NodeState) -> String {
    let (shape, style) = match kind {
        NodeKind::Start | NodeKind::End => ("box", "rounded,filled"),
        NodeKind::Step => ("box", "filled"),
        NodeKind::Ask => ("note", "filled"),
        NodeKind::Dispatch => ("box, peripheries=2", "filled"),
        NodeKind::Gate => ("octagon", "filled"),
    };
    let colours = match state {
        NodeState::Plain => "fillcolor=\"#f6f8fa\"",
        NodeState::Visited => "fillcolor=\"#e3f4e8\", color=\"#2f8550\"",
        NodeState::Current => "fillcolor=\"#ffedd9\", color=\"#d4560a\", penwidth=2.5",
    };
    format!("shape={shape}, style=\"{style}\", {colours}")
}

fn edge_look(kind: EdgeKind) -> &'static str {
    // Graphviz ranks nodes by their edges. Ignore edges that lead back, because they would push their target down.
    match kind {
        EdgeKind::Forward => "style=solid",
        EdgeKind::Loop => "style=solid, color=\"#2c6fb3\", constraint=false",
        EdgeKind::Back => "style=dashed, color=\"#a86f0c\", constraint=false",
        EdgeKind::Error => "style=dotted, color=\"#c23232\"",
    }
}

/// Quotes a string. A backslash would start an escape sequence and an ampersand an entity, so both are escaped.
fn quoted(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('&', "&amp;");
    format!("\"{escaped}\"")
}
