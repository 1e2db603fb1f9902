//! An open store with the context of the command that uses it.

use bugle_store::{Durability, Store};

use crate::{AppError, Context};

/// An open store with the context of the command that uses it.
#[derive(Debug)]
pub struct App {
    /// The command's context.
    pub context: Context,
    /// The store.
    pub store: Store,
}

impl App {
    /// Opens the store for a context.
    pub fn open(context: Context) -> Result<Self, AppError> {
        Self::open_reporting(context, &mut |_| ())
    }

    /// Opens the store, and reports the progress of an upgrade.
    pub fn open_reporting(context: Context, report: &mut dyn FnMut(&str)) -> Result<Self, AppError> {
        let store = context.store.open(Durability::Full, report)?;
        Ok(Self { context, store })
    }
}
