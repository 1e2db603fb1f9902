//! The layout of the screen.

use ratatui::layout::Rect;

use super::event::Pane;

/// The smallest supported screen.
pub(super) const SMALLEST: (u16, u16) = (40, 10);
/// The minimum width for showing channels and stream side by side.
const SIDE_BY_SIDE: u16 = 60;
const NARROWEST_LIST: u16 = 18;
const WIDEST_LIST: u16 = 36;

/// The parts of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parts {
    /// The items that need the user.
    pub needs: Rect,
    /// The channels with their heading; `None` if only the stream is shown.
    pub channels: Option<Rect>,
    /// The divider between channels and stream.
    pub between: Option<Rect>,
    /// The stream with its heading; `None` if only the channels are shown.
    pub stream: Option<Rect>,
    pub input: Rect,
    pub footer: Rect,
}

impl Parts {
    /// The parts of a screen of this size; `None` if the screen is too small. The items that need the user get `needs`
    /// lines, if there is room.
    pub(super) fn of((width, height): (u16, u16), focus: Pane, needs: u16) -> Option<Self> {
        if width < SMALLEST.0 || height < SMALLEST.1 {
            return None;
        }
        let line = |y: u16| Rect::new(0, y, width, 1);
        // Leave at least half of the screen for everything else.
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
