//! Agents that Bugle starts.

use crate::transcript::TranscriptItem;

shapes! {
    SpawnedView {
        agent: String,
        name: String,
        client: String,
        directory: String,
        log: String,
        notice: Option<String>,
    }
    AgentLogView {
        agent: String,
        items: Vec<TranscriptItem>,
        earlier: bool,
    }
    AgentResultView {
        agent: String,
        result: String,
    }
    SteeredView {
        agent: String,
        done: String,
        notice: Option<String>,
    }
}
