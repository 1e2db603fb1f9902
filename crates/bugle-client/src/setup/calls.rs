//! The commands in settings entries. `bugle doctor` runs the commands as the client does.

use super::entries::command_words;
use super::jsonc::{Node, parse};
use super::settings::Settings;
use crate::shell::shell_words;

/// An entry's command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// Words to run without a shell.
    Words(Vec<String>),
    /// A line to run in a shell.
    Line(String),
}

impl Call {
    /// The command's program.
    pub fn program(&self) -> Option<String> {
        match self {
            Self::Words(words) => words.first().cloned(),
            Self::Line(line) => shell_words(line).into_iter().next(),
        }
    }
}

impl Settings {
    /// The command of the hook for an event.
    pub fn hook_call(&self, text: &str, event: &str) -> Option<Call> {
        let root = parse(text).ok()?;
        let hooks = self.own_hooks(&root);
        let hook = hooks.into_iter().find(|hook| hook.event == event)?;
        call(node_at(&root, &hook.handler)?)
    }

    /// The command of the MCP server.
    pub fn server_call(&self, text: &str) -> Option<Call> {
        let root = parse(text).ok()?;
        let (path, own) = self.server_path(&root)?;
        own.then(|| Call::Words(command_words(node_at(&root, &path).unwrap_or(&root))))
    }
}

pub(crate) fn node_at<'a>(root: &'a Node, path: &[usize]) -> Option<&'a Node> {
    path.iter().try_fold(root, |node, index| {
        node.items().get(*index).map(|item| &item.value)
    })
}

fn call(entry: &Node) -> Option<Call> {
    let words = command_words(entry);
    match (entry.member("args"), entry.member("command")?.text()) {
        (None, Some(line)) => Some(Call::Line(line.to_owned())),
        _ => (!words.is_empty()).then_some(Call::Words(words)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Client;
    use crate::plugin_call;
    use crate::setup::{CodexConfig, Part};

    fn settings(client: Client) -> Settings {
        Settings {
            client,
            parts: &[Part::Hooks, Part::Server],
            program: "/my tools/bugle".to_owned(),
        }
    }

    fn text(client: Client) -> String {
        settings(client).install("").expect("settings").text().to_owned()
    }

    #[test]
    fn written_entries_give_the_command_that_the_client_runs() {
        let words = |words: &[&str]| Some(Call::Words(words.iter().map(ToString::to_string).collect()));
        let claude = settings(Client::Claude);
        assert_eq!(
            claude.hook_call(&text(Client::Claude), "Stop"),
            Some(Call::Line(
                "'/my tools/bugle' hook Stop --client claude".to_owned()
            ))
        );
        assert_eq!(
            claude.server_call(&text(Client::Claude)),
            words(&["/my tools/bugle", "mcp"])
        );
        assert_eq!(
            settings(Client::Gemini).hook_call(&text(Client::Gemini), "BeforeTool"),
            Some(Call::Line(
                "'/my tools/bugle' hook BeforeTool --client gemini".to_owned()
            ))
        );
        assert_eq!(
            settings(Client::Opencode).server_call(&text(Client::Opencode)),
            words(&["/my tools/bugle", "mcp"])
        );
        assert_eq!(claude.hook_call("{}", "Stop"), None);
        assert_eq!(claude.server_call("{"), None);
        let toml = CodexConfig {
            program: "/opt/bugle".to_owned(),
            writable: vec!["/u/.bugle".to_owned()],
        };
        let toml = toml.install("").expect("a config");
        assert_eq!(
            CodexConfig::server_call(toml.text()),
            words(&["/opt/bugle", "mcp"])
        );
        assert_eq!(
            plugin_call(
                "// x\nconst PROGRAM = \"/my tools/bugle\";\n",
                "tool.execute.before"
            ),
            words(&[
                "/my tools/bugle",
                "hook",
                "tool.execute.before",
                "--client",
                "opencode"
            ])
        );
    }
}
