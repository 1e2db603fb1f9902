//! Skill selection for tasks.

mod other_trades;
mod precedence;
mod properties;
mod titles;

use std::fmt::Write as _;

use bugle_core::name::SkillAddress;
use bugle_core::skill_selection::{RuleTable, Selection, TaskFacts, select_skill};

/// Titles in random order, each with the skill that a person chose for it.
const TITLES: &str = include_str!("../titles.tsv");

fn skill(name: &str) -> SkillAddress {
    SkillAddress::new(name).unwrap()
}

fn by_title(title: &str) -> Selection {
    let task = TaskFacts {
        title,
        ..TaskFacts::default()
    };
    select_skill(&task, &RuleTable::built_in())
}

fn chosen(title: &str) -> String {
    by_title(title)
        .primary
        .map_or_else(|| "-".to_owned(), String::from)
}

/// The number of correct selections, the total, and a list of the wrong ones.
fn score<'a>(rows: impl Iterator<Item = (&'a str, &'a str)>) -> (usize, usize, String) {
    let (mut right, mut all, mut misses) = (0, 0, String::new());
    for (title, wanted) in rows {
        all += 1;
        let found = chosen(title);
        if found == wanted {
            right += 1;
        } else {
            let _ = writeln!(misses, "{title}: {found} instead of {wanted}");
        }
    }
    (right, all, misses)
}

fn labelled() -> Vec<(&'static str, &'static str)> {
    TITLES
        .lines()
        .map(|line| line.split_once('\t').unwrap())
        .collect()
}
