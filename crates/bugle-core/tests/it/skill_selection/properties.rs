//! Properties of every title.

use bugle_core::name::SkillAddress;
use bugle_core::role::AgentRole;
use bugle_core::skill_selection::{MAX_REMINDERS, RuleTable, SelectionReason, TaskFacts, select_skill};
use proptest::prelude::*;
use proptest::sample::select;

use super::{chosen, labelled, skill};

/// Typical parts of titles, and characters that tend to break parsers.
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
    fn every_task_gets_one_selection(
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
    fn numbers_and_labels_before_a_title_change_nothing(row in select(labelled()), mark in select(vec!["Task 12: ", "✅ ", "- [ ] ", "[UI] ", "3. "])) {
        prop_assert_eq!(chosen(&format!("{mark}{}", row.0)), chosen(row.0));
    }
}
