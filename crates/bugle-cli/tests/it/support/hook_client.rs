//! A client that calls hooks like a real one, with JSON on stdin.

use serde_json::{Value, json};

use super::reply::Step;
use super::sandbox::{Answer, SESSION, Sandbox, answer_with_input};

/// A step that allows no changes, followed by a step that allows all changes.
pub(crate) const GUARDED: &str = include_str!("workflows/guarded.yaml");

/// A client session in a sandbox.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Client<'a> {
    pub(crate) sandbox: &'a Sandbox,
    pub(crate) name: &'a str,
    pub(crate) session: &'a str,
    /// The sub-agent that acts, if it is not the main thread.
    pub(crate) agent: Option<&'a str>,
}

impl<'a> Client<'a> {
    pub(crate) fn claude(sandbox: &'a Sandbox) -> Self {
        Self::named(sandbox, "claude")
    }

    pub(crate) fn named(sandbox: &'a Sandbox, name: &'a str) -> Self {
        Self {
            sandbox,
            name,
            session: "session-one",
            agent: None,
        }
    }

    pub(crate) fn session(self, session: &'a str) -> Self {
        Self { session, ..self }
    }

    pub(crate) fn agent(self, agent: &'a str) -> Self {
        Self {
            agent: Some(agent),
            ..self
        }
    }

    /// Calls a hook, which must succeed without an error; returns its verbatim output.
    #[track_caller]
    pub(crate) fn hook(&self, event: &str, facts: &Value) -> String {
        self.say(event, self.body(event, facts).as_bytes())
    }

    /// The JSON that the client sends for an event.
    pub(crate) fn body(&self, event: &str, facts: &Value) -> String {
        let mut body = json!({
            "session_id": self.session, "transcript_path": "/nowhere/transcript.jsonl",
            "cwd": self.sandbox.project(), "hook_event_name": event,
        });
        if let Some(agent) = self.agent {
            body["agent_id"] = json!(agent);
            body["agent_type"] = json!("general-purpose");
        }
        for (name, value) in facts.as_object().unwrap() {
            body[name] = value.clone();
        }
        body.to_string()
    }

    /// Calls a hook with these bytes on stdin.
    #[track_caller]
    pub(crate) fn say(&self, event: &str, body: &[u8]) -> String {
        let mut command = self.sandbox.bugle(&["hook", event, "--client", self.name]);
        answer_with_input(&mut command, body).ok().out
    }

    /// The hook's output as JSON; null if there is none.
    #[track_caller]
    pub(crate) fn told(&self, event: &str, facts: &Value) -> Value {
        let out = self.hook(event, facts);
        if out.is_empty() {
            return Value::Null;
        }
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"))
    }

    /// The text that a hook adds for the agent; empty if there is none.
    #[track_caller]
    pub(crate) fn context(&self, event: &str, facts: &Value) -> String {
        let told = self.told(event, facts);
        text(&told["hookSpecificOutput"]["additionalContext"])
    }

    /// Why a tool is denied; empty if it is allowed.
    #[track_caller]
    pub(crate) fn denied(&self, tool: &str, input: &Value) -> String {
        let told = self.told("PreToolUse", &json!({ "tool_name": tool, "tool_input": input }));
        if told.is_null() {
            return String::new();
        }
        assert_eq!(told["hookSpecificOutput"]["permissionDecision"], "deny", "{told}");
        text(&told["hookSpecificOutput"]["permissionDecisionReason"])
    }

    /// The text that the agent continues with instead of stopping; empty if it stops.
    #[track_caller]
    pub(crate) fn stop(&self, kept_already: bool) -> String {
        let told = self.told("Stop", &json!({ "stop_hook_active": kept_already }));
        if told["decision"] == "block" {
            assert_ne!(told["reason"], "");
            return text(&told["reason"]);
        }
        String::new()
    }

    /// Reports a tool use; returns the text for the agent.
    #[track_caller]
    pub(crate) fn used(&self, tool: &str, input: &Value, response: &Value) -> String {
        let facts = json!({ "tool_name": tool, "tool_input": input, "tool_response": response });
        self.context("PostToolUse", &facts)
    }

    /// Reports the start of a session; returns the text for the agent.
    #[track_caller]
    pub(crate) fn begin_session(&self, source: &str) -> String {
        self.context("SessionStart", &json!({ "source": source }))
    }

    /// Reports a prompt from the user; returns the text for the agent.
    #[track_caller]
    pub(crate) fn prompt(&self) -> String {
        self.context("UserPromptSubmit", &json!({ "prompt": "go on" }))
    }

    /// Runs a command as this session's agent.
    pub(crate) fn run(&self, arguments: &[&str]) -> Answer {
        self.sandbox.run_in_session(SESSION, self.session, arguments)
    }

    /// Starts a skill in this session.
    #[track_caller]
    pub(crate) fn start(&self, arguments: &[&str]) -> Step {
        let words: Vec<&str> = ["start"].into_iter().chain(arguments.iter().copied()).collect();
        self.run(&words).ok().step()
    }

    /// Replaces everything that differs between tests.
    pub(crate) fn neutral(&self, text: &str, run: &str) -> String {
        self.sandbox.neutral(text).replace(run, "[RUN]")
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
