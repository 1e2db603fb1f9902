//! The lines of the channel list, before they are drawn.

use ratatui::layout::Rect;

use super::model::Model;
use super::scene::{AgentLine, Channel};

/// A line of the channel list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListLine<'a> {
    Channel(&'a Channel),
    Agent(&'a Channel, &'a AgentLine),
    Archived(&'a Channel),
}

/// The visible lines of the list: as many as fit, including the selected channel.
pub(super) fn visible_list(model: &Model, height: usize) -> Vec<ListLine<'_>> {
    let mut lines = Vec::new();
    let (mut first, mut end) = (0, 0);
    for (at, channel) in model.scene.channels.iter().enumerate() {
        let begins = lines.len();
        lines.push(ListLine::Channel(channel));
        lines.extend(channel.agents.iter().map(|agent| ListLine::Agent(channel, agent)));
        if channel.archived > 0 {
            lines.push(ListLine::Archived(channel));
        }
        if at == model.channel_index() {
            (first, end) = (begins, lines.len());
        }
    }
    // If the agents do not all fit, start with the channel's name.
    let from = end.saturating_sub(height).min(first);
    lines.into_iter().skip(from).take(height).collect()
}

/// The channel at a screen row.
pub(super) fn channel_at(model: &Model, list: Rect, row: u16) -> Option<&Channel> {
    // The first row is the heading.
    let at = row.checked_sub(list.y + 1)?;
    let lines = visible_list(model, usize::from(list.height.saturating_sub(1)));
    match *lines.get(usize::from(at))? {
        ListLine::Channel(channel) | ListLine::Agent(channel, _) | ListLine::Archived(channel) => {
            Some(channel)
        }
    }
}
