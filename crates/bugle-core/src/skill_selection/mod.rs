//! Which skill applies to a task, and why.
//!
//! In this order: the skill that the task names, the one that its nearest ancestor names, the first rule that fires on
//! the title, the default of the role. The rules are data in one table; those of the user come before those built in.
//! The order of the table is the order of the rules, so two of them never tie, and where none fires nothing is guessed.
//! A skill that the task names is kept, installed or not; a rule whose skill is not yields to the default of the role
//! if that is.

mod built_in;
mod decoration;
mod phrase;
mod reminder;
mod rule;
mod title;
mod words;

use serde::Serialize;

use crate::name::SkillAddress;
use crate::role::AgentRole;

pub use built_in::skills;
pub use phrase::Phrase;
pub use reminder::{MAX_REMINDERS, MatchedReminder, Reminder, ReminderCause};
pub use rule::{RoleDefault, RuleOrigin, RuleTable, SkillRule, UserRules, When};

pub(crate) use decoration::undecorated;
use title::Title;

/// What is known of a task when its skill is chosen.
#[derive(Debug, Clone, Copy, Default)]
pub struct TaskFacts<'a> {
    /// Its title, as written.
    pub title: &'a str,
    /// The skill that it names itself.
    pub explicit: Option<&'a SkillAddress>,
    /// What each of its ancestors names, the nearest first.
    pub ancestors: &'a [Option<SkillAddress>],
    /// Who works on it, if that is settled.
    pub role: Option<AgentRole>,
}

/// The skill for a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Selection {
    /// The skill, if one applies.
    pub primary: Option<SkillAddress>,
    /// Where it comes from.
    pub reason: SelectionReason,
    /// What else holds while it is done, at most [`MAX_REMINDERS`].
    pub reminders: Vec<MatchedReminder>,
}

/// Where the choice comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SelectionReason {
    /// The task names it.
    Explicit,
    /// An ancestor names it.
    Inherited {
        /// Which one: 0 is the parent.
        ancestor: usize,
    },
    /// A rule fired on the title. It may be a rule that says that no skill applies.
    Rule {
        /// Whose rule.
        origin: RuleOrigin,
        /// Its number among those of that origin, from 1.
        number: usize,
        /// The words of the title that fired it, as they stand there.
        words: Vec<String>,
    },
    /// It is what the role does by default.
    RoleDefault {
        /// The role.
        role: AgentRole,
    },
    /// Nothing says anything, so there is no skill.
    Nothing,
}

/// Chooses the skill for a task as if all were installed, and what else to keep in mind with it.
pub fn select_skill(task: &TaskFacts<'_>, table: &RuleTable) -> Selection {
    select_installed(task, table, &|_| true)
}

/// The same where some skills can be read and others cannot.
pub fn select_installed(
    task: &TaskFacts<'_>,
    table: &RuleTable,
    is_there: &dyn Fn(&SkillAddress) -> bool,
) -> Selection {
    let title = Title::read(task.title);
    let (primary, reason) = primary(task, &title, table, is_there);
    let reminders = reminder::remind(&title, primary.as_ref(), task.role, &table.reminders);
    Selection {
        primary,
        reason,
        reminders,
    }
}

fn primary(
    task: &TaskFacts<'_>,
    title: &Title<'_>,
    table: &RuleTable,
    is_there: &dyn Fn(&SkillAddress) -> bool,
) -> (Option<SkillAddress>, SelectionReason) {
    if let Some(skill) = task.explicit {
        return (Some(skill.clone()), SelectionReason::Explicit);
    }
    let mut inherited = task.ancestors.iter().enumerate();
    if let Some((ancestor, skill)) = inherited.find_map(|(at, skill)| Some((at, skill.as_ref()?))) {
        return (Some(skill.clone()), SelectionReason::Inherited { ancestor });
    }
    let default = default_of(task.role, table);
    // A rule may fire at the beginning of the title or of what a label such as `Parser:` introduces. The first
    // place at which any rule fires decides.
    for head in title.heads() {
        for rule in &table.rules {
            if let Some(fired) = rule.fires(title, head) {
                let reason = SelectionReason::Rule {
                    origin: rule.origin,
                    number: rule.number,
                    words: title.spelled(&fired),
                };
                return match (&rule.skill, default) {
                    (Some(missing), Some((role, skill))) if !is_there(missing) && is_there(skill) => {
                        (Some(skill.clone()), SelectionReason::RoleDefault { role })
                    }
                    _ => (rule.skill.clone(), reason),
                };
            }
        }
    }
    match default {
        Some((role, skill)) => (Some(skill.clone()), SelectionReason::RoleDefault { role }),
        None => (None, SelectionReason::Nothing),
    }
}

/// What a role does by default.
fn default_of(role: Option<AgentRole>, table: &RuleTable) -> Option<(AgentRole, &SkillAddress)> {
    let role = role?;
    let default = table.roles.iter().find(|default| default.role == role)?;
    Some((role, default.skill.as_ref()?))
}
