//! JSON about runs and the store.

use bugle_core::id::{Timestamp, VisitNumber};
use bugle_core::outcome::Outcome;
use bugle_core::reply::{RunDetail, RunList, RunNotice, RunSummary, StoreCheck, TimelineEntry, TimelineKind};
use serde_json::{Map, json};

use crate::support::{document, ended, position, texts};

fn summary() -> RunSummary {
    RunSummary {
        position: position(),
        directory: "/home/ada/project".to_owned(),
        person: None,
        started_at: Timestamp(1_767_225_600_000),
        changed_at: Timestamp(1_767_225_660_000),
    }
}

#[test]
fn a_list_of_runs() {
    let ended = RunSummary {
        position: ended(),
        ..summary()
    };
    let view = RunList {
        everywhere: false,
        runs: vec![summary(), ended],
        more: 3,
    };
    insta::assert_snapshot!(document(&view));
}

#[test]
fn a_run_with_its_history() {
    let entered = TimelineEntry {
        outcome: None,
        seq: 2,
        at: Timestamp(1_767_225_600_000),
        by: "agent session-1".to_owned(),
        person: None,
        kind: TimelineKind::Entered,
        visit: Some(VisitNumber(1)),
        summary: "visit 1 entered extract".to_owned(),
        details: None,
        left_behind: true,
    };
    let ended = TimelineEntry {
        outcome: Some(Outcome::Ok),
        seq: 3,
        kind: TimelineKind::Ended,
        summary: "visit 1 ended with ok".to_owned(),
        details: Some(json!({ "claims": ["It holds"], "count": 1, "sure": 0.5, "none": null })),
        visit: None,
        left_behind: false,
        ..entered.clone()
    };
    let mut params = Map::new();
    params.insert("decision".to_owned(), json!("Use SQLite"));
    let view = RunDetail {
        summary: summary(),
        pin: "ab".repeat(32),
        params,
        origin: Some("forked from r-bbbbbb at visit 3".to_owned()),
        timeline: vec![entered, ended],
        notices: vec![RunNotice::SkillChanged {
            skill: "decision-critic".parse().unwrap(),
            upgrade: "bugle run upgrade r-7f3a1c".to_owned(),
        }],
        command: Some("bugle step r-7f3a1c".to_owned()),
    };
    let bare = RunDetail {
        params: Map::new(),
        origin: None,
        timeline: Vec::new(),
        notices: Vec::new(),
        command: None,
        ..view.clone()
    };
    insta::assert_snapshot!(format!("{}{}", document(&view), document(&bare)));
}

#[test]
fn a_check_of_the_store() {
    let view = StoreCheck {
        file: "/home/ada/.bugle/bugle.db".to_owned(),
        schema: 1,
        runs: 2,
        events: 40,
        tasks: 7,
        task_events: 31,
        blobs: 11,
        only_own_projects: false,
        faults: texts(["run r-7f3a1c: its row says waiting, its events say active"]),
    };
    insta::assert_snapshot!(document(&view));
}
