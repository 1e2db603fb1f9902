//! Telling pages that something has changed. One thread watches the store, whatever the number of pages, and none does
//! while no page is open.

use std::convert::Infallible;
use std::thread::{JoinHandle, Thread};
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use bugle_app::{AppError, Changes, Place};
use tokio::sync::watch;
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::WatchStream;

use super::Shared;

/// How long a change is waited for before it is looked whether the store is still there, and anybody still listens.
const LOOK: Duration = Duration::from_secs(1);
/// How often it is looked whether somebody listens, besides when somebody comes.
const REST: Duration = Duration::from_mins(1);

/// What pages are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Heard {
    /// How often something has changed.
    changes: u64,
    /// Whether the store can be read.
    there: bool,
}

/// Watches the store for all pages.
pub(super) struct Watcher {
    told: watch::Sender<Heard>,
    thread: Thread,
}

impl Watcher {
    pub(super) fn start(place: &Place) -> Result<Self, AppError> {
        let (told, _) = watch::channel(Heard {
            changes: 0,
            there: true,
        });
        let (teller, place) = (told.clone(), place.clone());
        let running: JoinHandle<()> = std::thread::Builder::new()
            .name("changes".to_owned())
            .spawn(move || watch_for(&teller, &place))
            .map_err(|error| AppError::System(format!("the store cannot be watched: {error}")))?;
        Ok(Self {
            told,
            thread: running.thread().clone(),
        })
    }

    fn listen(&self) -> watch::Receiver<Heard> {
        let receiver = self.told.subscribe();
        self.thread.unpark();
        receiver
    }
}

fn watch_for(told: &watch::Sender<Heard>, place: &Place) {
    loop {
        while told.receiver_count() == 0 {
            std::thread::park_timeout(REST);
        }
        let mut watched = None;
        while told.receiver_count() > 0 {
            let Some(changes) = &mut watched else {
                watched = open(place);
                if watched.is_some() {
                    // Something may have happened before it was watched, and it may be another store.
                    changed(told);
                } else {
                    gone(told);
                    std::thread::sleep(LOOK);
                }
                continue;
            };
            match changes.wait(LOOK) {
                Ok(false) => {}
                Ok(true) => changed(told),
                Err(_) => watched = None,
            }
        }
    }
}

fn changed(told: &watch::Sender<Heard>) {
    told.send_modify(|heard| {
        heard.changes += 1;
        heard.there = true;
    });
}

fn gone(told: &watch::Sender<Heard>) {
    told.send_if_modified(|heard| std::mem::replace(&mut heard.there, false));
}

/// Watches the store, if it is there: one that is gone must not be made anew by looking at it.
fn open(place: &Place) -> Option<Changes> {
    place
        .database()
        .is_file()
        .then(|| Changes::of(place).ok())
        .flatten()
}

/// A page listens: it is told whenever something has changed, and not what.
pub(super) async fn events(State(desk): State<Shared>) -> Response {
    let heard = WatchStream::from_changes(desk.watcher.listen()).map(|heard| {
        let name = if heard.there { "changed" } else { "gone" };
        Ok::<_, Infallible>(Event::default().event(name).data(heard.changes.to_string()))
    });
    // The first words say that somebody listens here.
    let hello = tokio_stream::once(Ok(Event::default().comment("listening")));
    Sse::new(hello.chain(heard))
        .keep_alive(KeepAlive::default())
        .into_response()
}
