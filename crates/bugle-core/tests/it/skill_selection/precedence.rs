//! Precedence of skills: named, inherited, by rule, by role; and the reminders shown with them.

use bugle_core::name::SkillAddress;
use bugle_core::role::AgentRole;
use bugle_core::skill_selection::{
    Phrase, ReminderCause, RoleDefault, RuleOrigin, RuleTable, SelectionReason, TaskFacts, UserRules, When,
    select_installed, select_skill, skills,
};

use super::skill;

#[test]
fn a_named_skill_comes_before_rules_and_defaults() {
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
fn a_rule_can_select_no_skill() {
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
fn an_installed_role_default_replaces_a_skill_that_is_not_installed() {
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
    // If neither skill is installed, the rule's skill is selected.
    assert_eq!(with(&task, &[]).primary, Some(debugging.clone()));
    // A skill that the task names is selected even if it is not installed.
    let explicit = TaskFacts {
        explicit: Some(&debugging),
        ..task
    };
    assert_eq!(with(&explicit, &[&tests]).reason, SelectionReason::Explicit);
}

#[test]
fn user_rules_come_before_built_in_rules() {
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
fn reminders_have_a_reason_and_never_repeat_the_skill() {
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
