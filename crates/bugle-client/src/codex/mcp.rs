//! The session that Codex sends with every MCP tool call.

use serde_json::{Map, Value};

const METADATA: &str = "x-codex-turn-metadata";

/// The session in a call's metadata. The metadata is an object, or a JSON string that contains an object. A sub-agent
/// has its own thread, but shares the session of the agent that started it.
pub(super) fn mcp_session(metadata: &Map<String, Value>) -> Option<String> {
    let value = metadata.get(METADATA)?;
    let parsed = value
        .as_str()
        .and_then(|text| serde_json::from_str::<Value>(text).ok());
    let object = parsed.as_ref().unwrap_or(value).as_object()?;
    ["session_id", "thread_id"]
        .iter()
        .filter_map(|name| object.get(*name)?.as_str())
        .find(|session| !session.is_empty())
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn session(metadata: &Value) -> Option<String> {
        mcp_session(metadata.as_object().unwrap())
    }

    #[test]
    fn the_session_is_read_from_an_object_or_a_json_string() {
        let object = json!({ "session_id": "s-1", "thread_id": "t-1", "turn_id": "9" });
        assert_eq!(session(&json!({ METADATA: object })).as_deref(), Some("s-1"));
        assert_eq!(
            session(&json!({ METADATA: object.to_string() })).as_deref(),
            Some("s-1")
        );
        let thread = json!({ METADATA: { "thread_id": "t-1" } });
        assert_eq!(session(&thread).as_deref(), Some("t-1"));
    }

    #[test]
    fn unreadable_metadata_names_no_session() {
        for odd in [
            json!({}),
            json!({ METADATA: "not an object" }),
            json!({ METADATA: 7 }),
            json!({ METADATA: { "session_id": 7, "thread_id": "" } }),
            json!({ "claudecode/toolUseId": "toolu_1" }),
        ] {
            assert_eq!(session(&odd), None, "{odd}");
        }
    }
}
