//! Events that the terminal view handles, and its requests to the event loop.

use bugle_core::id::VisitToken;

use super::scene::Scene;

/// A part of the screen that can be focused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pane {
    Channels,
    Stream,
    Input,
}

/// A key that the view handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Letter(char),
    /// With Control.
    Control(char),
    Enter,
    /// Alt-Enter.
    LineFeed,
    Tab,
    BackTab,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    Backspace,
    Delete,
    Escape,
    F1,
}

/// An event from the terminal, the store, or an [`Effect`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event {
    Key(Key),
    /// Pasted text.
    Pasted(String),
    /// A mouse click, at a column and a row.
    Clicked(u16, u16),
    /// Mouse wheel movement, in lines towards older entries.
    Wheeled(isize),
    Resized(u16, u16),
    /// The store has changed.
    Changed,
    /// The answer to [`Effect::Load`].
    Loaded(Box<Scene>),
    /// [`Effect::Load`] failed.
    Unreadable(String),
    /// [`Effect::Say`] or [`Effect::Decide`] succeeded, perhaps with a notice.
    Said(Option<String>),
    /// [`Effect::Say`] or [`Effect::Decide`] failed.
    Unsaid(String),
}

/// A request from the model to the event loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Effect {
    Quit,
    /// Load the scene for the selected channel.
    Load,
    /// Send a message to the selected channel, perhaps as the answer to a question.
    Say {
        text: String,
        question: Option<String>,
    },
    /// Answer a waiting run's question.
    Decide {
        visit: VisitToken,
        answer: String,
        why: Option<String>,
    },
}
