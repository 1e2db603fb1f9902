//! State shared by all requests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use bugle_app::{App, AppError, Context, StoreLocation};
use bugle_render::page::Pages;

use super::store_watcher::StoreWatcher;

/// Maximum number of notices kept for pages that were not requested yet.
const MOST_NOTICES: usize = 64;

/// State shared by all requests.
pub(super) struct AppState {
    pub(super) context: Context,
    pub(super) pages: Pages,
    pub(super) watcher: StoreWatcher,
    notices: Mutex<VecDeque<(u64, String)>>,
}

pub(super) type SharedState = Arc<AppState>;

impl AppState {
    pub(super) fn new(ctx: Context, pages: Pages) -> Result<Self, AppError> {
        Ok(Self {
            watcher: StoreWatcher::start(&ctx)?,
            context: ctx,
            pages,
            notices: Mutex::default(),
        })
    }

    /// Stores a notice for the page after a redirect. Returns the notice's number.
    pub(super) fn add_notice(&self, notice: String) -> u64 {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        let number = notices.back().map_or(1, |(last, _)| last + 1);
        notices.push_back((number, notice));
        if notices.len() > MOST_NOTICES {
            notices.pop_front();
        }
        number
    }

    /// The notice with this number.
    pub(super) fn notice(&self, number: u64) -> Option<String> {
        let notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        let found = notices.iter().find(|(own, _)| *own == number);
        found.map(|(_, notice)| notice.clone())
    }

    /// Opens the store. Does not recreate a deleted store.
    pub(super) fn open(&self) -> Result<App, AppError> {
        if let StoreLocation::File(file) = &self.context.store
            && !file.is_file()
        {
            return Err(AppError::File {
                what: "cannot find the store",
                path: file.clone(),
                source: std::io::ErrorKind::NotFound.into(),
            });
        }
        App::open(self.context.clone())
    }
}
