//! Sets the store's URL in the user's settings file, and keeps everything else in the file.

use std::fs;
use std::path::Path;

use bugle_skill::{SettingsOwner, parse_settings};

use crate::{AppError, fs_util};

/// Sets the store's URL in the user's settings, or removes it.
pub(super) fn set_store(file: &Path, url: Option<&str>) -> Result<(), AppError> {
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let before = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && url.is_none() => return Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(source) => {
            return Err(AppError::File {
                what: "cannot read",
                path: file,
                source,
            });
        }
    };
    let after = with_store(&before, url);
    let is_set =
        parse_settings(&after, SettingsOwner::User).is_ok_and(|settings| settings.store.as_deref() == url);
    if !is_set {
        return Err(AppError::System(format!("cannot edit {}", file.display())));
    }
    fs_util::write_atomic(&file, after.as_bytes())
}

/// The settings with `store` set to this URL, or without `store`.
fn with_store(text: &str, url: Option<&str>) -> String {
    let others = text.lines().filter(|line| !line.starts_with("store:"));
    let mut after: String = others.map(|line| format!("{line}\n")).collect();
    if let Some(url) = url {
        after.push_str(&line(url));
        after.push('\n');
    }
    after
}

/// The line for the settings file.
pub(super) fn line(url: &str) -> String {
    // A URL needs no quotes in YAML, unless it contains whitespace before a `#` or after a colon.
    if url.contains([' ', '\t', '"']) {
        format!("store: '{}'", url.replace('\'', "''"))
    } else {
        format!("store: {url}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_settings_and_comments_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.yaml");
        set_store(&file, None).unwrap();
        assert!(!file.exists());
        let text = "# mine\nlimits:\n  agent: { wakeups: 5 } # few\nnotify: [say]";
        fs::write(&file, text).unwrap();
        set_store(&file, Some("postgres://ada@db/team?host=/run")).unwrap();
        let with = fs::read_to_string(&file).unwrap();
        assert_eq!(with, format!("{text}\nstore: postgres://ada@db/team?host=/run\n"));
        set_store(&file, Some("postgres://other/team")).unwrap();
        set_store(&file, None).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), format!("{text}\n"));
    }

    #[test]
    fn settings_that_cannot_be_edited_are_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.yaml");
        let text = "store:\n  postgres://db/team\n";
        fs::write(&file, text).unwrap();
        assert!(set_store(&file, Some("postgres://db/other")).is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}
