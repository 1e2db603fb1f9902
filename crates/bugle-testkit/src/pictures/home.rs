//! An empty home in which a scene is played, with `bugle` on the `PATH`.

use std::path::Path;
use std::process::Command;
use std::{fs, io};

use tempfile::TempDir;

/// Where the other programs of a scene are.
const SYSTEM_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A home that is removed with the value.
#[derive(Debug)]
pub(super) struct Home {
    folder: TempDir,
    path: String,
}

impl Home {
    /// A home in which the program at this path is `bugle`.
    pub(super) fn new(bugle: &Path) -> Result<Self, String> {
        Self::create(bugle).map_err(|error| format!("cannot make a home for the scene: {error}"))
    }

    fn create(bugle: &Path) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let bin = folder.path().join(".local/bin");
        fs::create_dir_all(&bin)?;
        std::os::unix::fs::symlink(bugle.canonicalize()?, bin.join("bugle"))?;
        let path = format!("{}:{SYSTEM_PATH}", bin.display());
        Ok(Self { folder, path })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A program that runs in the home, with no variable of this process.
    pub(super) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.path())
            .env_clear()
            .env("HOME", self.path())
            .env("PATH", &self.path)
            .envs([
                ("USER", "ada"),
                ("SHELL", "/bin/sh"),
                ("TZ", "UTC"),
                ("LANG", "C.UTF-8"),
            ])
            // An agent's session may draw the pictures; the programs in them are not part of it.
            .env("BUGLE_TESTED_BY", std::process::id().to_string());
        command
    }
}
