//! Tool descriptions for clients. They are part of an agent's context on every turn, so keep them short.

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

const YOUR_NAME: &str = "Your agent name (default: your session's agent)";

impl Tool {
    /// All tools, in listing order.
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

    /// The tool with this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// The tool's name.
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
                "Start a skill and return its first step. Without arguments, list the skills. A sub-agent passes `child`: \
                 the token in its prompt."
            }
            Self::FinishStep => {
                "Finish a step and return the next step. If Bugle refuses the result, nothing changes and the reply says \
                 what to fix. If the step is a question for the user, Bugle asks the user if your client can."
            }
            Self::GetStep => {
                "Return a run's current step, its history, a review's findings or the open runs."
            }
            Self::ListTasks => "List this project's tasks.",
            Self::UpdateTask => "Add or change a task and return the next action.",
            Self::SendMessage => {
                "Send a message to the agents and people that the text mentions: @agent, @branch:agent, @all, @human."
            }
            Self::ReadInbox => "Return your unread messages and mark them as read.",
            Self::GetContext => {
                "Return what you need to continue after you lose your context: position, step, tasks, new messages."
            }
        }
    }

    /// The tool's parameters, and the names of the required ones.
    fn parameters(self) -> (Value, &'static [&'static str]) {
        let name = || json!({ "type": "string", "description": YOUR_NAME });
        match self {
            Self::StartRun => (
                json!({
                    "skill": { "type": "string", "description": "The skill's name" },
                    "params": { "type": "object", "description": "The skill's params by name" },
                    "child": { "type": "string", "description": "Your token as a sub-agent: RUN#VISIT/NUMBER" },
                    "restart": { "type": "string", "description": "Restart the stopped sub-agent with this token" },
                    "answer": { "type": "string", "description": "For `restart`: the answer to its question" },
                    "resume": { "type": "string", "description": "Resume a paused run or take a run over: its id" },
                }),
                &[],
            ),
            Self::FinishStep => (
                json!({
                    "visit": { "type": "string", "description": "The visit token that the step prints: RUN#NUMBER" },
                    "result": { "type": "object", "description": "The step's result, if the step asks for a result" },
                    "outcome": {
                        "enum": ["done", "unanswered", "fail", "blocked", "needs_decision", "uncertainty"],
                        "description": "Default: done. fail: you cannot complete the step. unanswered: finish even if sub-agents \
                            have open questions. The other outcomes are for sub-agents and return the work to the orchestrator",
                    },
                    "answer": { "type": "string", "description": "The user's own words, if the user has answered the step's question" },
                    "why": { "type": "string", "description": "The reason for the outcome or for the user's decision" },
                    "note": { "type": "string", "description": "A note to record with the visit" },
                }),
                &["visit"],
            ),
            Self::GetStep => (
                json!({
                    "run": { "type": "string", "description": "The run's id, or a visit (default: the open run of this session or project)" },
                    "show": { "enum": ["step", "history", "findings", "runs"] },
                    "offset": { "type": "integer", "minimum": 0, "description": "Skip this many characters" },
                }),
                &[],
            ),
            Self::ListTasks => (
                json!({
                    "show": {
                        "enum": ["open", "all", "next", "ready", "details"],
                        "description": "open (default): the tree of open tasks. all: closed trees too. next: the task to do \
                                        now. ready: tasks that can start. details: one task in full",
                    },
                    "within": { "type": "string", "description": "List only the task or plan with this id" },
                }),
                &[],
            ),
            Self::UpdateTask => (
                json!({
                    "action": { "enum": ["add", "start", "take_over", "done", "skip", "fail", "block", "reopen", "note"] },
                    "task": { "type": "string", "description": "The task's id; for `add`, the parent task's id" },
                    "text": { "type": "string", "description": "The title, reason or note" },
                    "as": name(),
                }),
                &["action"],
            ),
            Self::SendMessage => (
                json!({
                    "text": { "type": "string" },
                    "question": { "type": "boolean", "description": "Ask, and wait for an answer" },
                    "answers": { "type": "string", "description": "The id of the question that this text answers" },
                    "as": name(),
                }),
                &["text"],
            ),
            Self::ReadInbox => (
                json!({ "keep_unread": { "type": "boolean", "description": "Do not mark the messages as read" }, "as": name() }),
                &[],
            ),
            Self::GetContext => (json!({ "as": name() }), &[]),
        }
    }

    /// The tool's description for clients.
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
        // Clients assume that a tool without annotations destroys data and reaches the network, and ask the user first.
        let annotations = ToolAnnotations::new().open_world(false);
        described.with_annotations(match self {
            Self::GetStep | Self::ListTasks => annotations.read_only(true),
            _ => annotations.destructive(false),
        })
    }
}

#[cfg(test)]
mod tests {
    use bugle_core::interface::{AnswerRoute, Interface};

    use super::*;
    use crate::mcp::arguments;

    /// Arguments for every parameter of a tool. `choice` is the index of the value to use for enums.
    fn sample(tool: Tool, choice: usize) -> Value {
        let (properties, _) = tool.parameters();
        let value = |described: &Value| match (&described["enum"], described["type"].as_str()) {
            (Value::Array(choices), _) => choices[choice % choices.len()].clone(),
            (_, Some("object")) => json!({}),
            (_, Some("boolean")) => json!(true),
            (_, Some("integer")) => json!(1),
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
    fn every_printed_call_is_one_that_a_tool_accepts() {
        let interface = Interface::Mcp(AnswerRoute::Agent);
        for line in [
            "skill list",
            "start ship why=because",
            "start --child r-7f3a1c#2/1",
            "run retry r-7f3a1c#2/1",
            "run resume r-7f3a1c",
            "step r-7f3a1c",
            "run show r-7f3a1c",
            "run findings r-7f3a1c#2",
            "run list --open",
            "done r-7f3a1c#2",
            "done r-7f3a1c#2 --fail",
            "done r-7f3a1c#2 --unanswered",
            "done r-7f3a1c#2 --escalate needs_decision",
            "decide r-7f3a1c#2 yes",
            "task list t-7f3a1c2d",
            "task list --all",
            "task next",
            "task show t-7f3a1c2d --full",
            "task add Title",
            "task reopen t-7f3a1c2d",
            "task start t-7f3a1c2d --take-over",
            "say @human",
            "ask @human",
            "message list --for lead --unread --take",
            "wake lead",
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            let call = interface.tool_call(&words).unwrap();
            let tool = Tool::named(call.tool).unwrap();
            understood(tool, Value::Object(call.arguments)).unwrap_or_else(|error| panic!("{line}: {error}"));
        }
    }

    #[test]
    fn a_tool_accepts_exactly_the_arguments_of_its_schema() {
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
