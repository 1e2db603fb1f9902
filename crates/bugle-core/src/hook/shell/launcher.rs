//! Programs that run a command after their own options, such as `watch` and `tmux`.

use super::word::Word;
use super::{Reader, joined};

/// Programs that run the command after their own options and words, now or later.
const LAUNCHERS: [&str; 7] = [
    "watch",
    "parallel",
    "tmux",
    "screen",
    "systemd-run",
    "entr",
    "perf",
];
/// How often such a command is searched for: at every word, including nested launchers.
pub(super) const MAX_TAILS: usize = 40;

/// Whether a program runs the command after its own words.
pub(super) fn is_launcher(name: &str) -> bool {
    LAUNCHERS.contains(&name)
}

impl Reader<'_> {
    /// A launcher: its command may start at any word.
    pub(super) fn tails(&mut self, name: &str, arguments: &[Word], depth: usize) {
        // This one adds words of its own.
        let fed = (name == "parallel").then(|| Word::unknown(name));
        for at in 0..arguments.len() {
            let Some(left) = self.tails.checked_sub(1) else {
                self.unknown(Some(name), None);
                return;
            };
            self.tails = left;
            // An unknown value may belong to an option.
            if at == 0 || arguments[at].is_certain {
                let tail: Vec<Word> = arguments[at..].iter().chain(&fed).cloned().collect();
                self.text(&joined(&tail), depth);
            }
        }
    }
}
