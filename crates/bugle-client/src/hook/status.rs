//! The input of the command that prints Claude Code's status line.

use serde_json::Value;

use super::lossy;

/// The session that a status line is for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatusCall {
    /// The client's session.
    pub session: Option<String>,
    /// The session's folder.
    pub directory: Option<String>,
}

impl StatusCall {
    /// Reads the client's JSON. Every field is optional.
    pub fn read(text: &str) -> Self {
        let body = lossy::json(text).unwrap_or(Value::Null);
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
    fn the_workspace_folder_takes_precedence() {
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
