//! Shared test support.

pub(crate) mod account;
pub(crate) mod agent_project;
pub(crate) mod agents;
pub(crate) mod executable;
mod guide_match;
pub(crate) mod guide_player;
pub(crate) mod hook_client;
pub(crate) mod kills;
pub(crate) mod literal_model;
pub(crate) mod machines;
pub(crate) mod mcp_client;
pub(crate) mod mounting;
pub(crate) mod page;
pub(crate) mod random_kills;
pub(crate) mod reply;
pub(crate) mod review;
pub(crate) mod sandbox;
pub(crate) mod script;
pub(crate) mod tasks;
pub(crate) mod test_store;
pub(crate) mod workflows;
