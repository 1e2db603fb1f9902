//! Routes the edges between placed nodes.
//!
//! Within a rank a line runs straight down, beside the boxes of that rank. It moves sideways only between ranks, so
//! that no line crosses a node. The ends of lines are spread along a node's border. A self-loop is drawn at the right
//! of its node.

use std::collections::BTreeMap;

use super::Graph;
use super::geometry::{Area, Caption, PlacedEdge, PlacedNode, Point, count};

/// The distance between a loop's caption and its line.
const LOOP_REACH: f64 = 8.0;
/// The distance between a loop's line and its node or the next inner loop. The layout leaves more space than this.
const LOOP_DISTANCE: f64 = 22.0;
/// The distance from a node's middle to the ends of its innermost loop.
const LOOP_INNER: f64 = 12.0;
/// The distance from one loop of a node to the next.
const LOOP_STEP: f64 = 6.0;
/// The width of the corners of a border, where no line arrives.
const CORNER: f64 = 18.0;
/// The distance between two lines on one border, if there is room.
const PORT_DISTANCE: f64 = 16.0;
/// How far a line runs straight from a border, so that its arrow head is upright.
const STUB: f64 = 9.0;

/// The intended course of an edge.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Thread {
    /// Whether the edge runs from top to bottom.
    pub(super) descends: bool,
    /// The points that the edge should pass through, from top to bottom, one for each rank.
    pub(super) knots: Vec<Point>,
    /// The middle of the edge's caption.
    pub(super) caption: Point,
}

impl Default for Thread {
    fn default() -> Self {
        Self {
            descends: true,
            knots: Vec::new(),
            caption: Point { x: 0.0, y: 0.0 },
        }
    }
}

/// The minimum height of a node whose loops begin and end on its right border.
pub(super) fn height_for_loops(loops: usize) -> f64 {
    match loops {
        0 => 0.0,
        _ => 2.0 * (LOOP_INNER + LOOP_STEP * count(loops)),
    }
}

/// The room that a loop needs to the right of its line.
pub(super) fn room_for_loop(caption: Option<&Caption>) -> f64 {
    LOOP_REACH + caption.map_or(0.0, |caption| caption.area.width)
}

/// Gives every edge a line, and every caption a position.
pub(super) fn route(
    graph: &Graph,
    nodes: &[PlacedNode],
    captions: Vec<Option<Caption>>,
    threads: &[Thread],
) -> Vec<PlacedEdge> {
    let bands = bands(nodes, &captions, threads);
    let ports = ports(graph, nodes, threads);
    let mut loops_drawn: Vec<(usize, f64)> = nodes.iter().map(|node| (0, node.area.right())).collect();
    let mut edges = Vec::with_capacity(threads.len());
    for (index, (caption, thread)) in captions.into_iter().zip(threads).enumerate() {
        let edge = &graph.edges()[index];
        let node = nodes[edge.from].area;
        edges.push(if edge.from == edge.to {
            let (nth, right) = &mut loops_drawn[edge.from];
            let line = *right + LOOP_DISTANCE;
            *right = line + room_for_loop(caption.as_ref());
            *nth += 1;
            self_loop(node, *nth - 1, line, caption)
        } else {
            let mut points = straight_through(&bands, &ports[index], &thread.knots);
            if !thread.descends {
                points.reverse();
            }
            PlacedEdge {
                points,
                caption: caption.map(|caption| caption.centred(thread.caption)),
            }
        });
    }
    edges
}

/// The line between two ports, from top to bottom. The line is straight within every rank. This includes the ranks of
/// its two nodes, because a neighbouring node may be taller.
fn straight_through(bands: &BTreeMap<i64, f64>, ports: &Ports, knots: &[Point]) -> Vec<Point> {
    let half = |middle: f64| bands.get(&band(middle)).copied().unwrap_or_default();
    let below_rank = ports.upper_middle + half(ports.upper_middle);
    let below_rank = below_rank.max(ports.upper.y + STUB);
    let above_rank = ports.lower_middle - half(ports.lower_middle);
    let above_rank = above_rank.min(ports.lower.y - STUB);
    let inner = knots.iter().flat_map(|knot| {
        let half = half(knot.y);
        [-half, half].map(|offset| (knot.x, knot.y + offset))
    });
    let mut points = vec![(ports.upper.x, ports.upper.y), (ports.upper.x, below_rank)];
    points.extend(inner);
    points.extend([(ports.lower.x, above_rank), (ports.lower.x, ports.lower.y)]);
    points.dedup();
    points.into_iter().map(|(x, y)| Point { x, y }).collect()
}

impl Caption {
    fn centred(self, centre: Point) -> Self {
        let size = (self.area.width, self.area.height);
        Self {
            area: Area::around(centre, size),
            ..self
        }
    }
}

