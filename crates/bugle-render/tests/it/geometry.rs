//! The built-in skills' graph layouts: nothing overlaps, and everything is inside the drawing.

use std::fs;
use std::path::{Path, PathBuf};

use bugle_core::path::SkillPath;
use bugle_core::workflow::WorkflowDef;
use bugle_render::graph::layout::{Area, Layout, layout};
use bugle_render::graph::{Edge, Graph, figure, svg};
use bugle_render::run_graph::workflow_graph;
use bugle_skill::parse_workflow;
use roxmltree::Document;

/// Every built-in workflow: those of the skills and those of their sub-agents.
fn workflows() -> Vec<(String, WorkflowDef)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../skills");
    let inside = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    };
    let mut found = Vec::new();
    for skill in inside(&root) {
        let own = [skill.join("workflow.yaml")].into_iter();
        for file in own
            .chain(inside(&skill.join("agents")))
            .filter(|file| file.is_file())
        {
            let text = fs::read_to_string(&file).unwrap();
            let (definition, _, _) = parse_workflow(&SkillPath::new("workflow.yaml").unwrap(), &text);
            let name = file.strip_prefix(&root).unwrap().display().to_string();
            found.push((name.clone(), definition.unwrap_or_else(|| panic!("{name}"))));
        }
    }
    found
}

/// The graph after a long run: every edge was taken many times, so every caption has its maximum length.
fn well_travelled(graph: &Graph) -> Graph {
    let edges = graph.edges().iter().cloned().map(|edge| Edge {
        count: Some(188),
        ..edge
    });
    Graph::new(graph.title(), graph.nodes().to_vec(), edges.collect()).unwrap()
}

fn overlap(one: Area, other: Area) -> bool {
    one.x < other.right() && other.x < one.right() && one.y < other.bottom() && other.y < one.bottom()
}

fn faults(layout: &Layout) -> Vec<String> {
    let nodes = layout.nodes.iter().map(|node| (node.name.join(" "), node.area));
    let captions = layout.edges.iter().filter_map(|edge| edge.caption.as_ref());
    let captions = captions.map(|caption| (format!("the caption {}", caption.text), caption.area));
    let boxes: Vec<(String, Area)> = nodes.chain(captions).collect();
    let mut faults = Vec::new();
    for (index, (name, one)) in boxes.iter().enumerate() {
        let rest = &boxes[index + 1..];
        for (other_name, other) in rest.iter().filter(|(_, other)| overlap(*one, *other)) {
            faults.push(format!("{name} overlaps {other_name}: {one:?} {other:?}"));
        }
        if one.x < 0.0 || one.y < 0.0 || one.right() > layout.width || one.bottom() > layout.height {
            faults.push(format!("{name} is outside the drawing: {one:?}"));
        }
    }
    for point in layout.edges.iter().flat_map(|edge| &edge.points) {
        if point.x < 0.0 || point.y < 0.0 || point.x > layout.width || point.y > layout.height {
            faults.push(format!("a line leaves the drawing at {point:?}"));
        }
    }
    faults
}

#[test]
fn nothing_overlaps_in_any_built_in_workflow_before_and_after_a_long_run() {
    let workflows = workflows();
    assert!(workflows.len() > 20, "{}", workflows.len());
    for (name, definition) in &workflows {
        let graph = workflow_graph(name, definition).unwrap();
        assert_eq!(faults(&layout(&graph)), Vec::<String>::new(), "{name}");
        let graph = well_travelled(&graph);
        assert_eq!(
            faults(&layout(&graph)),
            Vec::<String>::new(),
            "{name}, after a long run"
        );
    }
}

#[test]
fn every_text_of_a_drawing_is_inside_its_view_box() {
    for (name, definition) in workflows() {
        let graph = well_travelled(&workflow_graph(&name, &definition).unwrap());
        for drawing in [svg(&graph), figure(&graph)] {
            let document = Document::parse(&drawing).unwrap();
            let root = document.root_element();
            let size: Vec<f64> = root
                .attribute("viewBox")
                .unwrap()
                .split(' ')
                .map(|number| number.parse().unwrap())
                .collect();
            let texts = document
                .descendants()
                .filter(|element| element.has_tag_name("text"));
            for text in texts {
                let at = |axis: &str| text.attribute(axis).unwrap().parse::<f64>().unwrap();
                assert!(at("x") >= 0.0 && at("x") <= size[2], "{name}: {text:?}");
                assert!(at("y") >= 0.0 && at("y") <= size[3], "{name}: {text:?}");
            }
        }
    }
}

#[test]
fn a_figure_has_no_style_and_has_a_description() {
    let (name, definition) = workflows().remove(0);
    let figure = figure(&workflow_graph(&name, &definition).unwrap());
    assert!(!figure.contains("<style") && !figure.contains("style="));
    let document = Document::parse(&figure).unwrap();
    let root = document.root_element();
    assert_eq!(root.attribute("role"), Some("img"));
    assert!(root.attribute("aria-label").unwrap().contains("a graph of"));
}
