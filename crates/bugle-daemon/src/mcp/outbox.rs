//! Answers with messages that were not sent yet. The messages count as read once the connection has taken the answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::RequestId;

use super::call_result::Sent;

/// What to mark as read, by the request whose answer holds it.
#[derive(Debug, Clone, Default)]
pub(super) struct Outbox {
    waiting: Arc<Mutex<HashMap<RequestId, Sent>>>,
    /// Held while an answer is sent and its messages are marked.
    marking: Arc<tokio::sync::Mutex<()>>,
}

impl Outbox {
    /// Notes what the answer to a request holds.
    pub(super) fn note(&self, request: RequestId, sent: Sent) {
        self.waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(request, sent);
    }

    /// What the answer to a request holds, once.
    pub(super) fn take(&self, request: &RequestId) -> Option<Sent> {
        self.waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(request)
    }

    /// Waits until no answer is on its way whose messages are not marked yet: the next call must find them read.
    pub(super) async fn settled(&self) -> tokio::sync::OwnedMutexGuard<()> {
        Arc::clone(&self.marking).lock_owned().await
    }
}
