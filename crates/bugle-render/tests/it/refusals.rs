//! Every refusal, in every format: message, details and remedy.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use bugle_core::engine::{
    ChildState, Escalation, EvidenceFinding, EvidenceReport, FailedCheck, Refusal, RunStatus,
};
use bugle_core::expression::FailingItem;
use bugle_core::id::{RunId, TaskId, VisitNumber};
use bugle_core::interface::Interface;
use bugle_core::name::{FieldName, StepId};
use bugle_core::outcome::Outcome;
use bugle_core::reply::RefusalView;
use bugle_core::rights::{Action, MissingAuthority};
use bugle_core::shape::{Field, Length, Mismatch, Presence, Shape};
use bugle_core::workflow::Evidence;
use bugle_render::refusal_text::{self, RefusalText};
use bugle_render::{Format, step};
use bugle_wire::Answer;

use crate::support::{forms, full_refusal, position};

/// A claim that fails a check.
fn failing_claim(index: usize) -> FailingItem {
    FailingItem {
        path: format!("result.claims[{index}]"),
        id: Some(format!("c{}", index + 1)),
    }
}

fn expected_shape() -> Shape {
    let items = Box::new(Shape::text());
    let length = Length {
        min: Some(1),
        max: None,
    };
    Shape::Object(vec![Field {
        name: FieldName::new("claims").unwrap(),
        shape: Shape::Array {
            items,
            length,
            unique: None,
        },
        presence: Presence::Required,
        help: Some("one line each".to_owned()),
    }])
}

fn mismatches() -> Vec<Mismatch> {
    let value = serde_json::json!({ "claims": ["It holds", 3], "extra": true });
    expected_shape().mismatches(&value)
}

fn reports() -> Vec<EvidenceReport> {
    let artifact = |existing| Evidence::Artifact {
        pattern: "docs/*.md".to_owned(),
        existing,
    };
    let command = || Evidence::Command {
        line: "cargo test".to_owned(),
        timeout_seconds: 300,
    };
    let plan = || Evidence::Plan {
        file: "docs/plan.md".to_owned(),
    };
    let tail = "test it_holds ... FAILED\nerror: 1 test failed\n".to_owned();
    [
        (artifact(true), EvidenceFinding::NoFile),
        (
            artifact(false),
            EvidenceFinding::OnlyOlderFiles(vec!["docs/a.md".to_owned(), "docs/b.md".to_owned()]),
        ),
        (
            artifact(false),
            EvidenceFinding::NotChecked("the pattern is invalid".to_owned()),
        ),
        (
            command(),
            EvidenceFinding::Exit {
                code: Some(101),
                tail: tail.clone(),
            },
        ),
        (
            command(),
            EvidenceFinding::Exit {
                code: None,
                tail: String::new(),
            },
        ),
        (command(), EvidenceFinding::TimedOut { tail }),
        (
            command(),
            EvidenceFinding::Exit {
                code: Some(0),
                tail: String::new(),
            },
        ),
        (
            artifact(false),
            EvidenceFinding::Files(vec!["docs/a.md".to_owned()]),
        ),
        (
            plan(),
            EvidenceFinding::NoPlan {
                why: "its dependencies form a cycle: 2 -> 3 -> 2".to_owned(),
            },
        ),
        (
            plan(),
            EvidenceFinding::Plan {
                file: "docs/plan.md".to_owned(),
                root: TaskId::from_random(7),
                tasks: 4,
            },
        ),
    ]
    .map(|(evidence, finding)| EvidenceReport {
        evidence,
        filled: None,
        finding,
    })
    .to_vec()
}

