//! Agents and their messages, read through the program.

use serde_json::Value;

use super::sandbox::{Answer, SESSION, Sandbox};

/// Runs a command as a session's agent.
pub(crate) fn in_session(sandbox: &Sandbox, session: &str, arguments: &[&str]) -> Answer {
    sandbox.run_in_session(SESSION, session, arguments)
}

pub(crate) fn status(sandbox: &Sandbox, name: &str) -> String {
    let detail = sandbox.run(&["agent", "show", name, "--json"]).ok().json();
    detail["data"]["agent"]["status"].as_str().unwrap().to_owned()
}

pub(crate) fn texts(list: &Value) -> Vec<String> {
    let list = list.as_array().unwrap();
    list.iter()
        .map(|message| message["text"].as_str().unwrap().to_owned())
        .collect()
}

pub(crate) fn unread(sandbox: &Sandbox, name: &str) -> Vec<String> {
    let list = sandbox.run(&["messages", "--unread", "--for", name, "--json"]);
    texts(&list.ok().json()["data"]["messages"])
}
