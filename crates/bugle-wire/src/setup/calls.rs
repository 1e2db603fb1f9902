//! How the entries in a client's settings call Bugle, so that they can be tried the way the client does; and by what Codex
//! knows that its user has trusted a hook.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toml_edit::{Document, Item};

use super::client::{Client, command_words, shell_words};
use super::config::CodexConfig;
use super::jsonc::{Node, parse};
use super::settings::Settings;

/// How an entry calls a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// By its words, without a shell.
    Words(Vec<String>),
    /// By a line for a shell.
    Line(String),
}

impl Call {
    /// The program that is called.
    pub fn program(&self) -> Option<String> {
        match self {
            Self::Words(words) => words.first().cloned(),
            Self::Line(line) => shell_words(line).into_iter().next(),
        }
    }
}

/// A hook in the settings of Codex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodexHook {
    /// What Codex calls it behind the name of its file: `pre_tool_use:0:0`.
    pub place: String,
    /// The text whose hash Codex keeps as trusted; nothing if the hook has something about which that is not known.
    pub hashed: Option<String>,
}

impl Settings {
    /// How the hook for an event calls Bugle.
    pub fn hook_call(&self, text: &str, event: &str) -> Option<Call> {
        let root = parse(text).ok()?;
        let (_, _, way) = self
            .own_hooks(&root)
            .into_iter()
            .find(|(there, _, _)| there == event)?;
        call(at(&root, &way)?)
    }

    /// How the MCP server is called.
    pub fn server_call(&self, text: &str) -> Option<Call> {
        let root = parse(text).ok()?;
        let (way, own) = self.server_way(&root)?;
        own.then(|| Call::Words(command_words(at(&root, &way).unwrap_or(&root))))
    }

    /// Bugle's hooks as Codex knows them.
    pub fn codex_hooks(&self, text: &str) -> Vec<CodexHook> {
        let Ok(root) = parse(text) else { return Vec::new() };
        let hooks = self.own_hooks(&root).into_iter();
        hooks
            .filter_map(|(event, group, handler)| {
                let event = snake(&event);
                Some(CodexHook {
                    place: format!("{event}:{}:{}", group.last()?, handler.last()?),
                    hashed: hashed(text, &event, at(&root, &group)?, at(&root, &handler)?),
                })
            })
            .collect()
    }
}

impl CodexConfig {
    /// How the MCP server is called.
    pub fn server_call(text: &str) -> Option<Call> {
        let document = Document::parse(text).ok()?;
        let server = document.get("mcp_servers")?.get("bugle")?;
        let command = server.get("command")?.as_str()?.to_owned();
        let rest = server.get("args").and_then(Item::as_array);
        let rest = rest.into_iter().flatten().filter_map(|word| word.as_str());
        Some(Call::Words(
            std::iter::once(command).chain(rest.map(str::to_owned)).collect(),
        ))
    }

    /// The hooks that the user has trusted: the hash of each by its key. Nothing if the text cannot be read.
    pub fn trusted_hooks(text: &str) -> Option<BTreeMap<String, String>> {
        let document = Document::parse(text).ok()?;
        let state = document.get("hooks").and_then(|hooks| hooks.get("state"));
        let entries = state.and_then(Item::as_table_like).into_iter();
        let entries = entries.flat_map(|table| table.iter());
        let hash = |item: &Item| Some(item.get("trusted_hash")?.as_str()?.to_owned());
        Some(
            entries
                .filter_map(|(key, item)| Some((key.to_owned(), hash(item)?)))
                .collect(),
        )
    }

    /// Whether the user has trusted a project. Nothing if the text cannot be read.
    pub fn trusts_project(text: &str, folder: &str) -> Option<bool> {
        let document = Document::parse(text).ok()?;
        let project = document.get("projects").and_then(|projects| projects.get(folder));
        let level = project.and_then(|project| project.get("trust_level")?.as_str());
        Some(level == Some("trusted"))
    }
}

