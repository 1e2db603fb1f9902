//! What a call returns, and what to mark as read once it was sent.

use bugle_app::{App, AppError, Context, Receipt, messages};
use bugle_render::{Format, step, text};

use super::bounds::bounded;

/// What a call returns.
#[derive(Debug)]
pub(super) struct CallResult {
    /// The answer.
    pub text: String,
    /// What only a client of this server needs to know about it.
    pub aside: Option<String>,
    /// Whether nothing was done.
    pub error: bool,
    /// The messages in it, which count as read once it was sent.
    pub sent: Option<Sent>,
}

/// What to mark as read once an answer was sent.
#[derive(Debug, Clone)]
pub(super) struct Sent {
    context: Context,
    receipt: Receipt,
}

impl Sent {
    /// Marks it. If that fails, the messages stay unread and are sent again, which loses nothing.
    pub(super) fn mark(&self) {
        if let Ok(mut app) = App::open(self.context.clone()) {
            let _ = messages::mark_read(&mut app.store, &app.context, &self.receipt);
        }
    }
}

impl CallResult {
    /// A text; `rest` is the command that shows what does not fit.
    pub(super) fn new(text: String, rest: &str) -> Self {
        Self {
            text: bounded(text, rest),
            aside: None,
            error: false,
            sent: None,
        }
    }

    /// Nothing was done, and this is why.
    pub(super) fn failed(error: &AppError) -> Self {
        let text = if let AppError::Refused(view) = error {
            step::refusal(view, Format::Xml)
        } else {
            let view = error.view();
            text::error_message(&view.message, &view.hints)
        };
        Self {
            error: true,
            // A refusal is short; the command that shows where things stand is in it.
            ..Self::new(text, "bugle step")
        }
    }
}

/// Marks messages as read once their text was sent.
pub(super) fn sent(ctx: &Context, receipt: Option<Receipt>) -> Option<Sent> {
    let context = ctx.clone();
    receipt.map(|receipt| Sent { context, receipt })
}
