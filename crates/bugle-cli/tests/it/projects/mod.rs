//! Projects.

mod merged;
mod moved;
