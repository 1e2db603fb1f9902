//! Draws the view. All text is already sanitized.

use bugle_core::agent::AgentStatus;
use bugle_core::count::counted;
use bugle_render::agent::glyph;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier, Style};

use super::channel_list::{self, ListLine};
use super::event::Pane;
use super::layout::{Parts, SMALLEST};
use super::model::Model;
use super::scene::{Tone, title};
use super::stream::{self, Line};
use super::text::{columns, cut};

/// Help for keys and symbols.
const HELP: &[&str] = &[
    "Tab, Shift-Tab  next or previous pane",
    "arrows, PgUp, PgDn, Home, End: move",
    "Enter or i      write; Enter sends",
    "Alt-Enter       new line",
    "n               next item that needs you",
    "Esc or q        go back, or quit",
    "Ctrl-C          quit without sending",
    "? or F1         help; any key closes it",
    "* busy  ? blocked  - idle  o complete",
    "x failed; numbers count unread messages",
];

/// Draws everything. Returns the position of the cursor, if it is visible.
pub(super) fn draw(model: &Model, buffer: &mut Buffer) -> Option<Position> {
    let area = buffer.area;
    let Some(parts) = model.parts() else {
        too_small(buffer);
        return None;
    };
    if model.help {
        help(model, buffer);
        return None;
    }
    needs(model, buffer, parts.needs);
    if let Some(list) = parts.channels {
        channels(model, buffer, list);
    }
    if let Some(between) = parts.between {
        for y in between.top()..between.bottom() {
            buffer.set_string(between.x, y, "\u{2502}", faint());
        }
    }
    if let Some(stream) = parts.stream {
        draw_stream(model, buffer, stream);
    }
    let cursor = input(model, buffer, &parts);
    footer(model, buffer, parts.footer);
    cursor.filter(|at| area.contains(*at))
}

fn faint() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

fn bold() -> Style {
    Style::new().add_modifier(Modifier::BOLD)
}

/// Adds a colour, if colours are on.
fn coloured(model: &Model, style: Style, colour: Color) -> Style {
    if model.colour { style.fg(colour) } else { style }
}

/// Draws text on a line, truncated to the line's width.
fn put(buffer: &mut Buffer, line: Rect, text: &str, style: Style) {
    buffer.set_string(line.x, line.y, cut(text, usize::from(line.width)), style);
}

/// The rest of a line after `used` columns.
fn behind(line: Rect, used: usize) -> Rect {
    let used = u16::try_from(used).unwrap_or(u16::MAX).min(line.width);
    Rect {
        x: line.x + used,
        width: line.width - used,
        ..line
    }
}

fn row(area: Rect, at: usize) -> Rect {
    let y = area.y
        + u16::try_from(at)
            .unwrap_or(u16::MAX)
            .min(area.height.saturating_sub(1));
    Rect { y, height: 1, ..area }
}

fn too_small(buffer: &mut Buffer) {
    let area = buffer.area;
    let text = format!("Too small: needs {} x {}.", SMALLEST.0, SMALLEST.1);
    for (at, line) in super::text::wrap(&text, usize::from(area.width))
        .iter()
        .take(usize::from(area.height))
        .enumerate()
    {
        put(buffer, row(area, at), line, Style::new());
    }
}

fn help(model: &Model, buffer: &mut Buffer) {
    let area = buffer.area;
    // The smallest screen has room only for the help lines.
    let spare = usize::from(area.height).saturating_sub(HELP.len());
    let top = usize::from(spare >= 3) * 2;
    if top > 0 {
        put(buffer, row(area, 0), "bugle top", heading_style(model, true));
    }
    for (at, line) in HELP.iter().enumerate() {
        put(buffer, row(area, at + top), line, Style::new());
    }
}

fn needs(model: &Model, buffer: &mut Buffer, area: Rect) {
    if let Some(error) = &model.error {
        let style = coloured(model, bold(), Color::Red);
        let text = format!("Cannot refresh: {error}");
        put(buffer, row(area, 0), &text, style);
        return;
    }
    let style = if model.scene.needs.is_empty() {
        faint()
    } else {
        coloured(model, bold(), Color::Yellow)
    };
    let room = usize::from(area.height);
    let mut lines = model.need_lines();
    if lines.len() > room {
        // The stream below shows the full text.
        lines.truncate(room);
        if let Some(last) = lines.last_mut() {
            last.push_str(" ...");
        }
    }
    for (at, line) in lines.iter().enumerate() {
        put(buffer, row(area, at), line, style);
    }
}

fn heading_style(model: &Model, focused: bool) -> Style {
    if focused {
        coloured(model, bold().add_modifier(Modifier::REVERSED), Color::Cyan)
    } else {
        bold().add_modifier(Modifier::UNDERLINED)
    }
}

fn heading(model: &Model, buffer: &mut Buffer, area: Rect, text: &str, pane: Pane) {
    let line = row(area, 0);
    let style = heading_style(model, model.focus == pane);
    buffer.set_style(line, style);
    put(buffer, line, text, style);
}

