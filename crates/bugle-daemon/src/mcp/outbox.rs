//! Messages in answers that are not sent yet. They count as read once the connection has accepted the answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::RequestId;

use super::call_result::Sent;

/// The messages to mark as read, keyed by the request whose answer contains them.
#[derive(Debug, Clone, Default)]
pub(super) struct Outbox {
    waiting: Arc<Mutex<HashMap<RequestId, Sent>>>,
    /// Locked while an answer is sent and its messages are marked as read.
    marking: Arc<tokio::sync::Mutex<()>>,
}

impl Outbox {
    /// Adds the messages that a request's answer contains.
    pub(super) fn note(&self, request: RequestId, sent: Sent) {
        self.waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(request, sent);
    }

    /// Removes and returns the messages that a request's answer contains.
    pub(super) fn take(&self, request: &RequestId) -> Option<Sent> {
        self.waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(request)
    }

    /// Waits until the messages of all sent answers are marked as read. The next call must not see them as unread.
    pub(super) async fn settled(&self) -> tokio::sync::OwnedMutexGuard<()> {
        Arc::clone(&self.marking).lock_owned().await
    }
}
