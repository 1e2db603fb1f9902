//! The one marked block that Bugle has in a file of instructions such as `CLAUDE.md`, if somebody asks for it.

use super::settings::{Entry, Presence};
use super::splice::{EditError, Edited, line_end};

const BEGIN: &str =
    "<!-- bugle: this block is written by `bugle setup --instructions`, and replaced by it -->";
const END: &str = "<!-- bugle: end -->";

/// A marked block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// What stands between the marks, with `\n` at the end of each line.
    pub text: String,
}

impl Block {
    /// Puts the block at the end, or brings it up to date where it stands.
    pub fn install(&self, text: &str) -> Result<Edited, EditError> {
        let mut edited = Edited::new(text);
        let end = line_end(text);
        let block = self.marked(end);
        match find(text)? {
            Some((start, stop)) => edited.replace(start, stop, &block),
            None if text.is_empty() => edited.insert(0, &format!("{block}{end}")),
            None if text.ends_with('\n') => edited.insert(text.len(), &format!("{end}{block}{end}")),
            None => edited.insert(text.len(), &format!("{end}{end}{block}{end}")),
        }
        Ok(edited)
    }

    /// Takes the block out, with the empty line before it.
    pub fn uninstall(&self, text: &str) -> Result<Edited, EditError> {
        let mut edited = Edited::new(text);
        if let Some((start, stop)) = find(text)? {
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

    /// Looks for the block.
    pub fn inspect(&self, text: &str) -> Result<Vec<Entry>, EditError> {
        let presence = match find(text)? {
            None => Presence::Missing,
            Some((start, stop)) if text[start..stop] == self.marked(line_end(text)) => Presence::Present,
            Some(_) => Presence::Outdated,
        };
        Ok(vec![Entry {
            name: "instructions".to_owned(),
            presence,
        }])
    }

    fn marked(&self, end: &str) -> String {
        format!("{BEGIN}\n{}{END}", self.text).replace('\n', end)
    }
}

/// Whether a text has the block.
pub fn has_block(text: &str) -> bool {
    text.contains(BEGIN)
}

/// Where the block stands.
fn find(text: &str) -> Result<Option<(usize, usize)>, EditError> {
    let Some(start) = text.find(BEGIN) else {
        return Ok(None);
    };
    match text[start..].find(END) {
        Some(at) => Ok(Some((start, start + at + END.len()))),
        None => Err(EditError::at(
            text,
            start,
            format!("the block that begins here has lost its end, `{END}`"),
        )),
    }
}
