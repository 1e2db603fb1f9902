//! Skill selection for titles from other fields and in other styles: tickets, labels, user stories, chores, words that
//! can be nouns or verbs.

use std::fmt::Write as _;

use bugle_core::skill_selection::skills::{
    SYSTEMATIC_DEBUGGING, TEST_DRIVEN_DEVELOPMENT, VERIFICATION_BEFORE_COMPLETION,
};
use bugle_core::skill_selection::{Phrase, RuleTable, TaskFacts, UserRules, When, select_skill};

use super::{chosen, score, skill};

/// Titles in random order, each with the skill that a person chose for it.
const TITLES: &str = include_str!("../../titles_of_other_trades.tsv");

#[test]
fn at_least_95_percent_of_titles_of_other_trades_get_the_labelled_skill() {
    let rows = TITLES.lines().map(|line| line.split_once('\t').unwrap());
    let (right, all, misses) = score(rows);
    assert!(all >= 150, "{all}");
    assert!(right * 20 >= all * 19, "{right} of {all}\n{misses}");
    let mut page = String::new();
    let _ = writeln!(page, "{right} of {all} right\n{misses}");
    insta::assert_snapshot!(page);
}

fn all_select(wanted: &str, titles: &[&str]) {
    for title in titles {
        assert_eq!(chosen(title), wanted, "{title}");
    }
}

#[test]
fn the_next_words_distinguish_verbs_from_nouns() {
    all_select(
        TEST_DRIVEN_DEVELOPMENT,
        &[
            "Rank the boats by length",
            "Rank all boats",
            "Rank boats after each race",
            "Rank `boats`",
            "Rank \"guest\" entries",
            "Whittle the list of ports",
            "Log every landing",
        ],
    );
    all_select(
        "-",
        &[
            "Rank badge",
            "Rank",
            "Log rotation",
            "Logs",
            "Whittle list",
            "Along the quay",
            "Was the boat seen",
        ],
    );
}

#[test]
fn a_plural_is_a_verb_only_with_an_object() {
    all_select("-", &["Tweaks", "Tweaks to the mast", "Changes in the tariff"]);
    all_select(
        TEST_DRIVEN_DEVELOPMENT,
        &["Simplifies the mast", "Changes tariffs"],
    );
    all_select(SYSTEMATIC_DEBUGGING, &["Fixes the mast", "Rigging fixes"]);
}

#[test]
fn two_verbs_share_their_object() {
    all_select(
        "-",
        &["Update or remove the guide", "Write and publish release notes"],
    );
    all_select(
        VERIFICATION_BEFORE_COMPLETION,
        &["Test and check the release build"],
    );
}

#[test]
fn a_verb_with_a_prefix_is_still_a_verb() {
    all_select(TEST_DRIVEN_DEVELOPMENT, &["Re-add the horn", "Lazy-load charts"]);
    all_select("-", &["Re-entrancy", "Lazy loading"]);
}

#[test]
fn http_methods_are_names() {
    all_select("-", &["DELETE /boats/{id}", "PATCH handler"]);
    all_select(TEST_DRIVEN_DEVELOPMENT, &["Delete sunk boats"]);
}

#[test]
fn a_label_in_brackets_counts_if_it_names_a_kind_of_work() {
    all_select(SYSTEMATIC_DEBUGGING, &["[Bug] Horn is silent", "[bugfix]: horn"]);
    all_select("-", &["[Harbour] Horn", "[docs] Add the horn"]);
    all_select(
        TEST_DRIVEN_DEVELOPMENT,
        &["[Harbour] Add the horn", "[Feature] Horn"],
    );
}

#[test]
fn user_rules_can_match_endings_exact_words_and_versions() {
    let phrases = |texts: &[&str]| texts.iter().filter_map(|text| Phrase::new(text)).collect();
    let when = |verbs: &[&str], mentions: &[&str], compounds: &[&str]| When::Verb {
        verbs: phrases(verbs),
        objects: Vec::new(),
        mentions: phrases(mentions),
        compounds: phrases(compounds),
    };
    let user = UserRules {
        rules: vec![
            (
                when(&["moor"], &["*.chart"], &[]),
                Vec::new(),
                Some(skill("charts")),
            ),
            (
                when(&["moor"], &["to #"], &[]),
                Vec::new(),
                Some(skill("versions")),
            ),
            (when(&["=moor"], &[], &["*"]), Vec::new(), Some(skill("mooring"))),
        ],
        ..UserRules::default()
    };
    let table = RuleTable::built_in().after(user);
    let of = |title| {
        let task = TaskFacts {
            title,
            ..TaskFacts::default()
        };
        select_skill(&task, &table).primary.map(String::from)
    };
    assert_eq!(of("Moor at bay.chart").as_deref(), Some("charts"));
    assert_eq!(of("Moors up to v2").as_deref(), Some("versions"));
    assert_eq!(of("Moor the boat").as_deref(), Some("mooring"));
    assert_eq!(of("Moors the boat").as_deref(), Some(TEST_DRIVEN_DEVELOPMENT));
    assert_eq!(of("Moor grass"), None);
}
