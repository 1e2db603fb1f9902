//! Tests for verdicts.

use proptest::prelude::*;

use super::*;

fn finding(severity: Severity, category: &str, element: &str) -> Finding {
    Finding {
        severity,
        category: category.to_owned(),
        location: "src/lib.rs:1".to_owned(),
        element: element.to_owned(),
        problem: "it is wrong".to_owned(),
        action: "fix it".to_owned(),
    }
}

fn pass(findings: Vec<Finding>) -> Review {
    Review {
        checks: vec!["naming".to_owned(), "errors".to_owned()],
        findings,
    }
}

#[test]
fn blocking_depends_on_the_iteration_and_the_gates_level() {
    let table = |level: Severity| -> Vec<String> {
        (1..=6)
            .map(|iteration| {
                let blocking: Vec<&str> = Severity::ALL
                    .iter()
                    .filter(|severity| severity.blocks(iteration, level))
                    .map(|s| s.as_str())
                    .collect();
                blocking.join(" ")
            })
            .collect()
    };
    let all = "must should could";
    let grave = "must should";
    assert_eq!(table(Severity::Could), [all, all, all, grave, "must", "must"]);
    assert_eq!(
        table(Severity::Should),
        [grave, grave, grave, grave, "must", "must"]
    );
    assert_eq!(table(Severity::Must), ["must"; 6]);
}

#[test]
fn a_review_without_findings_passes() {
    let verdict = judge(&[], &pass(Vec::new()), &[], Severity::Could);
    assert_eq!(verdict.status, ReviewStatus::Pass);
    assert_eq!(verdict.iteration, 1);
}

#[test]
fn a_finding_from_a_new_check_blocks_only_as_a_must() {
    let first = pass(vec![finding(Severity::Could, "naming", "a")]);
    let later = pass(vec![finding(Severity::Should, "invented", "b")]);
    let verdict = judge(std::slice::from_ref(&first), &later, &[], Severity::Could);
    assert_eq!(verdict.status, ReviewStatus::Pass);
    assert_eq!(verdict.noted.len(), 1);
    let grave = pass(vec![finding(Severity::Must, "invented", "b")]);
    assert_eq!(
        judge(std::slice::from_ref(&first), &grave, &[], Severity::Could).status,
        ReviewStatus::Fail
    );
    let kept = judge(&[first, later.clone()], &later, &[], Severity::Could);
    assert_eq!(
        kept.status,
        ReviewStatus::Fail,
        "later reviews must include the new check"
    );
}

#[test]
fn a_repeated_finding_is_counted() {
    let again = || pass(vec![finding(Severity::Must, "errors", "parse")]);
    let verdict = judge(
        &[again(), pass(Vec::new()), again()],
        &again(),
        &[],
        Severity::Could,
    );
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
    assert_eq!(
        judge(&[], &pass(vec![moved]), &[risk], Severity::Could).status,
        ReviewStatus::Pass
    );
}

#[test]
fn a_review_reports_the_checks_it_lacks() {
    let first = pass(vec![finding(Severity::Could, "style", "a")]);
    let required = fixed_checks(&[first]);
    assert_eq!(required, ["naming", "errors", "style"]);
    let second = Review {
        checks: vec![" Errors ".to_owned()],
        findings: vec![finding(Severity::Could, "Naming", "b")],
    };
    assert_eq!(second.missing(&required), ["style"]);
    assert_eq!(second.checked(), ["Errors", "Naming"]);
}

fn severity() -> impl Strategy<Value = Severity> {
    prop::sample::select(Severity::ALL.to_vec())
}

fn any_pass() -> impl Strategy<Value = Review> {
    let names = || prop::sample::select(vec!["naming", "errors", "style", "tests"]);
    let findings = prop::collection::vec((severity(), names(), prop::sample::select(vec!["a", "b"])), 0..6);
    (prop::collection::vec(names(), 0..4), findings).prop_map(|(checks, findings)| Review {
        checks: checks.into_iter().map(str::to_owned).collect(),
        findings: findings
            .into_iter()
            .map(|(severity, category, element)| finding(severity, category, element))
            .collect(),
    })
}

proptest! {
    /// The verdict has every finding exactly once, as blocking or noted. No finding below the level blocks.
    #[test]
    fn a_verdict_keeps_every_finding(
        passes in prop::collection::vec(any_pass(), 0..6), pass in any_pass(), level in severity()
    ) {
        let verdict = judge(&passes, &pass, &[], level);
        prop_assert_eq!(verdict.blocking.len() + verdict.noted.len(), pass.findings.len());
        prop_assert!(verdict.blocking.iter().all(|open| open.finding.severity.blocks(verdict.iteration, level)));
        prop_assert!(verdict.blocking.iter().zip(1_u32..).all(|(open, number)| open.number == number));
    }

    /// The check list only grows, and a review that names every check lacks none.
    #[test]
    fn a_list_of_checks_never_shrinks(passes in prop::collection::vec(any_pass(), 1..6), pass in any_pass()) {
        let before = fixed_checks(&passes);
        let after = judge(&passes, &pass, &[], Severity::Could).checks;
        prop_assert_eq!(&after[..before.len()], &before[..]);
        let whole = Review { checks: after.clone(), findings: Vec::new() };
        prop_assert_eq!(whole.missing(&after), Vec::<String>::new());
    }

    /// A gate converges: if all reviews use the same checks and report no `must`, it passes by the fifth review.
    #[test]
    fn without_a_must_the_fifth_review_passes(
        severities in prop::collection::vec(prop::sample::select(vec![Severity::Should, Severity::Could]), 0..12)
    ) {
        let findings: Vec<Finding> = severities.into_iter().map(|severity| finding(severity, "naming", "x")).collect();
        let passes = vec![pass(findings.clone()); 4];
        prop_assert_eq!(judge(&passes, &pass(findings), &[], Severity::Could).status, ReviewStatus::Pass);
    }
}
