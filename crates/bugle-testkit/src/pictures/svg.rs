//! Draws a recording as an SVG file: a window with text, in the reader's preferred colour scheme.

use std::fmt::Write as _;

use super::animation::{Part, parts, rules};
use super::scene::Recording;
use super::screen::{Cell, Colour, Row, Style};

const CELL_WIDTH: f64 = 8.4;
const ROW_HEIGHT: f64 = 17.0;
/// The distance from the top of a row to its baseline.
const BASELINE: f64 = 13.0;
const PADDING: f64 = 18.0;
const TITLE_BAR: f64 = 34.0;
/// The width of the prompt, in columns.
const PROMPT: usize = 2;

const STYLE: &str = "\
svg{--paper:#fff;--bar:#f0f2f5;--line:#d0d7de;--ink:#1f2933;--muted:#66727f;--c1:#c23232;--c2:#217a3c;--c3:#946200;\
--c4:#2c62b8;--c5:#8a3fb0;--c6:#0b7285}\n\
@media (prefers-color-scheme:dark){svg{--paper:#12171d;--bar:#1c232b;--line:#323b45;--ink:#d7dee6;--muted:#8f9ba8;\
--c1:#ff8b85;--c2:#6cce83;--c3:#e3b341;--c4:#7db2ff;--c5:#d6a2f2;--c6:#5cc8d9}}\n\
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:var(--ink)}\n\
.b{font-weight:700}.d{opacity:.65}\
.c1{fill:var(--c1)}.c2{fill:var(--c2)}.c3{fill:var(--c3)}.c4{fill:var(--c4)}.c5{fill:var(--c5)}.c6{fill:var(--c6)}\
.c7{fill:var(--muted)}\n\
.paper,.i{fill:var(--paper)}.frame{fill:none;stroke:var(--line)}.bar{fill:var(--bar)}.ink{fill:var(--ink)}\n";

/// Draws a recording as an SVG file.
pub fn draw(recording: &Recording) -> String {
    let parts = recording.window.map(|window| (parts(recording), window));
    let shown_rows = match &parts {
        Some((_, window)) => *window,
        None => recording.rows.len(),
    };
    let inner_width = f64::from(recording.columns) * CELL_WIDTH;
    let inner_height = count(shown_rows) * ROW_HEIGHT;
    let (width, height) = (
        inner_width + 2.0 * PADDING,
        inner_height + TITLE_BAR + 2.0 * PADDING,
    );
    let title = escaped(&recording.title);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" role=\"img\" aria-labelledby=\"title\">\n<title id=\"title\">{title}</title>\n\
         <style>\n{STYLE}"
    );
    if let Some((parts, window)) = &parts {
        svg.push_str(&rules(parts, *window, ROW_HEIGHT));
    }
    svg.push_str("</style>\n");
    svg.push_str(&frame(width, height));
    // A nested `svg` element clips rows that have scrolled out of the window.
    writeln!(
        svg,
        "<svg x=\"{PADDING}\" y=\"{}\" width=\"{inner_width:.1}\" height=\"{inner_height:.0}\">",
        TITLE_BAR + PADDING
    )
    .ok();
    match &parts {
        Some((parts, _)) => {
            svg.push_str("<g class=\"scroll\">\n");
            for part in parts {
                svg.push_str(&drawn_part(part, &recording.rows));
            }
            svg.push_str("</g>\n");
        }
        None => svg.push_str(&drawn_rows(&recording.rows, 0)),
    }
    svg.push_str("</svg>\n</svg>\n");
    svg
}

/// The window: background, title bar with three buttons, border.
fn frame(width: f64, height: f64) -> String {
    let (right, bottom) = (width - 0.5, height - 0.5);
    let buttons: String = ["c1", "c3", "c2"]
        .iter()
        .zip([20, 40, 60])
        .map(|(colour, x)| {
            format!("<circle class=\"{colour}\" cx=\"{x}\" cy=\"17\" r=\"6\" opacity=\".75\"/>")
        })
        .collect();
    format!(
        "<rect class=\"paper\" width=\"{width:.0}\" height=\"{height:.0}\" rx=\"10\"/>\
         <path class=\"bar\" d=\"M.5 34V10A9.5 9.5 0 0 1 10 .5H{:.1}A9.5 9.5 0 0 1 {right:.1} 10V34Z\"/>{buttons}\
         <path class=\"frame\" d=\"M.5 34H{right:.1}M10 .5H{:.1}A9.5 9.5 0 0 1 {right:.1} 10V{:.1}A9.5 9.5 0 0 1 {:.1} \
         {bottom:.1}H10A9.5 9.5 0 0 1 .5 {:.1}V10A9.5 9.5 0 0 1 10 .5Z\"/>\n",
        right - 9.5,
        right - 9.5,
        bottom - 9.5,
        right - 9.5,
        bottom - 9.5,
    )
}

