//! Tests for the text of runs and the store.

use bugle_core::engine::{Event, EvidenceFinding, EvidenceReport, Origin, RunStatus};
use bugle_core::id::{ContentHash, Timestamp, VisitNumber};
use bugle_core::outcome::Outcome;
use bugle_core::reply::{
    AgentLabel, Author, Change, FinalResult, Position, RunChange, RunDetail, RunList, RunNotice, RunSummary,
    StoreCheck, TimelineEntry,
};
use bugle_core::workflow::{Decider, Evidence};
use bugle_render::run;
use serde_json::{Map, Value, json};

use crate::support::position;

/// The clock of these tests.
fn clock(time: Timestamp) -> String {
    format!("at {}", time.0)
}

fn summary(status: RunStatus, step: Option<&str>) -> RunSummary {
    let at = position(step.unwrap_or_default());
    RunSummary {
        position: Position {
            status,
            visit: step.and(at.visit.clone()),
            step: step.map(str::to_owned),
            ..at
        },
        directory: "/home/ada/project".to_owned(),
        person: None,
        agent: None,
        about: None,
        started_at: Timestamp(100),
        changed_at: Timestamp(160),
    }
}

fn entry(seq: u64, event: Event, left_behind: bool) -> TimelineEntry {
    TimelineEntry {
        seq,
        at: Timestamp(100 + i64::try_from(seq).unwrap()),
        by: if seq == 1 {
            Author::Person(Some("ada".to_owned()))
        } else {
            Author::Agent(AgentLabel::Address("session-1".to_owned()))
        },
        person: None,
        change: Change::Run(Box::new(RunChange {
            step: Some("extract".parse().unwrap()),
            ..RunChange::from(event)
        })),
        left_behind,
    }
}

fn ended(result: Value, evidence: Vec<EvidenceReport>) -> Event {
    Event::Ended {
        visit: VisitNumber(1),
        outcome: Outcome::Ok,
        result: Some(result),
        reason: None,
        evidence,
        merged: None,
        also_found: Vec::new(),
        no_progress: false,
        exhausted: false,
        tree: None,
    }
}

#[test]
fn a_list() {
    let mut owned = summary(RunStatus::Waiting, Some("a_step_with_a_very_long_name"));
    owned.agent = Some("anna".to_owned());
    owned.about = Some("Find out why the login page takes ten seconds to load".to_owned());
    let mut other = summary(RunStatus::Completed, None);
    other.position.run = "r-bbbbbb".parse().unwrap();
    other.position.skill = "a-skill-with-a-very-long-name".to_owned();
    let mut runs = RunList {
        everywhere: false,
        runs: vec![summary(RunStatus::Active, Some("extract")), owned, other],
        more: 0,
    };
    let few = run::list(&runs, &clock);
    runs.more = 12;
    let many = run::list(&runs, &clock);
    let none = run::list(
        &RunList {
            everywhere: false,
            runs: Vec::new(),
            more: 0,
        },
        &clock,
    );
    insta::assert_snapshot!(format!("=== few\n{few}\n=== many\n{many}\n=== none\n{none}"));
}

#[test]
fn a_run_and_its_timeline() {
    let mut params = Map::new();
    params.insert("decision".to_owned(), json!("Use SQLite\nfor everything"));
    params.insert("depth".to_owned(), json!(3));
    params.insert("long".to_owned(), json!("x".repeat(300)));
    let view = RunDetail {
        summary: summary(RunStatus::Active, Some("extract")),
        pin: "ab".repeat(32),
        params,
        origin: Origin::Fork {
            run: "r-bbbbbb".parse().unwrap(),
            visit: VisitNumber(3),
            task: None,
        },
        result: None,
        timeline: vec![
            entry(
                1,
                Event::Started {
                    decides: Decider::Project,
                    skill: "decision-critic".parse().unwrap(),
                    pin: ContentHash::from_stored(String::new()),
                    params: Map::new(),
                    origin: Origin::Fresh,
                },
                false,
            ),
            entry(
                2,
                Event::Entered {
                    visit: VisitNumber(1),
                    step: "extract".parse().unwrap(),
                    after: None,
                    files: None,
                },
                true,
            ),
            entry(3, ended(json!({ "claims": ["It holds"] }), Vec::new()), true),
            entry(
                12,
                Event::Noted {
                    visit: VisitNumber(1),
                    text: "two\nlines".to_owned(),
                },
                false,
            ),
        ],
        notices: vec![RunNotice::SkillChanged {
            skill: "decision-critic".parse().unwrap(),
            upgrade: "bugle run upgrade r-7f3a1c".to_owned(),
        }],
        command: Some("bugle step r-7f3a1c".to_owned()),
    };
    let ended = RunDetail {
        summary: summary(RunStatus::Completed, None),
        pin: "short".to_owned(),
        params: Map::new(),
        origin: Origin::Fresh,
        result: Some(FinalResult {
            step: "synthesis".to_owned(),
            value: json!({ "verdict": "stand", "report": "# Report\n\nIt holds." }),
        }),
        timeline: Vec::new(),
        notices: Vec::new(),
        command: None,
    };
    let open = run::detail(&view, &clock);
    let ended = run::detail(&ended, &clock);
    insta::assert_snapshot!(format!("=== open\n{open}\n=== ended\n{ended}"));
}

#[test]
fn a_finding_is_shown_once() {
    let finding = json!({ "severity": "must", "problem": "it leaks" });
    let result = json!({
        "children": [{ "slot": 1, "outcome": "finished", "result": { "checks": ["a"], "findings": [finding] } }],
        "review": { "checks": ["a"], "findings": [finding] },
        "verdict": { "status": "fail", "blocking": [{ "number": 1, "finding": finding, "seen": 1 }] },
    });
    let proof = EvidenceReport {
        evidence: Evidence::Artifact {
            pattern: "a.txt".to_owned(),
            existing: false,
        },
        filled: None,
        finding: EvidenceFinding::Files(vec!["a.txt".to_owned()]),
    };
    for evidence in [Vec::new(), vec![proof]] {
        let view = RunDetail {
            summary: summary(RunStatus::Active, Some("review")),
            pin: "ab".repeat(32),
            params: Map::new(),
            origin: Origin::Fresh,
            result: None,
            timeline: vec![entry(1, ended(result.clone(), evidence), false)],
            notices: Vec::new(),
            command: None,
        };
        let text = run::detail(&view, &clock);
        assert_eq!(text.matches("it leaks").count(), 1, "{text}");
        assert!(
            text.contains("\"findings\": 1") && text.contains("\"blocking\""),
            "{text}"
        );
    }
}

#[test]
fn a_check_of_the_store() {
    let mut view = StoreCheck {
        file: "/home/ada/.bugle/bugle.db".to_owned(),
        schema: 1,
        runs: 1,
        events: 40,
        tasks: 7,
        task_events: 31,
        blobs: 11,
        only_own_projects: false,
        faults: Vec::new(),
    };
    let sound = run::store_check(&view);
    view.faults = vec!["run r-7f3a1c: its row says waiting, its events say active".to_owned()];
    let damaged = run::store_check(&view);
    insta::assert_snapshot!(format!("=== sound\n{sound}\n=== damaged\n{damaged}"));
}
