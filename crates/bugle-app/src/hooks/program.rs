//! Recognises calls of Bugle's own program, and calls that did not find it.

use std::path::Path;

use bugle_client::hook::{HookCall, HookEvent, HookReply};
use bugle_client::shell_word;
use bugle_core::tool::Tool;
use bugle_render::hook_text;

use crate::Context;
use crate::context::called_program;

/// What shells print if they do not find `bugle`.
const NOT_FOUND: [&str; 4] = [
    "bugle: command not found",
    "bugle: not found",
    "command not found: bugle",
    "Unknown command: bugle",
];

/// The reply after a shell command that did not find `bugle`: the program's path. An agent's shell can have another `PATH`
/// than hooks, because its profile sets one.
pub fn program_not_found(call: &HookCall) -> Option<HookReply> {
    if call.event != HookEvent::PostToolUse || call.tool.tool() != Tool::Shell {
        return None;
    }
    let said = call.tool.said();
    let is_missing = said
        .lines()
        .any(|line| NOT_FOUND.iter().any(|end| line.trim_end().ends_with(end)));
    let program = called_program().filter(|_| is_missing)?;
    Some(HookReply {
        context: Some(hook_text::not_on_path(&shell_word(&program.to_string_lossy()))),
        ..HookReply::default()
    })
}

/// Whether a word in a command calls Bugle.
pub(super) fn calls_bugle(ctx: &Context, word: &str) -> bool {
    let name = if cfg!(windows) { "bugle.exe" } else { "bugle" };
    word == name
        || word == ctx.program
        || word.contains('/') && Path::new(word).canonicalize().is_ok_and(|path| is_running(&path))
}

fn is_running(path: &Path) -> bool {
    std::env::current_exe().is_ok_and(|running| running == path)
}
