//! A graph as a Mermaid flowchart, for Markdown pages.

use std::fmt::Write as _;

use super::text::one_line;
use super::{EdgeKind, Graph, NodeKind, NodeState};

/// Writes the graph as a Mermaid flowchart from top to bottom.
pub fn mermaid(graph: &Graph) -> String {
    let mut out = String::new();
    let title = one_line(graph.title());
    if !title.is_empty() {
        let _ = writeln!(out, "---\ntitle: {}\n---", yaml_string(&title));
    }
    out.push_str("flowchart TD\n");
    for (index, node) in graph.nodes().iter().enumerate() {
        let (open, close) = brackets(node.kind);
        let class = match node.state {
            NodeState::Plain => String::new(),
            state => format!(":::{}", state.word()),
        };
        let name = quoted(&node.name());
        let _ = writeln!(out, "  n{index}{open}{name}{close}{class}");
    }
    for edge in graph.edges() {
        let arrow = match edge.kind {
            EdgeKind::Forward | EdgeKind::Loop => "-->",
            EdgeKind::Back => "-.->",
            EdgeKind::Error => "--x",
        };
        let caption = edge
            .caption()
            .map(|caption| format!("|{}|", quoted(&caption)))
            .unwrap_or_default();
        let _ = writeln!(out, "  n{} {arrow}{caption} n{}", edge.from, edge.to);
    }
    let states = [
        (NodeState::Visited, "fill:#e3f4e8,stroke:#2f8550,color:#1c2530"),
        (
            NodeState::Current,
            "fill:#ffedd9,stroke:#d4560a,stroke-width:3px,color:#1c2530",
        ),
    ];
    for (state, style) in states {
        if graph.nodes().iter().any(|node| node.state == state) {
            let _ = writeln!(out, "  classDef {} {style}", state.word());
        }
    }
    out
}

/// The brackets around a node's name, which determine the node's shape.
fn brackets(kind: NodeKind) -> (&'static str, &'static str) {
    match kind {
        NodeKind::Start | NodeKind::End => ("([", "])"),
        NodeKind::Step => ("[", "]"),
        NodeKind::Ask => ("[/", "/]"),
        NodeKind::Dispatch => ("[[", "]]"),
        NodeKind::Gate => ("{{", "}}"),
    }
}

/// Quotes a string. Characters with a meaning in Mermaid, or in the Markdown and HTML that Mermaid accepts inside
/// quotes, become entities.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    let characters: Vec<char> = text.chars().collect();
    for (index, c) in characters.iter().enumerate() {
        let beside_words = index
            .checked_sub(1)
            .is_some_and(|before| characters[before].is_alphanumeric())
            && characters.get(index + 1).is_some_and(|c| c.is_alphanumeric());
        let plain = match c {
            ' ' | ',' | '(' | ')' | '?' | '!' => true,
            '-' | '_' | '.' | '/' | '\'' => beside_words,
            c => !c.is_ascii_punctuation(),
        };
        if plain {
            out.push(*c);
        } else {
            let _ = match c {
                '"' => write!(out, "#quot;"),
                c => write!(out, "#{};", u32::from(*c)),
            };
        }
    }
    if text.is_empty() {
        // Mermaid rejects an empty name.
        out.push(' ');
    }
    out.push('"');
    out
}

fn yaml_string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
