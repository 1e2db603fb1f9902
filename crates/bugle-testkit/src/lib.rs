//! What tests share: workflows made at random, an agent that works through them, runs that live in memory; and real
//! clients, with a model server whose answers a test writes; and a real browser;
//! and what benches measure with.

pub mod agent;
pub mod bench;
pub mod browser;
pub mod clients;
mod condensed;
pub mod family;
pub mod fences;
pub mod model_server;
pub mod pictures;
pub mod run;
pub mod spelling;
pub mod strategy;
pub mod tasks;
pub mod terminal;
pub mod world;
