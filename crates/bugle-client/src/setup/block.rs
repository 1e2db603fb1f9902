//! A marked block in a text file: instructions in a file such as `CLAUDE.md`, or patterns in git's `info/exclude`. Written
//! only on request.

use super::settings::{Entry, EntryName, Presence};
use super::splice::{EditError, Edited, line_end};
use crate::Client;

/// A marked block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The kind of content.
    pub kind: BlockKind,
    /// The text between the markers, with `\n` at the end of each line.
    pub text: String,
}

/// The kind of content in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    /// Instructions for agents.
    Instructions,
    /// Patterns for git, one block per client.
    GitExclude(Client),
}

impl BlockKind {
    /// The start markers: first the current marker, then the markers of earlier versions, which setup replaces.
    fn begins(self) -> Vec<String> {
        match self {
            Self::Instructions => vec![
                "<!-- bugle: `bugle setup --instructions` writes and overwrites this block -->".to_owned(),
                "<!-- bugle: this block is written by `bugle setup --instructions`, and replaced by it -->"
                    .to_owned(),
            ],
            Self::GitExclude(client) => vec![format!(
                "# bugle: `bugle setup {} --git-exclude` writes and overwrites this block",
                client.as_str()
            )],
        }
    }

    /// The end marker.
    fn end(self) -> &'static str {
        match self {
            Self::Instructions => "<!-- bugle: end -->",
            Self::GitExclude(_) => "# bugle: end",
        }
    }

    /// Whether text contains the block.
    pub fn is_in(self, text: &str) -> bool {
        self.begin(text).is_some()
    }

    /// Where the block starts.
    fn begin(self, text: &str) -> Option<usize> {
        self.begins().iter().find_map(|begin| text.find(begin.as_str()))
    }

    /// The block's byte range.
    fn find(self, text: &str) -> Result<Option<(usize, usize)>, EditError> {
        let Some(start) = self.begin(text) else {
            return Ok(None);
        };
        let end = self.end();
        match text[start..].find(end) {
            Some(at) => Ok(Some((start, start + at + end.len()))),
            None => Err(EditError::at(
                text,
                start,
                format!("the block that starts here has no end marker, `{end}`"),
            )),
        }
    }
}

impl Block {
    /// Adds the block at the end, or updates it in place.
    pub fn install(&self, text: &str) -> Result<Edited, EditError> {
        let mut edited = Edited::new(text);
        let end = line_end(text);
        let block = self.marked(end);
        match self.kind.find(text)? {
            Some((start, stop)) => edited.replace(start, stop, &block),
            None if text.is_empty() => edited.insert(0, &format!("{block}{end}")),
            None if text.ends_with('\n') => edited.insert(text.len(), &format!("{end}{block}{end}")),
            None => edited.insert(text.len(), &format!("{end}{end}{block}{end}")),
        }
        Ok(edited)
    }

    /// Removes the block and the empty line before it.
    pub fn uninstall(&self, text: &str) -> Result<Edited, EditError> {
        let mut edited = Edited::new(text);
        if let Some((start, stop)) = self.kind.find(text)? {
            let end = line_end(text);
            let before = &text[..start];
            let start = match before.strip_suffix(end) {
                Some(line) if line.is_empty() || line.ends_with(end) => start - end.len(),
                _ => start,
            };
            let stop = stop
                + if text[stop..].starts_with(end) {
                    end.len()
                } else {
                    0
                };
            edited.remove(start, stop);
        }
        Ok(edited)
    }

    /// Finds the block.
    pub fn inspect(&self, text: &str) -> Result<Vec<Entry>, EditError> {
        let presence = match self.kind.find(text)? {
            None => Presence::Missing,
            Some((start, stop)) if text[start..stop] == self.marked(line_end(text)) => Presence::Present,
            Some(_) => Presence::Outdated,
        };
        Ok(vec![Entry {
            name: match self.kind {
                BlockKind::Instructions => EntryName::Instructions,
                BlockKind::GitExclude(_) => EntryName::GitExclude,
            },
            presence,
        }])
    }

    fn marked(&self, end: &str) -> String {
        let begin = self.kind.begins().swap_remove(0);
        format!("{begin}\n{}{}", self.text, self.kind.end()).replace('\n', end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_of_an_earlier_version_is_replaced_and_removed() {
        let kind = BlockKind::Instructions;
        let block = Block {
            kind,
            text: "Say hello.\n".to_owned(),
        };
        let (begins, end) = (kind.begins(), kind.end());
        let old = format!("# Mine\n\n{}\nSay hi.\n{end}\n", begins[1]);
        assert!(kind.is_in(&old));
        assert_eq!(block.inspect(&old).unwrap()[0].presence, Presence::Outdated);
        let new = block.install(&old).unwrap();
        assert_eq!(
            new.text(),
            format!("# Mine\n\n{}\nSay hello.\n{end}\n", begins[0])
        );
        assert_eq!(block.uninstall(&old).unwrap().text(), "# Mine\n");
    }

    #[test]
    fn each_client_has_its_own_patterns() {
        let block = |client, text: &str| Block {
            kind: BlockKind::GitExclude(client),
            text: text.to_owned(),
        };
        let (claude, codex) = (
            block(Client::Claude, "/.mcp.json\n"),
            block(Client::Codex, "/.codex/\n"),
        );
        let one = claude.install("*.log\n").unwrap();
        let both = codex.install(one.text()).unwrap();
        assert_eq!(codex.uninstall(both.text()).unwrap().text(), one.text());
        let rest = claude.uninstall(both.text()).unwrap();
        assert!(rest.text().contains("/.codex/") && !rest.text().contains("/.mcp.json"));
        assert_eq!(codex.uninstall(rest.text()).unwrap().text(), "*.log\n");
    }
}
