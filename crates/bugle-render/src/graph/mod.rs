//! Workflow graphs, drawn: as SVG, for a terminal, as Mermaid and as DOT.
//!
//! The model here is plain data of its own, so that a skill's workflow, a run in
//! progress and a test can all be drawn alike. A [`Graph`] can only be built with
//! edges that join existing nodes; every drawing function therefore succeeds.

mod dot;
mod flow;
pub mod layout;
mod mermaid;
mod route;
mod style;
mod svg;
mod terminal;
#[cfg(test)]
mod tests;
mod text;

pub use dot::dot;
pub use mermaid::mermaid;
pub use style::style_sheet;
pub use svg::{figure, svg};
pub use terminal::{TerminalStyle, terminal};

/// What a node stands for; drawings give each kind its own shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// Where a run begins.
    Start,
    /// A step the agent carries out itself.
    Step,
    /// A question that waits for a person.
    Ask,
    /// A step carried out by sub-agents.
    Dispatch,
    /// A review that passes or sends work back.
    Gate,
    /// Where a run ends.
    End,
}

impl NodeKind {
    /// The kind in one lower-case word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Step => "step",
            Self::Ask => "ask",
            Self::Dispatch => "dispatch",
            Self::Gate => "gate",
            Self::End => "end",
        }
    }
}

/// How far a run has come with a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum NodeState {
    /// Not visited, or no run is being shown.
    #[default]
    Plain,
    /// Visited before.
    Visited,
    /// Where the run stands now.
    Current,
}

impl NodeState {
    /// The state in one lower-case word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Visited => "visited",
            Self::Current => "current",
        }
    }
}

/// Why a run follows an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EdgeKind {
    /// The work goes on.
    Forward,
    /// The step is done again.
    Loop,
    /// A gate sends the work back.
    Back,
    /// The step could not be done.
    Error,
}

impl EdgeKind {
    /// The kind in one lower-case word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Loop => "loop",
            Self::Back => "back",
            Self::Error => "error",
        }
    }
}

/// One step of the workflow, or its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The step's identifier.
    pub id: String,
    /// What the step is called.
    pub label: String,
    /// What the node stands for.
    pub kind: NodeKind,
    /// The word that groups it with other steps.
    pub phase: Option<String>,
    /// How far a run has come with it.
    pub state: NodeState,
    /// What is checked about the step's result, in words.
    pub checks: Vec<String>,
}

impl Node {
    /// What to call the node: its label, or its identifier if the label is blank.
    fn name(&self) -> String {
        let label = text::one_line(&self.label);
        if label.is_empty() {
            text::one_line(&self.id)
        } else {
            label
        }
    }
}

/// One way from a node to a node, both given by their place in the list of nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// The node it leaves.
    pub from: usize,
    /// The node it reaches.
    pub to: usize,
    /// What is written beside it.
    pub label: Option<String>,
    /// Why a run follows it.
    pub kind: EdgeKind,
    /// How often a run followed it.
    pub count: Option<u32>,
}

impl Edge {
    /// The text drawn beside the edge: its label, and how often it was followed.
    fn caption(&self) -> Option<String> {
        let label = self.label.as_deref().map(text::one_line);
        let count = self.count.map(|count| format!("×{count}"));
        let caption = match (label.filter(|label| !label.is_empty()), count) {
            (Some(label), Some(count)) => format!("{label} {count}"),
            (Some(text), None) | (None, Some(text)) => text,
            (None, None) => return None,
        };
        Some(caption)
    }
}

/// Why a graph could not be built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// An edge names a node that is not there.
    #[error("edge {edge} refers to node {node}, but there are only {nodes} nodes")]
    NoSuchNode {
        /// The edge's place in the list of edges.
        edge: usize,
        /// The place it refers to.
        node: usize,
        /// How many nodes there are.
        nodes: usize,
    },
}

/// The checks of all steps as a list, to go below a drawing that has no room for them; empty if there are none.
pub fn checks(graph: &Graph) -> String {
    let mut out = String::new();
    for node in graph.nodes() {
        for check in &node.checks {
            let heading = if out.is_empty() { "checks\n" } else { "" };
            let line = format!("{}: {}", text::one_line(&node.id), text::one_line(check));
            out.push_str(&format!("{heading}  {}\n", crate::text::printable(&line)));
        }
    }
    out
}

/// A workflow to be drawn. Every edge joins two of its nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    title: String,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

impl Graph {
    /// Builds a graph, unless an edge refers to a node that is not there.
    ///
    /// The order of the nodes is the author's; drawings keep to it where the edges allow.
    pub fn new(title: impl Into<String>, nodes: Vec<Node>, edges: Vec<Edge>) -> Result<Self, GraphError> {
        for (index, edge) in edges.iter().enumerate() {
            if let Some(node) = [edge.from, edge.to].into_iter().find(|end| *end >= nodes.len()) {
                return Err(GraphError::NoSuchNode {
                    edge: index,
                    node,
                    nodes: nodes.len(),
                });
            }
        }
        Ok(Self {
            title: title.into(),
            nodes,
            edges,
        })
    }

    /// What the graph is called.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The nodes, in the author's order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The edges.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }
}
