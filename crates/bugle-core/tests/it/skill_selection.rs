//! The skill for a task: the rules held against titles that were labelled before there were rules, and what holds for
//! all titles.

use std::fmt::Write as _;

use bugle_core::name::SkillAddress;
use bugle_core::role::AgentRole;
use bugle_core::skill_selection::{
    MAX_REMINDERS, Phrase, ReminderCause, RoleDefault, RuleOrigin, RuleTable, Selection, SelectionReason,
    TaskFacts, UserRules, When, select_installed, select_skill, skills,
};
use proptest::prelude::*;
use proptest::sample::select;

/// Titles with the skill that a person chose for each, in an order of chance.
const TITLES: &str = include_str!("../titles.tsv");

pub(crate) fn skill(name: &str) -> SkillAddress {
    SkillAddress::new(name).unwrap()
}

fn by_title(title: &str) -> Selection {
    let task = TaskFacts {
        title,
        ..TaskFacts::default()
    };
    select_skill(&task, &RuleTable::built_in())
}

pub(crate) fn chosen(title: &str) -> String {
    by_title(title)
        .primary
        .map_or_else(|| "-".to_owned(), String::from)
}

/// How many of these come out right, and those that do not.
pub(crate) fn score<'a>(rows: impl Iterator<Item = (&'a str, &'a str)>) -> (usize, usize, String) {
    let (mut right, mut all, mut misses) = (0, 0, String::new());
    for (title, wanted) in rows {
        all += 1;
        let found = chosen(title);
        if found == wanted {
            right += 1;
        } else {
            let _ = writeln!(misses, "{title}: {found} instead of {wanted}");
        }
    }
    (right, all, misses)
}

fn labelled() -> Vec<(&'static str, &'static str)> {
    TITLES
        .lines()
        .map(|line| line.split_once('\t').unwrap())
        .collect()
}

