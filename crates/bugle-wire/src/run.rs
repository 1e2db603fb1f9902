//! Runs: a list, and one run with its history.

use bugle_core::reply;
use bugle_render::timeline_text;
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
        #[serde(skip_serializing_if = "Option::is_none")]
        agent: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        about: Option<String>,
        started_at: i64,
        changed_at: i64,
    }
    RunDetail {
        summary: RunSummary,
        pin: String,
        params: Map<String, Value>,
        origin: Option<String> = |detail: &reply::RunDetail| timeline_text::origin(&detail.origin),
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<FinalResult>,
        timeline: Vec<TimelineEntry>,
        notices: Vec<String>,
        command: Option<String>,
    }
    VisitDetail {
        visit: String,
        step: String = |detail: &reply::VisitDetail| detail.step.to_string(),
        prompt: Option<String>,
        outcome: Option<Word>,
        returned: Option<Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        merged: Option<Value>,
        also_found: Value = |detail: &reply::VisitDetail| serde_json::json!(detail.also_found),
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    }
    FoundList {
        run: String,
        problems: Value = |list: &reply::FoundList| serde_json::json!(list.problems),
        command: Option<String>,
    }
    FinalResult {
        step: String,
        value: Value,
    }
    TimelineEntry {
        seq: u64,
        at: i64,
        by: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        person: Option<String>,
        kind: Word = |entry: &reply::TimelineEntry| entry.kind().to_wire(),
        visit: Option<u32> = |entry: &reply::TimelineEntry| entry.visit().to_wire(),
        outcome: Option<Word> = |entry: &reply::TimelineEntry| entry.outcome().to_wire(),
        summary: String = |entry: &reply::TimelineEntry| timeline_text::change(&entry.change),
        details: Option<Value> = |entry: &reply::TimelineEntry| timeline_text::details(&entry.change),
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
