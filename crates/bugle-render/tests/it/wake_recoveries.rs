//! Snapshots of replacement agents' wake-ups.

use bugle_core::reply::{
    Author, LogView, Purpose, RecoveryChecks, RecoveryView, TaskFile, UncommittedView, UnfinishedItem,
    UnfinishedWork, WakeFacts,
};
use bugle_core::task::TaskStatus;
use bugle_core::wake::{Budget, Part, Unit, WakeReason, assemble};
use bugle_render::wake;

use crate::support::every_size;
use crate::wake_activity::{login_task, note, noted};
use crate::wake_facts::{HOSTILE, authentication, command, message, nothing};
use bugle_testkit::fences::check;

/// An agent died with a run and a task open, for the third time.
fn recovery() -> RecoveryView {
    RecoveryView {
        agent: "@backend".to_owned(),
        work: vec![
            UnfinishedWork {
                item: UnfinishedItem::Run {
                    visit: "r-7f3a1c#2".parse().unwrap(),
                    skill: "subagent-driven-development".to_owned(),
                    step: "Compare the work with the task".to_owned(),
                },
                command: command(Purpose::EndLostStep, "bugle done 'r-7f3a1c#2'"),
                failed: 0,
                died: 1,
                split: None,
            },
            UnfinishedWork {
                item: UnfinishedItem::Task {
                    name: login_task(),
                    status: TaskStatus::Active,
                },
                command: command(
                    Purpose::TakeOverTask,
                    "bugle task start t-3 --take-over --as june",
                ),
                failed: 1,
                died: 2,
                split: Some("bugle help task add".to_owned()),
            },
        ],
        more_work: 1,
        did: (0..8)
            .map(|at| noted(&format!("10:3{at}"), "@backend", &format!("thing {at}")))
            .collect(),
        did_before: 4,
        said: vec![message("backend", &"The tests hang on the login. ".repeat(12))],
        unread: 2,
        unread_command: "bugle message list --for backend --unread --take".to_owned(),
        log: Some(LogView {
            file: "/tmp/backend.jsonl".to_owned(),
            lines: (0..9).map(|at| format!("assistant: line {at}")).collect(),
            is_cut: true,
            trouble: None,
            command: "tail -n 200 /tmp/backend.jsonl".to_owned(),
        }),
        checks: RecoveryChecks {
            uncommitted: Some(UncommittedView {
                files: (0..7).map(|at| format!(" M internal/auth/file{at}.go")).collect(),
                more: 3,
                command: "git -C /work/shop status --short".to_owned(),
            }),
            result: Some("/home/ada/.bugle/work/r-7f3a1c/2.json".to_owned()),
            evidence: vec!["a file that matches docs/*.md: there is no such file".to_owned()],
            files: vec![
                TaskFile {
                    path: "internal/auth/login.go".to_owned(),
                    exists: true,
                },
                TaskFile {
                    path: "internal/auth/login_test.go".to_owned(),
                    exists: false,
                },
            ],
            more_files: 0,
        },
        commands: vec![
            command(Purpose::ShowDetails, "bugle run show r-7f3a1c"),
            command(Purpose::ShowDetails, "bugle task show t-3 --full"),
        ],
    }
}

fn replacement() -> WakeFacts {
    WakeFacts {
        recovery: Some(recovery()),
        remembers: false,
        ..authentication(WakeReason::Event)
    }
}

#[test]
fn each_size_of_a_recovery() {
    let mut offers = wake::offers(&replacement());
    offers.retain(|offer| matches!(offer.part, Part::Identity | Part::Recovery));
    insta::assert_snapshot!(every_size(&offers));
}

#[test]
fn a_replacement_receives_everything() {
    let parts: Vec<Part> = wake::offers(&replacement())
        .iter()
        .map(|offer| offer.part)
        .collect();
    for part in [Part::Recovery, Part::Skill, Part::Plan, Part::Tasks, Part::Learnt] {
        assert!(parts.contains(&part), "{part:?}");
    }
}

#[test]
fn any_budget_names_the_predecessor_and_asks_to_split_a_task_that_failed_three_times() {
    for limit in [100, 1_200, 3_000, 9_000] {
        let budget = Budget {
            unit: Unit::Utf16,
            limit,
        };
        let text = assemble(&wake::offers(&replacement()), budget).text;
        check(&text).unwrap();
        for fact in [
            "## Taking over from @backend",
            "t-3 has failed 3 times",
            "`bugle run show r-7f3a1c`",
        ] {
            assert!(text.contains(fact), "{fact} is not in\n{text}");
        }
    }
}

#[test]
fn a_predecessor_without_unfinished_work_is_named_as_such() {
    let facts = WakeFacts {
        recovery: Some(RecoveryView {
            work: Vec::new(),
            more_work: 0,
            did: Vec::new(),
            did_before: 0,
            said: Vec::new(),
            unread: 0,
            log: None,
            checks: RecoveryChecks::default(),
            commands: Vec::new(),
            ..recovery()
        }),
        remembers: false,
        ..nothing(WakeReason::Event)
    };
    let text = assemble(&wake::offers(&facts), Budget::utf16(9_000)).text;
    assert!(text.contains("No unfinished work was found."), "{text}");
}

#[test]
fn the_predecessors_hostile_text_stays_quoted() {
    let mut recovery = recovery();
    recovery.agent = HOSTILE[1].to_owned();
    for (event, text) in recovery.did.iter_mut().zip(HOSTILE) {
        event.by = Author::Person(Some(text.to_owned()));
        event.change = note(text);
    }
    recovery.said = HOSTILE.iter().map(|text| message(text, text)).collect();
    for work in &mut recovery.work {
        match &mut work.item {
            UnfinishedItem::Run { skill, step, .. } => {
                HOSTILE[0].clone_into(skill);
                HOSTILE[3].clone_into(step);
            }
            UnfinishedItem::Task { name, .. } => HOSTILE[0].clone_into(&mut name.title),
        }
    }
    if let Some(log) = &mut recovery.log {
        log.file = HOSTILE[2].to_owned();
        log.lines = HOSTILE.iter().map(|text| (*text).to_owned()).collect();
    }
    recovery.checks.evidence = HOSTILE.iter().map(|text| (*text).to_owned()).collect();
    if let Some(uncommitted) = &mut recovery.checks.uncommitted {
        uncommitted.files = HOSTILE.iter().map(|text| (*text).to_owned()).collect();
    }
    let facts = WakeFacts {
        recovery: Some(recovery),
        remembers: false,
        ..nothing(WakeReason::Event)
    };
    for offer in wake::offers(&facts) {
        for sized in &offer.sizes {
            check(&sized.text).unwrap();
        }
    }
}
