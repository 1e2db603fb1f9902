//! Layered layout: positions of nodes, edges and captions, from top to bottom.
//!
//! The `dagre` crate computes the ranks, the order within a rank and the coordinates; only [`layout`] uses it. All
//! edges passed to the crate point downwards, and all captions are boxes, so that the crate keeps captions apart from
//! nodes and from each other. Then `route` draws the lines.

use dagre::graph::{Graph as Canvas, GraphOptions};
use dagre::layout::types::LabelPos;
use dagre::{EdgeLabel, LayoutOptions, NodeLabel};

use super::flow::flow;
use super::geometry::count;
pub use super::geometry::{Area, Caption, PlacedEdge, PlacedNode, Point};
use super::route::{self, Thread};
use super::text::{NAME_SIZE, SMALL_SIZE, units, wrap};
use super::{Edge, EdgeKind, Graph, Node};

/// The maximum width of a node's name.
const NAME_WIDTH: f64 = 190.0;
/// The maximum width of an edge's caption.
const CAPTION_WIDTH: f64 = 150.0;
/// The maximum number of lines in a node's name.
const NAME_LINES: usize = 3;
/// The line height of names.
pub(super) const NAME_LEADING: f64 = 18.0;
/// The line height of the identifier under the name.
pub(super) const DETAIL_LEADING: f64 = 16.0;
/// The padding of a node.
const NODE_PADDING: (f64, f64) = (18.0, 10.0);
/// The padding of a caption.
const CAPTION_PADDING: (f64, f64) = (6.0, 3.0);
/// The margin of the drawing.
const MARGIN: f64 = 20.0;

/// A whole drawing in abstract units: nodes and edges in the graph's own order.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// The width of the drawing.
    pub width: f64,
    /// The height of the drawing.
    pub height: f64,
    /// The nodes.
    pub nodes: Vec<PlacedNode>,
    /// The edges.
    pub edges: Vec<PlacedEdge>,
}

/// Places everything. The same graph always gives the same layout.
pub fn layout(graph: &Graph) -> Layout {
    let mut nodes: Vec<PlacedNode> = graph.nodes().iter().map(unplaced_node).collect();
    for (index, node) in nodes.iter_mut().enumerate() {
        let loops = graph.edges().iter();
        let loops = loops.filter(|edge| edge.from == index && edge.to == index);
        node.area.height = node.area.height.max(route::height_for_loops(loops.count()));
    }
    let captions: Vec<Option<Caption>> = graph.edges().iter().map(unplaced_caption).collect();

    let threads = place(graph, &mut nodes, &captions);
    let edges = route::route(graph, &nodes, captions, &threads);
    at_origin(nodes, edges)
}

/// Places the nodes with `dagre` and returns the intended course of each edge.
fn place(graph: &Graph, nodes: &mut [PlacedNode], captions: &[Option<Caption>]) -> Vec<Thread> {
    let place_in_flow = flow(graph).place;
    let descends = |edge: &Edge| place_in_flow[edge.from] <= place_in_flow[edge.to];
    let ends = |edge: &Edge| {
        if descends(edge) {
            (node_key(edge.from), node_key(edge.to))
        } else {
            (node_key(edge.to), node_key(edge.from))
        }
    };

    let mut canvas: Canvas<NodeLabel, EdgeLabel> = Canvas::with_options(GraphOptions {
        directed: true,
        multigraph: true,
        compound: false,
    });
    for (index, node) in nodes.iter().enumerate() {
        let label = NodeLabel {
            width: node.area.width,
            height: node.area.height,
            ..NodeLabel::default()
        };
        canvas.set_node(node_key(index), Some(label));
    }
    for (index, (edge, caption)) in graph.edges().iter().zip(captions).enumerate() {
        let (upper, lower) = ends(edge);
        let (width, height) = room_for(edge, caption.as_ref());
        let label = EdgeLabel {
            width,
            height,
            weight: if edge.kind == EdgeKind::Forward { 4 } else { 1 },
            labelpos: LabelPos::Center,
            ..EdgeLabel::default()
        };
        canvas.set_edge(upper, lower, Some(label), Some(&edge_key(index)));
    }
    dagre::layout(&mut canvas, Some(options()));

    for (index, node) in nodes.iter_mut().enumerate() {
        let placed = canvas.node(&node_key(index));
        let centre = placed.map_or(Point { x: 0.0, y: 0.0 }, |label| point(label.x, label.y));
        node.area = Area::around(centre, (node.area.width, node.area.height));
    }
    let thread = |(index, edge): (usize, &Edge)| {
        let (upper, lower) = ends(edge);
        let placed = canvas.edge(&upper, &lower, Some(&edge_key(index)));
        placed.map_or_else(Thread::default, |label| {
            // Drop the first and the last point, which are on the nodes: `route` finds better ones.
            let inner = label.points.get(1..label.points.len().saturating_sub(1));
            let knots = inner.unwrap_or_default().iter();
            Thread {
                descends: descends(edge),
                knots: knots.map(|knot| point(Some(knot.x), Some(knot.y))).collect(),
                caption: point(label.x, label.y),
            }
        })
    };
    graph.edges().iter().enumerate().map(thread).collect()
}

