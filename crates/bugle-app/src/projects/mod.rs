//! Finds a folder's project, even after the folder has moved.
//!
//! The store finds a project by its location. Bugle reads the id in the folder only if the store has no project at
//! that location, so a project that has not moved needs no file access.

mod change;
mod current;
mod join;
mod list;
mod shared_identity;

pub use change::{merge_projects, move_project};
pub(crate) use current::{
    current_project_name, ensure_marked_project, ensure_project, folder_here, moved_directory, project,
};
pub use current::{follow_move, follow_move_and_share};
pub use join::join_project;
pub use list::list_projects;
pub(crate) use list::resolve_project;
pub(crate) use shared_identity::record_all;
