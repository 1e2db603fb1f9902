//! Programs that run a command after their own options, such as `watch` and `tmux`.

use super::Reader;
use super::word::{Word, joined};

/// Programs that run the command after their own options and operands, now or later.
const LAUNCHERS: [&str; 7] = [
    "watch",
    "parallel",
    "tmux",
    "screen",
    "systemd-run",
    "entr",
    "perf",
];
/// Maximum number of words tried as the start of a launcher's command, including nested launchers.
pub(super) const MAX_TAILS: usize = 40;

/// Whether a program runs the command that follows its own options and operands.
pub(super) fn is_launcher(name: &str) -> bool {
    LAUNCHERS.contains(&name)
}

impl Reader<'_> {
    /// Reads a launcher's command, which may start at any word.
    pub(super) fn tails(&mut self, name: &str, arguments: &[Word], depth: usize) {
        // `parallel` appends arguments to the command.
        let fed = (name == "parallel").then(|| Word::unknown(name));
        for at in 0..arguments.len() {
            let Some(left) = self.tails.checked_sub(1) else {
                self.unknown(Some(name), None);
                return;
            };
            self.tails = left;
            // A word with an unknown value may be an option's value.
            if at == 0 || arguments[at].is_certain {
                let tail: Vec<Word> = arguments[at..].iter().chain(&fed).cloned().collect();
                self.text(&joined(&tail), depth);
            }
        }
    }
}
