//! Drawings of the built-in skills.

use std::fs;
use std::path::Path;

use bugle_core::path::SkillPath;
use bugle_core::workflow::WorkflowDef;
use bugle_render::graph::{self, Graph, TerminalStyle};
use bugle_render::run_graph::workflow_graph;
use bugle_skill::parse_workflow;

fn built_in(name: &str) -> WorkflowDef {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../skills");
    let text = fs::read_to_string(root.join(name).join("workflow.yaml")).unwrap();
    let (definition, _, problems) = parse_workflow(&SkillPath::new("workflow.yaml").unwrap(), &text);
    assert_eq!(problems, []);
    definition.unwrap()
}

fn drawn(name: &str) -> Graph {
    let definition = built_in(name);
    let graph = workflow_graph(name, &definition).unwrap();
    assert_eq!(
        graph.nodes().len(),
        definition.steps.len() + 1,
        "every step and the end"
    );
    graph
}

fn on_a_terminal(graph: &Graph) -> String {
    let style = TerminalStyle {
        width: 100,
        colour: false,
    };
    let text = graph::terminal(graph, style);
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    text
}

#[test]
fn decision_critic() {
    let graph = drawn("decision-critic");
    insta::assert_snapshot!("decision_critic_on_a_terminal", on_a_terminal(&graph));
    insta::assert_snapshot!("decision_critic_in_mermaid", graph::mermaid(&graph));
}

#[test]
fn deepthink() {
    let graph = drawn("deepthink");
    insta::assert_snapshot!("deepthink_on_a_terminal", on_a_terminal(&graph));
    insta::assert_snapshot!("deepthink_in_mermaid", graph::mermaid(&graph));
}

#[test]
fn problem_analysis() {
    let graph = drawn("problem-analysis");
    insta::assert_snapshot!("problem_analysis_on_a_terminal", on_a_terminal(&graph));
    insta::assert_snapshot!("problem_analysis_in_mermaid", graph::mermaid(&graph));
}

#[test]
fn every_drawing_of_a_built_in_skill_is_well_formed() {
    for name in ["decision-critic", "deepthink", "problem-analysis"] {
        let graph = drawn(name);
        roxmltree::Document::parse(&graph::svg(&graph)).unwrap();
        assert!(graph::dot(&graph).starts_with("digraph"));
    }
}
