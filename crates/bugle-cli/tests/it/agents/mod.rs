//! Agents.

mod hidden_session;
mod identity;
mod rights;
