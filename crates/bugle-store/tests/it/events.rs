//! Property tests: events and strings round-trip through the store.

use bugle_core::engine::{
    AnsweredEscalation, Assignment, ChildOrigin, ChildPlan, ChildWork, Escalation, Event, EvidenceFinding,
    EvidenceReport, GateBrief, Origin, Recorded, ReworkBrief, RunState, TaskRef,
};
use bugle_core::id::{Actor, ChildToken, RunId, SessionId, TaskId, Timestamp, VisitNumber, VisitToken};
use bugle_core::outcome::Outcome;
use bugle_core::review::{self, Dispute, OpenFinding, Severity};
use bugle_core::role::AgentRole;
use bugle_core::task::TaskBrief;
use bugle_core::workflow::{Decider, Evidence, StepDef};
use bugle_store::{Append, NewRun};
use bugle_testkit::spelling::{skill_address, skill_path, step_id};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::Config;
use serde_json::{Map, Value};

use crate::conformance::Engine as _;
use crate::random_values::{also_found, merged, plain_text, text, value};
use crate::sqlite::SqliteFile;
use crate::test_run::{hash, project, recorded, started};

fn actor() -> impl Strategy<Value = Actor> {
    prop_oneof![
        text().prop_map(Actor::Person),
        text().prop_map(|text| Actor::Agent(SessionId(text))),
        Just(Actor::Program),
    ]
}

fn report() -> impl Strategy<Value = EvidenceReport> {
    let evidence = prop_oneof![
        (text(), any::<bool>()).prop_map(|(pattern, existing)| Evidence::Artifact { pattern, existing }),
        (text(), any::<u32>()).prop_map(|(line, timeout_seconds)| Evidence::Command {
            line,
            timeout_seconds
        }),
        text().prop_map(|file| Evidence::Plan { file }),
    ];
    let finding = prop_oneof![
        prop::collection::vec(text(), 0..3).prop_map(EvidenceFinding::Files),
        Just(EvidenceFinding::NoFile),
        prop::collection::vec(text(), 0..3).prop_map(EvidenceFinding::OnlyOlderFiles),
        prop::collection::vec(text(), 0..3).prop_map(EvidenceFinding::OnlyEmptyFiles),
        prop::collection::vec(text(), 0..3).prop_map(EvidenceFinding::OnlyLinks),
        prop::collection::vec(text(), 0..3).prop_map(EvidenceFinding::TooManyFiles),
        (option::of(any::<i32>()), text()).prop_map(|(code, tail)| EvidenceFinding::Exit { code, tail }),
        text().prop_map(|tail| EvidenceFinding::TimedOut { tail }),
        text().prop_map(EvidenceFinding::NotChecked),
        (text(), any::<u64>(), any::<u32>()).prop_map(|(file, root, tasks)| EvidenceFinding::Plan {
            file,
            root: TaskId::from_random(root),
            tasks,
        }),
        text().prop_map(|why| EvidenceFinding::NoPlan { why }),
    ];
    (evidence, option::of(text()), finding).prop_map(|(evidence, filled, finding)| EvidenceReport {
        evidence,
        filled,
        finding,
    })
}

fn task() -> impl Strategy<Value = TaskBrief> {
    let texts = (text(), text(), text());
    let skill = option::of(Just(skill_address("tested")));
    let files = prop::collection::vec(text(), 0..3);
    (any::<u64>(), texts, skill, files).prop_map(|(id, (number, title, text), skill, files)| TaskBrief {
        id: TaskId::from_random(id),
        number,
        title,
        text,
        skill,
        files,
    })
}

fn params() -> impl Strategy<Value = Map<String, Value>> {
    let params = prop::collection::btree_map(text(), value(), 0..4);
    params.prop_map(|params| params.into_iter().collect())
}

fn found() -> impl Strategy<Value = review::Finding> {
    let texts = (text(), text(), text(), text(), text());
    (select(Severity::ALL.to_vec()), texts).prop_map(
        |(severity, (category, location, element, problem, action))| review::Finding {
            severity,
            category,
            location,
            element,
            problem,
            action,
        },
    )
}

