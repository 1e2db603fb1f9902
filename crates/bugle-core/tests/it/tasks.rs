//! Tests for task commands and their effects on related tasks.

mod auth;
mod commands;
mod held;
