//! A terminal screen as rows of styled cells.

/// A colour from the terminal's palette, or the default text colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Colour {
    #[default]
    Default,
    /// One of the 16 named colours.
    Named(u8),
}

/// A cell's style.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Style {
    pub(super) colour: Colour,
    pub(super) bold: bool,
    pub(super) dim: bool,
    pub(super) inverse: bool,
}

/// A cell of the screen. The second half of a wide character is a cell without text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) style: Style,
}

impl Default for Cell {
    fn default() -> Self {
        Self {
            text: " ".to_owned(),
            style: Style::default(),
        }
    }
}

impl Cell {
    fn is_blank(&self) -> bool {
        self.text == " " && !self.style.inverse
    }
}

/// A row of the screen, without blank cells at its end.
pub(super) type Row = Vec<Cell>;

/// The rows of a screen, without blank rows at its end.
pub(super) fn rows(screen: &vt100::Screen) -> Vec<Row> {
    let (height, width) = screen.size();
    let mut rows: Vec<Row> = (0..height)
        .map(|y| {
            let mut row: Row = (0..width).filter_map(|x| screen.cell(y, x)).map(cell).collect();
            while row.last().is_some_and(Cell::is_blank) {
                row.pop();
            }
            row
        })
        .collect();
    while rows.last().is_some_and(Vec::is_empty) {
        rows.pop();
    }
    rows
}

fn cell(cell: &vt100::Cell) -> Cell {
    let text = match cell.contents() {
        "" if cell.is_wide_continuation() => "",
        "" => " ",
        text => text,
    };
    let colour = match cell.fgcolor() {
        vt100::Color::Idx(index @ 0..16) => Colour::Named(index),
        _ => Colour::Default,
    };
    Cell {
        text: text.to_owned(),
        style: Style {
            colour,
            bold: cell.bold(),
            dim: cell.dim(),
            inverse: cell.inverse(),
        },
    }
}

/// Wraps a long row at spaces and after commas. Continuation rows are indented like the first.
pub(super) fn wrapped(row: &Row, columns: usize) -> Vec<Row> {
    let indent = row.iter().take_while(|cell| cell.is_blank()).count();
    let indent = if indent * 2 < columns { indent } else { 0 };
    let mut parts = Vec::new();
    let mut rest = row.as_slice();
    let mut margin = 0;
    while rest.len() + margin > columns {
        let room = columns - margin;
        let may_break = |at: &usize| rest[*at].is_blank() || rest[at - 1].text == ",";
        let at = (1..=room).rev().find(may_break);
        let at = at.filter(|at| rest[..*at].iter().any(|cell| !cell.is_blank()));
        let (part, after) = rest.split_at(at.unwrap_or(room));
        parts.push(indented(part, margin));
        rest = after.strip_prefix(&[Cell::default()]).unwrap_or(after);
        margin = indent;
    }
    parts.push(indented(rest, margin));
    parts
}

fn indented(cells: &[Cell], margin: usize) -> Row {
    let mut row = vec![Cell::default(); margin];
    row.extend_from_slice(cells);
    row
}
