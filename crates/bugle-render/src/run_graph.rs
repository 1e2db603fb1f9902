//! A workflow's graph, for drawing.

use bugle_core::engine::{RunState, RunStatus};
use bugle_core::name::StepId;
use bugle_core::outcome::{Outcome, Target};
use bugle_core::workflow::{StepDef, WorkflowDef};

use crate::graph::{Edge, EdgeKind, Graph, GraphError, Node, NodeKind, NodeState};

/// A workflow's graph: its steps in order, and the end.
pub fn workflow_graph(title: &str, definition: &WorkflowDef) -> Result<Graph, GraphError> {
    let (nodes, edges) = parts(definition);
    Graph::new(title, nodes, edges.into_iter().map(|(_, edge)| edge).collect())
}

/// The graph with a run's state: the current step, the visited steps, and how often the run took each edge.
pub fn run_graph(title: &str, definition: &WorkflowDef, run: &RunState) -> Result<Graph, GraphError> {
    let (mut nodes, mut edges) = parts(definition);
    let end = nodes.len().saturating_sub(1);
    let index = |id: &StepId| definition.steps.iter().position(|step| step.id == *id);
    let mut taken = |from: &StepId, outcome: Outcome| {
        let from = index(from);
        let found = edges
            .iter_mut()
            .find(|(own, edge)| Some(edge.from) == from && *own == outcome);
        if let Some((_, edge)) = found {
            edge.count = Some(edge.count.unwrap_or(0) + 1);
        }
    };
    for visit in run.visits() {
        if let Some(node) = index(&visit.step).and_then(|index| nodes.get_mut(index)) {
            node.state = NodeState::Visited;
        }
        let before = visit.after.and_then(|number| run.visit(number));
        if let Some((before, ending)) = before.and_then(|before| Some((before, before.ending.as_ref()?))) {
            taken(&before.step, ending.outcome);
        }
    }
    if matches!(run.status, RunStatus::Completed | RunStatus::Failed)
        && let Some((last, ending)) = run.head().and_then(|last| Some((last, last.ending.as_ref()?)))
    {
        taken(&last.step, ending.outcome);
        if let Some(node) = nodes.get_mut(end) {
            node.state = NodeState::Visited;
        }
    }
    let current = run.current().and_then(|visit| index(&visit.step));
    if let Some(node) = current.and_then(|index| nodes.get_mut(index)) {
        node.state = NodeState::Current;
    }
    Graph::new(title, nodes, edges.into_iter().map(|(_, edge)| edge).collect())
}

/// A workflow's nodes, and its edges with their outcomes.
fn parts(definition: &WorkflowDef) -> (Vec<Node>, Vec<(Outcome, Edge)>) {
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
            checks: step.check.iter().map(|check| check.say.clone()).collect(),
        })
        .collect();
    let end = nodes.len();
    nodes.push(Node {
        id: "end".to_owned(),
        label: "End".to_owned(),
        kind: NodeKind::End,
        phase: None,
        state: NodeState::Plain,
        checks: Vec::new(),
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
            // `ok` is the expected outcome, so its edge needs no label.
            let label = (outcome != Outcome::Ok).then(|| outcome.to_string());
            let edge = Edge {
                from,
                to,
                label,
                kind: edge_kind(step, outcome, from, to),
                count: None,
            };
            edges.push((outcome, edge));
        }
    }
    (nodes, edges)
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
