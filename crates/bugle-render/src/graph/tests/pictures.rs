//! SVG documents.

use proptest::prelude::*;
use roxmltree::{Document, Node as Element};

use super::fixtures::{anything, graphs, large, linear, node, rework};
use crate::graph::{Graph, NodeKind, svg};

fn has_class(element: &Element<'_, '_>, class: &str) -> bool {
    let classes = element.attribute("class").unwrap_or_default();
    classes.split(' ').any(|one| one == class)
}

fn texts(document: &Document<'_>, class: &str) -> Vec<String> {
    document
        .descendants()
        .filter(|element| element.has_tag_name(("http://www.w3.org/2000/svg", "text")))
        .filter(|element| has_class(element, class))
        .filter_map(|element| element.text().map(str::to_owned))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_text_gives_a_well_formed_document(graph in graphs(0..=8, anything())) {
        let picture = svg(&graph);
        let document = Document::parse(&picture);
        prop_assert!(document.is_ok(), "{:?}", document.err());
        let document = document.unwrap();
        let drawn = document.descendants().filter(|element| has_class(element, "node")).count();
        prop_assert_eq!(drawn, graph.nodes().len());
        let lines = document.descendants().filter(|element| has_class(element, "line")).count();
        prop_assert_eq!(lines, graph.edges().len());
    }
}

#[test]
fn a_picture() {
    insta::assert_snapshot!(svg(&rework()));
}

#[test]
fn the_document_has_a_title_and_a_description() {
    let picture = svg(&linear());
    let document = Document::parse(&picture).unwrap();
    let root = document.root_element();
    assert_eq!(root.attribute("role"), Some("img"));
    assert_eq!(
        root.attribute("aria-label"),
        Some("decision-critic: a graph of 7 nodes and 6 edges")
    );
    let title = root.first_element_child().unwrap();
    assert_eq!(title.tag_name().name(), "title");
    assert_eq!(title.text(), Some("decision-critic"));
}

#[test]
fn the_document_has_no_external_references_and_no_scripts() {
    let picture = svg(&large());
    let linked = picture.replace("http://www.w3.org/2000/svg", "");
    for forbidden in ["<script", "href", "@import", "http", "url(h"] {
        assert!(!linked.contains(forbidden), "{forbidden}");
    }
    let document = Document::parse(&picture).unwrap();
    let mut attributes = document.descendants().flat_map(|element| element.attributes());
    assert!(attributes.all(|attribute| !attribute.name().starts_with("on")));
    assert!(picture.contains("prefers-color-scheme:dark"));
}

#[test]
fn nodes_carry_their_kind_and_state_and_edges_their_kind() {
    let picture = svg(&rework());
    assert!(picture.contains(r#"class="node gate current" data-id="review""#));
    assert!(picture.contains(r#"class="node start visited" data-id="write_plan""#));
    assert!(picture.contains(r#"class="edge back""#));
    let document = Document::parse(&picture).unwrap();
    assert_eq!(texts(&document, "caption-text"), ["ok", "fail ×2"]);
}

#[test]
fn a_long_name_takes_three_lines_and_ends_in_an_ellipsis() {
    let name = "a rather long name ".repeat(12);
    let nodes = vec![node("a", &name, NodeKind::Step)];
    let picture = svg(&Graph::new("", nodes, Vec::new()).unwrap());
    let lines = texts(&Document::parse(&picture).unwrap(), "name");
    assert_eq!(lines.len(), 3);
    assert!(lines[2].ends_with('…'));
    assert!(!lines[0].ends_with('…') && !lines[1].ends_with('…'));
}
