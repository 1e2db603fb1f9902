//! The result of a call, and the messages to mark as read once it is sent.

use bugle_app::{App, AppError, Context, Receipt, messages};
use bugle_render::{Format, step, text};

use super::bounds::bounded;

/// The result of a call.
#[derive(Debug)]
pub(super) struct CallResult {
    /// The answer.
    pub text: String,
    /// A note for MCP clients, in a block of its own.
    pub aside: Option<String>,
    /// Whether the call failed and changed nothing.
    pub error: bool,
    /// The messages in it. They count as read once it is sent.
    pub sent: Option<Sent>,
}

/// The messages of an answer.
#[derive(Debug, Clone)]
pub(super) struct Sent {
    context: Context,
    receipt: Receipt,
}

impl Sent {
    /// Marks them as read. If that fails, they stay unread and are sent again.
    pub(super) fn mark(&self) {
        if let Ok(mut app) = App::open(self.context.clone()) {
            let _ = messages::mark_read(&mut app.store, &app.context, &self.receipt);
        }
    }
}

impl CallResult {
    /// A result with this text. The command `rest` shows the full text if it does not fit.
    pub(super) fn new(text: String, rest: &str) -> Self {
        Self {
            text: bounded(text, rest),
            aside: None,
            error: false,
            sent: None,
        }
    }

    /// The result of a failed call.
    pub(super) fn failed(error: &AppError) -> Self {
        let text = if let AppError::Refused(view) = error {
            step::refusal(view, Format::Xml)
        } else {
            let view = error.view();
            text::error_message(&view.message, &view.hints)
        };
        Self {
            error: true,
            // A refusal is short, so this command is hardly ever printed.
            ..Self::new(text, "bugle step")
        }
    }
}

/// The messages to mark as read once the answer is sent.
pub(super) fn sent(ctx: &Context, receipt: Option<Receipt>) -> Option<Sent> {
    let context = ctx.clone();
    receipt.map(|receipt| Sent { context, receipt })
}
