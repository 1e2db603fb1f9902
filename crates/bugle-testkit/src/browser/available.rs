//! Finds an installed browser and the accessibility rules.

use std::path::PathBuf;

use crate::clients::available::folder;

/// One line: folder name, npm package and version.
const CHECKER: &str = include_str!("../../../../scripts/browser.txt");

/// The path of the browser, or why none was found.
pub(super) fn program() -> Result<PathBuf, String> {
    if let Some(named) = std::env::var_os("BUGLE_BROWSER").filter(|name| !name.is_empty()) {
        let named = PathBuf::from(named);
        return if named.is_file() {
            Ok(named)
        } else {
            Err(format!("BUGLE_BROWSER is not a file: {}", named.display()))
        };
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut programs = std::env::split_paths(&path).map(|folder| folder.join("chromium"));
    programs
        .find(|program| program.is_file())
        .ok_or_else(|| "chromium is not on the PATH (scripts/browser installs it)".to_owned())
}

/// The script that finds accessibility faults, or why none was found.
pub(super) fn checker() -> Result<String, String> {
    let mut words = CHECKER
        .lines()
        .find(|line| !line.starts_with('#'))
        .unwrap_or_default()
        .split_whitespace();
    let (Some(name), Some(_), Some(version)) = (words.next(), words.next(), words.next()) else {
        return Err("scripts/browser.txt names no package and version".to_owned());
    };
    let folder = folder().ok_or("neither BUGLE_CLIENTS nor HOME is set")?;
    let file = folder.join(format!("{name}-{version}")).join("axe.min.js");
    std::fs::read_to_string(&file)
        .map_err(|error| format!("{}: {error} (scripts/browser installs it)", file.display()))
}
