//! Which part of the screen is for what.

use ratatui::layout::Rect;

use super::event::Pane;

/// The smallest screen on which anything is shown.
pub(super) const SMALLEST: (u16, u16) = (40, 10);
/// From this width on, channels and stream stand beside each other.
const SIDE_BY_SIDE: u16 = 60;
const NARROWEST_LIST: u16 = 18;
const WIDEST_LIST: u16 = 36;

/// The parts of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parts {
    /// What needs a person.
    pub needs: Rect,
    /// The channels with their heading; nothing where the stream takes the place.
    pub channels: Option<Rect>,
    /// The line between both.
    pub between: Option<Rect>,
    /// The stream with its heading; nothing where the channels take the place.
    pub stream: Option<Rect>,
    pub input: Rect,
    pub footer: Rect,
}

impl Parts {
    /// The parts of a screen of this size, with so many lines of what needs a person, if there is room for them; nothing
    /// if it is too small.
    pub(super) fn of((width, height): (u16, u16), focus: Pane, needs: u16) -> Option<Self> {
        if width < SMALLEST.0 || height < SMALLEST.1 {
            return None;
        }
        let line = |y: u16| Rect::new(0, y, width, 1);
        // At least half of it is for everything else.
        let needs = needs.clamp(1, height / 2 - 1);
        let body = Rect::new(0, needs, width, height - needs - 2);
        let list = (width / 4).clamp(NARROWEST_LIST, WIDEST_LIST);
        let (channels, between, stream) = if width >= SIDE_BY_SIDE {
            (
                Some(Rect { width: list, ..body }),
                Some(Rect {
                    x: list,
                    width: 1,
                    ..body
                }),
                Some(Rect {
                    x: list + 2,
                    width: width - list - 2,
                    ..body
                }),
            )
        } else if focus == Pane::Channels {
            (Some(body), None, None)
        } else {
            (None, None, Some(body))
        };
        Some(Self {
            needs: Rect::new(0, 0, width, needs),
            channels,
            between,
            stream,
            input: line(height - 2),
            footer: line(height - 1),
        })
    }
}
