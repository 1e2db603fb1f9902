//! The rules that select a task's skill, in order of precedence: the project's, the user's, then the built-in rules.

use std::sync::LazyLock;

use bugle_core::name::SkillAddress;
use bugle_core::path::SkillPath;
use bugle_core::reply::RulesProblem;
use bugle_core::role::AgentRole;
use bugle_core::skill_selection::{RuleTable, Selection, TaskFacts, select_installed};
use bugle_skill::{MAX_FILE_BYTES, parse_selection_rules};
use bugle_store::{SkillPin, TaskRow};

use crate::{Context, catalogue, contained_path};

/// The file with custom rules, in the project's `.bugle` and in Bugle's home.
const RULES_FILE: &str = "skill-rules.yaml";

/// The built-in rules.
static BUILT_IN: LazyLock<RuleTable> = LazyLock::new(RuleTable::built_in);
/// The built-in table without its rules. Enough for a task that names its skill.
static BUILT_IN_FOR_NAMED: LazyLock<RuleTable> = LazyLock::new(RuleTable::built_in_without_rules);

/// The rules that select skills in this project.
pub(crate) struct Rules {
    /// The project's and the user's rules, followed by the built-in rules; `None` if only the built-in rules apply.
    own: Option<RuleTable>,
    /// Problems in the rule files.
    pub problems: Vec<RulesProblem>,
}

impl Rules {
    /// Loads the project's and the user's rules.
    pub(crate) fn load(ctx: &Context) -> Self {
        let mut own: Option<RuleTable> = None;
        let mut problems = Vec::new();
        for base in [ctx.bugle_home.clone(), ctx.root.join(".bugle")] {
            let path = base.join(RULES_FILE);
            let file = path.display().to_string();
            let bytes = match contained_path::read(ctx, &path, MAX_FILE_BYTES) {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => {
                    let error = error.to_string();
                    problems.push(RulesProblem::Unreadable { file, error });
                    continue;
                }
            };
            let (Ok(text), Ok(name)) = (String::from_utf8(bytes), SkillPath::new(RULES_FILE)) else {
                problems.push(RulesProblem::NotUtf8 { file });
                continue;
            };
            let (rules, found) = parse_selection_rules(&name, &text);
            problems.extend(found.into_iter().map(|found| RulesProblem::Invalid {
                file: file.clone(),
                line: found.line,
                message: found.problem.message,
                fix: found.problem.fix,
            }));
            own = Some(own.unwrap_or_else(|| BUILT_IN.clone()).after(rules));
        }
        Self { own, problems }
    }

    /// Selects the skill for a task. The task's ancestors are passed nearest first. A skill that the tree has pinned
    /// counts as installed.
    pub(crate) fn choose(
        &self,
        ctx: &Context,
        row: &TaskRow,
        above: &[TaskRow],
        pins: &[SkillPin],
        role: Option<AgentRole>,
    ) -> Selection {
        let task = &row.task;
        let ancestors: Vec<Option<SkillAddress>> = above.iter().map(|row| row.task.skill.clone()).collect();
        let facts = TaskFacts {
            title: &task.title,
            explicit: task.skill.as_ref(),
            ancestors: &ancestors,
            role,
        };
        let is_available = |skill: &SkillAddress| {
            pins.iter().any(|pin| pin.skill == *skill) || catalogue::find(ctx, skill.as_str()).is_some()
        };
        let is_named = facts.explicit.is_some() || ancestors.iter().any(Option::is_some);
        let table = match &self.own {
            Some(own) => own,
            None if is_named => &*BUILT_IN_FOR_NAMED,
            None => &*BUILT_IN,
        };
        select_installed(&facts, table, &is_available)
    }
}
