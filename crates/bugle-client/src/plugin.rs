//! Plugins: folders that the user installs in a client, with everything that setup would write.

use serde_json::{Value, json};

use crate::{Client, shell_word};

/// The name of both the plugin and its marketplace.
pub const NAME: &str = "bugle";
/// The plugin's description.
pub const DESCRIPTION: &str =
    "Workflows that coding agents cannot skip, and state they cannot forget. Requires the `bugle` program.";

/// How a client lays out a plugin.
#[derive(Debug, Clone, Copy)]
pub struct PluginFormat {
    /// The client.
    pub client: Client,
    /// The plugin's folder in the marketplace folder: empty, or with a trailing slash.
    pub base: &'static str,
    /// The manifest's folder in the plugin.
    pub manifest_folder: &'static str,
    /// The marketplace file.
    pub marketplace_file: &'static str,
    /// Whether a plugin can contain agents.
    pub has_agents: bool,
    pub(crate) marketplace: fn() -> Value,
    pub(crate) install_verb: &'static str,
}

impl PluginFormat {
    /// The content of the marketplace file.
    pub fn marketplace(&self) -> Value {
        (self.marketplace)()
    }

    /// The content of the manifest.
    pub fn manifest(&self, version: &str) -> Value {
        json!({
            "name": NAME,
            "version": version,
            "description": DESCRIPTION,
            "author": { "name": "Bugle" },
            "license": "MIT OR Apache-2.0",
        })
    }

    /// The commands that install the plugin from a marketplace's folder.
    pub fn install_commands(&self, folder: &str) -> Vec<String> {
        let (client, folder, verb) = (self.client.as_str(), shell_word(folder), self.install_verb);
        vec![
            format!("{client} plugin marketplace add {folder}"),
            format!("{client} plugin {verb} {NAME}@{NAME}"),
        ]
    }
}
