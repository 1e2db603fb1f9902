//! Matches the tasks of an edited plan with the known tasks, so that finished work stays finished.
//!
//! Tasks are matched by the strongest evidence first: everything equal, then number and title, then the title, then
//! the text, then the number. Each known task is used once. A finished task with a different title is not matched by
//! its number alone: work that was never done would count as done. Nor is a removed task: a new task would be
//! removed, too.

use std::collections::{BTreeMap, BTreeSet};

use super::TaskNumber;
use crate::lis::longest_rising;

/// A known task from an earlier import. Groups are tasks, too, with numbers such as `Phase 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OldTask<'a> {
    /// Its content.
    pub words: TaskWords<'a>,
    /// Whether it is done or skipped.
    pub closed: bool,
    /// Whether it was removed from the tree. It can be restored, but blocks no match.
    pub removed: bool,
}

/// The content of a task, and its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskWords<'a> {
    /// Its number as written.
    pub number: &'a str,
    /// Its title.
    pub title: &'a str,
    /// The hash of its text; empty if it has none.
    pub content_hash: &'a str,
    /// The index of its parent in the same list.
    pub parent: Option<usize>,
}

/// How a task was matched, strongest evidence first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchedBy {
    /// Number and title.
    NumberAndTitle,
    /// The title; the number differs.
    Title,
    /// The text; number or title differ.
    Content,
    /// Only the number.
    Number,
}

/// The result for a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskMatch {
    /// A new task.
    New,
    /// An unchanged task.
    Same {
        /// The index of the old task.
        old: usize,
    },
    /// The same text in another place or with another number.
    Moved {
        /// The index of the old task.
        old: usize,
        /// How it was matched.
        by: MatchedBy,
    },
    /// A task whose title or text changed.
    Edited {
        /// The index of the old task.
        old: usize,
        /// How it was matched.
        by: MatchedBy,
        /// Whether it also moved.
        moved: bool,
    },
}

impl TaskMatch {
    /// The index of the old task, if there is one.
    pub fn old(self) -> Option<usize> {
        match self {
            Self::New => None,
            Self::Same { old } | Self::Moved { old, .. } | Self::Edited { old, .. } => Some(old),
        }
    }
}

/// The matches of an edited plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matching {
    /// The result for each task of the plan, in order.
    pub matches: Vec<TaskMatch>,
    /// The old tasks that are gone, in order.
    pub vanished: Vec<usize>,
}

/// Matches old tasks with those of the new plan, both in plan order.
pub fn match_tasks(old: &[OldTask<'_>], new: &[TaskWords<'_>]) -> Matching {
    let old_words: Vec<TaskWords<'_>> = old.iter().map(|task| task.words).collect();
    let mut pairs = Pairs {
        of_new: vec![None; new.len()],
        old_used: vec![false; old.len()],
    };
    let (old_keys, new_keys) = (keys(&old_words), keys(new));
    for pass in PASSES {
        let may_pair = |left: usize, right: usize| {
            pass.by != MatchedBy::Number
                || !(old[left].closed || old[left].removed)
                || alike(old_words[left].title, new[right].title)
        };
        pairs.run(pass, (&old_keys, old), &new_keys, may_pair);
    }
    let moved = pairs.out_of_order();
    let matches = new.iter().enumerate().map(|(index, words)| {
        let Some((old, by)) = pairs.of_new[index] else {
            return TaskMatch::New;
        };
        let before = old_words[old];
        let parent = words
            .parent
            .and_then(|parent| pairs.of_new.get(parent).copied().flatten());
        let same_parent =
            parent.map(|(old, _)| old) == before.parent && words.parent.is_some() == before.parent.is_some();
        let moved = moved.contains(&index) || !same_parent || words.number != before.number;
        if words.title != before.title || words.content_hash != before.content_hash {
            TaskMatch::Edited { old, by, moved }
        } else if moved {
            TaskMatch::Moved { old, by }
        } else {
            TaskMatch::Same { old }
        }
    });
    Matching {
        matches: matches.collect(),
        vanished: (0..old.len()).filter(|index| !pairs.old_used[*index]).collect(),
    }
}

/// Whether one title could be a rewording of the other.
fn alike(left: &str, right: &str) -> bool {
    const ENOUGH: f64 = 0.6;
    strsim::sorensen_dice(&title_key(left), &title_key(right)) >= ENOUGH
}

/// A title in lower case, without backticks, asterisks and extra spaces.
fn title_key(title: &str) -> String {
    let words: Vec<String> = title
        .split_whitespace()
        .map(|word| word.replace(['`', '*'], "").to_lowercase())
        .collect();
    words.join(" ")
}

/// What two tasks must have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Parent,
    Number,
    Title,
    Content,
}

