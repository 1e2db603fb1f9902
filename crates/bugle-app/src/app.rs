//! An open store with the context of the command that uses it.

use bugle_store::{Durability, Store};

use crate::{AppError, Context, fs_util};

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
        let file = context.database();
        if let Some(folder) = file.parent() {
            fs_util::create_private_dir(folder)?;
            fs_util::restrict_permissions(folder, &file);
        }
        let store = Store::open_reporting(&file, Durability::Full, report)?;
        Ok(Self { context, store })
    }
}
