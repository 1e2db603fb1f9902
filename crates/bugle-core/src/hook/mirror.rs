//! Mirrors a client's to-do list into the task tree.

use std::collections::BTreeMap;

use crate::id::TaskId;
use crate::task::MAX_TITLE_LENGTH;

/// A to-do item's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TodoState {
    /// Not started.
    Pending,
    /// In progress.
    Active,
    /// Done.
    Done,
}

/// A to-do item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TodoItem {
    /// The client's id for the item, if any.
    pub key: Option<String>,
    /// The title; `None` if the client reported only the state.
    pub title: Option<String>,
    /// The state; `None` if the state did not change.
    pub state: Option<TodoState>,
    /// Whether the item was removed from the list.
    pub removed: bool,
}

/// An update to the list, made by a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TodoUpdate {
    /// The complete list.
    List(Vec<TodoItem>),
    /// One new or changed item.
    One(TodoItem),
}

/// A change to the task tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TodoAction {
    /// A new task.
    Add {
        /// The key that identifies the item in later updates.
        key: String,
        /// The title.
        title: String,
        /// The state.
        state: TodoState,
    },
    /// A change to a known task.
    Set {
        /// The task.
        task: TaskId,
        /// The title, if it changed.
        title: Option<String>,
        /// The state, if it changed.
        state: Option<TodoState>,
    },
    /// A task that is no longer on the list.
    Drop {
        /// The key that identified the item.
        key: String,
        /// The task.
        task: TaskId,
    },
}

/// The changes to make in the task tree. `known` contains the list's current tasks. An item without an id is identified
/// by its title.
pub fn mirror(known: &BTreeMap<String, TaskId>, change: &TodoUpdate) -> Vec<TodoAction> {
    match change {
        TodoUpdate::One(item) => one(known, &shortened(item)).into_iter().collect(),
        TodoUpdate::List(items) => {
            let items: Vec<TodoItem> = items.iter().map(shortened).collect();
            let mut acts: Vec<TodoAction> = Vec::new();
            let mut listed: Vec<String> = Vec::new();
            for item in items.iter().filter(|item| !item.removed) {
                let Some(key) = key_of(item) else { continue };
                // Items with the same title become one task.
                if listed.contains(&key) {
                    continue;
                }
                acts.extend(one(known, item));
                listed.push(key);
            }
            let gone = known.iter().filter(|(key, _)| !listed.contains(key));
            acts.extend(gone.map(|(key, task)| TodoAction::Drop {
                key: key.clone(),
                task: task.clone(),
            }));
            acts
        }
    }
}

/// Shortens an item's title to the maximum length of a task title.
fn shortened(item: &TodoItem) -> TodoItem {
    let fits = |title: &String| title.chars().count() <= MAX_TITLE_LENGTH;
    let title = item.title.clone().map(|title| {
        if fits(&title) {
            return title;
        }
        let kept: String = title.chars().take(MAX_TITLE_LENGTH - 1).collect();
        format!("{}…", kept.trim_end())
    });
    TodoItem {
        title,
        ..item.clone()
    }
}

fn key_of(item: &TodoItem) -> Option<String> {
    match (&item.key, &item.title) {
        (Some(key), _) => Some(format!("#{key}")),
        (None, title) => title.clone(),
    }
}

fn one(known: &BTreeMap<String, TaskId>, item: &TodoItem) -> Option<TodoAction> {
    let key = key_of(item)?;
    match known.get(&key) {
        Some(task) if item.removed => Some(TodoAction::Drop {
            key,
            task: task.clone(),
        }),
        Some(task) => Some(TodoAction::Set {
            task: task.clone(),
            title: item.title.clone().filter(|_| item.key.is_some()),
            state: item.state,
        }),
        None if item.removed => None,
        None => Some(TodoAction::Add {
            key,
            title: item.title.clone()?,
            state: item.state.unwrap_or(TodoState::Pending),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(title: &str, state: TodoState) -> TodoItem {
        TodoItem {
            key: None,
            title: Some(title.to_owned()),
            state: Some(state),
            removed: false,
        }
    }

    fn task(id: &str) -> TaskId {
        TaskId::parse(id).expect("an id")
    }

    #[test]
    fn a_list_adds_changes_and_drops_tasks() {
        let known = BTreeMap::from([
            ("read".to_owned(), task("t-aaaaaaaa")),
            ("old".to_owned(), task("t-bbbbbbbb")),
        ]);
        let list = vec![
            item("read", TodoState::Done),
            item("write", TodoState::Active),
            item("write", TodoState::Pending),
        ];
        let acts = mirror(&known, &TodoUpdate::List(list));
        assert_eq!(
            acts,
            [
                TodoAction::Set {
                    task: task("t-aaaaaaaa"),
                    title: None,
                    state: Some(TodoState::Done)
                },
                TodoAction::Add {
                    key: "write".to_owned(),
                    title: "write".to_owned(),
                    state: TodoState::Active
                },
                TodoAction::Drop {
                    key: "old".to_owned(),
                    task: task("t-bbbbbbbb")
                },
            ]
        );
    }

    #[test]
    fn an_item_is_recognised_by_its_id() {
        let known = BTreeMap::from([("#7".to_owned(), task("t-aaaaaaaa"))]);
        let change = TodoItem {
            key: Some("7".to_owned()),
            title: Some("another title".to_owned()),
            state: None,
            removed: false,
        };
        let acts = mirror(&known, &TodoUpdate::One(change.clone()));
        assert_eq!(
            acts,
            [TodoAction::Set {
                task: task("t-aaaaaaaa"),
                title: Some("another title".to_owned()),
                state: None
            }]
        );
        // An untitled update for an unknown item adds nothing.
        let unknown = TodoItem {
            title: None,
            ..change
        };
        assert_eq!(mirror(&BTreeMap::new(), &TodoUpdate::One(unknown)), []);
    }

    #[test]
    fn a_long_title_is_shortened() {
        let long = |end: &str| TodoItem {
            key: None,
            title: Some(format!("{}{end}", "é".repeat(MAX_TITLE_LENGTH))),
            state: Some(TodoState::Pending),
            removed: false,
        };
        let acts = mirror(
            &BTreeMap::new(),
            &TodoUpdate::List(vec![long(" first"), long("")]),
        );
        let [TodoAction::Add { title, .. }, TodoAction::Add { title: fits, .. }] = acts.as_slice() else {
            panic!("{acts:?}");
        };
        assert_eq!(title.chars().count(), MAX_TITLE_LENGTH);
        assert!(title.ends_with('…'), "{title}");
        assert!(!fits.ends_with('…'), "{fits}");
    }
}
