//! Tests for the JSON of runs and the store.

use bugle_core::engine::{Event, Origin};
use bugle_core::id::{Timestamp, VisitNumber};
use bugle_core::outcome::Outcome;
use bugle_core::reply::{
    AgentLabel, Author, Change, FinalResult, RunChange, RunDetail, RunList, RunNotice, RunSummary,
    StoreCheck, TimelineEntry,
};
use serde_json::{Map, json};

use crate::support::{document, ended, position, texts};

fn summary() -> RunSummary {
    RunSummary {
        position: position(),
        directory: "/home/ada/project".to_owned(),
        person: None,
        agent: Some("anna".to_owned()),
        about: Some("Login page".to_owned()),
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
        seq: 2,
        at: Timestamp(1_767_225_600_000),
        by: Author::Agent(AgentLabel::Address("session-1".to_owned())),
        person: None,
        change: Change::Run(Box::new(RunChange::from(Event::Entered {
            visit: VisitNumber(1),
            step: "extract".parse().unwrap(),
            after: None,
            files: None,
        }))),
        left_behind: true,
    };
    let ended = TimelineEntry {
        seq: 3,
        change: Change::Run(Box::new(RunChange {
            step: Some("extract".parse().unwrap()),
            outcome: Some(Outcome::Ok),
            ..RunChange::from(Event::Ended {
                visit: VisitNumber(1),
                outcome: Outcome::Ok,
                result: Some(json!({ "claims": ["It holds"], "count": 1, "sure": 0.5, "none": null })),
                reason: None,
                evidence: Vec::new(),
                merged: None,
                also_found: Vec::new(),
                no_progress: false,
                exhausted: false,
                tree: None,
            })
        })),
        left_behind: false,
        ..entered.clone()
    };
    let mut params = Map::new();
    params.insert("decision".to_owned(), json!("Use SQLite"));
    let view = RunDetail {
        summary: summary(),
        pin: "ab".repeat(32),
        params,
        origin: Origin::Fork {
            run: "r-bbbbbb".parse().unwrap(),
            visit: VisitNumber(3),
            task: None,
        },
        result: Some(FinalResult {
            step: "synthesis".to_owned(),
            value: json!({ "verdict": "stand" }),
        }),
        timeline: vec![entered, ended],
        notices: vec![RunNotice::SkillChanged {
            skill: "decision-critic".parse().unwrap(),
            upgrade: "bugle run upgrade r-7f3a1c".to_owned(),
        }],
        command: Some("bugle step r-7f3a1c".to_owned()),
    };
    let bare = RunDetail {
        params: Map::new(),
        origin: Origin::Fresh,
        result: None,
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
