//! Evidence is verified before a step counts as `ok`.

use bugle_core::engine::{Command, Decision, Environment, EvidenceFinding, EvidenceReport, Refusal, decide};
use bugle_core::outcome::Outcome;
use bugle_core::workflow::{Evidence, StepDef, Workflow};
use bugle_testkit::run::TestRun;

use crate::support::{Build, Drive, begun, done, gave_up, step, workflow};

fn file() -> Evidence {
    Evidence::Artifact {
        pattern: "docs/*.md".to_owned(),
        existing: false,
    }
}

fn tests() -> Evidence {
    Evidence::Command {
        line: "cargo test".to_owned(),
        timeout_seconds: 300,
    }
}

fn expecting(expect: Vec<Evidence>) -> Workflow {
    workflow([
        StepDef {
            expect,
            ..step("a").to("b").failing_to("b")
        },
        step("b"),
    ])
}

fn found(evidence: Evidence, finding: EvidenceFinding) -> EvidenceReport {
    EvidenceReport {
        evidence,
        filled: None,
        finding,
    }
}

fn decided(
    run: &TestRun<'_>,
    command: Command<'_>,
    evidence: Option<&[EvidenceReport]>,
    trusted: bool,
) -> Decision {
    decide(
        &run.state,
        run.workflow,
        command,
        Environment {
            evidence,
            trusted,
            ..Environment::unknown()
        },
    )
}

#[test]
fn evidence_is_requested_checked_and_recorded() {
    let workflow = expecting(vec![file(), tests()]);
    let mut run = begun(&workflow);
    let wanted = Decision::NeedsEvidence(vec![file(), tests()]);
    assert_eq!(decided(&run, done(1), None, true), wanted);
    let reports = [EvidenceReport::met(&file()), EvidenceReport::met(&tests())];
    let Decision::Accept(events) = decided(&run, done(1), Some(&reports), true) else {
        panic!("evidence that is there is accepted");
    };
    run.record(events).unwrap();
    let ending = run.state.visits()[0].ending.as_ref().unwrap();
    assert_eq!(ending.outcome, Outcome::Ok);
    assert_eq!(ending.evidence, reports);
}

#[test]
fn unchecked_evidence_proves_nothing() {
    let workflow = expecting(vec![file(), tests()]);
    let run = begun(&workflow);
    let wanted = Decision::NeedsEvidence(vec![file(), tests()]);
    assert_eq!(decided(&run, done(1), Some(&[]), true), wanted);
    assert_eq!(
        decided(&run, done(1), Some(&[EvidenceReport::met(&file())]), true),
        wanted
    );
}

#[test]
fn missing_evidence_is_reported() {
    let workflow = expecting(vec![file(), tests()]);
    let run = begun(&workflow);
    let tail = || "1 failed".to_owned();
    let unmet = [
        found(file(), EvidenceFinding::NoFile),
        found(file(), EvidenceFinding::Files(Vec::new())),
        found(
            file(),
            EvidenceFinding::OnlyOlderFiles(vec!["docs/old.md".to_owned()]),
        ),
        found(
            tests(),
            EvidenceFinding::Exit {
                code: Some(101),
                tail: tail(),
            },
        ),
        found(
            tests(),
            EvidenceFinding::Exit {
                code: None,
                tail: tail(),
            },
        ),
        found(tests(), EvidenceFinding::TimedOut { tail: tail() }),
        found(tests(), EvidenceFinding::NotChecked("no shell".to_owned())),
    ];
    for report in unmet {
        assert!(!report.is_met(), "{report:?}");
        let other = if report.evidence == file() {
            tests()
        } else {
            file()
        };
        let reports = [EvidenceReport::met(&other), report.clone()];
        let decision = decided(&run, done(1), Some(&reports), true);
        assert_eq!(decision, Decision::Refuse(Refusal::EvidenceUnmet(vec![report])));
    }
}

#[test]
fn commands_of_an_untrusted_skill_are_not_run() {
    let workflow = expecting(vec![file(), tests()]);
    let run = begun(&workflow);
    let untrusted = Decision::Refuse(Refusal::Untrusted {
        commands: vec!["cargo test".to_owned()],
    });
    assert_eq!(decided(&run, done(1), None, false), untrusted);
    let reports = [EvidenceReport::met(&file()), EvidenceReport::met(&tests())];
    assert_eq!(decided(&run, done(1), Some(&reports), false), untrusted);
}

#[test]
fn files_need_no_trust() {
    let workflow = expecting(vec![file()]);
    let run = begun(&workflow);
    let decision = decided(&run, done(1), Some(&[EvidenceReport::met(&file())]), false);
    assert!(matches!(decision, Decision::Accept(_)), "{decision:?}");
}

#[test]
fn a_failure_needs_no_evidence() {
    let workflow = expecting(vec![tests()]);
    let run = begun(&workflow);
    let decision = decided(&run, gave_up(1, "the tests cannot be run"), None, false);
    assert!(matches!(decision, Decision::Accept(_)), "{decision:?}");
}

#[test]
fn evidence_is_not_checked_twice() {
    let workflow = expecting(vec![tests()]);
    let mut run = begun(&workflow);
    run.accept(done(1));
    assert_eq!(decided(&run, done(1), None, true), Decision::Already);
}
