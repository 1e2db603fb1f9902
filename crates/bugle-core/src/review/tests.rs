//! What a verdict rests on.

use proptest::prelude::*;

use super::*;

fn finding(severity: Severity, category: &str, element: &str) -> Finding {
    Finding {
        severity,
        category: category.to_owned(),
        location: "src/lib.rs:1".to_owned(),
        element: element.to_owned(),
        problem: "it is wrong".to_owned(),
        action: "mend it".to_owned(),
    }
}

fn pass(findings: Vec<Finding>) -> Review {
    Review {
        checks: vec!["naming".to_owned(), "errors".to_owned()],
        findings,
    }
}

#[test]
fn what_blocks_depends_on_the_iteration() {
    let table: Vec<String> = (1..=6)
        .map(|iteration| {
            let blocking: Vec<&str> = Severity::ALL
                .iter()
                .filter(|severity| severity.blocks(iteration))
                .map(|s| s.as_str())
                .collect();
            blocking.join(" ")
        })
        .collect();
    assert_eq!(
        table,
        [
            "must should could",
            "must should could",
            "must should could",
            "must should",
            "must",
            "must"
        ]
    );
}

#[test]
fn a_review_without_findings_passes() {
    let verdict = judge(&[], &pass(Vec::new()), &[]);
    assert_eq!(verdict.status, QrStatus::Pass);
    assert_eq!(verdict.iteration, 1);
}

#[test]
fn a_new_check_blocks_only_as_a_must() {
    let first = pass(vec![finding(Severity::Could, "naming", "a")]);
    let later = pass(vec![finding(Severity::Should, "invented", "b")]);
    let verdict = judge(std::slice::from_ref(&first), &later, &[]);
    assert_eq!(verdict.status, QrStatus::Pass);
    assert_eq!(verdict.noted.len(), 1);
    let grave = pass(vec![finding(Severity::Must, "invented", "b")]);
    assert_eq!(judge(&[first], &grave, &[]).status, QrStatus::Fail);
}

#[test]
fn a_finding_that_comes_back_is_counted() {
    let again = || pass(vec![finding(Severity::Must, "errors", "parse")]);
    let verdict = judge(&[again(), pass(Vec::new()), again()], &again(), &[]);
    assert_eq!(verdict.blocking[0].seen, 3);
    assert_eq!(verdict.iteration, 4);
}

#[test]
fn an_accepted_risk_no_longer_blocks() {
    let risk = finding(Severity::Must, "errors", "parse");
    let moved = Finding {
        location: "src/lib.rs:99".to_owned(),
        ..risk.clone()
    };
    assert_eq!(judge(&[], &pass(vec![moved]), &[risk]).status, QrStatus::Pass);
}

proptest! {
    /// A gate converges: with the checks fixed by the first review and no grave finding, it passes by the fifth.
    #[test]
    fn without_a_must_the_fifth_review_passes(
        severities in prop::collection::vec(prop::sample::select(vec![Severity::Should, Severity::Could]), 0..12)
    ) {
        let findings: Vec<Finding> = severities.into_iter().map(|severity| finding(severity, "naming", "x")).collect();
        let passes = vec![pass(findings.clone()); 4];
        prop_assert_eq!(judge(&passes, &pass(findings), &[]).status, QrStatus::Pass);
    }
}
