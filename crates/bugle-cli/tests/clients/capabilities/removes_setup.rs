//! Another tool's hooks in the same file still run next to Bugle's hooks, and removing Bugle's setup restores the file.
//! In a client with plugins instead of hooks, the same is true of another plugin and of the client's settings.

use std::fs;
use std::path::PathBuf;

use bugle_testkit::clients::{Client, Sandbox};
use bugle_testkit::model_server::{Reply, turns};
use serde_json::Value;

use super::Seen;
use crate::work::data;

/// The hooks file that setup writes; `None` if the client has no such file.
fn hooks_file(sandbox: &Sandbox) -> Option<PathBuf> {
    let setup = data(sandbox, &["setup", sandbox.client().as_str()]);
    let files = setup["files"].as_array().unwrap();
    let holds_hooks = |holds: &str| holds.starts_with("hooks");
    let file = files
        .iter()
        .find(|file| holds_hooks(file["holds"].as_str().unwrap()))?;
    Some(PathBuf::from(file["path"].as_str().unwrap()))
}

/// The same hooks for another tool, which logs the events, without Bugle's server.
fn of_another_tool(settings: &str, log: &str) -> String {
    let mut settings: Value = serde_json::from_str(settings).unwrap();
    settings.as_object_mut().unwrap().remove("mcpServers");
    let hooks = serde_json::to_string_pretty(&settings).unwrap();
    let lines = hooks.lines().map(|line| {
        let Some((before, after)) = line.split_once("\"command\": \"") else {
            return line.to_owned();
        };
        match after
            .split_once(" hook ")
            .and_then(|(_, rest)| rest.split_once(" --client "))
        {
            Some((event, end)) => {
                let end = end.split_once('"').unwrap().1;
                format!("{before}\"command\": \"echo {event} >> {log}\"{end}")
            }
            None => line.to_owned(),
        }
    });
    lines.map(|line| line + "\n").collect()
}

pub(super) fn seen(client: Client) -> Option<Seen> {
    let sandbox = crate::sandbox(client)?;
    let Some(file) = hooks_file(&sandbox) else {
        return Some(beside_plugin(&sandbox));
    };
    // A client may complete its settings file when it first reads the file.
    let _first = sandbox.launch("Say hello.").run(turns("", [])).ok();
    let log = sandbox.project().join("others.log");
    let others = of_another_tool(&fs::read_to_string(&file).unwrap(), &log.display().to_string());
    sandbox.bugle(&["setup", client.as_str(), "--remove"]);
    sandbox.write(&file, &others);
    sandbox.bugle(&["setup", client.as_str()]);
    sandbox.bugle(&["setup", client.as_str(), "--check"]);
    assert_ne!(fs::read_to_string(&file).unwrap(), others);
    let model = turns("", [Reply::shell("bugle wake"), Reply::text("Done.")]);
    let _finished = sandbox.launch("Make tea.").run(model).ok();
    let logged = fs::read_to_string(log).unwrap_or_default();
    sandbox.bugle(&["setup", client.as_str(), "--remove"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), others);
    Some(Seen::of(!logged.is_empty()))
}

/// Another tool's plugin, which logs the tools.
const PLUGIN: &str = r#"
import { appendFileSync } from "node:fs";
export const Other = async ({ directory }) => ({
  "tool.execute.after": async ({ tool }) => appendFileSync(`${directory}/others.log`, `${tool}\n`),
});
"#;

/// Settings with the user's layout, which setup must not change. Without `$schema`, opencode would add it.
const SETTINGS: &str = r#"{
   "$schema": "https://opencode.ai/config.json", // Mine.
   "mcp": {},  "share": "disabled"
}"#;

fn beside_plugin(sandbox: &Sandbox) -> Seen {
    let client = sandbox.client().as_str();
    sandbox.bugle(&["setup", client, "--remove"]);
    let path = |name: &str| sandbox.project().join(name);
    let files = [(".opencode/plugin/other.js", PLUGIN), ("opencode.json", SETTINGS)];
    for (name, text) in files {
        sandbox.write(&path(name), text);
    }
    sandbox.bugle(&["setup", client]);
    sandbox.bugle(&["setup", client, "--check"]);
    assert!(path(".opencode/plugin/bugle.js").exists());
    let model = turns("", [Reply::shell("bugle wake"), Reply::text("Done.")]);
    let _finished = sandbox.launch("Make tea.").run(model).ok();
    let logged = fs::read_to_string(path("others.log")).unwrap_or_default();
    sandbox.bugle(&["setup", client, "--remove"]);
    for (name, text) in files {
        assert_eq!(fs::read_to_string(path(name)).unwrap(), text);
    }
    assert!(!path(".opencode/plugin/bugle.js").exists());
    Seen::of(!logged.is_empty())
}