fn drawn_part(part: &Part, rows: &[Row]) -> String {
    let Some(own) = rows.get(part.first..part.end.min(rows.len())) else {
        return String::new();
    };
    let mut drawn = format!("<g class=\"part\" style=\"animation-delay:{}ms\">\n", part.at);
    drawn.push_str(&drawn_rows(own, part.first));
    if part.typed {
        drawn.push_str(&covers(part, own));
    }
    drawn.push_str("</g>\n");
    drawn
}

/// Covers for the rows of a command. Each shrinks from the left, letter by letter, and leaves the prompt visible.
fn covers(part: &Part, rows: &[Row]) -> String {
    let cover = |(index, row): (usize, &Row)| {
        let first = if index == 0 { PROMPT } else { 0 };
        let letters = row.len().saturating_sub(first).max(1);
        format!(
            "<rect class=\"paper cover\" x=\"{:.1}\" y=\"{:.0}\" width=\"{:.1}\" height=\"{ROW_HEIGHT:.0}\" \
             style=\"animation-delay:{}ms;animation-timing-function:steps({letters})\"/>\n",
            count(first) * CELL_WIDTH,
            count(part.first + index) * ROW_HEIGHT,
            count(letters) * CELL_WIDTH,
            part.at,
        )
    };
    rows.iter().enumerate().map(cover).collect()
}

fn drawn_rows(rows: &[Row], first: usize) -> String {
    let numbered = rows.iter().enumerate();
    numbered
        .map(|(index, row)| drawn_row(row, count(first + index) * ROW_HEIGHT))
        .collect()
}

/// Draws a row as runs of cells with the same style.
fn drawn_row(row: &Row, top: f64) -> String {
    let mut drawn = String::new();
    let mut column = 0;
    for cells in row.chunk_by(|one, next| one.style == next.style) {
        let style = cells.first().map(|cell| cell.style).unwrap_or_default();
        if style.inverse {
            drawn.push_str(&background(style, column, cells.len(), top));
        }
        drawn.push_str(&drawn_words(cells, style, column, top));
        column += cells.len();
    }
    drawn
}

fn background(style: Style, column: usize, length: usize, top: f64) -> String {
    let class = colour_class(style).unwrap_or_else(|| "ink".to_owned());
    let (left, width) = (count(column) * CELL_WIDTH, count(length) * CELL_WIDTH);
    format!(
        "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{top:.0}\" width=\"{width:.1}\" height=\"{ROW_HEIGHT:.0}\"/>\n"
    )
}

/// Draws text elements, split at double spaces because viewers would collapse them. Each has an explicit position and
/// length, so that columns are aligned in any font.
fn drawn_words(cells: &[Cell], style: Style, column: usize, top: f64) -> String {
    let class = classes(style);
    let y = top + BASELINE;
    let is_space = |index: usize| cells.get(index).is_none_or(|cell| cell.text == " ");
    let mut drawn = String::new();
    let mut first = 0;
    while first < cells.len() {
        if is_space(first) {
            first += 1;
            continue;
        }
        let after = (first..cells.len()).find(|index| is_space(*index) && is_space(index + 1));
        let end = after.unwrap_or(cells.len());
        let text: String = cells[first..end].iter().map(|cell| cell.text.as_str()).collect();
        let x = match column + first {
            0 => String::new(),
            column => format!(" x=\"{:.1}\"", count(column) * CELL_WIDTH),
        };
        let width = count(end - first) * CELL_WIDTH;
        writeln!(
            drawn,
            "<text{class}{x} y=\"{y:.1}\" textLength=\"{width:.1}\" lengthAdjust=\"spacingAndGlyphs\">{}</text>",
            escaped(&text)
        )
        .ok();
        first = end;
    }
    drawn
}

fn classes(style: Style) -> String {
    let mut classes = Vec::new();
    if style.inverse {
        classes.push("i".to_owned());
    } else {
        classes.extend(colour_class(style));
    }
    classes.extend(style.bold.then(|| "b".to_owned()));
    classes.extend(style.dim.then(|| "d".to_owned()));
    if classes.is_empty() {
        String::new()
    } else {
        format!(" class=\"{}\"", classes.join(" "))
    }
}

/// A colour's class. Bright colours are drawn like normal colours. Black is drawn in the theme's default colour.
fn colour_class(style: Style) -> Option<String> {
    match style.colour {
        Colour::Named(index) if index % 8 > 0 => Some(format!("c{}", index % 8)),
        _ => None,
    }
}

/// Converts a number of rows or columns for length calculations.
fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
