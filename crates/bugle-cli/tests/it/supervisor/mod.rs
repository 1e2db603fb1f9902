//! Agents that Bugle starts, wakes and steers.

mod crashes;
mod spawn;
mod turns;
