//! The marked block in an instruction file such as `CLAUDE.md`. Written only on request.

use super::settings::{Entry, EntryName, Presence};
use super::splice::{EditError, Edited, line_end};

const BEGIN: &str = "<!-- bugle: `bugle setup --instructions` writes and overwrites this block -->";
/// The start marker of earlier versions. Setup replaces it.
const OLD_BEGIN: &str =
    "<!-- bugle: this block is written by `bugle setup --instructions`, and replaced by it -->";
const END: &str = "<!-- bugle: end -->";

/// A marked block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The text between the markers, with `\n` at the end of each line.
    pub text: String,
}

impl Block {
    /// Adds the block at the end, or updates it in place.
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

    /// Removes the block and the empty line before it.
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

    /// Finds the block.
    pub fn inspect(&self, text: &str) -> Result<Vec<Entry>, EditError> {
        let presence = match find(text)? {
            None => Presence::Missing,
            Some((start, stop)) if text[start..stop] == self.marked(line_end(text)) => Presence::Present,
            Some(_) => Presence::Outdated,
        };
        Ok(vec![Entry {
            name: EntryName::Instructions,
            presence,
        }])
    }

    fn marked(&self, end: &str) -> String {
        format!("{BEGIN}\n{}{END}", self.text).replace('\n', end)
    }
}

/// Whether text contains the block.
pub fn has_block(text: &str) -> bool {
    begin(text).is_some()
}

/// The start of the block.
fn begin(text: &str) -> Option<usize> {
    text.find(BEGIN).or_else(|| text.find(OLD_BEGIN))
}

/// The block's byte range.
fn find(text: &str) -> Result<Option<(usize, usize)>, EditError> {
    let Some(start) = begin(text) else {
        return Ok(None);
    };
    match text[start..].find(END) {
        Some(at) => Ok(Some((start, start + at + END.len()))),
        None => Err(EditError::at(
            text,
            start,
            format!("the block that starts here has no end marker, `{END}`"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_of_an_earlier_version_is_replaced_and_removed() {
        let block = Block {
            text: "Say hello.\n".to_owned(),
        };
        let old = format!("# Mine\n\n{OLD_BEGIN}\nSay hi.\n{END}\n");
        assert!(has_block(&old));
        assert_eq!(block.inspect(&old).unwrap()[0].presence, Presence::Outdated);
        let new = block.install(&old).unwrap();
        assert_eq!(new.text(), format!("# Mine\n\n{BEGIN}\nSay hello.\n{END}\n"));
        assert_eq!(block.uninstall(&old).unwrap().text(), "# Mine\n");
    }
}
