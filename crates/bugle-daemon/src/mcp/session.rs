//! Detects the session of a call. Clients report the session in different ways, so agents never have to name it.

use std::path::Path;

use axum::http::request::Parts;
use bugle_app::{AppError, Context};
use bugle_client::mcp_session;
use bugle_client::recognition::in_session;
use serde_json::{Map, Value};

/// The header in which an HTTP client can name its session.
const SESSION_HEADER: &str = "bugle-session";

/// The caller of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Caller {
    /// The session that started this process, if its environment names one.
    Owner,
    /// The session that the call itself names, if any.
    Guest(Option<String>),
}

/// The caller. A session named in the call takes precedence. Over HTTP, the session that started the server is
/// ignored.
pub(super) fn caller(metadata: &Map<String, Value>, request: Option<&Parts>) -> Caller {
    let session = mcp_session(metadata).or_else(|| {
        let header = request?.headers.get(SESSION_HEADER)?.to_str().ok()?;
        Some(header.trim().to_owned()).filter(|session| !session.is_empty())
    });
    match (session, request) {
        (None, None) => Caller::Owner,
        (session, _) => Caller::Guest(session),
    }
}

impl Caller {
    /// The call's context.
    pub(super) fn context(&self, directory: &Path) -> Result<Context, AppError> {
        let variables = |name: &str| std::env::var_os(name);
        match self {
            Self::Owner => Context::find(&variables, directory, false),
            Self::Guest(session) => {
                Context::find(&in_session(session.as_deref(), &variables), directory, false)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

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
