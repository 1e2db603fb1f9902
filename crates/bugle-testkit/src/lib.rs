//! Shared by tests: random workflows, a synthetic agent, runs in memory, a scripted model server, real clients and a real
//! browser, a real Postgres server; and what benches measure with.

pub mod agent;
pub mod bench;
pub mod broken_pipe;
pub mod browser;
pub mod clients;
mod condensed;
pub mod family;
pub mod fences;
pub mod model_server;
pub mod pictures;
#[cfg(unix)]
pub mod postgres;
pub mod run;
pub mod spelling;
pub mod strategy;
pub mod tasks;
pub mod terminal;
pub mod world;
