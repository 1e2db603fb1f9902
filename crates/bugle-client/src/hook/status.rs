//! The input of the command that prints the status line of Claude Code.

use serde_json::Value;

/// The session of a status line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatusCall {
    /// The client's session.
    pub session: Option<String>,
    /// The folder of the session.
    pub directory: Option<String>,
}

impl StatusCall {
    /// Reads the JSON of the client. Nothing in it is required.
    pub fn read(text: &str) -> Self {
        let body = super::json(text).unwrap_or(Value::Null);
        let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        Self {
            session: text(&body["session_id"]),
            directory: text(&body["workspace"]["current_dir"]).or_else(|| text(&body["cwd"])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_the_workspace_comes_first() {
        let both =
            r#"{"session_id": "s", "cwd": "/a", "workspace": {"current_dir": "/b", "project_dir": "/c"}}"#;
        let read = StatusCall::read(both);
        assert_eq!(
            (read.session.as_deref(), read.directory.as_deref()),
            (Some("s"), Some("/b"))
        );
        assert_eq!(
            StatusCall::read(r#"{"cwd": "/a"}"#).directory.as_deref(),
            Some("/a")
        );
        for nothing in ["", "[]", "{\"session_id\": 3}"] {
            assert_eq!(StatusCall::read(nothing), StatusCall::default());
        }
    }
}