/// One refusal of each kind, some kinds in several variants.
fn every_refusal() -> Vec<Refusal> {
    let mut all = vec![
        Refusal::UnknownVisit(VisitNumber(9)),
        Refusal::StaleVisit {
            visit: VisitNumber(1),
            ended: Some(Outcome::Ok),
        },
        Refusal::StaleVisit {
            visit: VisitNumber(1),
            ended: None,
        },
    ];
    all.extend(RunStatus::ALL.map(Refusal::WrongStatus));
    all.extend([
        Refusal::ResultMissing(expected_shape()),
        Refusal::ResultMismatch {
            mismatches: mismatches(),
            expected: expected_shape(),
        },
        Refusal::ChecksFailed {
            failed: vec![
                FailedCheck {
                    say: "Each claim is a full sentence.".to_owned(),
                    that: "result.claims.all(c, size(c.text) > 10)".to_owned(),
                    items: (1..8).map(failing_claim).collect(),
                    error: None,
                },
                FailedCheck {
                    say: "The first claim is the decision.".to_owned(),
                    that: "result.claims[0].id == \"C1\"".to_owned(),
                    items: Vec::new(),
                    error: Some("index 0 is out of range for a list of length 0".to_owned()),
                },
            ],
            expected: expected_shape(),
        },
        Refusal::ResultUnexpected,
        Refusal::EvidenceUnmet(reports()),
        Refusal::Untrusted {
            commands: vec!["cargo test".to_owned(), "./deploy --dry-run".to_owned()],
        },
        Refusal::CannotFail,
        Refusal::GuardFailed {
            guard: "state.scan.count / result.parts > 2".to_owned(),
            message: "division by zero".to_owned(),
        },
    ]);
    all.extend(about_children());
    all.extend([
        Refusal::ReportWithoutFindings(vec![2]),
        Refusal::ChecksMissing(vec!["errors".to_owned(), "naming".to_owned()]),
        Refusal::ReviewIncomplete(vec![(2, vec!["errors".to_owned()])]),
        Refusal::UnknownDispute {
            finding: 7,
            open: vec![1, 2],
        },
        Refusal::UnknownDispute {
            finding: 1,
            open: Vec::new(),
        },
        Refusal::ReviewStale(vec![1, 3]),
        Refusal::AnswersForChildren,
        Refusal::HasReported(2),
        Refusal::StillOpen(2),
        Refusal::UnknownChild { slot: 4, children: 3 },
        Refusal::TooManyChildren {
            step: StepId::new("explore").unwrap(),
            found: 12,
            limit: 8,
        },
        Refusal::NotAChild,
        Refusal::ParentGone(RunId::from_random(7)),
        Refusal::OnlyForWholeRuns(Action::Upgrade),
        Refusal::UnknownFinding(9),
        Refusal::NotAsking,
        Refusal::NotAllowed(Action::DecideGate, MissingAuthority::UserInput),
        Refusal::NotAllowed(Action::AcceptRisks, MissingAuthority::Person),
        Refusal::BadChoice {
            answer: "maybe".to_owned(),
            choices: vec!["yes".to_owned(), "no".to_owned()],
        },
        Refusal::Empty("the answer"),
        Refusal::NotInHistory(VisitNumber(4)),
        Refusal::SameVersion,
        Refusal::StepGone(StepId::new("extract").unwrap()),
        Refusal::DoesNotFit {
            what: "the result of extract".to_owned(),
            mismatches: mismatches(),
        },
    ]);
    all
}

fn about_children() -> Vec<Refusal> {
    vec![
        Refusal::ChildrenMissing {
            missing: vec![
                (1, ChildState::NotStarted),
                (2, ChildState::Working(StepId::new("look").unwrap())),
                (3, ChildState::Waiting),
                (4, ChildState::Paused),
                (5, ChildState::Cancelled),
            ],
            reported: 2,
            needed: 7,
        },
        Refusal::ChildrenAsking(vec![
            (
                1,
                ChildState::Escalated(Escalation::NeedsDecision, "SQLite or Postgres?".to_owned()),
            ),
            (2, ChildState::Waiting),
        ]),
        Refusal::NoQuestion,
        Refusal::SelfReview {
            gate: "Soundness".to_owned(),
            child: "r-7f3a1c#2/1".parse().unwrap(),
        },
    ]
}

