//! The session of a call. Clients report it in different ways; agents never have to.

use std::ffi::OsString;
use std::path::Path;

use axum::http::request::Parts;
use bugle_app::{AppError, Context};
use serde_json::{Map, Value};

/// The metadata that Codex sends with every call.
const CODEX_METADATA: &str = "x-codex-turn-metadata";
/// The header in which an HTTP client can name its session.
const SESSION_HEADER: &str = "bugle-session";
/// The variable in which [`Context`] looks for the session of a client other than Claude Code.
const SESSION_VARIABLE: &str = "CODEX_THREAD_ID";
/// The variables that name the session which started a process.
const OWN_SESSION: [&str; 2] = ["CLAUDE_CODE_SESSION_ID", SESSION_VARIABLE];

/// The caller of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Caller {
    /// The session that started this process, if its environment names one.
    Owner,
    /// Another session, if it is known.
    Guest(Option<String>),
}

/// The caller: the session in the call comes first. Over HTTP, the session that started the server never counts.
pub(super) fn caller(metadata: &Map<String, Value>, request: Option<&Parts>) -> Caller {
    let session = codex_session(metadata).or_else(|| {
        let header = request?.headers.get(SESSION_HEADER)?.to_str().ok()?;
        Some(header.trim().to_owned()).filter(|session| !session.is_empty())
    });
    match (session, request) {
        (None, None) => Caller::Owner,
        (session, _) => Caller::Guest(session),
    }
}

/// The session in Codex's metadata, which is an object or its JSON text. A sub-agent has its own thread but shares the
/// session of the agent that started it.
fn codex_session(metadata: &Map<String, Value>) -> Option<String> {
    let value = metadata.get(CODEX_METADATA)?;
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

impl Caller {
    /// The context of a call.
    pub(super) fn context(&self, directory: &Path) -> Result<Context, AppError> {
        let variables = |name: &str| match self {
            Self::Guest(session) if OWN_SESSION.contains(&name) => session
                .as_ref()
                .filter(|_| name == SESSION_VARIABLE)
                .map(OsString::from),
            Self::Owner | Self::Guest(_) => std::env::var_os(name),
        };
        Context::find(&variables, directory, false)
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Request;
    use serde_json::json;

    use super::*;

    fn caller_of(metadata: &Value) -> Caller {
        caller(metadata.as_object().unwrap(), None)
    }

    #[test]
    fn a_session_is_read_from_the_metadata_of_a_call() {
        let guest = |session: &str| Caller::Guest(Some(session.to_owned()));
        let object = json!({ "session_id": "s-1", "thread_id": "t-1", "turn_id": "9" });
        assert_eq!(caller_of(&json!({ CODEX_METADATA: object })), guest("s-1"));
        assert_eq!(
            caller_of(&json!({ CODEX_METADATA: object.to_string() })),
            guest("s-1")
        );
        assert_eq!(
            caller_of(&json!({ CODEX_METADATA: { "thread_id": "t-1" } })),
            guest("t-1")
        );
    }

    #[test]
    fn unreadable_metadata_names_no_session() {
        for odd in [
            json!({}),
            json!({ CODEX_METADATA: "not an object" }),
            json!({ CODEX_METADATA: 7 }),
            json!({ CODEX_METADATA: { "session_id": 7, "thread_id": "" } }),
            json!({ "claudecode/toolUseId": "toolu_1" }),
        ] {
            assert_eq!(caller_of(&odd), Caller::Owner, "{odd}");
        }
    }

    #[test]
    fn over_http_only_the_call_names_the_session() {
        let parts = |session: Option<&str>| {
            let mut request = Request::builder();
            if let Some(session) = session {
                request = request.header(SESSION_HEADER, session);
            }
            request.body(()).unwrap().into_parts().0
        };
        let none = Map::new();
        assert_eq!(caller(&none, Some(&parts(None))), Caller::Guest(None));
        assert_eq!(caller(&none, Some(&parts(Some("  ")))), Caller::Guest(None));
        assert_eq!(
            caller(&none, Some(&parts(Some("s-2")))),
            Caller::Guest(Some("s-2".to_owned()))
        );
    }
}
