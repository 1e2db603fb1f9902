//! Recognises calls of Bugle's own program.

use std::path::Path;

use crate::Context;

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
