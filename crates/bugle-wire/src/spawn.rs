//! Agents that Bugle starts.

use bugle_core::reply;
use bugle_render::spawn;

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
        done: String = |view: &reply::SteeredView| spawn::steering(view.done).to_owned(),
        notice: Option<String>,
    }
}
