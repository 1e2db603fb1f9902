//! Notifies open pages when the store changes.

use std::convert::Infallible;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::WatchStream;

use super::state::SharedState;

/// Server-sent events. They report that the store has changed, but not how.
pub(super) async fn events(State(app): State<SharedState>) -> Response {
    let state = WatchStream::from_changes(app.watcher.subscribe()).map(|state| {
        let name = if state.is_available { "changed" } else { "gone" };
        Ok::<_, Infallible>(Event::default().event(name).data(state.changes.to_string()))
    });
    // Send a comment first, so that the browser opens the stream.
    let hello = tokio_stream::once(Ok(Event::default().comment("listening")));
    Sse::new(hello.chain(state))
        .keep_alive(KeepAlive::default())
        .into_response()
}
