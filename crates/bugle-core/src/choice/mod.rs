//! Which skill applies to a task, and why.
//!
//! In this order: the skill that the task names, the one that its nearest ancestor names, the first rule that fires on
//! the title, the default of the role. The rules are data in one table; those of the user come before those built in.
//! The order of the table is the order of the rules, so two of them never tie, and where none fires nothing is guessed.
//! What somebody named stands, whether it is installed or not; a rule whose skill is not yields to the default of the role
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
pub use reminder::{Because, MOST_REMINDERS, Reminded, Reminder};
pub use rule::{RoleDefault, RuleOrigin, RuleTable, SkillRule, UserRules, When};

pub(crate) use decoration::undecorated;
use title::Title;

/// What is known of a task when its skill is chosen.
#[derive(Debug, Clone, Copy, Default)]
pub struct TaskFacts<'a> {
    /// Its title, as somebody wrote it.
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
pub struct Choice {
    /// The skill, if one applies.
    pub primary: Option<SkillAddress>,
    /// Where it comes from.
    pub reason: Reason,
    /// What else holds while it is done, at most [`MOST_REMINDERS`].
    pub reminders: Vec<Reminded>,
}

/// Where the choice comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
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
    /// It is what the role does when nothing else is said.
    RoleDefault {
        /// The role.
        role: AgentRole,
    },
    /// Nothing says anything, so there is no skill.
    Nothing,
}

/// Chooses the skill for a task as if all were installed, and what else to keep in mind with it.
pub fn choose(task: &TaskFacts<'_>, table: &RuleTable) -> Choice {
    choose_among(task, table, &|_| true)
}

/// The same where some skills can be read and others cannot.
pub fn choose_among(
    task: &TaskFacts<'_>,
    table: &RuleTable,
    is_there: &dyn Fn(&SkillAddress) -> bool,
) -> Choice {
    let title = Title::read(task.title);
    let (primary, reason) = primary(task, &title, table, is_there);
    let reminders = reminder::remind(&title, primary.as_ref(), task.role, &table.reminders);
    Choice {
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
) -> (Option<SkillAddress>, Reason) {
    if let Some(skill) = task.explicit {
        return (Some(skill.clone()), Reason::Explicit);
    }
    let mut inherited = task.ancestors.iter().enumerate();
    if let Some((ancestor, skill)) = inherited.find_map(|(at, skill)| Some((at, skill.as_ref()?))) {
        return (Some(skill.clone()), Reason::Inherited { ancestor });
    }
    let default = default_of(task.role, table);
    // A rule may fire at the beginning of the title or of what a label such as `Parser:` introduces. The first
    // place at which any rule fires decides.
    for head in title.heads() {
        for rule in &table.rules {
            if let Some(fired) = rule.fires(title, head) {
                let reason = Reason::Rule {
                    origin: rule.origin,
                    number: rule.number,
                    words: title.spelled(&fired),
                };
                return match (&rule.skill, default) {
                    (Some(missing), Some((role, skill))) if !is_there(missing) && is_there(skill) => {
                        (Some(skill.clone()), Reason::RoleDefault { role })
                    }
                    _ => (rule.skill.clone(), reason),
                };
            }
        }
    }
    match default {
        Some((role, skill)) => (Some(skill.clone()), Reason::RoleDefault { role }),
        None => (None, Reason::Nothing),
    }
}

/// What a role does when nothing else is said.
fn default_of(role: Option<AgentRole>, table: &RuleTable) -> Option<(AgentRole, &SkillAddress)> {
    let role = role?;
    let default = table.roles.iter().find(|default| default.role == role)?;
    Some((role, default.skill.as_ref()?))
}
