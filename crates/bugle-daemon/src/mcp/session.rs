//! Detects the session of a call. Clients report the session in different ways, so agents never have to name it.

use std::path::Path;
use std::sync::Arc;

use axum::http::request::Parts;
use bugle_app::{AppError, Context};
use bugle_client::mcp_session;
use bugle_client::recognition::{SESSION_ARGUMENT, in_session, passes_session_as_argument};
use bugle_core::interface::{AnswerRoute, Interface};
use rmcp::model::Tool;
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

/// Makes a tool's schema accept the session that Bugle's hook adds. The schema does not name the session, because the
/// agent must not choose it.
pub(super) fn take_session_argument(tool: &mut Tool) {
    Arc::make_mut(&mut tool.input_schema).remove("additionalProperties");
}

/// Removes the session that Bugle's hook has added to a call's arguments. `has` tells whether an environment variable is
/// set. Over HTTP and from other clients, the argument stays, and is refused like any other unknown argument.
pub(super) fn session_argument(
    arguments: &mut Map<String, Value>,
    request: Option<&Parts>,
    has: &dyn Fn(&str) -> bool,
) -> Option<String> {
    if request.is_some() || !arguments.contains_key(SESSION_ARGUMENT) || !passes_session_as_argument(has) {
        return None;
    }
    let session = arguments.remove(SESSION_ARGUMENT)?;
    session.as_str().map(str::to_owned)
}

/// The caller. A session named in the call takes precedence. Over HTTP, the session that started the server is
/// ignored.
pub(super) fn caller(
    metadata: &Map<String, Value>,
    argument: Option<String>,
    request: Option<&Parts>,
) -> Caller {
    let session = argument.or_else(|| mcp_session(metadata)).or_else(|| {
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
        let mut context = match self {
            Self::Owner => Context::find(&variables, directory, false),
            Self::Guest(session) => {
                Context::find(&in_session(session.as_deref(), &variables), directory, false)
            }
        }?;
        context.interface = Interface::Mcp(AnswerRoute::Person);
        Ok(context)
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
        assert_eq!(caller(&none, None, Some(&parts(None))), Caller::Guest(None));
        assert_eq!(caller(&none, None, Some(&parts(Some("  ")))), Caller::Guest(None));
        assert_eq!(
            caller(&none, None, Some(&parts(Some("s-2")))),
            Caller::Guest(Some("s-2".to_owned()))
        );
    }

    #[test]
    fn a_session_in_the_arguments_counts_only_from_a_client_that_needs_it() {
        let given = || Map::from_iter([(SESSION_ARGUMENT.to_owned(), Value::from("s-1"))]);
        let mut arguments = given();
        let session = session_argument(&mut arguments, None, &|_| true);
        assert_eq!((session.as_deref(), arguments.len()), (Some("s-1"), 0));
        let mut arguments = given();
        assert_eq!(session_argument(&mut arguments, None, &|_| false), None);
        assert_eq!(arguments, given());
        let parts = Request::builder().body(()).unwrap().into_parts().0;
        assert_eq!(session_argument(&mut arguments, Some(&parts), &|_| true), None);
        let none = Map::new();
        assert_eq!(
            caller(&none, Some("s-1".to_owned()), None),
            Caller::Guest(Some("s-1".to_owned()))
        );
    }
}
