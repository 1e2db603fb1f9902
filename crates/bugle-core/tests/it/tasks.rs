//! What may be done to tasks, and what follows for those around them.

mod auth;
mod commands;
mod held;
