//! The built-in table: rules for titles, defaults of roles, reminders.

mod reminders;
mod rules;

use super::phrase::Phrase;
use super::reminder::Reminder;
use super::rule::{RoleDefault, RuleOrigin, RuleTable, SkillRule, When};
use crate::name::SkillAddress;
use reminders::{LINES, Line, ROLES};
use rules::{ROWS, Row};

/// The skills that the built-in table names.
pub mod skills {
    /// From an idea to a design, by asking questions.
    pub const BRAINSTORMING: &str = "brainstorming";
    /// Several agents on independent work.
    pub const DISPATCHING_PARALLEL_AGENTS: &str = "dispatching-parallel-agents";
    /// A plan executed in batches, with a review after each.
    pub const EXECUTING_PLANS: &str = "executing-plans";
    /// Merge, pull request, keep or discard.
    pub const FINISHING_A_DEVELOPMENT_BRANCH: &str = "finishing-a-development-branch";
    /// How to handle the findings of others.
    pub const RECEIVING_CODE_REVIEW: &str = "receiving-code-review";
    /// Having work reviewed.
    pub const REQUESTING_CODE_REVIEW: &str = "requesting-code-review";
    /// A plan executed by an implementer and reviewers for each task.
    pub const SUBAGENT_DRIVEN_DEVELOPMENT: &str = "subagent-driven-development";
    /// The cause before the fix.
    pub const SYSTEMATIC_DEBUGGING: &str = "systematic-debugging";
    /// The test before the code.
    pub const TEST_DRIVEN_DEVELOPMENT: &str = "test-driven-development";
    /// A separate working copy.
    pub const USING_GIT_WORKTREES: &str = "using-git-worktrees";
    /// Evidence before claims.
    pub const VERIFICATION_BEFORE_COMPLETION: &str = "verification-before-completion";
    /// From a design to tasks.
    pub const WRITING_PLANS: &str = "writing-plans";
    /// Skills about skills.
    pub const WRITING_SKILLS: &str = "writing-skills";
}

/// The table in its final form.
pub(super) fn table() -> RuleTable {
    table_of(ROWS)
}

/// The table without its rules.
pub(super) fn table_without_rules() -> RuleTable {
    table_of(&[])
}

fn table_of(rows: &[Row]) -> RuleTable {
    RuleTable {
        rules: (1..).zip(rows).map(|(number, row)| rule(number, row)).collect(),
        roles: ROLES
            .iter()
            .map(|(role, name)| RoleDefault {
                role: *role,
                skill: skill(name),
            })
            .collect(),
        reminders: LINES.iter().filter_map(reminder).collect(),
    }
}

fn rule(number: usize, row: &Row) -> SkillRule {
    let when = if row.verbs.is_empty() {
        When::Noun(phrases(row.nouns))
    } else {
        When::Verb {
            verbs: phrases(row.verbs),
            objects: phrases(row.objects),
            mentions: phrases(row.mentions),
            compounds: phrases(row.compounds),
        }
    };
    SkillRule {
        origin: RuleOrigin::BuiltIn,
        number,
        when,
        unless: phrases(row.unless),
        skill: skill(row.skill),
    }
}

fn reminder(line: &Line) -> Option<Reminder> {
    Some(Reminder {
        skill: skill(line.skill)?,
        line: line.says.to_owned(),
        words: phrases(line.words),
        skills: line.skills.iter().filter_map(|name| skill(name)).collect(),
        roles: line.roles.to_vec(),
        not_for: line.not_for.to_vec(),
    })
}

fn skill(name: &str) -> Option<SkillAddress> {
    SkillAddress::new(name).ok()
}

fn phrases(list: &'static str) -> Vec<Phrase> {
    list.split(',')
        .map(str::trim)
        .filter(|phrase| !phrase.is_empty())
        .map(Phrase::built_in)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phrase_and_skill_of_the_table_is_in_its_final_form() {
        let table = table();
        assert_eq!(table.reminders.len(), LINES.len());
        for (rule, row) in table.rules.iter().zip(ROWS) {
            assert_eq!(rule.skill.is_none(), row.skill.is_empty(), "rule {}", rule.number);
            assert_ne!(row.verbs.is_empty(), row.nouns.is_empty(), "rule {}", rule.number);
            for list in [
                row.verbs,
                row.objects,
                row.mentions,
                row.compounds,
                row.nouns,
                row.unless,
            ] {
                for phrase in phrases(list) {
                    assert_eq!(
                        Phrase::new(phrase.as_str()).as_ref(),
                        Some(&phrase),
                        "rule {}",
                        rule.number
                    );
                }
            }
        }
        for line in LINES {
            assert!(
                !line.says.contains('\n') && line.says.len() <= 100,
                "{}",
                line.says
            );
            assert!(
                line.skills.iter().all(|name| skill(name).is_some()),
                "{}",
                line.says
            );
        }
    }
}
