//! A user's rules: their effects, and the errors that a user sees.

use bugle_core::role::AgentRole;
use bugle_core::skill_selection::{RuleOrigin, RuleTable, SelectionReason, TaskFacts, select_skill};
use bugle_skill::parse_selection_rules;
use proptest::prelude::*;
use proptest::sample::select;

use crate::support::path;

const RULES: &str = "\
# Ours come first.
rules:
  - verbs: [deploy, Roll  out]
    objects: [service, release]
    unless: [locally]
    skill: team:deploying
  - nouns: [weekly report]
    skill: none
  - anywhere: [personal data]
    skill: privacy-check
roles:
  developer: our-way
  architect: none
reminders:
  - skill: privacy-check
    line: Say which personal data a change touches.
    words: [email address]
";

fn told(text: &str) -> Vec<String> {
    let (_, problems) = parse_selection_rules(&path("skill-rules.yaml"), text);
    problems
        .into_iter()
        .map(|found| format!("{}: {}; {}", found.line, found.problem.message, found.problem.fix))
        .collect()
}

#[test]
fn rules_of_a_file_come_before_built_in_rules() {
    let (rules, problems) = parse_selection_rules(&path("skill-rules.yaml"), RULES);
    assert_eq!(problems, []);
    let table = RuleTable::built_in().after(rules);
    for (title, role, wanted, number) in [
        ("Rolling out the billing service", None, "team:deploying", Some(1)),
        ("Deploy the billing service locally", None, "-", None),
        (
            "Weekly report for sales",
            Some(AgentRole::Developer),
            "-",
            Some(2),
        ),
        ("Export personal data as CSV", None, "privacy-check", Some(3)),
        ("Login", Some(AgentRole::Developer), "our-way", None),
        ("Login", Some(AgentRole::Architect), "-", None),
        ("Login", Some(AgentRole::Debugger), "systematic-debugging", None),
    ] {
        let task = TaskFacts {
            title,
            role,
            ..TaskFacts::default()
        };
        let selection = select_skill(&task, &table);
        let found = selection
            .primary
            .as_ref()
            .map_or("-", bugle_core::name::SkillAddress::as_str);
        assert_eq!(found, wanted, "{title}");
        let fired = match selection.reason {
            SelectionReason::Rule {
                origin: RuleOrigin::User,
                number,
                ..
            } => Some(number),
            _ => None,
        };
        assert_eq!(fired, number, "{title}");
    }
    let task = TaskFacts {
        title: "Validate the email address",
        ..TaskFacts::default()
    };
    assert_eq!(
        select_skill(&task, &table).reminders[0].line,
        "Say which personal data a change touches."
    );
}

#[test]
fn every_mistake_is_reported_with_its_line_and_valid_rules_are_kept() {
    let text = "\
rules:
  - verbs: [deploy, '--']
    skill: team:deploying
  - skill: lonely
  - verbs: [ship]
    nouns: [shipment]
    skill: shipping
  - nouns: [audit]
    objects: [log]
    skill: auditing
  - verbs: [tidy]
    skill: Not A Skill
  - verbs: [paint]
    skill: painting
roles:
  develper: x
reminders:
  - skill: painting
    line: Wet paint.
  - skill: painting
    line: ''
    roles: [nobody-at-all]
";
    insta::assert_snapshot!(told(text).join("\n"));
    let (rules, _) = parse_selection_rules(&path("skill-rules.yaml"), text);
    assert_eq!(rules.rules.len(), 1);
    assert_eq!((rules.roles.len(), rules.reminders.len()), (0, 0));
}

#[test]
fn a_file_that_is_not_yaml_or_has_strange_keys_is_reported() {
    let cases = [
        "rules: [",
        "rules:\n  - verb: [a]\n    skill: b\n",
        "rules:\n  - verbs: a\n    skill: b\n",
        "rules:\n  - verbs: [a]\n",
        "- a\n",
        "rules: []\nrules: []\n",
    ];
    let page: Vec<String> = cases
        .iter()
        .map(|text| format!("{text:?}\n  {}", told(text).join("\n  ")))
        .collect();
    insta::assert_snapshot!(page.join("\n"));
}

#[test]
fn a_file_without_rules_changes_nothing() {
    for text in [
        "",
        "\n\n",
        "# nothing yet\n",
        "\u{feff}# nothing\n",
        "rules: []\n",
    ] {
        let (rules, problems) = parse_selection_rules(&path("skill-rules.yaml"), text);
        assert_eq!(problems, [], "{text:?}");
        assert_eq!(RuleTable::built_in().after(rules), RuleTable::built_in());
    }
}

proptest! {
    #[test]
    fn every_problem_has_a_line_of_the_text(
        lines in prop::collection::vec(select(RULES.lines().collect::<Vec<_>>()), 0..24),
        noise in any::<String>(),
    ) {
        for text in [lines.join("\n"), noise] {
            let (_, problems) = parse_selection_rules(&path("skill-rules.yaml"), &text);
            for problem in problems {
                prop_assert!(problem.line >= 1 && problem.line <= text.matches('\n').count() + 1);
            }
        }
    }
}
