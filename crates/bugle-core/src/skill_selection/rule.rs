//! Rules: match titles and select skills.

use serde::Serialize;

use super::phrase::Phrase;
use super::reminder::Reminder;
use super::title::Title;
use crate::name::SkillAddress;
use crate::role::AgentRole;

/// A rule's origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleOrigin {
    /// The user's file.
    User,
    /// The built-in table.
    BuiltIn,
}

/// A rule that selects a skill by a task's title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillRule {
    /// The origin.
    pub origin: RuleOrigin,
    /// The rule's number within its origin, from 1.
    pub number: usize,
    /// The condition.
    pub when: When,
    /// Phrases that prevent a match wherever they occur.
    pub unless: Vec<Phrase>,
    /// The selected skill; `None` selects no skill, not even the role's default.
    pub skill: Option<SkillAddress>,
}

/// A rule's condition. In each list, one matching phrase is enough; an empty list matches everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum When {
    /// The title starts with a verb.
    Verb {
        /// The verbs. An asterisk matches any word that an article marks as a verb: `mirror the settings`.
        verbs: Vec<Phrase>,
        /// The object: the last words before a preposition, such as `parser` in `write plan parser`.
        objects: Vec<Phrase>,
        /// Words anywhere after the verb.
        mentions: Vec<Phrase>,
        /// Words directly after the verb that make the verb a noun: `merge queue`. A word ending such as `*ing` counts
        /// only if no other word follows. A single asterisk makes the verb a noun unless the next words show otherwise:
        /// `reset button`, but `reset the counters`.
        compounds: Vec<Phrase>,
    },
    /// The title starts with a noun: `Code review of the parser`, but not `Code review dashboard`.
    Noun(Vec<Phrase>),
    /// A phrase occurs anywhere in the title.
    Anywhere(Vec<Phrase>),
}

/// A role's default skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleDefault {
    /// The role.
    pub role: AgentRole,
    /// The role's skill; `None` selects no skill.
    pub skill: Option<SkillAddress>,
}

/// The contents of a user's rules file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserRules {
    /// Rules in file order: condition, exceptions, skill.
    pub rules: Vec<(When, Vec<Phrase>, Option<SkillAddress>)>,
    /// Role defaults.
    pub roles: Vec<RoleDefault>,
    /// Reminders.
    pub reminders: Vec<Reminder>,
}

/// The table of rules, role defaults and reminders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleTable {
    /// The rules, in matching order.
    pub rules: Vec<SkillRule>,
    /// The role defaults; the first entry for a role wins.
    pub roles: Vec<RoleDefault>,
    /// The reminders, in order.
    pub reminders: Vec<Reminder>,
}

impl RuleTable {
    /// Puts the user's rules, role defaults and reminders before the table's own.
    #[must_use]
    pub fn after(self, user: UserRules) -> Self {
        let numbered = (1..).zip(user.rules);
        let rules = numbered.map(|(number, (when, unless, skill))| SkillRule {
            origin: RuleOrigin::User,
            number,
            when,
            unless,
            skill,
        });
        Self {
            rules: rules.chain(self.rules).collect(),
            roles: user.roles.into_iter().chain(self.roles).collect(),
            reminders: user.reminders.into_iter().chain(self.reminders).collect(),
        }
    }
}

impl SkillRule {
    /// The positions of the matching words if the rule matches with its verb at `head`.
    pub(super) fn fires(&self, title: &Title<'_>, head: usize) -> Option<Vec<usize>> {
        let fired = match &self.when {
            When::Verb {
                verbs,
                objects,
                mentions,
                compounds,
            } => verb(title, head, verbs, [objects, mentions, compounds])?,
            When::Noun(nouns) => {
                let stretch = title.noun(head);
                let found = nouns.iter().find_map(|noun| title.ending(&stretch, noun))?;
                found.collect()
            }
            When::Anywhere(phrases) => {
                let found = phrases.iter().find_map(|phrase| title.phrase_after(phrase, 0))?;
                found.collect()
            }
        };
        let kept = self
            .unless
            .iter()
            .any(|phrase| title.phrase_after(phrase, 0).is_some());
        (!kept).then_some(fired)
    }
}

fn verb(title: &Title<'_>, head: usize, verbs: &[Phrase], lists: [&Vec<Phrase>; 3]) -> Option<Vec<usize>> {
    let [objects, mentions, compounds] = lists;
    verbs.iter().find_map(|verb| {
        let mut fired: Vec<usize> = title.phrase_at(verb, head)?.collect();
        if verb.is_anything() && !title.is_command(head) {
            return None;
        }
        let behind = head + fired.len();
        let is_noun = compounds.iter().any(|compound| {
            if compound.is_anything() {
                return !title.is_governed(behind);
            }
            // A word ending counts only if no other word follows: `load testing` is a noun, `load missing images` is
            // not.
            let alone = !compound.is_ending() || title.object(behind).len() == 1;
            alone && title.is_compound(behind) && title.phrase_at(compound, behind).is_some()
        });
        if is_noun || title.is_plural(behind, verb) {
            return None;
        }
        if !objects.is_empty() {
            let stretch = title.object(behind);
            fired.extend(objects.iter().find_map(|object| title.ending(&stretch, object))?);
        }
        if !mentions.is_empty() {
            let found = mentions
                .iter()
                .find_map(|mention| title.phrase_after(mention, behind))?;
            fired.extend(found);
        }
        fired.sort_unstable();
        fired.dedup();
        Some(fired)
    })
}
