//! Graphs to draw: examples and random graphs.

use proptest::prelude::*;

use crate::graph::{Edge, EdgeKind, Graph, Node, NodeKind, NodeState};

pub(super) fn node(id: &str, label: &str, kind: NodeKind) -> Node {
    Node {
        id: id.to_owned(),
        label: label.to_owned(),
        kind,
        phase: None,
        state: NodeState::Plain,
        checks: Vec::new(),
    }
}

pub(super) fn edge(from: usize, to: usize, label: &str, kind: EdgeKind) -> Edge {
    Edge {
        from,
        to,
        label: Some(label.to_owned()).filter(|label| !label.is_empty()),
        kind,
        count: None,
    }
}

fn chain(count: usize) -> Vec<Edge> {
    (1..count)
        .map(|to| edge(to - 1, to, "", EdgeKind::Forward))
        .collect()
}

fn graph(title: &str, nodes: Vec<Node>, edges: Vec<Edge>) -> Graph {
    Graph::new(title, nodes, edges).unwrap()
}

/// Seven steps in a row, with phases.
pub(super) fn linear() -> Graph {
    let mut nodes = vec![
        node("extract", "Extract the structure", NodeKind::Start),
        node("classify", "Classify what was found", NodeKind::Step),
        node("questions", "Write down the questions", NodeKind::Step),
        node("answers", "Answer each on its own", NodeKind::Dispatch),
        node("challenge", "Challenge the decision", NodeKind::Step),
        node("confirm", "Which verdict stands?", NodeKind::Ask),
        node("end", "end", NodeKind::End),
    ];
    for (index, phase) in [(0, "decomposition"), (1, "decomposition"), (2, "verification")] {
        nodes[index].phase = Some(phase.to_owned());
    }
    graph("decision-critic", nodes, chain(7))
}

/// A step that repeats.
pub(super) fn self_loop() -> Graph {
    let nodes = vec![
        node("gather", "Gather", NodeKind::Start),
        node("investigate", "Investigate", NodeKind::Step),
        node("report", "Report", NodeKind::Step),
        node("end", "end", NodeKind::End),
    ];
    let mut edges = chain(4);
    edges.push(edge(1, 1, "iterate", EdgeKind::Loop));
    graph("problem-analysis", nodes, edges)
}

/// Two branches that join again.
pub(super) fn branch() -> Graph {
    let nodes = vec![
        node("mode", "Choose how deep to go", NodeKind::Start),
        node("quick", "Look at the summary", NodeKind::Step),
        node("read", "Read everything", NodeKind::Step),
        node("compare", "Compare with the plan", NodeKind::Step),
        node("synthesis", "Put it together", NodeKind::Step),
        node("end", "end", NodeKind::End),
    ];
    let edges = vec![
        edge(0, 1, "skip", EdgeKind::Forward),
        edge(0, 2, "ok", EdgeKind::Forward),
        edge(1, 4, "", EdgeKind::Forward),
        edge(2, 3, "", EdgeKind::Forward),
        edge(3, 4, "", EdgeKind::Forward),
        edge(4, 5, "", EdgeKind::Forward),
    ];
    graph("codebase-analysis", nodes, edges)
}

/// A review that sends work back.
pub(super) fn rework() -> Graph {
    let mut nodes = vec![
        node("write_plan", "Write the plan", NodeKind::Start),
        node("review", "Review for completeness", NodeKind::Gate),
        node("fill", "Fill in the diffs", NodeKind::Step),
        node("end", "end", NodeKind::End),
    ];
    nodes[0].state = NodeState::Visited;
    nodes[1].state = NodeState::Current;
    let mut edges = chain(4);
    edges[1].label = Some("ok".to_owned());
    edges.push(Edge {
        count: Some(2),
        ..edge(1, 0, "fail", EdgeKind::Back)
    });
    graph("planner", nodes, edges)
}

