//! Agents: how each of them stands, how it is called, whose some work is, when two of them only keep each other busy, and what they may spend.

mod exchange;
mod holding;
mod limits;
mod names;
mod standing;
mod supervision;

pub use exchange::{Echo, Exchange, MOST_TURNS, said};
pub use holding::{Approach, Holding, KnownSession};
pub use limits::{BadLimit, Cap, Expense, Limits, Reached, Spent};
pub use names::{Names, WhichAgent, automatic_name, is_handy, which};
pub use standing::{AgentStatus, Contact, Reaction, Signal, Standing};
pub use supervision::{HandOver, MOST_RECOVERIES, Move, ProcessState, Situation, next_move};
