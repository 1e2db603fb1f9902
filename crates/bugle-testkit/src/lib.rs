//! What tests share: workflows made at random, an agent that works through them, and runs that live in memory.

pub mod agent;
pub mod run;
pub mod spelling;
pub mod strategy;
pub mod tasks;
pub mod world;