/// Does not compile after a new kind of refusal is added. Add the new kind here and to [`every_refusal`]. One kind has
/// two codes.
fn kinds() -> usize {
    match Refusal::SameVersion {
        Refusal::UnknownVisit(_)
        | Refusal::StaleVisit { .. }
        | Refusal::WrongStatus(_)
        | Refusal::ResultMissing(_)
        | Refusal::ResultMismatch { .. }
        | Refusal::ChecksFailed { .. }
        | Refusal::ResultUnexpected
        | Refusal::EvidenceUnmet(_)
        | Refusal::Untrusted { .. }
        | Refusal::CannotFail
        | Refusal::GuardFailed { .. }
        | Refusal::ChildrenMissing { .. }
        | Refusal::ChildrenAsking(_)
        | Refusal::NoQuestion
        | Refusal::SelfReview { .. }
        | Refusal::ReportWithoutFindings(_)
        | Refusal::ChecksMissing(_)
        | Refusal::ReviewIncomplete(_)
        | Refusal::UnknownDispute { .. }
        | Refusal::ReviewStale(_)
        | Refusal::AnswersForChildren
        | Refusal::HasReported(_)
        | Refusal::StillOpen(_)
        | Refusal::UnknownChild { .. }
        | Refusal::TooManyChildren { .. }
        | Refusal::NotAChild
        | Refusal::ParentGone(_)
        | Refusal::OnlyForWholeRuns(_)
        | Refusal::UnknownFinding(_)
        | Refusal::NotAsking
        | Refusal::NotAllowed(..)
        | Refusal::BadChoice { .. }
        | Refusal::Empty(_)
        | Refusal::NotInHistory(_)
        | Refusal::SameVersion
        | Refusal::StepGone(_)
        | Refusal::DoesNotFit { .. } => 38,
    }
}

fn view(refusal: &Refusal) -> RefusalView {
    let RefusalText {
        message,
        details,
        outline,
        remedy,
    } = refusal_text::refusal(refusal, Interface::Shell);
    RefusalView {
        code: refusal.code().to_owned(),
        message,
        details,
        outline,
        remedy,
        position: Some(position("extract")),
        command: Some("bugle step r-7f3a1c".to_owned()),
    }
}

fn page(show: impl Fn(&RefusalView) -> String) -> String {
    let mut page = String::new();
    for refusal in every_refusal() {
        let text = show(&view(&refusal));
        let _ = writeln!(page, "=== {}\n{text}", refusal.code());
    }
    page
}

#[test]
fn every_kind_of_refusal_is_covered() {
    let codes: BTreeSet<&str> = every_refusal().iter().map(Refusal::code).collect();
    assert_eq!(codes.len(), kinds());
}

#[test]
fn for_agents() {
    insta::assert_snapshot!(page(|view| {
        let text = step::refusal(view, Format::Xml);
        roxmltree::Document::parse(&text).unwrap();
        text
    }));
}

#[test]
fn for_people() {
    insta::assert_snapshot!(page(|view| step::refusal(view, Format::Text)));
}

#[test]
fn for_documents() {
    insta::assert_snapshot!(page(|view| step::refusal(view, Format::Markdown)));
}

#[test]
fn for_programs() {
    insta::assert_snapshot!(page(Answer::to_json));
}

#[test]
fn messages_and_remedies_are_whole_sentences() {
    for refusal in every_refusal() {
        let text = refusal_text::refusal(&refusal, Interface::Shell);
        for sentence in [&text.message, &text.remedy] {
            assert!(sentence.ends_with('.'), "{sentence}");
            assert!(!sentence.contains('\n'), "{sentence}");
            assert!(
                !sentence.starts_with(|c: char| c.is_lowercase()),
                "a sentence begins with a capital: {sentence}"
            );
        }
    }
}

#[test]
fn every_format_has_all_content() {
    let view = full_refusal();
    for (name, text) in forms(&view, |format| step::refusal(&view, format)) {
        let contents = [
            view.message.as_str(),
            &view.details[0],
            &view.remedy,
            "r-7f3a1c#2",
            "claims",
        ];
        for content in contents {
            assert!(text.contains(content), "{name} lacks {content:?}:\n{text}");
        }
    }
}
