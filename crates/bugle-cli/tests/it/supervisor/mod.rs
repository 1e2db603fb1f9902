//! The supervisor: agents that Bugle starts, wakes and restarts.

mod crashes;
mod hosts;
mod spawn;
mod turns;
