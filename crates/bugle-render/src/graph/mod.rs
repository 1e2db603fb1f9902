//! Drawings of workflow graphs: SVG, terminal, Mermaid, DOT.
//!
//! The model is independent of workflows and runs, so workflows, runs and test graphs can all be drawn. A [`Graph`]
//! has only edges between existing nodes, so every drawing function succeeds.

mod dot;
mod flow;
mod geometry;
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

/// The kind of a node; drawings give each kind its own shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// The first step.
    Start,
    /// A step that the agent does itself.
    Step,
    /// A question for a person.
    Ask,
    /// A step that sub-agents do.
    Dispatch,
    /// A review that passes or sends work back.
    Gate,
    /// The end of the workflow.
    End,
}

impl NodeKind {
    /// The kind as one lower-case word.
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

/// The state of a node in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum NodeState {
    /// Not visited, or no run is shown.
    #[default]
    Plain,
    /// Visited before.
    Visited,
    /// The run's current step.
    Current,
}

impl NodeState {
    /// The state as one lower-case word.
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
    /// The work continues.
    Forward,
    /// The step repeats.
    Loop,
    /// A gate sends the work back.
    Back,
    /// The step failed.
    Error,
}

impl EdgeKind {
    /// The kind as one lower-case word.
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
    /// The title of the step.
    pub label: String,
    /// The kind of the node.
    pub kind: NodeKind,
    /// The phase that groups the step with others.
    pub phase: Option<String>,
    /// The node's state in a run.
    pub state: NodeState,
    /// The checks on the step's result, as sentences.
    pub checks: Vec<String>,
}

impl Node {
    /// The name of the node: its label, or its identifier if the label is blank.
    fn name(&self) -> String {
        let label = text::one_line(&self.label);
        if label.is_empty() {
            text::one_line(&self.id)
        } else {
            label
        }
    }
}

/// An edge between two nodes, given by their indices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// The index of the source node.
    pub from: usize,
    /// The index of the target node.
    pub to: usize,
    /// The edge's label.
    pub label: Option<String>,
    /// Why a run follows the edge.
    pub kind: EdgeKind,
    /// How often a run took the edge.
    pub count: Option<u32>,
}

impl Edge {
    /// The text beside the edge: its label, and how often a run took it.
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
    /// An edge refers to a node that does not exist.
    #[error("edge {edge} refers to node {node}, but there are only {nodes} nodes")]
    NoSuchNode {
        /// The index of the edge.
        edge: usize,
        /// The index of the missing node.
        node: usize,
        /// The number of nodes.
        nodes: usize,
    },
}

/// The checks of all steps as a list, to print below a drawing; empty if there are none.
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

/// A workflow to draw. Every edge connects two of its nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    title: String,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

impl Graph {
    /// Builds a graph; fails if an edge refers to a node that does not exist.
    ///
    /// Drawings keep the order of the nodes where the edges allow.
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

    /// The title of the graph.
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
