//! Checksums in files that Bugle writes for clients. A checksum shows whether a file was edited, even if another version
//! of Bugle or another machine wrote the file.

use bugle_core::id::ContentHash;
use sha2::{Digest as _, Sha256};

/// The start of the line with the checksum. The line is a comment in YAML and in TOML.
const PREFIX: &str = "# Checksum: ";
/// The length of a checksum, in hexadecimal digits.
const LENGTH: usize = 16;

/// Adds a checksum to a file, below its first comment. The comment must be a whole line that starts with `# `.
pub(crate) fn with_checksum(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + PREFIX.len() + LENGTH + 1);
    let mut line = Some(format!("{PREFIX}{}\n", checksum(text)));
    for part in text.split_inclusive('\n') {
        out.push_str(part);
        if part.starts_with("# ") && part.ends_with('\n') {
            out.extend(line.take());
        }
    }
    out
}

/// Whether a file is as Bugle wrote it. A file without a checksum counts as edited.
pub(crate) fn is_unedited(text: &str) -> bool {
    // Git may have changed the line breaks.
    let text = text.replace("\r\n", "\n");
    let found = text.lines().find_map(|line| line.strip_prefix(PREFIX));
    found.is_some_and(|found| {
        let rest = text.replacen(&format!("{PREFIX}{found}\n"), "", 1);
        checksum(&rest) == found
    })
}

fn checksum(text: &str) -> String {
    let hash = ContentHash::from_digest(Sha256::digest(text.as_bytes()).into());
    hash.as_str().chars().take(LENGTH).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_unedited_until_a_character_changes() {
        for text in [
            "---\n# Written by Bugle\nname: notes\n---\n# Notes\n",
            "# Written by Bugle\nname = \"notes\"\n",
        ] {
            let written = with_checksum(text);
            assert_eq!(written.lines().count(), text.lines().count() + 1);
            assert!(written.contains("# Written by Bugle\n# Checksum: "), "{written}");
            assert!(is_unedited(&written));
            assert!(is_unedited(&written.replace('\n', "\r\n")));
            for edited in [
                format!("{written}\nMine.\n"),
                written.replace("notes", "my-notes"),
                written.replace(PREFIX, "# "),
                text.to_owned(),
            ] {
                assert!(!is_unedited(&edited), "{edited}");
            }
        }
    }
}
