//! The dashboard (`bugle ui`).

mod access;
mod actions;
mod browser;
mod hostile_text;
mod live;
mod messages;
mod views;
