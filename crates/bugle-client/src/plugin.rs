//! Plugins: a folder that a client installs by itself, with everything that setup would write.

use serde_json::{Value, json};

use crate::{Client, shell_word};

/// The plugin's name, and its marketplace's.
pub const NAME: &str = "bugle";
/// What the plugin is for.
pub const DESCRIPTION: &str = "Skills as workflows that an agent cannot skip, and state that it cannot forget. Needs the program `bugle`.";

/// How a client lays out a plugin.
#[derive(Debug, Clone, Copy)]
pub struct PluginFormat {
    /// The client.
    pub client: Client,
    /// The plugin's folder in that of its marketplace, empty or with a slash at the end.
    pub base: &'static str,
    /// The folder of the manifest in the plugin.
    pub manifest_folder: &'static str,
    /// The file of the marketplace.
    pub marketplace_file: &'static str,
    /// Whether a plugin can bring agents.
    pub has_agents: bool,
    pub(crate) marketplace: fn() -> Value,
    pub(crate) install_verb: &'static str,
}

impl PluginFormat {
    /// What the file of the marketplace says.
    pub fn marketplace(&self) -> Value {
        (self.marketplace)()
    }

    /// What the manifest says.
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
