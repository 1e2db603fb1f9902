//! Reasons why a client does not run the hooks in its settings.

use std::collections::BTreeMap;
use std::path::Path;

use crate::setup::Settings;

/// Settings that turn all hooks off.
#[derive(Debug)]
pub struct OffSwitch {
    /// Files in the client's project folder that can contain the setting.
    pub project_files: &'static [&'static str],
    /// Files in the client's user folder that can contain the setting.
    pub user_files: &'static [&'static str],
    /// Whether a file with this text turns hooks off.
    pub is_off: fn(&str) -> bool,
}

/// How a client records the folders that the user has trusted. The client ignores the settings of other projects.
#[derive(Debug)]
pub struct ProjectTrust {
    /// The file in the client's user folder that lists the trusted folders.
    pub file: &'static str,
    /// Whether a file with this text trusts a folder. `None` if the text does not show it.
    pub trusts: fn(&str, &Path) -> Option<bool>,
    /// The environment variable and its value with which the client trusts every folder.
    pub variable: Option<(&'static str, &'static str)>,
    /// The command that asks the user to trust a folder.
    pub start: &'static str,
}

/// How a client records the hooks that the user has trusted. The client skips all other hooks.
#[derive(Debug)]
pub struct HookTrust {
    /// The hash of every hook that a configuration trusts, by the hook's key. `None` if the configuration cannot be
    /// parsed.
    pub trusted_hooks: fn(&str) -> Option<BTreeMap<String, String>>,
    /// Bugle's hooks in the text of a settings file.
    pub own_hooks: fn(&Settings, &str) -> Vec<KeyedHook>,
}

/// A hook as the client identifies it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyedHook {
    /// The part of the hook's key after the file's path, such as `pre_tool_use:0:0`.
    pub place: String,
    /// The text that the client hashes for a trusted hook. `None` if the hook has fields that Bugle does not know.
    pub hashed: Option<String>,
}