fn options() -> LayoutOptions {
    LayoutOptions {
        nodesep: 44.0,
        edgesep: 26.0,
        ranksep: 60.0,
        ..LayoutOptions::default()
    }
}

/// The room for an edge's caption. A loop needs room even without a caption.
fn room_for(edge: &Edge, caption: Option<&Caption>) -> (f64, f64) {
    let area = caption.map(|caption| caption.area);
    let height = area.map_or(0.0, |area| area.height);
    if edge.from == edge.to {
        (route::room_for_loop(caption), height.max(1.0))
    } else {
        (area.map_or(0.0, |area| area.width), height)
    }
}

fn node_key(index: usize) -> String {
    format!("n{index}")
}

fn edge_key(index: usize) -> String {
    format!("e{index}")
}

fn point(x: Option<f64>, y: Option<f64>) -> Point {
    Point {
        x: x.unwrap_or_default(),
        y: y.unwrap_or_default(),
    }
}

fn unplaced_node(node: &Node) -> PlacedNode {
    let name = wrap(&node.name(), NAME_SIZE, NAME_WIDTH, NAME_LINES);
    let id = Some(node.id.as_str()).filter(|id| *id != node.label && !node.label.is_empty());
    let detail: Vec<&str> = id.into_iter().chain(node.phase.as_deref()).collect();
    let detail = wrap(&detail.join(" · "), SMALL_SIZE, NAME_WIDTH, 1).pop();

    let name_width = name.iter().map(|line| units(line, NAME_SIZE));
    let detail_width = detail.iter().map(|line| units(line, SMALL_SIZE));
    let text_width = name_width.chain(detail_width).fold(0.0, f64::max);
    let detail_height = if detail.is_some() { DETAIL_LEADING } else { 0.0 };
    let text_height = count(name.len().max(1)) * NAME_LEADING + detail_height;
    let size = (
        (text_width + 2.0 * NODE_PADDING.0).max(80.0),
        text_height + 2.0 * NODE_PADDING.1,
    );
    PlacedNode {
        area: Area::around(Point { x: 0.0, y: 0.0 }, size),
        name,
        detail,
    }
}

fn unplaced_caption(edge: &Edge) -> Option<Caption> {
    let text = wrap(&edge.caption()?, SMALL_SIZE, CAPTION_WIDTH, 1).pop()?;
    let size = (
        units(&text, SMALL_SIZE) + 2.0 * CAPTION_PADDING.0,
        SMALL_SIZE + 2.0 + 2.0 * CAPTION_PADDING.1,
    );
    Some(Caption {
        area: Area::around(Point { x: 0.0, y: 0.0 }, size),
        text,
    })
}

/// Moves everything to the margin, and measures the drawing.
fn at_origin(mut nodes: Vec<PlacedNode>, mut edges: Vec<PlacedEdge>) -> Layout {
    let captions = edges.iter().filter_map(|edge| edge.caption.as_ref());
    let areas = nodes.iter().map(|node| node.area);
    let points = edges.iter().flat_map(|edge| &edge.points);
    let corners: Vec<Point> = areas
        .chain(captions.map(|caption| caption.area))
        .flat_map(|area| {
            let (x, y) = (area.right(), area.bottom());
            [Point { x: area.x, y: area.y }, Point { x, y }]
        })
        .chain(points.copied())
        .collect();
    let extent = |values: fn(&Point) -> f64| {
        corners.iter().map(values).fold(None, |extent, value| {
            let (low, high): (f64, f64) = extent.unwrap_or((value, value));
            Some((low.min(value), high.max(value)))
        })
    };
    let (left, right) = extent(|corner| corner.x).unwrap_or_default();
    let (top, bottom) = extent(|corner| corner.y).unwrap_or_default();

    let (right_by, down_by) = (MARGIN - left, MARGIN - top);
    let shift = |area: &mut Area| {
        area.x += right_by;
        area.y += down_by;
    };
    for node in &mut nodes {
        shift(&mut node.area);
    }
    for edge in &mut edges {
        for point in &mut edge.points {
            point.x += right_by;
            point.y += down_by;
        }
        if let Some(caption) = &mut edge.caption {
            shift(&mut caption.area);
        }
    }
    Layout {
        width: right - left + 2.0 * MARGIN,
        height: bottom - top + 2.0 * MARGIN,
        nodes,
        edges,
    }
}
