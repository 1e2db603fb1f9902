//! Programs that run a command behind their own options: `watch`, `tmux` and the like.

use super::word::Word;
use super::{Reader, joined};

/// Programs that run a command which follows their own options and words, now or later.
const LAUNCHERS: [&str; 7] = [
    "watch",
    "parallel",
    "tmux",
    "screen",
    "systemd-run",
    "entr",
    "perf",
];
/// How often such a command is looked for: at every word, also of such a program inside of another.
pub(super) const MAX_TAILS: usize = 40;

/// Whether a program runs a command that follows its own words.
pub(super) fn is_launcher(name: &str) -> bool {
    LAUNCHERS.contains(&name)
}

impl Reader<'_> {
    /// A program that runs a command behind options of its own: the command may begin at any word.
    pub(super) fn tails(&mut self, name: &str, arguments: &[Word], depth: usize) {
        // This one adds words of its own.
        let fed = (name == "parallel").then(|| Word::unknown(name));
        for at in 0..arguments.len() {
            let Some(left) = self.tails.checked_sub(1) else {
                self.unknown(Some(name), None);
                return;
            };
            self.tails = left;
            // A value that is not known may be an option's.
            if at == 0 || arguments[at].is_certain {
                let tail: Vec<Word> = arguments[at..].iter().chain(&fed).cloned().collect();
                self.text(&joined(&tail), depth);
            }
        }
    }
}
