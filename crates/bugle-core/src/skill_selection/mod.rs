//! Selects the skill for a task and says why.
//!
//! Precedence: the skill that the task names, the skill that its nearest ancestor names, the first rule that matches
//! the title, the role's default. Rules are data in one ordered table, so they never tie; the user's rules come before
//! the built-in ones. Without a match, Bugle selects no skill. A skill that the task names is selected even if it is
//! not installed. If a rule's skill is not installed, an installed role default takes its place.

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

pub use built_in::{replaced_by, skills, stand_in};
pub use phrase::Phrase;
pub use reminder::{MAX_REMINDERS, MatchedReminder, Reminder, ReminderCause};
pub use rule::{RoleDefault, RuleOrigin, RuleTable, SkillRule, UserRules, When};

pub(crate) use decoration::undecorated;
use title::Title;

/// The facts about a task that skill selection needs.
#[derive(Debug, Clone, Copy, Default)]
pub struct TaskFacts<'a> {
    /// The task's title as written.
    pub title: &'a str,
    /// The skill that the task itself names.
    pub explicit: Option<&'a SkillAddress>,
    /// The skills that the task's ancestors name, nearest first.
    pub ancestors: &'a [Option<SkillAddress>],
    /// The role of the task's agent, if known.
    pub role: Option<AgentRole>,
}

/// The selected skill for a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Selection {
    /// The skill, if one applies.
    pub primary: Option<SkillAddress>,
    /// The reason.
    pub reason: SelectionReason,
    /// Reminders from other skills, up to [`MAX_REMINDERS`].
    pub reminders: Vec<MatchedReminder>,
}

/// Why a skill was selected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SelectionReason {
    /// The task names the skill.
    Explicit,
    /// An ancestor names the skill.
    Inherited {
        /// The ancestor's index: 0 is the parent.
        ancestor: usize,
    },
    /// A rule matched the title. The rule may select no skill.
    Rule {
        /// The rule's origin.
        origin: RuleOrigin,
        /// The rule's number within its origin, from 1.
        number: usize,
        /// The title's matching words, as written.
        words: Vec<String>,
    },
    /// The role's default.
    RoleDefault {
        /// The role.
        role: AgentRole,
    },
    /// Nothing matched; no skill is selected.
    Nothing,
}

/// Selects a task's skill and reminders as if all skills were installed.
pub fn select_skill(task: &TaskFacts<'_>, table: &RuleTable) -> Selection {
    select_installed(task, table, &|_| true)
}

/// Like [`select_skill`], but takes into account which skills are installed.
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
    // A rule can match at the start of the title or after a label such as `Parser:`. The first position where any rule
    // matches decides.
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

/// The role's default skill.
fn default_of(role: Option<AgentRole>, table: &RuleTable) -> Option<(AgentRole, &SkillAddress)> {
    let role = role?;
    let default = table.roles.iter().find(|default| default.role == role)?;
    Some((role, default.skill.as_ref()?))
}
