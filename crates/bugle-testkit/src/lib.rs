//! Shared test code: random workflows, a synthetic agent, in-memory runs, a scripted model server, real clients, a real
//! browser and a real Postgres server. Also contains helpers for benchmarks.

pub mod agent;
pub mod bench;
pub mod broken_pipe;
pub mod browser;
pub mod clients;
mod condensed;
pub mod family;
pub mod fences;
pub mod mdbook;
pub mod model_server;
pub mod pictures;
#[cfg(unix)]
pub mod pooler;
#[cfg(unix)]
pub mod postgres;
pub mod run;
pub mod slow_network;
pub mod spelling;
pub mod strategy;
pub mod tasks;
pub mod terminal;
pub mod test_store;
pub mod world;
