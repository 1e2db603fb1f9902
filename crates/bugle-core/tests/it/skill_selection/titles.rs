//! The built-in rules, tested with titles that were labelled before the rules were written.

use std::fmt::Write as _;

use bugle_core::name::SkillAddress;
use bugle_core::skill_selection::{RuleOrigin, RuleTable, SelectionReason, skills};

use super::{by_title, chosen, labelled, score};

#[test]
fn at_least_95_percent_of_titles_get_the_labelled_skill() {
    let rows = labelled();
    assert!(rows.len() >= 300, "{}", rows.len());
    let (tuned, held_out) = rows.split_at(rows.len() / 2);
    let mut page = String::new();
    for (half, rows) in [("tuned to", tuned), ("held out", held_out)] {
        let (right, all, misses) = score(rows.iter().copied());
        let _ = writeln!(page, "{half}: {right} of {all} right\n{misses}");
        assert!(right * 20 >= all * 19, "{half}: {right} of {all}\n{misses}");
    }
    insta::assert_snapshot!(page);
}

#[test]
fn rules_match_whole_words_only() {
    for (title, wanted) in [
        (
            "Improve error messages in the CLI parser",
            skills::TEST_DRIVEN_DEVELOPMENT,
        ),
        ("Add project settings page", skills::TEST_DRIVEN_DEVELOPMENT),
        (
            "Merge sort: implement stable variant",
            skills::TEST_DRIVEN_DEVELOPMENT,
        ),
        ("Open pull request", skills::FINISHING_A_DEVELOPMENT_BRANCH),
        ("Write plan for worktree cleanup", skills::WRITING_PLANS),
        ("Execute plan", skills::SUBAGENT_DRIVEN_DEVELOPMENT),
        (
            "Investigate intermittent 500 errors on login",
            skills::SYSTEMATIC_DEBUGGING,
        ),
        (
            "Add code review webhook endpoint",
            skills::TEST_DRIVEN_DEVELOPMENT,
        ),
    ] {
        assert_eq!(chosen(title), wanted, "{title}");
    }
}

#[test]
fn a_verb_in_the_middle_of_a_title_matches_no_rule() {
    for title in [
        "The merge button",
        "Endpoint to fix invoices",
        "Users who review plans",
        "Settings for debug output",
        "Add-on manager",
        "`fix` subcommand",
        "src/merge/plan.rs",
    ] {
        assert_eq!(by_title(title).reason, SelectionReason::Nothing, "{title}");
    }
}

#[test]
fn the_reason_names_the_rule_and_the_matched_words() {
    let SelectionReason::Rule {
        origin,
        words,
        number,
    } = by_title("✅ Task 2: WRITING the rollout Plan for `x`").reason
    else {
        panic!("a rule fires");
    };
    assert_eq!(origin, RuleOrigin::BuiltIn);
    assert_eq!(words, ["WRITING", "Plan"]);
    let rule = &RuleTable::built_in().rules[number - 1];
    assert_eq!(
        rule.skill.as_ref().map(SkillAddress::as_str),
        Some(skills::WRITING_PLANS)
    );
}
