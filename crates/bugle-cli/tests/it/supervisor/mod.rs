//! The supervisor: agents that Bugle starts, wakes and restarts.

mod crashes;
mod spawn;
mod turns;
