//! Reads changes to an agent's to-do list from the client's tool calls.

use bugle_core::hook::{TodoItem, TodoState, TodoUpdate};
use serde_json::Value;

use super::ToolCall;
use crate::Client;

/// A tool that rewrites the whole list.
pub(crate) struct TodoList {
    /// The tool's name.
    pub tool: &'static str,
    /// The input field with the list.
    pub field: &'static str,
    /// The item fields that can contain a title.
    pub titles: &'static [&'static str],
}

/// A tool's effect on one item of the list.
#[derive(Clone, Copy)]
pub(crate) enum TodoChange {
    /// Adds the item.
    Create,
    /// Changes or removes the item.
    Update,
}

/// The change that a tool made to the client's to-do list, if any.
pub(super) fn todo_update(tool: &ToolCall) -> Option<TodoUpdate> {
    let input = &tool.input;
    let names = || Client::ALL.into_iter().map(|client| &client.facts().tools);
    let mut lists = names().flat_map(|names| names.todo_lists);
    if let Some(known) = lists.find(|list| list.tool == tool.name) {
        return list(input.get(known.field)?, known.titles);
    }
    let mut items = names().flat_map(|names| names.todo_items);
    let (_, change) = items.find(|(known, _)| *known == tool.name)?;
    match change {
        TodoChange::Create => Some(TodoUpdate::One(TodoItem {
            key: created_key(tool),
            title: Some(text(input, &["subject", "title", "description"])?),
            state: Some(TodoState::Pending),
            removed: false,
        })),
        TodoChange::Update => {
            let status = text(input, &["status"]);
            Some(TodoUpdate::One(TodoItem {
                key: Some(text(input, &["taskId", "task_id", "id"])?),
                title: text(input, &["subject", "title"]),
                state: status.as_deref().and_then(state),
                removed: status.as_deref() == Some("deleted"),
            }))
        }
    }
}

fn list(items: &Value, titles: &[&str]) -> Option<TodoUpdate> {
    let item = |item: &Value| {
        Some(TodoItem {
            key: None,
            title: Some(text(item, titles)?),
            state: Some(
                text(item, &["status"])
                    .as_deref()
                    .and_then(state)
                    .unwrap_or(TodoState::Pending),
            ),
            removed: text(item, &["status"]).as_deref() == Some("cancelled"),
        })
    };
    Some(TodoUpdate::List(
        items.as_array()?.iter().filter_map(item).collect(),
    ))
}

fn state(word: &str) -> Option<TodoState> {
    match word {
        "pending" => Some(TodoState::Pending),
        "in_progress" => Some(TodoState::Active),
        "completed" => Some(TodoState::Done),
        _ => None,
    }
}

/// The first number or non-empty string among these fields.
fn text(value: &Value, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| match value.get(name)? {
        Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

/// The id of a task that the client created, from a field of its answer or a sentence such as `Task #3 created`.
fn created_key(tool: &ToolCall) -> Option<String> {
    let task = tool.response.get("task").unwrap_or(&tool.response);
    if let Some(key) = text(task, &["id", "taskId", "task_id"]) {
        return Some(key);
    }
    let said = tool.said();
    let digits = said.split_once('#')?.1;
    let key: String = digits.chars().take_while(char::is_ascii_digit).collect();
    (!key.is_empty()).then_some(key)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn used(name: &str, input: Value, response: Value) -> Option<TodoUpdate> {
        todo_update(&ToolCall {
            name: name.to_owned(),
            input,
            response,
        })
    }

    fn item(title: &str, state: TodoState) -> TodoItem {
        TodoItem {
            key: None,
            title: Some(title.to_owned()),
            state: Some(state),
            removed: false,
        }
    }

    #[test]
    fn a_whole_list_is_read() {
        let todos = json!({"todos": [
            {"content": "Read", "status": "completed", "activeForm": "Reading"},
            {"content": "Write", "status": "in_progress", "activeForm": "Writing"},
            {"content": "", "status": "pending"},
        ]});
        let expected = TodoUpdate::List(vec![
            item("Read", TodoState::Done),
            item("Write", TodoState::Active),
        ]);
        assert_eq!(used("TodoWrite", todos, Value::Null), Some(expected));
        let plan = json!({"plan": [{"step": "Read", "status": "pending"}], "explanation": "x"});
        let expected = TodoUpdate::List(vec![item("Read", TodoState::Pending)]);
        assert_eq!(used("update_plan", plan, Value::Null), Some(expected));
    }

    #[test]
    fn a_change_to_one_item_is_read() {
        let made = used(
            "TaskCreate",
            json!({"subject": "Read"}),
            json!("Task #7 created successfully: Read"),
        );
        let expected = TodoItem {
            key: Some("7".to_owned()),
            ..item("Read", TodoState::Pending)
        };
        assert_eq!(made, Some(TodoUpdate::One(expected.clone())));
        let made = used(
            "TaskCreate",
            json!({"subject": "Read"}),
            json!({"task": {"id": "7"}}),
        );
        assert_eq!(made, Some(TodoUpdate::One(expected)));
        let changed = used(
            "TaskUpdate",
            json!({"taskId": "7", "status": "completed"}),
            Value::Null,
        );
        let expected = TodoItem {
            key: Some("7".to_owned()),
            title: None,
            state: Some(TodoState::Done),
            removed: false,
        };
        assert_eq!(changed, Some(TodoUpdate::One(expected)));
    }

    #[test]
    fn other_tools_and_invalid_inputs_are_ignored() {
        assert_eq!(used("Read", json!({}), Value::Null), None);
        assert_eq!(used("TodoWrite", json!({"todos": 3}), Value::Null), None);
        assert_eq!(used("TaskUpdate", json!([]), Value::Null), None);
    }
}
