//! The rules by which the skill for a task is chosen: the project's, the user's, the built-in ones.

use std::sync::LazyLock;

use bugle_core::choice::{Choice, RuleTable, TaskFacts, choose_among};
use bugle_core::name::SkillAddress;
use bugle_core::path::SkillPath;
use bugle_core::role::AgentRole;
use bugle_skill::{MAX_FILE_BYTES, parse_choice_rules};
use bugle_store::{SqliteStore, TaskRow, TaskStore as _};

use crate::{AppError, Place, catalogue, inside};

/// The file with the user's own rules, in the project's `.bugle` and in Bugle's home.
const RULES_FILE: &str = "skill-rules.yaml";

/// The table that ships with the program, made once.
static BUILT_IN: LazyLock<RuleTable> = LazyLock::new(RuleTable::built_in);
/// The same for tasks whose skill is named.
static BUILT_IN_FOR_NAMED: LazyLock<RuleTable> = LazyLock::new(RuleTable::built_in_without_rules);

/// The rules by which skills are chosen here.
pub(crate) struct Rules {
    /// The built-in ones with the user's before them; none if the user has none.
    own: Option<RuleTable>,
    /// What is wrong with the user's files.
    pub notices: Vec<String>,
}

impl Rules {
    /// The project's rules, the user's, the built-in ones.
    pub(crate) fn load(place: &Place) -> Self {
        let mut own: Option<RuleTable> = None;
        let mut notices = Vec::new();
        for base in [place.bugle_home.clone(), place.root.join(".bugle")] {
            let path = base.join(RULES_FILE);
            let bytes = match inside::read(place, &path, MAX_FILE_BYTES) {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => {
                    notices.push(format!(
                        "The rules in {} cannot be read: {error}.",
                        path.display()
                    ));
                    continue;
                }
            };
            let (Ok(text), Ok(name)) = (String::from_utf8(bytes), SkillPath::new(RULES_FILE)) else {
                notices.push(format!("The rules in {} are not text in UTF-8.", path.display()));
                continue;
            };
            let (rules, problems) = parse_choice_rules(&name, &text);
            for found in problems {
                notices.push(format!(
                    "{}:{}: {}; {}",
                    path.display(),
                    found.line,
                    found.problem.message,
                    found.problem.fix
                ));
            }
            own = Some(own.unwrap_or_else(|| BUILT_IN.clone()).after(rules));
        }
        Self { own, notices }
    }

    /// The skill for a task that lies in these, the nearest first. One that its tree keeps to counts as installed.
    pub(crate) fn choose(
        &self,
        store: &mut SqliteStore,
        place: &Place,
        row: &TaskRow,
        above: &[TaskRow],
        role: Option<AgentRole>,
    ) -> Result<Choice, AppError> {
        let task = &row.task;
        let ancestors: Vec<Option<SkillAddress>> = above.iter().map(|row| row.task.skill.clone()).collect();
        let facts = TaskFacts {
            title: &task.title,
            explicit: task.skill.as_ref(),
            ancestors: &ancestors,
            role,
        };
        let pins = store.skill_pins(&row.root)?;
        let is_there = |skill: &SkillAddress| {
            pins.iter().any(|pin| pin.skill == *skill) || catalogue::find(place, skill.as_str()).is_some()
        };
        let is_named = facts.explicit.is_some() || ancestors.iter().any(Option::is_some);
        let table = match &self.own {
            Some(own) => own,
            None if is_named => &*BUILT_IN_FOR_NAMED,
            None => &*BUILT_IN,
        };
        Ok(choose_among(&facts, table, &is_there))
    }
}
