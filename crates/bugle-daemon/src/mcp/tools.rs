//! The tools as clients see them. Every word here is read by an agent on every turn, so there are few.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool as Described, ToolAnnotations};
use serde_json::{Value, json};

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tool {
    StartRun,
    FinishStep,
    GetStep,
    ListTasks,
    UpdateTask,
    SendMessage,
    ReadInbox,
    GetContext,
}

const YOUR_NAME: &str = "Your name; without it, your session";

impl Tool {
    /// All of them, in the order in which they are listed.
    pub(super) const ALL: [Self; 8] = [
        Self::StartRun,
        Self::FinishStep,
        Self::GetStep,
        Self::ListTasks,
        Self::UpdateTask,
        Self::SendMessage,
        Self::ReadInbox,
        Self::GetContext,
    ];

    /// The tool that is called so.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// What it is called.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::StartRun => "start_run",
            Self::FinishStep => "finish_step",
            Self::GetStep => "get_step",
            Self::ListTasks => "list_tasks",
            Self::UpdateTask => "update_task",
            Self::SendMessage => "send_message",
            Self::ReadInbox => "read_inbox",
            Self::GetContext => "get_context",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::StartRun => {
                "Start a skill as a run and get its first step. A sub-agent gives `child` instead: the token of the \
                 `bugle start --child` command in its dispatch."
            }
            Self::FinishStep => {
                "End the visit of a step and get the next step; the same as the `bugle done` command at the end of \
                 the step. What the step owes is checked. A refusal changes nothing and says what to do."
            }
            Self::GetStep => "Get the current step of a run again, in full.",
            Self::ListTasks => "See the tasks of this project.",
            Self::UpdateTask => "Change a task, or add one. The answer says what comes next.",
            Self::SendMessage => {
                "Say something to agents or people by mention: @agent, @branch:agent, @all, @human."
            }
            Self::ReadInbox => "Read the messages to you that you have not read. They count as read then.",
            Self::GetContext => {
                "Get what you need to go on after you lost your context: where you stand, the step, tasks, new \
                 messages."
            }
        }
    }

    /// What it takes: its parameters, and the names of those that cannot be left out.
    fn parameters(self) -> (Value, &'static [&'static str]) {
        let name = || json!({ "type": "string", "description": YOUR_NAME });
        match self {
            Self::StartRun => (
                json!({
                    "skill": { "type": "string", "description": "The skill's name" },
                    "params": { "type": "object", "description": "Its params by name" },
                    "child": { "type": "string", "description": "A sub-agent's token: run#visit/number" },
                }),
                &[],
            ),
            Self::FinishStep => (
                json!({
                    "visit": { "type": "string", "description": "The visit, as the step names it: run#number" },
                    "result": { "type": "object", "description": "The result that the step asks for, if any" },
                    "outcome": {
                        "enum": ["done", "unanswered", "fail", "blocked", "needs_decision", "uncertainty"],
                        "description": "done: the step is done. fail: it cannot be done. unanswered: end the step although sub-agents have open questions. The others stop a sub-agent and return its work",
                    },
                    "why": { "type": "string", "description": "The reason, unless it is done" },
                    "note": { "type": "string", "description": "Something to keep with the step" },
                }),
                &["visit"],
            ),
            Self::GetStep => (
                json!({
                    "run": { "type": "string", "description": "The run; without it, the one that is open here" },
                }),
                &[],
            ),
            Self::ListTasks => (
                json!({
                    "show": {
                        "enum": ["open", "all", "next", "ready", "details"],
                        "description": "The open tree, all of it, the task to do now, all that can start, or all about \
                                        one task",
                    },
                    "within": { "type": "string", "description": "Only this task or plan, by id" },
                }),
                &[],
            ),
            Self::UpdateTask => (
                json!({
                    "action": { "enum": ["add", "start", "done", "skip", "fail", "block", "reopen", "note"] },
                    "task": { "type": "string", "description": "Its id; for add, the task to put it in" },
                    "text": { "type": "string", "description": "The title, the reason or the note" },
                    "as": name(),
                }),
                &["action"],
            ),
            Self::SendMessage => (json!({ "text": { "type": "string" }, "as": name() }), &["text"]),
            Self::ReadInbox => (
                json!({ "keep_unread": { "type": "boolean", "description": "Only look" }, "as": name() }),
                &[],
            ),
            Self::GetContext => (json!({ "as": name() }), &[]),
        }
    }

    /// Its description for clients.
    pub(super) fn described(self) -> Described {
        let (properties, required) = self.parameters();
        let mut schema = JsonObject::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), properties);
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        schema.insert("additionalProperties".to_owned(), json!(false));
        let described = Described::new(self.name(), self.description(), Arc::new(schema));
        // Clients ask before they call what may change something; what only looks need not be asked about.
        if matches!(self, Self::GetStep | Self::ListTasks) {
            described.with_annotations(ToolAnnotations::new().read_only(true))
        } else {
            described
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::arguments;

    /// Arguments for everything that a tool says it takes: of choices the one with this number.
    fn sample(tool: Tool, choice: usize) -> Value {
        let (properties, _) = tool.parameters();
        let value = |described: &Value| match (&described["enum"], described["type"].as_str()) {
            (Value::Array(choices), _) => choices[choice % choices.len()].clone(),
            (_, Some("object")) => json!({}),
            (_, Some("boolean")) => json!(true),
            (_, _) => json!("text"),
        };
        let properties = properties.as_object().unwrap();
        properties
            .iter()
            .map(|(name, described)| (name.clone(), value(described)))
            .collect()
    }

    fn understood(tool: Tool, arguments: Value) -> Result<(), serde_json::Error> {
        fn read<T: serde::de::DeserializeOwned>(arguments: Value) -> Result<(), serde_json::Error> {
            serde_json::from_value::<T>(arguments).map(drop)
        }
        match tool {
            Tool::StartRun => read::<arguments::StartRun>(arguments),
            Tool::FinishStep => read::<arguments::FinishStep>(arguments),
            Tool::GetStep => read::<arguments::GetStep>(arguments),
            Tool::ListTasks => read::<arguments::ListTasks>(arguments),
            Tool::UpdateTask => read::<arguments::UpdateTask>(arguments),
            Tool::SendMessage => read::<arguments::SendMessage>(arguments),
            Tool::ReadInbox => read::<arguments::ReadInbox>(arguments),
            Tool::GetContext => read::<arguments::GetContext>(arguments),
        }
    }

    #[test]
    fn a_tool_understands_what_it_says_it_takes_and_nothing_else() {
        for tool in Tool::ALL {
            for choice in 0..8 {
                understood(tool, sample(tool, choice)).unwrap();
            }
            let (_, required) = tool.parameters();
            let least: Value = required
                .iter()
                .map(|name| ((*name).to_owned(), sample(tool, 0)[*name].clone()))
                .collect();
            understood(tool, least.clone()).unwrap();
            for name in required {
                let mut lacking = least.clone();
                lacking.as_object_mut().unwrap().remove(*name);
                understood(tool, lacking).unwrap_err();
            }
            let mut more = least;
            more["something_else"] = json!(1);
            understood(tool, more).unwrap_err();
        }
    }
}
