//! Agents: state, names, supervision, ping-pong detection and budgets.

mod access;
mod exchange;
mod limits;
mod names;
mod state;
mod supervision;

pub use access::Access;
pub use exchange::{Exchange, ExchangeEffect, MAX_TURNS, record_message};
pub use limits::{BadLimit, Cap, Expense, Limits, Reached, Spent};
pub use names::{AgentLookup, AgentNames, automatic_name, find_agent, is_readable};
pub use state::{AgentState, AgentStatus, Contact, Reaction, Signal};
pub use supervision::{
    CostlyFact, Delivery, MAX_RECOVERIES, ProcessState, Situation, SupervisorAction, decisive_fact,
    next_action,
};