/// A loop to the right of the node: out, down and back, with the caption beside it. Each further loop goes around the
/// earlier ones.
fn self_loop(node: Area, nth: usize, left: f64, caption: Option<Caption>) -> PlacedEdge {
    let middle = node.centre().y;
    let reach = LOOP_INNER + LOOP_STEP * count(nth);
    let corners = [
        (node.right(), middle - reach),
        (left, middle - reach),
        (left, middle + reach),
        (node.right(), middle + reach),
    ];
    PlacedEdge {
        points: corners.map(|(x, y)| Point { x, y }).to_vec(),
        caption: caption.map(|caption| {
            let x = left + LOOP_REACH + caption.area.width / 2.0;
            caption.centred(Point { x, y: middle })
        }),
    }
}

/// Identifies a rank by its middle, rounded to eighths of a unit.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a drawing is far smaller than the range of an i64"
)]
fn band(middle: f64) -> i64 {
    (middle * 8.0).round() as i64
}

/// Half of each rank's height. A rank is as high as its tallest node or caption.
fn bands(nodes: &[PlacedNode], captions: &[Option<Caption>], threads: &[Thread]) -> BTreeMap<i64, f64> {
    let nodes = nodes.iter().map(|node| (node.area.centre().y, node.area.height));
    let captions = captions
        .iter()
        .zip(threads)
        .filter_map(|(caption, thread)| Some((thread.caption.y, caption.as_ref()?.area.height)));
    let mut bands = BTreeMap::new();
    for (middle, height) in nodes.chain(captions) {
        let half: &mut f64 = bands.entry(band(middle)).or_default();
        *half = half.max(height / 2.0);
    }
    bands
}

/// The points where an edge meets its upper and lower nodes.
#[derive(Debug, Clone, Copy)]
struct Ports {
    upper: Point,
    lower: Point,
    /// The middle of the upper node's rank.
    upper_middle: f64,
    /// The middle of the lower node's rank.
    lower_middle: f64,
}

/// A border of a node at which edges arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Top,
    Bottom,
}

/// Finds the ports of each edge: the points where the edge's line meets the borders of its nodes. A port is straight
/// above or below the edge's nearest knot if the border extends that far. Ports on one border are spaced apart.
fn ports(graph: &Graph, nodes: &[PlacedNode], threads: &[Thread]) -> Vec<Ports> {
    let mut ports = Vec::with_capacity(threads.len());
    let mut arrivals: BTreeMap<(usize, Side), Vec<(f64, usize)>> = BTreeMap::new();
    for (index, (edge, thread)) in graph.edges().iter().zip(threads).enumerate() {
        let (upper, lower) = if thread.descends {
            (edge.from, edge.to)
        } else {
            (edge.to, edge.from)
        };
        let (above, below) = (nodes[upper].area, nodes[lower].area);
        ports.push(Ports {
            upper: Point {
                x: above.centre().x,
                y: above.bottom(),
            },
            lower: Point {
                x: below.centre().x,
                y: below.y,
            },
            upper_middle: above.centre().y,
            lower_middle: below.centre().y,
        });
        if edge.from == edge.to {
            continue;
        }
        let leaves_towards = thread.knots.first().map_or(below.centre().x, |knot| knot.x);
        let arrives_from = thread.knots.last().map_or(above.centre().x, |knot| knot.x);
        let arrival = arrivals.entry((upper, Side::Bottom)).or_default();
        arrival.push((leaves_towards, index));
        let arrival = arrivals.entry((lower, Side::Top)).or_default();
        arrival.push((arrives_from, index));
    }
    for ((node, side), mut wanted) in arrivals {
        wanted.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let area = nodes[node].area;
        let wanted_at: Vec<f64> = wanted.iter().map(|(x, _)| *x).collect();
        let spread = spread(&wanted_at, area.x + CORNER, area.right() - CORNER);
        for ((_, edge), x) in wanted.into_iter().zip(spread) {
            match side {
                Side::Top => ports[edge].lower.x = x,
                Side::Bottom => ports[edge].upper.x = x,
            }
        }
    }
    ports
}

/// Moves ascending values into a range and apart from each other.
fn spread(wanted: &[f64], low: f64, high: f64) -> Vec<f64> {
    let gaps = count(wanted.len().saturating_sub(1)).max(1.0);
    let distance = PORT_DISTANCE.min((high - low) / gaps);
    let mut spread = Vec::with_capacity(wanted.len());
    let mut at_least = low;
    for value in wanted {
        let value = value.max(at_least);
        at_least = value + distance;
        spread.push(value);
    }
    let mut at_most = high;
    for value in spread.iter_mut().rev() {
        *value = value.min(at_most);
        at_most = *value - distance;
    }
    spread
}
