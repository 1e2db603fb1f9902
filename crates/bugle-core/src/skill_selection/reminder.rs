//! Reminders: one-line rules from skills other than the selected skill.

use serde::Serialize;

use super::phrase::Phrase;
use super::title::Title;
use crate::name::SkillAddress;
use crate::role::AgentRole;

/// Maximum number of reminders; more would amount to a second skill.
pub const MAX_REMINDERS: usize = 3;

/// A rule that applies across skills, with its triggers. One trigger is enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reminder {
    /// The skill with the full rule.
    pub skill: SkillAddress,
    /// The rule in one line.
    pub line: String,
    /// Title words that trigger the reminder.
    pub words: Vec<Phrase>,
    /// Selected skills that trigger the reminder, by name and regardless of the plugin.
    pub skills: Vec<SkillAddress>,
    /// Roles that trigger the reminder.
    pub roles: Vec<AgentRole>,
    /// Roles that never see the reminder.
    pub not_for: Vec<AgentRole>,
}

/// A reminder to show, with its trigger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MatchedReminder {
    /// The skill with the full rule.
    pub skill: SkillAddress,
    /// The rule in one line.
    pub line: String,
    /// The trigger.
    pub because: ReminderCause,
}

/// The trigger of a reminder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReminderCause {
    /// Title words, as written.
    Words(Vec<String>),
    /// The selected skill.
    Primary(SkillAddress),
    /// The role.
    Role(AgentRole),
}

/// The reminders for a task, in table order. Reminders from the selected skill are excluded.
pub(super) fn remind(
    title: &Title<'_>,
    primary: Option<&SkillAddress>,
    role: Option<AgentRole>,
    table: &[Reminder],
) -> Vec<MatchedReminder> {
    let mut found: Vec<MatchedReminder> = Vec::new();
    for reminder in table {
        let taken = primary.is_some_and(|primary| name(primary) == name(&reminder.skill))
            || found
                .iter()
                .any(|other| name(&other.skill) == name(&reminder.skill))
            || role.is_some_and(|role| reminder.not_for.contains(&role));
        if taken {
            continue;
        }
        if let Some(because) = because(title, primary, role, reminder) {
            found.push(MatchedReminder {
                skill: reminder.skill.clone(),
                line: reminder.line.clone(),
                because,
            });
        }
        if found.len() == MAX_REMINDERS {
            break;
        }
    }
    found
}

fn because(
    title: &Title<'_>,
    primary: Option<&SkillAddress>,
    role: Option<AgentRole>,
    reminder: &Reminder,
) -> Option<ReminderCause> {
    let mut words = reminder.words.iter();
    if let Some(found) = words.find_map(|phrase| title.phrase_after(phrase, 0)) {
        let found: Vec<usize> = found.collect();
        return Some(ReminderCause::Words(title.spelled(&found)));
    }
    let primary = primary.filter(|primary| reminder.skills.iter().any(|skill| name(skill) == name(primary)));
    let role = role.filter(|role| reminder.roles.contains(role));
    primary
        .map(|primary| ReminderCause::Primary(primary.clone()))
        .or_else(|| role.map(ReminderCause::Role))
}

/// The skill's name without its plugin.
fn name(skill: &SkillAddress) -> &str {
    let address = skill.as_str();
    address.split_once(':').map_or(address, |(_, name)| name)
}