fn child() -> impl Strategy<Value = ChildOrigin> {
    let work = prop_oneof![
        Just(ChildWork::Workflow(skill_path("agents/look.yaml"))),
        text().prop_map(|text| ChildWork::Brief(Box::new(StepDef::new("brief", "A brief", &text).unwrap()))),
    ];
    let texts = || prop::collection::vec(text(), 0..3);
    let assignment = prop_oneof![
        Just(Assignment::Plain),
        (
            text(),
            any::<u32>(),
            texts(),
            [(); 2].map(|()| prop::collection::vec(found(), 0..2)),
            prop::collection::vec((found(), text()), 0..2),
        )
            .prop_map(|(name, iteration, checks, [accepted, deferred], disputed)| {
                Assignment::Review(GateBrief {
                    name,
                    iteration,
                    checks,
                    accepted,
                    disputed: disputed
                        .into_iter()
                        .map(|(finding, evidence)| Dispute { finding, evidence })
                        .collect(),
                    deferred,
                })
            }),
        (
            text(),
            any::<u32>(),
            prop::collection::vec((any::<u32>(), found(), any::<u32>()), 0..2),
            prop::option::of(text())
        )
            .prop_map(|(name, iteration, open, wanted)| Assignment::Rework(ReworkBrief {
                name,
                visit: VisitNumber(iteration),
                iteration,
                findings: open
                    .into_iter()
                    .map(|(number, finding, seen)| OpenFinding {
                        number,
                        finding,
                        seen,
                    })
                    .collect(),
                wanted,
            })),
    ];
    let answered = (select(Escalation::ALL.to_vec()), text(), text())
        .prop_map(|(kind, reason, answer)| AnsweredEscalation { kind, reason, answer });
    let place = (any::<u64>(), 1..u32::MAX, 1..u32::MAX);
    (
        place,
        any::<u32>(),
        select(AgentRole::ALL.to_vec()),
        work,
        assignment,
        option::of(answered),
        option::of(task()),
    )
        .prop_map(
            |((run, visit, slot), attempt, role, work, assignment, answered, task)| ChildOrigin {
                token: ChildToken {
                    parent: VisitToken {
                        run: RunId::from_random(run),
                        visit: VisitNumber(visit),
                    },
                    slot,
                },
                attempt,
                role,
                work,
                assignment,
                answered,
                task: task.as_ref().map(|task| Box::new(TaskRef::from(task))),
            },
        )
}

fn ended() -> impl Strategy<Value = Event> {
    let visit = || any::<u32>().prop_map(VisitNumber);
    (
        visit(),
        select(Outcome::ALL.to_vec()),
        // A `null` result is the same as no result.
        option::of(value().prop_filter("none", |value| !value.is_null())),
        option::of(text()),
        prop::collection::vec(report(), 0..3),
        (any::<bool>(), any::<bool>()),
        option::of(text()),
        (option::of(merged()), prop::collection::vec(also_found(), 0..3)),
    )
        .prop_map(
            |(
                visit,
                outcome,
                result,
                reason,
                evidence,
                (exhausted, no_progress),
                tree,
                (merged, also_found),
            )| Event::Ended {
                visit,
                outcome,
                result,
                reason,
                evidence,
                merged: merged.map(Box::new),
                also_found,
                exhausted,
                no_progress,
                tree,
            },
        )
}

