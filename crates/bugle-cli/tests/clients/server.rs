//! opencode as a server. `opencode run` exits at the end of a turn, so Bugle cannot refuse a stop there.

/// A script that starts the server, sends a prompt in a new session, and waits until this many runs wait for the user.
pub(crate) fn in_server(prompt: &str, waiting: usize) -> String {
    SCRIPT
        .replace("PROMPT", prompt)
        .replace("WAITING", &waiting.to_string())
}

/// The server may not answer the first request.
const SCRIPT: &str = r#"
opencode serve --port 4100 > server.log 2>&1 &
server=http://127.0.0.1:4100/session
session=$(curl --silent --max-time 4 --retry 30 --retry-delay 1 --retry-connrefused --json '{"title":"Test"}' $server |
  sed 's/.*"id":"\(ses_[^"]*\)".*/\1/')
echo "{\"sessionID\":\"$session\"}"
curl --silent --fail --json '{"parts":[{"type":"text","text":"PROMPT"}]}' "$server/$session/message" > answer.log
until test "$(bugle run list --all --json | grep -c '"status": "waiting"')" = WAITING; do :; done
"#;
