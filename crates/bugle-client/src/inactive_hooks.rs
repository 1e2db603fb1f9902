//! Why a client does not run hooks that are in its settings.

use std::collections::BTreeMap;

use crate::setup::Settings;

/// Settings that turn all hooks off.
#[derive(Debug)]
pub struct OffSwitch {
    /// The files in the client's folder of a project that can do so.
    pub project_files: &'static [&'static str],
    /// The files in the client's folder of the user that can.
    pub user_files: &'static [&'static str],
    /// Whether a file with this text does.
    pub is_off: fn(&str) -> bool,
}

/// How a client keeps which hooks the user has trusted. It skips the others.
#[derive(Debug)]
pub struct HookTrust {
    /// Whether a configuration trusts the project in this folder. Nothing if the text cannot be read.
    pub trusts_project: fn(&str, &str) -> Option<bool>,
    /// The hash of every hook that a configuration trusts, by the hook's key. Nothing if the text cannot be read.
    pub trusted_hooks: fn(&str) -> Option<BTreeMap<String, String>>,
    /// Bugle's hooks in the text of a settings file.
    pub own_hooks: fn(&Settings, &str) -> Vec<KeyedHook>,
}

/// A hook as the client that trusts it knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyedHook {
    /// Its key, behind the path of its file: `pre_tool_use:0:0`.
    pub place: String,
    /// The text whose hash the client keeps as trusted; nothing for a hook with fields that Bugle does not know.
    pub hashed: Option<String>,
}
