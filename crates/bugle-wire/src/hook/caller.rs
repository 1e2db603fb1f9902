//! Which client calls a hook. Some clients also run the hooks that were written for another one.

use crate::setup::Client;

/// The variables by which clients that may run another one's hooks are known.
pub const CALLERS: [&str; 5] = [
    "GROK_SESSION_ID",
    "QWEN_CODE_SESSION_ID",
    "GEMINI_SESSION_ID",
    "COPILOT_CLI",
    "CURSOR_VERSION",
];

/// The client that calls a hook which was written for another, `None` if Bugle does not know how to answer it.
///
/// A client that is started inside of another inherits its variables. So one that holds the session's id counts only if it
/// is the session of this call, and a bare mark only if the call is not from the client that the hook was written for.
pub fn caller(
    written_for: Client,
    session: Option<&str>,
    variables: &dyn Fn(&str) -> Option<String>,
) -> Option<Client> {
    let is_session = |name: &str| session.is_some() && variables(name).as_deref() == session;
    if is_session("CLAUDE_CODE_SESSION_ID") || is_session("CODEX_THREAD_ID") {
        return Some(written_for);
    }
    if is_session("GEMINI_SESSION_ID") {
        return Some(Client::Gemini);
    }
    let is_marked = |name: &str| variables(name).is_some_and(|value| !value.is_empty());
    let is_foreign = ["GROK_SESSION_ID", "QWEN_CODE_SESSION_ID"]
        .iter()
        .any(|name| is_session(name))
        || written_for == Client::Claude
            && ["COPILOT_CLI", "CURSOR_VERSION"]
                .iter()
                .any(|name| is_marked(name));
    (!is_foreign).then_some(written_for)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(written_for: Client, variables: &[(&str, &str)]) -> Option<Client> {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        caller(written_for, Some("s-1"), &variable)
    }

    #[test]
    fn a_client_is_known_by_its_own_session() {
        assert_eq!(called(Client::Claude, &[]), Some(Client::Claude));
        for mark in ["GROK_SESSION_ID", "QWEN_CODE_SESSION_ID"] {
            assert_eq!(called(Client::Claude, &[(mark, "s-1")]), None, "{mark}");
            assert_eq!(
                called(Client::Claude, &[(mark, "s-2")]),
                Some(Client::Claude),
                "{mark}"
            );
        }
        assert_eq!(
            called(Client::Claude, &[("GEMINI_SESSION_ID", "s-1")]),
            Some(Client::Gemini)
        );
        for mark in ["COPILOT_CLI", "CURSOR_VERSION"] {
            assert_eq!(called(Client::Claude, &[(mark, "1")]), None, "{mark}");
            assert_eq!(
                called(Client::Codex, &[(mark, "1")]),
                Some(Client::Codex),
                "{mark}"
            );
        }
    }

    #[test]
    fn a_client_that_runs_inside_of_another_is_itself() {
        let inside = [("COPILOT_CLI", "1"), ("CLAUDE_CODE_SESSION_ID", "s-1")];
        assert_eq!(called(Client::Claude, &inside), Some(Client::Claude));
        let outside = [("COPILOT_CLI", "1"), ("CLAUDE_CODE_SESSION_ID", "s-0")];
        assert_eq!(
            called(Client::Claude, &outside),
            None,
            "Copilot inside of Claude Code"
        );
    }
}
