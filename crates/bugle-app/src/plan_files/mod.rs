//! Plan files, and their imported text.

mod excerpt;
mod lookup;

pub(crate) use excerpt::{FileState, file_notice, file_state, keep_outline, plan_outline, read_excerpt};
pub(crate) use lookup::{file_key, hash_of, imported_text, load_plan, no_plan, plan_file, text_of};

/// Maximum size of a plan's file.
pub(crate) const MAX_PLAN_BYTES: usize = 8 * 1024 * 1024;