fn channels(model: &Model, buffer: &mut Buffer, area: Rect) {
    heading(model, buffer, area, "Channels", Pane::Channels);
    let height = usize::from(area.height.saturating_sub(1));
    for (at, line) in channel_list::visible_list(model, height).into_iter().enumerate() {
        let place = row(area, at + 1);
        match line {
            ListLine::Channel(channel) => {
                let chosen = model.channel.as_ref() == Some(&channel.name);
                let mark = if chosen { "> " } else { "  " };
                let style = if chosen { bold() } else { Style::new() };
                put(buffer, place, &format!("{mark}{}", channel.title), style);
            }
            ListLine::Agent(_, agent) => {
                let style = coloured(model, Style::new(), colour_of(agent.status));
                put(buffer, place, &format!("    {}", glyph(agent.status)), style);
                let unread = if agent.unread > 0 {
                    format!(" {}", agent.unread)
                } else {
                    String::new()
                };
                let name = behind(place, 6);
                let room = usize::from(name.width).saturating_sub(unread.len());
                let label = match &agent.host {
                    Some(host) => format!("{} ({host})", agent.name),
                    None => agent.name.clone(),
                };
                put(buffer, name, &cut(&label, room), Style::new());
                let number = behind(place, usize::from(place.width).saturating_sub(unread.len()));
                put(buffer, number, &unread, bold());
            }
            ListLine::Archived(channel) => {
                put(
                    buffer,
                    place,
                    &format!("    {} archived", channel.archived),
                    faint(),
                );
            }
        }
    }
}

fn colour_of(status: AgentStatus) -> Color {
    match status {
        AgentStatus::Busy => Color::Green,
        AgentStatus::Blocked => Color::Yellow,
        AgentStatus::Complete => Color::Blue,
        AgentStatus::Failed => Color::Red,
        AgentStatus::Idle | AgentStatus::Archived => Color::Reset,
    }
}

fn draw_stream(model: &Model, buffer: &mut Buffer, area: Rect) {
    let name = model.channel.as_ref().map(title).unwrap_or_default();
    let below = match model.scroll_offset {
        0 => String::new(),
        more => format!(" ({} below)", counted(more, "line")),
    };
    heading(model, buffer, area, &format!("{name}{below}"), Pane::Stream);
    let lines = stream::lines(&model.scene, usize::from(area.width));
    if lines.is_empty() {
        let words = "No activity yet.";
        put(buffer, row(area, 1), words, faint());
        return;
    }
    let height = usize::from(area.height.saturating_sub(1));
    let end = lines.len().saturating_sub(model.scroll_offset);
    let start = end.saturating_sub(height);
    for (at, line) in lines[start..end].iter().enumerate() {
        stream_line(model, buffer, row(area, at + 1), line);
    }
}

fn stream_line(model: &Model, buffer: &mut Buffer, place: Rect, line: &Line) {
    match line {
        Line::Earlier => {
            let words = "(earlier messages: bugle message channel)";
            put(buffer, place, words, faint());
        }
        Line::Day(day) => put(buffer, place, &format!("-- {day} --"), faint()),
        Line::Text {
            tone,
            time,
            head,
            text,
        } => {
            let margin = stream::margin(time);
            put(buffer, place, &margin, faint());
            let rest = behind(place, columns(&margin));
            let (name, words) = styles(model, *tone);
            put(buffer, rest, head, name);
            put(buffer, behind(rest, columns(head)), text, words);
        }
    }
}

/// The styles of an entry's head and text.
fn styles(model: &Model, tone: Tone) -> (Style, Style) {
    let plain = Style::new();
    match tone {
        Tone::Said => (coloured(model, bold(), Color::Cyan), plain),
        Tone::Asked => (coloured(model, bold(), Color::Yellow), bold()),
        Tone::Person => (coloured(model, bold(), Color::Green), plain),
        Tone::Bugle => (coloured(model, bold(), Color::Magenta), plain),
        Tone::Step | Tone::Woken => (faint(), faint()),
        Tone::Stop => {
            let style = coloured(model, plain, Color::Yellow);
            (style, style)
        }
    }
}

fn input(model: &Model, buffer: &mut Buffer, parts: &Parts) -> Option<Position> {
    let focused = model.focus == Pane::Input;
    let line = parts.input;
    let style = heading_style(model, focused).remove_modifier(Modifier::UNDERLINED);
    // Reserve half of the line for the typed text.
    let prompt = cut(&model.prompt(), usize::from(line.width / 2));
    put(buffer, line, &prompt, style);
    let rest = behind(line, columns(&prompt) + 1);
    let (shown, at) = model.input.shown(usize::from(rest.width));
    buffer.set_stringn(rest.x, rest.y, shown, usize::from(rest.width), Style::new());
    let column = rest.x + u16::try_from(at).unwrap_or(0);
    focused.then_some(Position::new(column, line.y))
}

fn footer(model: &Model, buffer: &mut Buffer, line: Rect) {
    if let Some(notice) = &model.notice {
        let style = coloured(model, bold(), Color::Yellow);
        put(buffer, line, &super::text::inert_line(notice), style);
        return;
    }
    let keys: &[&str] = match model.focus {
        Pane::Input if model.answering.is_some() => &["F1 help", "Enter answer", "Esc back", "Tab pane"],
        Pane::Input => &["F1 help", "Enter send", "Tab pane", "Esc quit"],
        Pane::Channels | Pane::Stream => &["? help", "Tab pane", "n needs you", "q quit", "Enter write"],
    };
    let mut place = line;
    for key in keys {
        if key.len() > usize::from(place.width) {
            break;
        }
        put(buffer, place, key, faint());
        place = behind(place, key.len() + 2);
    }
}
