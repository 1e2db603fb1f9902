//! Bugle's entries in JSON settings: their format, and how Bugle recognises them.

use super::json::Json;
use super::jsonc::Node;
use crate::Client;
use crate::hook::HookEvent;
use crate::shell::{shell_word, shell_words};

impl Client {
    /// The hook group for an event, in the client's format.
    pub(crate) fn hook_group(self, (name, event): (&str, HookEvent), program: &str) -> Json {
        let mut group = Vec::new();
        // For other events, the client treats a missing matcher as a match for everything.
        if matches!(event, HookEvent::PreToolUse | HookEvent::PostToolUse) {
            group.push(("matcher", Json::text("*")));
        }
        if event == HookEvent::PostCompact {
            let matcher = self.facts().hooks.gaps.reported_compactions;
            group.extend(matcher.map(|matcher| ("matcher", Json::text(matcher))));
        }
        let handler = self.handler((name, event), program);
        group.push(("hooks", Json::Array(vec![handler])));
        Json::Object(group)
    }

    /// A hook. The command is one string, because some clients also read other clients' settings, and a client that
    /// does not support a list of arguments would run the program without arguments.
    pub(crate) fn handler(self, (name, event): (&str, HookEvent), program: &str) -> Json {
        let hooks = &self.facts().hooks;
        let program = shell_word(program);
        let line = [program.as_str(), "hook", name, "--client", self.as_str()].join(" ");
        let mut handler = Vec::new();
        handler.extend(hooks.handler_name.map(|name| ("name", Json::text(name))));
        handler.push(("type", Json::text("command")));
        handler.push(("command", Json::Text(line)));
        handler.push(("timeout", Json::Number((hooks.timeout)(event))));
        Json::Object(handler)
    }

    /// Whether Bugle wrote a hook for this client, perhaps with another program path.
    pub(crate) fn is_own_handler(self, handler: &Node) -> bool {
        let words = command_words(handler);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        matches!(words.as_slice(), [program, "hook", _, "--client", client]
            if is_bugle(program) && *client == self.as_str())
    }
}

/// Bugle's MCP server, in the format that most clients use.
pub(crate) fn command_server(program: &str) -> Json {
    Json::Object(vec![
        ("command", Json::text(program)),
        ("args", Json::texts(["mcp"])),
    ])
}

/// Whether a server is Bugle's.
pub(crate) fn is_own_server(server: &Node) -> bool {
    let words = command_words(server);
    matches!(words.as_slice(), [program, verb, ..] if is_bugle(program) && verb == "mcp")
}

/// The status line in Claude Code's settings.
pub(crate) fn status_line(program: &str) -> Json {
    let line = format!("{} statusline", shell_word(program));
    Json::Object(vec![
        ("type", Json::text("command")),
        ("command", Json::Text(line)),
    ])
}

/// Whether a status line is Bugle's.
pub(crate) fn is_own_status_line(entry: &Node) -> bool {
    let words = command_words(entry);
    matches!(words.as_slice(), [program, verb] if is_bugle(program) && verb == "statusline")
}

/// The words of an entry's command, in any of the usual formats.
pub(crate) fn command_words(entry: &Node) -> Vec<String> {
    let Some(command) = entry.member("command") else {
        return Vec::new();
    };
    let own = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect();
    let Some(line) = command.text() else {
        return command.texts().map(own).unwrap_or_default();
    };
    match entry.member("args").and_then(Node::texts) {
        Some(rest) => std::iter::once(line.to_owned())
            .chain(rest.into_iter().map(str::to_owned))
            .collect(),
        None => shell_words(line),
    }
}

/// Whether a path ends with this program's name, ignoring folder and extension.
pub(crate) fn is_bugle(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    name == "bugle" || name.starts_with("bugle.") || name.starts_with("bugle-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_recognised_in_any_folder() {
        for program in ["bugle", "/old/bin/bugle", r"C:\x\bugle.exe", "/a/bugle-0.2"] {
            assert!(is_bugle(program), "{program}");
        }
        for program in ["", "bugler", "/bugle/other", "/usr/bin/debugle"] {
            assert!(!is_bugle(program), "{program}");
        }
    }
}
