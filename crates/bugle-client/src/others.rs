//! Clients that Bugle recognises but does not set up.

use crate::facts::Recognition;
use crate::setup::SettingsFiles;

/// How to recognise these clients.
pub(crate) const OTHERS: [Recognition; 4] = [QWEN, COPILOT, GROK, CURSOR];

/// The settings files of Qwen Code, which uses Claude Code's hook format.
pub(crate) const QWEN_SETTINGS: SettingsFiles = SettingsFiles {
    files: &[".qwen/settings.json"],
    managed: &[],
    moved: None,
};

const QWEN: Recognition = Recognition {
    program: Some("qwen"),
    hook_session: Some("QWEN_CODE_SESSION_ID"),
    command_marks: &["QWEN_CODE", "QWEN_CODE_SESSION_ID"],
    ..Recognition::NONE
};

const COPILOT: Recognition = Recognition {
    program: Some("copilot"),
    command_marks: &["COPILOT_CLI"],
    hook_mark: Some("COPILOT_CLI"),
    ..Recognition::NONE
};

const GROK: Recognition = Recognition {
    program: Some("grok"),
    hook_session: Some("GROK_SESSION_ID"),
    command_marks: &["GROK_SESSION_ID"],
    ..Recognition::NONE
};

const CURSOR: Recognition = Recognition {
    hook_mark: Some("CURSOR_VERSION"),
    ..Recognition::NONE
};