/// Whether settings of Claude Code turn all hooks off.
pub fn turns_hooks_off(text: &str) -> bool {
    let Ok(root) = parse(text) else { return false };
    let value = root.member("disableAllHooks");
    value.is_some_and(|value| text.get(value.start..value.end) == Some("true"))
}

/// How the plugin for opencode calls Bugle at an event.
pub fn plugin_call(text: &str, event: &str) -> Option<Call> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("const PROGRAM = "))?;
    let program: String = serde_json::from_str(line.trim_end_matches(';')).ok()?;
    let words = ["hook", event, "--client", Client::Opencode.as_str()];
    let words = words.into_iter().map(str::to_owned);
    Some(Call::Words(std::iter::once(program).chain(words).collect()))
}

fn at<'a>(root: &'a Node, way: &[usize]) -> Option<&'a Node> {
    way.iter().try_fold(root, |node, index| {
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

/// `PreToolUse` as `pre_tool_use`.
fn snake(event: &str) -> String {
    let mut out = String::new();
    for letter in event.chars() {
        if letter.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

/// The text whose hash stands for a hook: its fields in the order of their names, without spaces.
fn hashed(text: &str, event: &str, group: &Node, handler: &Node) -> Option<String> {
    const KNOWN: [&str; 3] = ["command", "timeout", "type"];
    let known =
        |node: &Node, names: &[&str]| node.items().iter().all(|item| names.contains(&item.key.as_str()));
    if !known(handler, &KNOWN)
        || !known(group, &["matcher", "hooks"])
        || group.member("hooks")?.items().len() != 1
    {
        return None;
    }
    let timeout = handler.member("timeout")?;
    let timeout: u64 = text.get(timeout.start..timeout.end)?.parse().ok()?;
    let mut hook = json!({
        "event_name": event,
        "hooks": [{
            "async": false,
            "command": handler.member("command")?.text()?,
            "timeout": timeout,
            "type": handler.member("type")?.text()?,
        }],
    });
    if let Some(matcher) = group.member("matcher") {
        hook["matcher"] = Value::from(matcher.text()?);
    }
    Some(hook.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::Part;

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
    fn what_was_written_is_called_as_the_client_does() {
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

    #[test]
    fn a_hook_of_codex_has_a_place_and_a_text_that_is_hashed() {
        let codex = settings(Client::Codex);
        let hooks = codex.codex_hooks(&text(Client::Codex));
        let tool = hooks
            .iter()
            .find(|hook| hook.place == "pre_tool_use:0:0")
            .expect("the hook");
        assert_eq!(
            tool.hashed.as_deref(),
            Some(
                r#"{"event_name":"pre_tool_use","hooks":[{"async":false,"command":"'/my tools/bugle' hook PreToolUse --client codex","timeout":10,"type":"command"}],"matcher":"*"}"#
            )
        );
        let changed = text(Client::Codex).replacen("\"timeout\"", "\"statusMessage\": \"x\", \"timeout\"", 1);
        assert!(
            codex
                .codex_hooks(&changed)
                .iter()
                .any(|hook| hook.hashed.is_none())
        );
    }

    #[test]
    fn what_the_user_of_codex_has_trusted_is_read() {
        let config = "[hooks.state.\"/x/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:ab\"\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n";
        let trusted = CodexConfig::trusted_hooks(config).expect("readable");
        assert_eq!(
            trusted.get("/x/hooks.json:stop:0:0").map(String::as_str),
            Some("sha256:ab")
        );
        assert_eq!(CodexConfig::trusts_project(config, "/p"), Some(true));
        assert_eq!(CodexConfig::trusts_project(config, "/q"), Some(false));
        assert_eq!(CodexConfig::trusted_hooks("[["), None);
        assert_eq!(CodexConfig::trusted_hooks(""), Some(BTreeMap::new()));
    }
}
