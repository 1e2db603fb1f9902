//! Matches an edited plan's tasks with known tasks, so that finished work stays finished.
//!
//! Stronger evidence is tried first: all fields equal, then number and title, then the title, then the text, then the
//! number. Each known task is matched at most once. A finished or removed task with a different title is never matched
//! by number alone. Otherwise, work that was never done would count as done, or the new task would be removed too.

use std::collections::{BTreeMap, BTreeSet};

use super::TaskNumber;
use crate::lis::longest_rising;

/// A task from an earlier import. Groups count as tasks and have numbers such as `Phase 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OldTask<'a> {
    /// The task's content and parent.
    pub words: TaskWords<'a>,
    /// Whether the task was done or skipped.
    pub closed: bool,
    /// Whether the task was removed from the tree. A match can restore a removed task, but a removed task never makes
    /// another match ambiguous.
    pub removed: bool,
}

/// A task's content and parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskWords<'a> {
    /// The task's number as written.
    pub number: &'a str,
    /// The task's title.
    pub title: &'a str,
    /// The hash of the task's text; empty if the task has no text.
    pub content_hash: &'a str,
    /// The parent's index in the same list.
    pub parent: Option<usize>,
}

/// The evidence for a match, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchedBy {
    /// Number and title.
    NumberAndTitle,
    /// The title; the number differs.
    Title,
    /// The text; the number or title differs.
    Content,
    /// Only the number.
    Number,
}

/// The match result for one task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskMatch {
    /// A new task.
    New,
    /// An unchanged task.
    Same {
        /// The index of the old task.
        old: usize,
    },
    /// The same text in a different place or with a different number.
    Moved {
        /// The index of the old task.
        old: usize,
        /// The evidence.
        by: MatchedBy,
    },
    /// A task whose title or text changed.
    Edited {
        /// The index of the old task.
        old: usize,
        /// The evidence.
        by: MatchedBy,
        /// Whether the task also moved.
        moved: bool,
    },
}

impl TaskMatch {
    /// The index of the old task; `None` for a new task.
    pub fn old(self) -> Option<usize> {
        match self {
            Self::New => None,
            Self::Same { old } | Self::Moved { old, .. } | Self::Edited { old, .. } => Some(old),
        }
    }
}

/// The match results for an edited plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matching {
    /// The result for each new task, in plan order.
    pub matches: Vec<TaskMatch>,
    /// The indexes of old tasks without a match, in order.
    pub vanished: Vec<usize>,
}

/// Matches old tasks with new ones. Both lists are in plan order.
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

/// Whether one title is probably an edited version of the other.
fn alike(left: &str, right: &str) -> bool {
    const ENOUGH: f64 = 0.6;
    strsim::sorensen_dice(&title_key(left), &title_key(right)) >= ENOUGH
}

/// The title in lower case, without backticks, asterisks and extra spaces.
fn title_key(title: &str) -> String {
    let words: Vec<String> = title
        .split_whitespace()
        .map(|word| word.replace(['`', '*'], "").to_lowercase())
        .collect();
    words.join(" ")
}

/// A field that must be equal in both tasks.
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
    /// Whether to match only tasks that are unique on both sides; otherwise, equal tasks are matched in order.
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

/// The values of one task that the passes compare.
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
    /// The values for one pass; `None` if all of them are empty.
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

/// The pairs matched so far.
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
            // Tasks in the tree take precedence. Removed tasks make no match ambiguous.
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

    /// The smallest set of new tasks whose removal leaves the rest in the old order.
    fn out_of_order(&self) -> BTreeSet<usize> {
        let old: Vec<Option<usize>> = self.of_new.iter().map(|pair| pair.map(|(old, _)| old)).collect();
        let in_order = longest_rising(&old);
        let paired = (0..old.len()).filter(|new| old[*new].is_some());
        paired.filter(|new| !in_order[*new]).collect()
    }
}
