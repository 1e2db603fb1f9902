//! The hooks that the user has trusted in Codex. Codex silently skips all other hooks.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use toml_edit::{Document, Item};

use crate::inactive_hooks::{HookTrust, KeyedHook, ProjectTrust};
use crate::setup::{Node, Settings, node_at, parse};

pub(super) const PROJECT_TRUST: ProjectTrust = ProjectTrust {
    file: "config.toml",
    trusts: trusts_project,
    variable: None,
    start: "codex",
};

pub(super) const TRUST: HookTrust = HookTrust {
    trusted_hooks,
    own_hooks,
};

/// Bugle's hooks as Codex identifies them.
fn own_hooks(settings: &Settings, text: &str) -> Vec<KeyedHook> {
    let Ok(root) = parse(text) else { return Vec::new() };
    let hooks = settings.own_hooks(&root).into_iter();
    hooks
        .filter_map(|hook| {
            let event = snake(&hook.event);
            let (group, handler) = (node_at(&root, &hook.group)?, node_at(&root, &hook.handler)?);
            Some(KeyedHook {
                place: format!("{event}:{}:{}", hook.group.last()?, hook.handler.last()?),
                hashed: hashed(text, &event, group, handler),
            })
        })
        .collect()
}

/// The hash of every hook that the user has trusted, by hook key; `None` if the text cannot be parsed.
fn trusted_hooks(text: &str) -> Option<BTreeMap<String, String>> {
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

/// Whether the user has trusted a project; `None` if the text cannot be parsed.
fn trusts_project(text: &str, folder: &Path) -> Option<bool> {
    let document = Document::parse(text).ok()?;
    let project = document
        .get("projects")
        .and_then(|projects| projects.get(folder.to_str()?));
    let level = project.and_then(|project| project.get("trust_level")?.as_str());
    Some(level == Some("trusted"))
}

/// Converts `PreToolUse` to `pre_tool_use`.
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

/// The text that Codex hashes for a hook: JSON with sorted keys and without spaces.
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
    use crate::Client;
    use crate::setup::Part;

    #[test]
    fn a_hook_has_a_key_and_the_text_that_codex_hashes() {
        let codex = Settings {
            client: Client::Codex,
            parts: &[Part::Hooks],
            program: "/my tools/bugle".to_owned(),
        };
        let text = codex.install("").expect("settings").text().to_owned();
        let hooks = own_hooks(&codex, &text);
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
        let changed = text.replacen("\"timeout\"", "\"statusMessage\": \"x\", \"timeout\"", 1);
        assert!(
            own_hooks(&codex, &changed)
                .iter()
                .any(|hook| hook.hashed.is_none())
        );
    }

    #[test]
    fn trusted_hooks_and_projects_are_read() {
        let config = "[hooks.state.\"/x/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:ab\"\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n";
        let trusted = trusted_hooks(config).expect("readable");
        assert_eq!(
            trusted.get("/x/hooks.json:stop:0:0").map(String::as_str),
            Some("sha256:ab")
        );
        assert_eq!(trusts_project(config, Path::new("/p")), Some(true));
        assert_eq!(trusts_project(config, Path::new("/q")), Some(false));
        assert_eq!(trusted_hooks("[["), None);
        assert_eq!(trusted_hooks(""), Some(BTreeMap::new()));
    }
}
