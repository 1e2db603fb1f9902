//! The answers to `bugle setup` and `bugle plugin build`.

use crate::words::Word;

shapes! {
    SetupView {
        client: String,
        scope: String,
        action: Word,
        dry_run: bool,
        files: Vec<SetupFile>,
        notes: Vec<String>,
    }
    SetupList {
        clients: Vec<SetupView>,
    }
    SetupFile {
        path: String,
        holds: String,
        state: Word,
        details: Vec<String>,
        diff: Option<String>,
    }
    PluginView {
        client: String,
        folder: String,
        files: Vec<String>,
        install: Vec<String>,
    }
}
