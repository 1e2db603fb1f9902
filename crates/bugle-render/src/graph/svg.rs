//! A graph as one SVG document without external references.

use std::fmt::Write as _;

use bugle_core::count::counted;

use super::layout::{
    Area, Caption, DETAIL_LEADING, Layout, NAME_LEADING, PlacedEdge, PlacedNode, Point, layout,
};
use super::style::style_sheet;
use super::text::{one_line, wrap};
use super::{EdgeKind, Graph, Node, NodeKind};

/// The height of the title.
const HEADING_HEIGHT: f64 = 34.0;
/// The font size of the title.
const HEADING_SIZE: f64 = 17.0;
/// The minimum width of the drawing, so that the title has room.
const LEAST_WIDTH: f64 = 280.0;
/// The radius of a line's corners.
const BEND: f64 = 6.0;
/// How far a shape may cut into its corners. Lines meet the border farther inside.
const CUT: f64 = 10.0;

/// Draws the graph as a standalone SVG document.
pub fn svg(graph: &Graph) -> String {
    let layout = layout(graph);
    let heading = wrap(
        graph.title(),
        HEADING_SIZE,
        layout.width.max(LEAST_WIDTH) - 40.0,
        1,
    )
    .pop();
    let offset = if heading.is_some() { HEADING_HEIGHT } else { 0.0 };
    let width = layout.width.max(LEAST_WIDTH);
    let height = layout.height + offset;
    let title = one_line(graph.title());
    let title = if title.is_empty() {
        "Workflow"
    } else {
        title.as_str()
    };

    let mut out = String::new();
    let _ = writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" class="bugle-graph" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" aria-label="{label}">"#,
        w = number(width),
        h = number(height),
        label = escape(&description(graph, title)),
    );
    let _ = writeln!(out, "<title>{}</title>", escape(title));
    let _ = writeln!(out, "<style>\n{}</style>\n{}", style_sheet(), heads());
    let _ = writeln!(
        out,
        r#"<rect class="canvas" width="{}" height="{}"/>"#,
        number(width),
        number(height)
    );
    if let Some(heading) = heading {
        out.push_str(&text_line("heading", Point { x: 20.0, y: 32.0 }, &heading));
    }
    let shift = number((width - layout.width) / 2.0);
    let _ = writeln!(out, r#"<g transform="translate({shift} {})">"#, number(offset));
    out.push_str(&drawing(graph, &layout));
    out.push_str("</g>\n</svg>\n");
    out
}

/// Draws the graph as an element of a page that provides the style sheet and the title.
pub fn figure(graph: &Graph) -> String {
    let layout = layout(graph);
    let (width, height) = (layout.width, layout.height);
    let title = one_line(graph.title());
    format!(
        "<svg class=\"bugle-graph\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"img\" \
         aria-label=\"{label}\">\n{heads}\n{drawing}</svg>\n",
        w = number(width),
        h = number(height),
        label = escape(&description(
            graph,
            if title.is_empty() { "Workflow" } else { &title }
        )),
        heads = heads(),
        drawing = drawing(graph, &layout),
    )
}

/// Draws lines first, then nodes, then captions, so that text is on top.
fn drawing(graph: &Graph, layout: &Layout) -> String {
    let edges = || graph.edges().iter().zip(&layout.edges);
    let lines = edges().map(|(edge, placed)| line(edge.kind, placed));
    let nodes = graph.nodes().iter().zip(&layout.nodes);
    let captions = edges().filter_map(|(edge, placed)| Some(caption(edge.kind, placed.caption.as_ref()?)));
    lines
        .chain(nodes.map(|(node, placed)| box_of(node, placed)))
        .chain(captions)
        .collect()
}

/// The description for screen readers.
fn description(graph: &Graph, title: &str) -> String {
    let (nodes, edges) = (graph.nodes().len(), graph.edges().len());
    format!(
        "{title}: a graph of {} and {}",
        counted(nodes, "node"),
        counted(edges, "edge")
    )
}

/// The arrow heads, one for each kind of edge, in the same colour as the edge.
fn heads() -> String {
    let kinds = [EdgeKind::Forward, EdgeKind::Loop, EdgeKind::Back, EdgeKind::Error];
    let markers: String = kinds
        .map(|kind| {
            let kind = kind.word();
            format!(
                r#"<marker id="bugle-head-{kind}" class="head-{kind}" viewBox="0 0 10 10" refX="9.5" refY="5" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0.8L10 5L0 9.2L2.4 5Z"/></marker>"#
            )
        })
        .join("\n");
    format!("<defs>\n{markers}\n</defs>")
}

fn line(kind: EdgeKind, edge: &PlacedEdge) -> String {
    let kind = kind.word();
    format!(
        "<g class=\"edge {kind}\"><path class=\"line\" d=\"{}\" marker-end=\"url(#bugle-head-{kind})\"/></g>\n",
        path(&edge.points)
    )
}

fn caption(kind: EdgeKind, caption: &Caption) -> String {
    let area = caption.area;
    let middle = area.centre();
    let baseline = Point {
        x: middle.x,
        y: middle.y + 4.0,
    };
    format!(
        "<g class=\"edge {}\"><rect class=\"caption\" {} rx=\"{}\"/>{}</g>\n",
        kind.word(),
        place(area),
        number(area.height / 2.0),
        text_line("caption-text", baseline, &caption.text)
    )
}

