//! Rules: the form of a title, and the skill that applies.

use serde::Serialize;

use super::built_in;
use super::phrase::Phrase;
use super::reminder::Reminder;
use super::title::Title;
use crate::name::SkillAddress;
use crate::role::AgentRole;

/// Whose rule it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleOrigin {
    /// From the user's file.
    User,
    /// From the table that ships with the program.
    BuiltIn,
}

/// A rule that chooses a skill by the title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillRule {
    /// Whose rule.
    pub origin: RuleOrigin,
    /// Its number among those of its origin, from 1.
    pub number: usize,
    /// When it fires.
    pub when: When,
    /// Phrases that keep it from firing, wherever they stand.
    pub unless: Vec<Phrase>,
    /// The skill that applies; `None` says that none does, not even the default of the role.
    pub skill: Option<SkillAddress>,
}

/// When a rule fires. An empty list asks for nothing; of a list, one phrase suffices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum When {
    /// The title begins with a verb.
    Verb {
        /// The verbs. An asterisk is any word that an article makes one: `mirror the settings`.
        verbs: Vec<Phrase>,
        /// What it is about: the last words before a preposition. In `write plan parser` that is `parser`.
        objects: Vec<Phrase>,
        /// What is mentioned somewhere behind the verb.
        mentions: Vec<Phrase>,
        /// Words that, right behind the verb, make it a noun: `merge queue`. An ending such as `*ing` counts
        /// where it stands alone. An asterisk says that it is a noun unless what follows shows otherwise: `reset button`,
        /// but `reset the counters`.
        compounds: Vec<Phrase>,
    },
    /// The title begins with a noun: `Code review of the parser`, but not `Code review dashboard`.
    Noun(Vec<Phrase>),
    /// The title says it anywhere.
    Anywhere(Vec<Phrase>),
}

/// The skill of a role by default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleDefault {
    /// The role.
    pub role: AgentRole,
    /// Its skill, if it has one.
    pub skill: Option<SkillAddress>,
}

/// What a user's file says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserRules {
    /// Rules, in the order of the file: when each fires, what keeps it from it, and its skill.
    pub rules: Vec<(When, Vec<Phrase>, Option<SkillAddress>)>,
    /// Defaults of roles.
    pub roles: Vec<RoleDefault>,
    /// Reminders.
    pub reminders: Vec<Reminder>,
}

/// All that a choice is made by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleTable {
    /// The rules, in the order in which they are tried.
    pub rules: Vec<SkillRule>,
    /// The defaults of roles; the first for a role counts.
    pub roles: Vec<RoleDefault>,
    /// The reminders, in the order in which they are taken.
    pub reminders: Vec<Reminder>,
}

impl RuleTable {
    /// The table that ships with the program.
    pub fn built_in() -> Self {
        built_in::table()
    }

    /// The same without its rules. For a task whose skill is named no rule is asked, and they are most of the table.
    pub fn built_in_without_rules() -> Self {
        built_in::table_without_rules()
    }

    /// The same table with a user's rules, roles and reminders before its own.
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
    /// The words that fire the rule when a verb is looked for at `head`, or `None`.
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
            // An ending says less than a word: `load testing` is a noun, `load missing images` is not.
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
