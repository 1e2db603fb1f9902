//! The store as a whole: moves, backups, exports and poolers.

mod backup;
mod pooler;
mod settings_file;
mod transfer;

pub use backup::{back_up, export};
pub(crate) use pooler::connection_times;
pub use pooler::{check_pooler, pooler_config};
pub use transfer::move_store;