#[test]
fn nineteen_of_twenty_titles_get_the_skill_that_a_person_chose() {
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
fn titles_that_a_search_for_letters_gets_wrong_come_out_right() {
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
fn a_verb_in_the_middle_fires_nothing() {
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
fn the_reason_names_the_rule_and_the_words_as_they_stand() {
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

#[test]
fn what_is_named_goes_before_what_is_guessed() {
    let table = RuleTable::built_in();
    let explicit = skill("team:deploying");
    let ancestors = [None, Some(skill("executing-plans")), Some(skill("brainstorming"))];
    let full = TaskFacts {
        title: "Fix the login",
        explicit: Some(&explicit),
        ancestors: &ancestors,
        role: Some(AgentRole::Developer),
    };
    let reasons = [
        full,
        TaskFacts {
            explicit: None,
            ..full
        },
        TaskFacts {
            explicit: None,
            ancestors: &[None, None],
            ..full
        },
        TaskFacts {
            title: "Login",
            explicit: None,
            ancestors: &[],
            ..full
        },
        TaskFacts {
            title: "Login",
            ..TaskFacts::default()
        },
    ]
    .map(|task| select_skill(&task, &table));
    insta::assert_debug_snapshot!(reasons);
}

#[test]
fn a_rule_can_say_that_no_skill_applies() {
    let task = TaskFacts {
        title: "Update the README",
        role: Some(AgentRole::Developer),
        ..TaskFacts::default()
    };
    let selection = select_skill(&task, &RuleTable::built_in());
    assert_eq!(selection.primary, None);
    assert!(
        matches!(selection.reason, SelectionReason::Rule { .. }),
        "{selection:?}"
    );
}

#[test]
fn a_rule_whose_skill_is_missing_yields_to_the_default_of_the_role_if_that_is_there() {
    let (debugging, tests) = (
        skill(skills::SYSTEMATIC_DEBUGGING),
        skill(skills::TEST_DRIVEN_DEVELOPMENT),
    );
    let task = TaskFacts {
        title: "Fix the login",
        role: Some(AgentRole::Developer),
        ..TaskFacts::default()
    };
    let with = |task: &TaskFacts<'_>, there: &[&SkillAddress]| {
        select_installed(task, &RuleTable::built_in(), &|skill| there.contains(&skill))
    };
    assert_eq!(
        with(&task, &[&debugging, &tests]).primary,
        Some(debugging.clone())
    );
    let default = with(&task, &[&tests]);
    assert_eq!(default.primary.as_ref(), Some(&tests));
    assert!(
        matches!(default.reason, SelectionReason::RoleDefault { .. }),
        "{default:?}"
    );
    // Where neither is installed, the wanted one is named.
    assert_eq!(with(&task, &[]).primary, Some(debugging.clone()));
    // A named skill is kept.
    let explicit = TaskFacts {
        explicit: Some(&debugging),
        ..task
    };
    assert_eq!(with(&explicit, &[&tests]).reason, SelectionReason::Explicit);
}

#[test]
fn the_rules_of_the_user_come_first() {
    let phrase = |text| vec![Phrase::new(text).unwrap()];
    let user = UserRules {
        rules: vec![
            (
                When::Anywhere(phrase("gdpr")),
                phrase("banner"),
                Some(skill("privacy")),
            ),
            (When::Noun(phrase("login")), Vec::new(), None),
        ],
        roles: vec![RoleDefault {
            role: AgentRole::Developer,
            skill: Some(skill("our-way")),
        }],
        reminders: Vec::new(),
    };
    let table = RuleTable::built_in().after(user);
    let of = |title| {
        let task = TaskFacts {
            title,
            role: Some(AgentRole::Developer),
            ..TaskFacts::default()
        };
        select_skill(&task, &table)
    };
    let fired = of("Add export for GDPR requests");
    assert_eq!(fired.primary, Some(skill("privacy")));
    assert_eq!(
        fired.reason,
        SelectionReason::Rule {
            origin: RuleOrigin::User,
            number: 1,
            words: vec!["GDPR".to_owned()]
        }
    );
    assert_eq!(
        of("Add GDPR banner").primary,
        Some(skill(skills::TEST_DRIVEN_DEVELOPMENT))
    );
    assert_eq!(of("Login").primary, None);
    assert_eq!(of("Session store").primary, Some(skill("our-way")));
}

#[test]
fn reminders_say_why_and_never_repeat_the_skill() {
    let task = TaskFacts {
        title: "Add retries to the flaky importer",
        role: Some(AgentRole::Developer),
        ..TaskFacts::default()
    };
    let selection = select_skill(&task, &RuleTable::built_in());
    let found: Vec<(&str, &ReminderCause)> = selection
        .reminders
        .iter()
        .map(|reminder| (reminder.skill.as_str(), &reminder.because))
        .collect();
    let primary = ReminderCause::Primary(skill(skills::TEST_DRIVEN_DEVELOPMENT));
    assert_eq!(
        found,
        [
            (
                skills::SYSTEMATIC_DEBUGGING,
                &ReminderCause::Words(vec!["flaky".to_owned()])
            ),
            (skills::VERIFICATION_BEFORE_COMPLETION, &primary),
            (skills::REQUESTING_CODE_REVIEW, &primary),
        ]
    );
    let reviewer = TaskFacts {
        title: "Execute the plan",
        role: Some(AgentRole::QualityReviewer),
        ..TaskFacts::default()
    };
    let told: Vec<String> = select_skill(&reviewer, &RuleTable::built_in())
        .reminders
        .into_iter()
        .map(|reminder| reminder.skill.into())
        .collect();
    assert_eq!(
        told,
        [skills::VERIFICATION_BEFORE_COMPLETION],
        "who changes nothing is not told how to change"
    );
}

/// What titles are made of, and what people break them with.
const PIECES: [&str; 40] = [
    "Task 3: ",
    "Step ",
    "2.",
    "- [ ] ",
    "✅",
    "`",
    "[",
    "]",
    "(",
    ")",
    "【",
    ":",
    "：",
    " — ",
    "-",
    "/",
    " ",
    "\t",
    "fix",
    "Add",
    "merge",
    "plan",
    "the",
    "review",
    "pull request",
    "to",
    "main",
    "please",
    "start",
    "ing",
    "flaky",
    "größe",
    "测试",
    "\u{301}",
    "'s",
    "\n",
    "#",
    "1.2",
    "README.md",
    "code",
];

fn titles() -> impl Strategy<Value = String> {
    let soup = prop::collection::vec(select(&PIECES[..]), 0..14).prop_map(|pieces| pieces.concat());
    prop_oneof![
        soup,
        any::<String>(),
        select(labelled()).prop_map(|(title, _)| title.to_owned())
    ]
}

fn addresses() -> impl Strategy<Value = SkillAddress> {
    select(vec![
        "brainstorming",
        "superpowers:test-driven-development",
        "a",
        "team:x",
    ])
    .prop_map(skill)
}

proptest! {
    #[test]
    fn every_task_gets_one_answer(
        title in titles(),
        explicit in prop::option::of(addresses()),
        ancestors in prop::collection::vec(prop::option::of(addresses()), 0..5),
        role in prop::option::of(select(AgentRole::ALL.to_vec())),
    ) {
        let table = RuleTable::built_in();
        let task = TaskFacts { title: &title, explicit: explicit.as_ref(), ancestors: &ancestors, role };
        let selection = select_skill(&task, &table);
        prop_assert_eq!(&selection, &select_skill(&task, &table));
        prop_assert!(selection.reminders.len() <= MAX_REMINDERS);
        for reminder in &selection.reminders {
            prop_assert!(!reminder.line.contains('\n'));
            prop_assert!(selection.primary.as_ref() != Some(&reminder.skill));
        }
        let nearest = ancestors.iter().position(Option::is_some);
        match (&explicit, nearest) {
            (Some(_), _) => {
                prop_assert_eq!(&selection.primary, &explicit);
                prop_assert_eq!(&selection.reason, &SelectionReason::Explicit);
            }
            (None, Some(ancestor)) => {
                prop_assert_eq!(&selection.primary, &ancestors[ancestor]);
                prop_assert_eq!(&selection.reason, &SelectionReason::Inherited { ancestor });
            }
            (None, None) => {
                let guessed = matches!(selection.reason, SelectionReason::Rule { .. } | SelectionReason::RoleDefault { .. } | SelectionReason::Nothing);
                prop_assert!(guessed);
            }
        }
        if let SelectionReason::Rule { words, .. } = &selection.reason {
            prop_assert!(!words.is_empty());
            for word in words {
                prop_assert!(title.contains(word.as_str()), "{word:?} of {title:?}");
            }
        }
    }

    #[test]
    fn decoration_changes_nothing(row in select(labelled()), mark in select(vec!["Task 12: ", "✅ ", "- [ ] ", "[UI] ", "3. "])) {
        prop_assert_eq!(chosen(&format!("{mark}{}", row.0)), chosen(row.0));
    }
}
