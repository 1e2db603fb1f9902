//! Watches the store for all open pages. One thread does this, and sleeps while no page is open.

use std::thread::{JoinHandle, Thread};
use std::time::Duration;

use bugle_app::{AppError, Context};
use tokio::sync::watch;

/// How often the watcher checks that the store still exists and a page is still open.
const CHECK: Duration = Duration::from_secs(1);
/// Maximum time the watcher sleeps while no page is open.
const REST: Duration = Duration::from_mins(1);

/// The watcher's view of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StoreState {
    /// The number of changes seen.
    pub(super) changes: u64,
    /// Whether the store can be read.
    pub(super) is_available: bool,
}

/// Watches the store for all pages.
pub(super) struct StoreWatcher {
    sender: watch::Sender<StoreState>,
    thread: Thread,
}

impl StoreWatcher {
    pub(super) fn start(ctx: &Context) -> Result<Self, AppError> {
        let (sender, _) = watch::channel(StoreState {
            changes: 0,
            is_available: true,
        });
        let (own_sender, ctx) = (sender.clone(), ctx.clone());
        let running: JoinHandle<()> = std::thread::Builder::new()
            .name("changes".to_owned())
            .spawn(move || watch_store(&own_sender, &ctx))
            .map_err(|error| AppError::System(format!("cannot watch the store: {error}")))?;
        Ok(Self {
            sender,
            thread: running.thread().clone(),
        })
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<StoreState> {
        let receiver = self.sender.subscribe();
        self.thread.unpark();
        receiver
    }
}

fn watch_store(sender: &watch::Sender<StoreState>, ctx: &Context) {
    loop {
        while sender.receiver_count() == 0 {
            std::thread::park_timeout(REST);
        }
        let mut watched = None;
        while sender.receiver_count() > 0 {
            let Some(changes) = &mut watched else {
                watched = open(ctx);
                if watched.is_some() {
                    // The store may have been changed or replaced in the meantime.
                    report_change(sender);
                } else {
                    report_gone(sender);
                    std::thread::sleep(CHECK);
                }
                continue;
            };
            match changes.wait(CHECK) {
                Ok(false) => {}
                Ok(true) => report_change(sender),
                Err(_) => watched = None,
            }
        }
    }
}

fn report_change(sender: &watch::Sender<StoreState>) {
    sender.send_modify(|state| {
        state.changes += 1;
        state.is_available = true;
    });
}

fn report_gone(sender: &watch::Sender<StoreState>) {
    sender.send_if_modified(|state| std::mem::replace(&mut state.is_available, false));
}

/// Watches the store if it exists. Does not recreate a deleted store.
fn open(ctx: &Context) -> Option<bugle_app::StoreWatcher> {
    ctx.store
        .may_exist()
        .then(|| bugle_app::StoreWatcher::of(ctx).ok())
        .flatten()
}
