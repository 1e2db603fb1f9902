//! The built-in table: title rules, role defaults and reminders.

mod reminders;
mod rules;

use super::phrase::Phrase;
use super::reminder::Reminder;
use super::rule::{RoleDefault, RuleOrigin, RuleTable, SkillRule, When};
use crate::name::SkillAddress;
use reminders::{LINES, Line, ROLES};
use rules::{ROWS, Row};

/// The skills in the built-in table.
pub mod skills {
    /// Turn an idea into a design by asking questions.
    pub const BRAINSTORMING: &str = "brainstorming";
    /// Let several agents do independent work.
    pub const DISPATCHING_PARALLEL_AGENTS: &str = "dispatching-parallel-agents";
    /// Execute a plan in batches, with a review after each.
    pub const EXECUTING_PLANS: &str = "executing-plans";
    /// Merge, keep or discard a branch, or open a pull request.
    pub const FINISHING_A_DEVELOPMENT_BRANCH: &str = "finishing-a-development-branch";
    /// Respond to review findings.
    pub const RECEIVING_CODE_REVIEW: &str = "receiving-code-review";
    /// Ask for a review.
    pub const REQUESTING_CODE_REVIEW: &str = "requesting-code-review";
    /// Execute a plan with one implementer and reviewers per task.
    pub const SUBAGENT_DRIVEN_DEVELOPMENT: &str = "subagent-driven-development";
    /// Find the cause before fixing it.
    pub const SYSTEMATIC_DEBUGGING: &str = "systematic-debugging";
    /// Write the test before the code.
    pub const TEST_DRIVEN_DEVELOPMENT: &str = "test-driven-development";
    /// Work in a separate worktree.
    pub const USING_GIT_WORKTREES: &str = "using-git-worktrees";
    /// Collect evidence before claiming success.
    pub const VERIFICATION_BEFORE_COMPLETION: &str = "verification-before-completion";
    /// Split a design into tasks.
    pub const WRITING_PLANS: &str = "writing-plans";
    /// Write skills.
    pub const WRITING_SKILLS: &str = "writing-skills";
}

/// The built-in skill that stands in for a skill of the table while that skill is not installed, if their names differ.
pub fn stand_in(skill: &str) -> Option<&'static str> {
    match skill {
        skills::BRAINSTORMING => Some("brainstorm"),
        skills::FINISHING_A_DEVELOPMENT_BRANCH => Some("finish-branch"),
        skills::RECEIVING_CODE_REVIEW | skills::REQUESTING_CODE_REVIEW => Some("code-review"),
        skills::USING_GIT_WORKTREES => Some("worktree"),
        _ => None,
    }
}

/// The skills of the table whose purpose a built-in skill shares under another name.
pub fn replaced_by(built_in: &str) -> impl Iterator<Item = &'static str> {
    [
        skills::BRAINSTORMING,
        skills::FINISHING_A_DEVELOPMENT_BRANCH,
        skills::RECEIVING_CODE_REVIEW,
        skills::REQUESTING_CODE_REVIEW,
        skills::USING_GIT_WORKTREES,
    ]
    .into_iter()
    .filter(move |skill| stand_in(skill) == Some(built_in))
}

impl RuleTable {
    /// The built-in table.
    pub fn built_in() -> Self {
        table_of(ROWS)
    }

    /// The built-in table without its rules. Rules make up most of the table, but a task that names its skill needs
    /// none.
    pub fn built_in_without_rules() -> Self {
        table_of(&[])
    }
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
    fn every_phrase_and_skill_in_the_table_is_normalised() {
        let table = RuleTable::built_in();
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