fn event() -> impl Strategy<Value = Event> {
    let visit = || any::<u32>().prop_map(VisitNumber);
    let origin = prop_oneof![
        Just(Origin::Fresh),
        (any::<u64>(), visit()).prop_map(|(run, visit)| Origin::Fork {
            run: RunId::from_random(run),
            visit,
            task: None,
        }),
        child().prop_map(Origin::Child),
    ];
    prop_oneof![
        (params(), origin, any::<u8>()).prop_map(|(params, origin, pin)| Event::Started {
            decides: Decider::Lead,
            skill: skill_address("tested"),
            pin: hash(pin),
            params,
            origin,
        }),
        (visit(), option::of(visit()), option::of(any::<u8>())).prop_map(|(visit, after, files)| {
            Event::Entered {
                visit,
                step: step_id("extract"),
                after,
                files: files.map(hash),
            }
        }),
        visit().prop_map(|visit| Event::Asked { visit }),
        (visit(), text()).prop_map(|(visit, text)| Event::Noted { visit, text }),
        ended(),
        (
            visit(),
            prop::collection::vec((params(), option::of(task())), 0..3)
        )
            .prop_map(|(visit, given)| Event::Dispatched {
                visit,
                children: given
                    .into_iter()
                    .map(|(params, task)| ChildPlan {
                        params,
                        task: task.as_ref().map(TaskRef::from),
                    })
                    .collect(),
            }),
        (visit(), task()).prop_map(|(visit, task)| Event::Took { visit, task }),
        (visit(), task(), option::of(text())).prop_map(|(visit, task, skipped)| Event::Closed {
            visit,
            task: task.id,
            skipped,
        }),
        (visit(), value(), option::of(text())).prop_map(|(visit, result, tree)| Event::Judged {
            visit,
            result,
            tree
        }),
        (visit(), prop::collection::vec(found(), 0..3), text()).prop_map(|(visit, findings, reason)| {
            Event::RisksAccepted {
                visit,
                findings,
                reason,
            }
        }),
        (visit(), select(Escalation::ALL.to_vec()), text())
            .prop_map(|(visit, kind, reason)| Event::Escalated { visit, kind, reason }),
        visit().prop_map(|visit| Event::LetGo { visit }),
        Just(Event::Completed),
        option::of(text()).prop_map(|reason| Event::Paused { reason }),
        Just(Event::Resumed),
        option::of(text()).prop_map(|reason| Event::Cancelled { reason }),
        visit().prop_map(|to| Event::Rewound { to }),
        any::<u8>().prop_map(|pin| Event::Upgraded {
            decides: Decider::Project,
            pin: hash(pin),
            params: Map::new()
        }),
    ]
}

fn happened() -> impl Strategy<Value = Recorded> {
    (any::<i64>(), actor(), event()).prop_map(|(at, by, event)| Recorded {
        at: Timestamp(at),
        by,
        event,
    })
}

/// A state with this version. The store does not compare it with the events.
fn state(version: usize) -> RunState {
    let mut state = RunState::replay(&RunId::from_random(1), &[recorded(1, started())]).unwrap();
    state.version = version as u64;
    state
}

proptest! {
    #![proptest_config(Config { cases: 128, failure_persistence: None, ..Config::default() })]

    #[test]
    fn events_round_trip(
        first in prop::collection::vec(happened(), 1..5), more in prop::collection::vec(happened(), 1..5),
    ) {
        let engine = SqliteFile::fresh();
        let mut store = engine.open();
        let project = project(&mut store);
        let created = state(first.len());
        let run = NewRun { project: &project, directory: "/", session: None, state: &created, events: &first };
        prop_assert_eq!(store.create(&run).unwrap(), Append::Done);
        let later = state(first.len() + more.len());
        prop_assert_eq!(store.append(created.version, &more, &later).unwrap(), Append::Done);
        let all: Vec<Recorded> = first.iter().chain(&more).cloned().collect();
        let read = engine.open().load(&created.id).unwrap().unwrap().events;
        let spelled = |events: &[Recorded]| serde_json::to_string(events).unwrap();
        prop_assert_eq!(spelled(&read), spelled(&all));
        prop_assert_eq!(read, all);
    }

    #[test]
    fn texts_round_trip(
        place in plain_text(), directory in plain_text(), session in plain_text(), body in plain_text(),
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let engine = SqliteFile::fresh();
        let mut store = engine.open();
        let project = store.project(&place, "p-1", Timestamp(1)).unwrap();
        let session = SessionId(session);
        let (created, events) = (state(1), [recorded(1, started())]);
        let session_given = Some(&session);
        let run = NewRun { project: &project, directory: &directory, session: session_given, state: &created, events: &events };
        prop_assert_eq!(store.create(&run).unwrap(), Append::Done);
        store.keep_blobs(&[(hash(1), bytes.clone())]).unwrap();
        store.keep_compiled(&hash(1), 1, &body).unwrap();
        let mut store = engine.open();
        let row = store.load(&created.id).unwrap().unwrap().row;
        prop_assert_eq!(store.find_project(&place).unwrap(), Some(project));
        prop_assert_eq!(row.directory, directory);
        prop_assert_eq!(row.session, Some(session));
        prop_assert_eq!(store.compiled(&hash(1), 1).unwrap(), Some(body));
        prop_assert_eq!(store.blob(&hash(1)).unwrap(), Some(bytes));
    }
}
