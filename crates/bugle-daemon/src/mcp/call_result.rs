//! A call's result, and the messages to mark as read once the result has been sent.

use bugle_app::{App, AppError, Context, Receipt, messages};
use bugle_core::interface::{AnswerRoute, Interface};
use bugle_render::{Format, refused_text, step, text};

use super::bounds::bounded;

/// A call's result.
#[derive(Debug)]
pub(super) struct CallResult {
    /// The answer.
    pub text: String,
    /// A hint for MCP clients, in a separate content block.
    pub aside: Option<String>,
    /// Whether the call failed. A failed call changes nothing.
    pub error: bool,
    /// The messages in the answer. They count as read once the answer has been sent.
    pub sent: Option<Sent>,
}

/// The messages in an answer.
#[derive(Debug, Clone)]
pub(super) struct Sent {
    context: Context,
    receipt: Receipt,
}

impl Sent {
    /// Marks the messages as read. If that fails, they stay unread and are sent again.
    pub(super) fn mark(&self) {
        if let Ok(mut app) = App::open(self.context.clone()) {
            let _ = messages::mark_read(&mut app.store, &app.context, &self.receipt);
        }
    }
}

impl CallResult {
    /// A result with this text. If the text does not fit, the answer names the command `rest` for the full text.
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
        let interface = Interface::Mcp(AnswerRoute::Person);
        let text = if let AppError::Refused(refused) = error {
            step::refusal(&refused_text::view_for(refused, interface), Format::Xml)
        } else {
            let view = error.view();
            text::error_message(&view.message, &view.hints)
        };
        Self {
            error: true,
            // Errors are short and almost never truncated, so this call is almost never printed.
            ..Self::new(text, "get_step {}")
        }
    }
}

/// The messages to mark as read once the answer has been sent.
pub(super) fn sent(ctx: &Context, receipt: Option<Receipt>) -> Option<Sent> {
    let context = ctx.clone();
    receipt.map(|receipt| Sent { context, receipt })
}
