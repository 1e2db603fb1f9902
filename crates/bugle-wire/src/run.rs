//! Runs: a list, and one run with its history.

use serde_json::{Map, Value};

use crate::step::Position;
use crate::words::Word;

shapes! {
    RunList {
        everywhere: bool,
        runs: Vec<RunSummary>,
        more: u64,
    }
    RunSummary {
        position: Position,
        directory: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        person: Option<String>,
        started_at: i64,
        changed_at: i64,
    }
    RunDetail {
        summary: RunSummary,
        pin: String,
        params: Map<String, Value>,
        origin: Option<String>,
        timeline: Vec<TimelineEntry>,
        notices: Vec<String>,
        command: Option<String>,
    }
    TimelineEntry {
        seq: u64,
        at: i64,
        by: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        person: Option<String>,
        kind: Word,
        visit: Option<u32>,
        outcome: Option<Word>,
        summary: String,
        details: Option<Value>,
        left_behind: bool,
    }
    StoreCheck {
        file: String,
        schema: i64,
        runs: u64,
        events: u64,
        tasks: u64,
        task_events: u64,
        blobs: u64,
        only_own_projects: bool,
        faults: Vec<String>,
    }
}
