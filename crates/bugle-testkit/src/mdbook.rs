//! Builds the guide with the mdbook that `scripts/mdbook` installs outside the repository. If mdbook is missing, the
//! test is skipped with a message; in CI the test fails.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::clients::available::{folder, skip};

/// One line: cargo package and version.
const BUILDER: &str = include_str!("../../../scripts/mdbook.txt");

/// The path of mdbook, or why it was not found.
fn program() -> Result<PathBuf, String> {
    let mut words = BUILDER
        .lines()
        .find(|line| !line.starts_with('#'))
        .unwrap_or_default()
        .split_whitespace();
    let (Some(name), Some(version)) = (words.next(), words.next()) else {
        return Err("scripts/mdbook.txt names no package and version".to_owned());
    };
    let folder = folder().ok_or("neither BUGLE_CLIENTS nor HOME is set")?;
    let program = folder.join(format!("{name}-{version}")).join("bin").join(name);
    if program.is_file() {
        Ok(program)
    } else {
        let path = program.display();
        Err(format!("{path} does not exist (scripts/mdbook installs it)"))
    }
}

/// Builds the book of a folder into another folder. `None` skips the test.
pub fn build(book: &Path, into: &Path) -> Option<io::Result<Output>> {
    let program = program().map_err(|why| skip(&why)).ok()?;
    let mut command = Command::new(program);
    // Variables can change the settings and hide warnings.
    command.env_clear().stdin(Stdio::null());
    Some(command.arg("build").arg("--dest-dir").args([into, book]).output())
}