fn box_of(node: &Node, placed: &PlacedNode) -> String {
    let area = placed.area;
    let checks = node
        .checks
        .iter()
        .map(|check| format!("\nCheck: {}", escape(&one_line(check))));
    let mut out = format!(
        "<g class=\"node {kind} {state}\" data-id=\"{id}\"><title>{name} ({kind}, {state}){checks}</title>\n{shape}\n",
        kind = node.kind.word(),
        state = node.state.word(),
        id = escape(&node.id),
        name = escape(&node.name()),
        checks = checks.collect::<String>(),
        shape = shape(node.kind, area),
    );
    let detail = placed.detail.iter().map(|line| ("detail", line, DETAIL_LEADING));
    let name = placed.name.iter().map(|line| ("name", line, NAME_LEADING));
    let lines: Vec<_> = name.chain(detail).collect();
    let text_height: f64 = lines.iter().map(|(_, _, leading)| leading).sum();
    let middle = area.centre();
    let mut y = middle.y - text_height / 2.0;
    for (class, line, leading) in lines {
        y += leading;
        let baseline = Point {
            x: middle.x,
            y: y - 4.5,
        };
        out.push_str(&text_line(class, baseline, line));
    }
    out.push_str("</g>\n");
    out
}

/// The outline of a node. All outlines fill the node's area up to its corners.
fn shape(kind: NodeKind, area: Area) -> String {
    let (left, top, right, bottom) = (area.x, area.y, area.right(), area.bottom());
    let rounded = |radius: f64| format!(r#"<rect class="shape" {} rx="{}"/>"#, place(area), number(radius));
    let outline = |corners: &[(f64, f64)]| {
        let corners: Vec<String> = corners
            .iter()
            .map(|(x, y)| format!("{} {}", number(*x), number(*y)))
            .collect();
        format!(r#"<path class="shape" d="M{}Z"/>"#, corners.join("L"))
    };
    match kind {
        NodeKind::Step => rounded(6.0),
        NodeKind::Start | NodeKind::End => rounded((area.height / 2.0).min(16.0)),
        // Doubled sides: the work goes to sub-agents and comes back.
        NodeKind::Dispatch => format!(
            r#"{}<path class="trim" d="M{l} {t}V{b}M{r} {t}V{b}"/>"#,
            rounded(3.0),
            l = number(left + 6.0),
            r = number(right - 6.0),
            t = number(top),
            b = number(bottom),
        ),
        // Four cut corners: a barrier.
        NodeKind::Gate => outline(&[
            (left + CUT, top),
            (right - CUT, top),
            (right, top + CUT),
            (right, bottom - CUT),
            (right - CUT, bottom),
            (left + CUT, bottom),
            (left, bottom - CUT),
            (left, top + CUT),
        ]),
        // A folded corner: a note to a person.
        NodeKind::Ask => format!(
            r#"{}<path class="trim" d="M{x} {t}V{y}H{r}"/>"#,
            outline(&[
                (left, top),
                (right - CUT, top),
                (right, top + CUT),
                (right, bottom),
                (left, bottom),
            ]),
            x = number(right - CUT),
            t = number(top),
            y = number(top + CUT),
            r = number(right),
        ),
    }
}

fn place(area: Area) -> String {
    format!(
        r#"x="{}" y="{}" width="{}" height="{}""#,
        number(area.x),
        number(area.y),
        number(area.width),
        number(area.height)
    )
}

fn text_line(class: &str, baseline: Point, text: &str) -> String {
    format!(
        "<text class=\"{class}\" x=\"{}\" y=\"{}\">{}</text>\n",
        number(baseline.x),
        number(baseline.y),
        escape(text)
    )
}

/// The line through the points. Vertical and horizontal parts are straight with round corners; slanted parts are curves
/// with vertical ends.
fn path(points: &[Point]) -> String {
    let mut out = String::new();
    for (index, point) in points.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| points.get(index));
        let after = points.get(index + 1);
        match (before, after) {
            (None, _) => {
                let _ = write!(out, "M{}", pair(*point));
            }
            (Some(before), _) if slanted(*before, *point) => {
                let y = f64::midpoint(before.y, point.y);
                let (leave, arrive) = (Point { x: before.x, y }, Point { x: point.x, y });
                let _ = write!(out, "C{} {} {}", pair(leave), pair(arrive), pair(*point));
            }
            (Some(before), Some(after)) if turns(*before, *point, *after) => {
                let (start, end) = (towards(*point, *before), towards(*point, *after));
                let _ = write!(out, "L{}Q{} {}", pair(start), pair(*point), pair(end));
            }
            (Some(_), _) => {
                let _ = write!(out, "L{}", pair(*point));
            }
        }
    }
    out
}

fn level(one: Point, other: Point) -> bool {
    (one.y - other.y).abs() < 0.01
}

fn upright(one: Point, other: Point) -> bool {
    (one.x - other.x).abs() < 0.01
}

fn slanted(one: Point, other: Point) -> bool {
    !level(one, other) && !upright(one, other)
}

/// Whether the line turns at a right angle.
fn turns(before: Point, point: Point, after: Point) -> bool {
    (level(before, point) && upright(point, after)) || (upright(before, point) && level(point, after))
}

/// The point one bend radius from `from` towards `to`, but at most halfway.
fn towards(from: Point, to: Point) -> Point {
    let (x, y) = (to.x - from.x, to.y - from.y);
    let share = (BEND / x.hypot(y).max(0.01)).min(0.5);
    Point {
        x: from.x + x * share,
        y: from.y + y * share,
    }
}

fn pair(point: Point) -> String {
    format!("{} {}", number(point.x), number(point.y))
}

/// A length with at most one decimal place.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// Escapes text for an element or a quoted attribute. Characters that XML forbids become the replacement character.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            // Marks that change the writing direction would affect neighbouring text.
            '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{fffe}'
            | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            _ => out.push(c),
        }
    }
    out
}