#[derive(Clone, Copy)]
struct Pass {
    by: MatchedBy,
    fields: &'static [Field],
    /// Match only if no other task on either side is equal; otherwise match in order.
    unique: bool,
}

const PASSES: [Pass; 10] = {
    use Field::{Content, Number, Parent, Title};
    const fn pass(by: MatchedBy, fields: &'static [Field], unique: bool) -> Pass {
        Pass { by, fields, unique }
    }
    [
        pass(
            MatchedBy::NumberAndTitle,
            &[Parent, Number, Title, Content],
            false,
        ),
        pass(MatchedBy::NumberAndTitle, &[Number, Title, Content], false),
        pass(MatchedBy::NumberAndTitle, &[Parent, Number, Title], false),
        pass(MatchedBy::NumberAndTitle, &[Number, Title], false),
        pass(MatchedBy::Title, &[Title, Content], false),
        pass(MatchedBy::Title, &[Parent, Title], true),
        pass(MatchedBy::Title, &[Title], true),
        pass(MatchedBy::Content, &[Content], true),
        pass(MatchedBy::Number, &[Parent, Number], true),
        pass(MatchedBy::Number, &[Number], true),
    ]
};

/// The compared values of one task.
struct Keys<'a> {
    parent: (String, String),
    number: String,
    title: String,
    content: &'a str,
}

fn keys<'a>(tasks: &[TaskWords<'a>]) -> Vec<Keys<'a>> {
    let name = |task: &TaskWords<'_>| (TaskNumber::new(task.number).key(), title_key(task.title));
    tasks
        .iter()
        .map(|task| {
            let (number, title) = name(task);
            let parent = task.parent.and_then(|parent| tasks.get(parent)).map(name);
            Keys {
                parent: parent.unwrap_or_default(),
                number,
                title,
                content: task.content_hash,
            }
        })
        .collect()
}

impl Keys<'_> {
    /// The values that a pass compares; `None` if they are all missing.
    fn for_pass(&self, pass: Pass) -> Option<Vec<&str>> {
        let missing = match pass.by {
            MatchedBy::NumberAndTitle => false,
            MatchedBy::Title => self.title.is_empty(),
            MatchedBy::Content => self.content.is_empty(),
            MatchedBy::Number => self.number.is_empty(),
        };
        if missing {
            return None;
        }
        let mut parts = Vec::new();
        for field in pass.fields {
            match field {
                Field::Parent => parts.extend([self.parent.0.as_str(), self.parent.1.as_str()]),
                Field::Number => parts.push(self.number.as_str()),
                Field::Title => parts.push(self.title.as_str()),
                Field::Content => parts.push(self.content),
            }
        }
        Some(parts)
    }
}

/// The matches so far.
struct Pairs {
    of_new: Vec<Option<(usize, MatchedBy)>>,
    old_used: Vec<bool>,
}

impl Pairs {
    fn run(
        &mut self,
        pass: Pass,
        (old, tasks): (&[Keys<'_>], &[OldTask<'_>]),
        new: &[Keys<'_>],
        may_pair: impl Fn(usize, usize) -> bool,
    ) {
        let mut sides: BTreeMap<Vec<&str>, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        for (index, task) in old.iter().enumerate().filter(|(index, _)| !self.old_used[*index]) {
            if let Some(key) = task.for_pass(pass) {
                sides.entry(key).or_default().0.push(index);
            }
        }
        for (index, task) in new
            .iter()
            .enumerate()
            .filter(|(index, _)| self.of_new[*index].is_none())
        {
            if let Some(key) = task.for_pass(pass) {
                sides.entry(key).or_default().1.push(index);
            }
        }
        for (mut left, right) in sides.into_values() {
            // Tasks in the tree come first; removed ones make no match ambiguous.
            left.sort_by_key(|index| tasks[*index].removed);
            if pass.unique && left.first().is_some_and(|first| !tasks[*first].removed) {
                left.retain(|index| !tasks[*index].removed);
            }
            if pass.unique && (left.len() > 1 || right.len() > 1) {
                continue;
            }
            for (left, right) in left.into_iter().zip(right) {
                if may_pair(left, right) {
                    self.of_new[right] = Some((left, pass.by));
                    self.old_used[left] = true;
                }
            }
        }
    }

    /// The new tasks that are out of order: the smallest set without which the rest is in the old order.
    fn out_of_order(&self) -> BTreeSet<usize> {
        let old: Vec<Option<usize>> = self.of_new.iter().map(|pair| pair.map(|(old, _)| old)).collect();
        let in_order = longest_rising(&old);
        let paired = (0..old.len()).filter(|new| old[*new].is_some());
        paired.filter(|new| !in_order[*new]).collect()
    }
}
