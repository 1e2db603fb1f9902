//! Which task of an edited plan is which task that is already known, so that what was done stays done.
//!
//! Tasks are recognised by what is surest first: everything the same, then number and title, then the title, then
//! the text, then the number. Each known task is used once. A finished task is not handed on by its number alone
//! when its title has become another one: work that was never done would count as done. Nor is one that was taken out of
//! the tree: a new task would be out of it too.

use std::collections::{BTreeMap, BTreeSet};

use super::TaskNumber;
use crate::lis::longest_rising;

/// A task that is known from an earlier reading. Groups are tasks too, with numbers such as `Phase 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OldTask<'a> {
    /// What it said.
    pub words: TaskWords<'a>,
    /// Whether it is done or skipped.
    pub closed: bool,
    /// Whether it was taken out of the tree. It can come back, but blocks no match.
    pub removed: bool,
}

/// What a task says, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskWords<'a> {
    /// Its number, as written.
    pub number: &'a str,
    /// Its title.
    pub title: &'a str,
    /// The hash of its content; empty if there is no content.
    pub content_hash: &'a str,
    /// The task or group it is in, by its place in the same list.
    pub parent: Option<usize>,
}

/// By what a task was recognised, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchedBy {
    /// Number and title.
    NumberAndTitle,
    /// The title; the number is another one.
    Title,
    /// The text; number or title are others.
    Content,
    /// The number alone.
    Number,
}

/// What became of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskMatch {
    /// Not known before.
    New,
    /// The same in everything.
    Same {
        /// Its place among the old tasks.
        old: usize,
    },
    /// The same words at another place, or under another number.
    Moved {
        /// Its place among the old tasks.
        old: usize,
        /// By what it was recognised.
        by: MatchedBy,
    },
    /// Title or text have changed.
    Edited {
        /// Its place among the old tasks.
        old: usize,
        /// By what it was recognised.
        by: MatchedBy,
        /// Whether it has moved as well.
        moved: bool,
    },
}

impl TaskMatch {
    /// The known task that it is, by its place among them.
    pub fn old(self) -> Option<usize> {
        match self {
            Self::New => None,
            Self::Same { old } | Self::Moved { old, .. } | Self::Edited { old, .. } => Some(old),
        }
    }
}

/// How the tasks of an edited plan go with the known ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matching {
    /// What became of each task of the plan, in its order.
    pub matches: Vec<TaskMatch>,
    /// The old tasks that are gone, in their order.
    pub vanished: Vec<usize>,
}

/// Compares the old tasks, in the order of the old plan, with those of the new plan, in its order.
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

/// Whether two titles could be one that was reworded.
fn alike(left: &str, right: &str) -> bool {
    const ENOUGH: f64 = 0.6;
    strsim::sorensen_dice(&title_key(left), &title_key(right)) >= ENOUGH
}

/// A title without what people change in passing.
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
    /// Only if no other task on either side has the same; otherwise the first one goes with the first one.
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

/// What is compared of one task.
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
    /// What a pass compares; nothing, if it would compare only what is missing.
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

/// Who goes with whom so far.
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
            // What is in the tree goes first, and what is not makes nothing ambiguous.
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

    /// The new tasks that stand out of the old order: the fewest that, taken away, leave the rest in order.
    fn out_of_order(&self) -> BTreeSet<usize> {
        let old: Vec<Option<usize>> = self.of_new.iter().map(|pair| pair.map(|(old, _)| old)).collect();
        let in_order = longest_rising(&old);
        let paired = (0..old.len()).filter(|new| old[*new].is_some());
        paired.filter(|new| !in_order[*new]).collect()
    }
}
