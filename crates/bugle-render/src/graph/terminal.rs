//! A graph for a terminal: one line per node, with a rail at the left and lanes at the right.
//!
//! The rail connects a node to the next node if an edge does. Every other edge has a line below its source node. That
//! line names the target and runs into a lane with an arrow at the target. All edges to a node share one lane. A lane
//! that does not fit is omitted; the edge's line still names the target.

use unicode_width::UnicodeWidthStr as _;

use super::flow::{Flow, flow};
use super::text::{one_line, shorten};
use super::{Edge, EdgeKind, Graph, Node, NodeKind, NodeState};

/// The minimum width of a drawing in columns.
const LEAST_WIDTH: usize = 40;
/// Identifiers up to this width get their own column.
const ID_COLUMN: usize = 24;
/// The last column at which lanes may begin. Longer lines are hard to follow.
const TEXT_COLUMNS: usize = 56;

/// Options for terminal drawings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalStyle {
    /// The number of columns, at least 40.
    pub width: usize,
    /// Whether to colour the current node.
    pub colour: bool,
}

/// Draws the graph for a terminal.
pub fn terminal(graph: &Graph, style: TerminalStyle) -> String {
    let width = style.width.max(LEAST_WIDTH);
    let rows = rows(graph, &flow(graph));
    let mut lanes = lanes(&rows, graph.nodes().len());
    let lane_count = lanes.iter().flatten().map(|lane| lane.column + 1).max();

    let widest = rows.iter().map(|row| row.content.text(usize::MAX).width());
    let wanted = widest.max().unwrap_or_default();
    let text_width = match lane_count {
        None => wanted.min(width),
        Some(count) => {
            let beside_lanes = width.saturating_sub(2 * count + 1).min(TEXT_COLUMNS);
            wanted.min(beside_lanes.max(TEXT_COLUMNS.min(width * 3 / 5)))
        }
    };
    let lane_room = (width - text_width).saturating_sub(1) / 2;
    for lane in &mut lanes {
        *lane = lane.take().filter(|lane| lane.column < lane_room);
    }

    let title = shorten(&one_line(graph.title()), width);
    let mut out = String::new();
    if !title.is_empty() {
        out.push_str(&title);
        out.push_str("\n\n");
    }
    for (index, row) in rows.iter().enumerate() {
        let text = row.content.text(text_width);
        let used = text.width().min(text_width);
        let gutter = gutter(row, index, used, text_width, &lanes);
        let line = if style.colour && row.content.is_current() {
            format!("\u{1b}[1;36m{text}\u{1b}[0m{gutter}")
        } else {
            format!("{text}{gutter}")
        };
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// The text of a line, left of the lanes.
#[derive(Debug, Clone)]
enum Content {
    Node {
        marker: char,
        id: String,
        id_column: usize,
        label: String,
        tag: &'static str,
        current: bool,
    },
    Branch {
        rail: char,
        caption: String,
        direction: char,
        target: String,
    },
    Rail {
        rail: char,
        caption: String,
    },
}

/// How a line joins a lane. A lane is identified by the node it leads to.
#[derive(Debug, Clone, Copy)]
enum Link {
    Leaves { target: usize, stroke: char },
    Arrives { target: usize },
    Passes,
}

impl Link {
    fn target(self) -> Option<usize> {
        match self {
            Self::Leaves { target, .. } | Self::Arrives { target } => Some(target),
            Self::Passes => None,
        }
    }
}

#[derive(Debug, Clone)]
struct Row {
    content: Content,
    link: Link,
}

impl Content {
    fn is_current(&self) -> bool {
        matches!(self, Self::Node { current: true, .. })
    }

    /// The text in at most `room` columns.
    fn text(&self, room: usize) -> String {
        match self {
            Self::Node {
                marker,
                id,
                id_column,
                label,
                tag,
                ..
            } => {
                let padding = " ".repeat(id_column.saturating_sub(id.width()));
                let body = format!(" {marker} {id}{padding}  {label}");
                let body = shorten(body.trim_end(), room.saturating_sub(tag.width()));
                format!("{body}{tag}")
            }
            Self::Branch {
                rail,
                caption,
                direction,
                target,
            } => {
                let space = if caption.is_empty() { "" } else { " " };
                let before = format!(" {rail}─ ");
                let between = format!("{space}{direction} ");
                let room = room.saturating_sub(before.width() + between.width());
                // Each name gets half the room, plus the room that the other name does not need.
                let for_caption = room.saturating_sub(target.width()).max(room / 2);
                let caption = shorten(caption, for_caption);
                let target = shorten(target, room.saturating_sub(caption.width()));
                format!("{before}{caption}{between}{target}")
            }
            Self::Rail { rail, caption } => {
                let text = format!(" {rail} {caption}");
                shorten(text.trim_end(), room)
            }
        }
    }
}

/// All lines from top to bottom.
fn rows(graph: &Graph, flow: &Flow) -> Vec<Row> {
    let nodes = graph.nodes();
    let ids: Vec<String> = nodes.iter().map(|node| one_line(&node.id)).collect();
    let short = ids
        .iter()
        .map(|id| id.width())
        .filter(|width| *width <= ID_COLUMN);
    let id_column = short.max().unwrap_or_default();
    let spine: Vec<Option<usize>> = (0..nodes.len())
        .map(|place| spine_edge(graph, flow, place))
        .collect();
    let mut has_lane = vec![false; nodes.len()];
    for (index, edge) in graph.edges().iter().enumerate() {
        if !spine.contains(&Some(index)) {
            has_lane[edge.to] = true;
        }
    }

    let mut rows = Vec::new();
    let mut phase = None;
    for (place, &index) in flow.order.iter().enumerate() {
        let joined = place > 0 && spine[place - 1].is_some();
        let node = &nodes[index];
        if node.phase.is_some() && node.phase != phase {
            phase.clone_from(&node.phase);
            let name = node.phase.as_deref().map(one_line).unwrap_or_default();
            rows.push(rail(joined, &format!("· {name} ·")));
        }
        rows.push(node_row(node, index, id_column, has_lane[index]));
        let branches: Vec<&Edge> = graph
            .edges()
            .iter()
            .enumerate()
            .filter(|(edge, _)| spine[place] != Some(*edge))
            .map(|(_, edge)| edge)
            .filter(|edge| edge.from == index)
            .collect();
        for (nth, edge) in branches.iter().enumerate() {
            let last = nth + 1 == branches.len() && spine[place].is_none();
            rows.push(branch_row(edge, flow, last, &ids[edge.to]));
        }
        if place + 1 < nodes.len() {
            let caption = spine[place].and_then(|edge| graph.edges()[edge].caption());
            rows.push(rail(spine[place].is_some(), &caption.unwrap_or_default()));
        }
    }
    rows
}

/// The edge that is drawn as the rail from a node to the node below.
fn spine_edge(graph: &Graph, flow: &Flow, place: usize) -> Option<usize> {
    let (from, to) = (flow.order[place], *flow.order.get(place + 1)?);
    graph
        .edges()
        .iter()
        .position(|edge| edge.kind == EdgeKind::Forward && edge.from == from && edge.to == to)
}

fn rail(joined: bool, caption: &str) -> Row {
    Row {
        content: Content::Rail {
            rail: if joined { '│' } else { ' ' },
            caption: caption.to_owned(),
        },
        link: Link::Passes,
    }
}

fn node_row(node: &Node, index: usize, id_column: usize, has_lane: bool) -> Row {
    let marker = match (node.state, node.kind) {
        (NodeState::Current, _) => '▶',
        (NodeState::Visited, NodeKind::End) => '■',
        (NodeState::Visited, _) => '●',
        (NodeState::Plain, NodeKind::End) => '□',
        (NodeState::Plain, _) => '○',
    };
    let id = one_line(&node.id);
    let label = Some(one_line(&node.label)).filter(|label| *label != id);
    Row {
        content: Content::Node {
            marker,
            id,
            id_column,
            label: label.unwrap_or_default(),
            tag: match node.kind {
                NodeKind::Ask => " [ask]",
                NodeKind::Dispatch => " [dispatch]",
                NodeKind::Gate => " [gate]",
                NodeKind::Start | NodeKind::Step | NodeKind::End => "",
            },
            current: node.state == NodeState::Current,
        },
        link: if has_lane {
            Link::Arrives { target: index }
        } else {
            Link::Passes
        },
    }
}

fn branch_row(edge: &Edge, flow: &Flow, last: bool, target: &str) -> Row {
    let direction = match flow.place[edge.to].cmp(&flow.place[edge.from]) {
        std::cmp::Ordering::Greater => '↓',
        std::cmp::Ordering::Less => '↑',
        std::cmp::Ordering::Equal => '↺',
    };
    Row {
        content: Content::Branch {
            rail: if last { '└' } else { '├' },
            caption: edge.caption().unwrap_or_default(),
            direction,
            target: target.to_owned(),
        },
        link: Link::Leaves {
            target: edge.to,
            stroke: if edge.kind == EdgeKind::Error {
                '╌'
            } else {
                '─'
            },
        },
    }
}

/// The vertical line that leads to a node: its column, counted from the left, and its first and last rows.
#[derive(Debug, Clone, Copy)]
struct Lane {
    column: usize,
    first: usize,
    last: usize,
}

/// Gives a lane to every node that needs one. Short lanes are nearest to the text, and no two lanes in a column
/// overlap.
fn lanes(rows: &[Row], nodes: usize) -> Vec<Option<Lane>> {
    let mut lanes: Vec<Option<Lane>> = vec![None; nodes];
    for (index, row) in rows.iter().enumerate() {
        if let Some(target) = row.link.target() {
            let first = lanes[target].map_or(index, |lane| lane.first);
            lanes[target] = Some(Lane {
                column: 0,
                first,
                last: index,
            });
        }
    }
    let mut by_length: Vec<&mut Lane> = lanes.iter_mut().flatten().collect();
    by_length.sort_by_key(|lane| (lane.last - lane.first, lane.first));
    let mut taken: Vec<Lane> = Vec::new();
    for lane in by_length {
        let clashes = |column: usize| {
            taken
                .iter()
                .any(|other| other.column == column && other.first <= lane.last && lane.first <= other.last)
        };
        while clashes(lane.column) {
            lane.column += 1;
        }
        taken.push(*lane);
    }
    lanes
}

/// The lanes to the right of a row's text.
fn gutter(row: &Row, index: usize, used: usize, text_width: usize, lanes: &[Option<Lane>]) -> String {
    let column_of = |lane: &Lane| text_width + 2 + 2 * lane.column - used;
    let here = lanes
        .iter()
        .flatten()
        .filter(|lane| (lane.first..=lane.last).contains(&index));
    let mut cells: Vec<char> = Vec::new();
    for lane in here {
        let column = column_of(lane);
        cells.resize(cells.len().max(column + 1), ' ');
        cells[column] = '│';
    }
    let joined = row.link.target().and_then(|target| lanes[target]);
    if let Some(lane) = joined {
        let column = column_of(&lane);
        let stroke = match row.link {
            Link::Leaves { stroke, .. } => stroke,
            Link::Arrives { .. } | Link::Passes => '─',
        };
        for cell in &mut cells[1..column] {
            *cell = if *cell == '│' { '┼' } else { stroke };
        }
        if matches!(row.link, Link::Arrives { .. }) {
            cells[1] = '◄';
        }
        cells[column] = match index {
            index if index == lane.first => '┐',
            index if index == lane.last => '┘',
            _ => '┤',
        };
    }
    cells.into_iter().collect()
}
