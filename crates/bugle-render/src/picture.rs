//! From a workflow to a graph that can be drawn.

use bugle_core::name::StepId;
use bugle_core::outcome::{Outcome, Target};
use bugle_core::workflow::{StepDef, WorkflowDef};

use crate::graph::{Edge, EdgeKind, Graph, GraphError, Node, NodeKind, NodeState};

/// The graph of a workflow: its steps in order, and the end.
pub fn picture(title: &str, definition: &WorkflowDef) -> Result<Graph, GraphError> {
    let mut nodes: Vec<Node> = definition
        .steps
        .iter()
        .enumerate()
        .map(|(index, step)| Node {
            id: step.id.to_string(),
            label: step.title.clone(),
            kind: kind(index, step),
            phase: step.phase.clone(),
            state: NodeState::Plain,
        })
        .collect();
    let end = nodes.len();
    nodes.push(Node {
        id: "end".to_owned(),
        label: "End".to_owned(),
        kind: NodeKind::End,
        phase: None,
        state: NodeState::Plain,
    });
    let index = |id: &StepId| definition.steps.iter().position(|step| step.id == *id);
    let mut edges = Vec::new();
    for (from, step) in definition.steps.iter().enumerate() {
        for outcome in step.possible_outcomes() {
            let to = match step.leads_to(outcome) {
                Some(Target::End) => end,
                Some(Target::Step(id)) => match index(id) {
                    Some(to) => to,
                    None => continue,
                },
                None => continue,
            };
            // A plain `ok` needs no caption: it is what the reader expects.
            let label = (outcome != Outcome::Ok).then(|| outcome.to_string());
            edges.push(Edge {
                from,
                to,
                label,
                kind: edge_kind(step, outcome, from, to),
                count: None,
            });
        }
    }
    Graph::new(title, nodes, edges)
}

fn kind(index: usize, step: &StepDef) -> NodeKind {
    match step {
        StepDef { gate: Some(_), .. } => NodeKind::Gate,
        StepDef {
            dispatch: Some(_), ..
        } => NodeKind::Dispatch,
        StepDef { ask: Some(_), .. } => NodeKind::Ask,
        _ if index == 0 => NodeKind::Start,
        _ => NodeKind::Step,
    }
}

fn edge_kind(step: &StepDef, outcome: Outcome, from: usize, to: usize) -> EdgeKind {
    match outcome {
        Outcome::Iterate => EdgeKind::Loop,
        Outcome::Fail if step.gate.is_some() => EdgeKind::Back,
        Outcome::Fail if step.next.own(Outcome::Fail).is_none() => EdgeKind::Error,
        _ if to <= from => EdgeKind::Back,
        _ => EdgeKind::Forward,
    }
}