/// Fourteen nodes: loops, gates, branches, errors, a long name.
pub(super) fn large() -> Graph {
    let mut nodes = vec![
        node("context", "Collect the context", NodeKind::Start),
        node("scope", "Agree on the scope", NodeKind::Ask),
        node("explore", "Explore the code in parallel", NodeKind::Dispatch),
        node("deepen", "Deepen one area", NodeKind::Step),
        node("options", "Weigh the options", NodeKind::Step),
        node(
            "write_plan",
            "Write the plan, with a milestone for every change that can be reviewed alone",
            NodeKind::Step,
        ),
        node("check_plan", "Completeness", NodeKind::Gate),
        node("fill_diffs", "Fill in the diffs", NodeKind::Dispatch),
        node("check_diffs", "Diffs apply", NodeKind::Gate),
        node("document", "Write the comments", NodeKind::Step),
        node("check_docs", "Documentation", NodeKind::Gate),
        node("present", "Present", NodeKind::Step),
        node("salvage", "Save what there is", NodeKind::Step),
        node("end", "end", NodeKind::End),
    ];
    for (index, node) in nodes.iter_mut().enumerate() {
        node.phase = match index {
            0..=4 => Some("exploring".to_owned()),
            5..=10 => Some("planning".to_owned()),
            _ => None,
        };
        node.state = match index {
            0..=5 => NodeState::Visited,
            6 => NodeState::Current,
            _ => NodeState::Plain,
        };
    }
    let mut edges = chain(12);
    edges.extend([
        edge(1, 5, "skip", EdgeKind::Forward),
        edge(3, 3, "iterate", EdgeKind::Loop),
        edge(6, 5, "fail", EdgeKind::Back),
        edge(8, 7, "fail", EdgeKind::Back),
        edge(10, 9, "fail", EdgeKind::Back),
        edge(2, 12, "error", EdgeKind::Error),
        edge(7, 12, "error", EdgeKind::Error),
        edge(11, 13, "", EdgeKind::Forward),
        edge(12, 13, "", EdgeKind::Forward),
    ]);
    graph("planner", nodes, edges)
}

fn node_kind() -> impl Strategy<Value = NodeKind> {
    prop::sample::select(vec![
        NodeKind::Start,
        NodeKind::Step,
        NodeKind::Ask,
        NodeKind::Dispatch,
        NodeKind::Gate,
        NodeKind::End,
    ])
}

fn edge_kind() -> impl Strategy<Value = EdgeKind> {
    prop::sample::select(vec![
        EdgeKind::Forward,
        EdgeKind::Loop,
        EdgeKind::Back,
        EdgeKind::Error,
    ])
}

fn node_state() -> impl Strategy<Value = NodeState> {
    prop::sample::select(vec![NodeState::Plain, NodeState::Visited, NodeState::Current])
}

/// Graphs of the given sizes. Most nodes form a chain. Further edges, at most as many as nodes, lead forwards,
/// backwards or to the same node.
pub(super) fn graphs(
    sizes: std::ops::RangeInclusive<usize>,
    texts: impl Strategy<Value = String> + Clone + 'static,
) -> impl Strategy<Value = Graph> {
    sizes.prop_flat_map(move |count| {
        let parts = (
            texts.clone(),
            texts.clone(),
            node_kind(),
            prop::option::of(texts.clone()),
            node_state(),
        );
        let nodes = prop::collection::vec(parts, count);
        let ends = (
            0..count,
            0..count,
            prop::option::of(texts.clone()),
            edge_kind(),
            prop::option::weighted(0.1, 0..20_u32),
        );
        let edges = prop::collection::vec(ends, 0..=count);
        let linked = prop::collection::vec(prop::bool::weighted(0.8), count);
        (texts.clone(), nodes, edges, linked).prop_map(|(title, nodes, edges, linked)| {
            let nodes: Vec<Node> = nodes
                .into_iter()
                .map(|(id, label, kind, phase, state)| Node {
                    label,
                    kind,
                    checks: vec![id.clone()],
                    phase,
                    state,
                    id,
                })
                .collect();
            let chain = (1..nodes.len())
                .filter(|to| linked[*to])
                .map(|to| edge(to - 1, to, "", EdgeKind::Forward));
            let edges = edges.into_iter().map(|(from, to, label, kind, count)| Edge {
                from,
                to,
                label,
                kind,
                count,
            });
            graph(&title, nodes, chain.chain(edges).collect())
        })
    })
}

/// Short and long names, as in skills.
pub(super) fn words() -> impl Strategy<Value = String> + Clone {
    "[a-z]{1,9}( [a-z]{1,12}){0,9}"
}

/// Any text.
pub(super) fn anything() -> impl Strategy<Value = String> + Clone {
    prop_oneof![
        any::<String>(),
        "[\\x00-\\x20\"#&<>\\\\`;:{}|\u{202e}\u{fffe}\u{ffff}漢字🦀a-c]{0,30}",
    ]
}
