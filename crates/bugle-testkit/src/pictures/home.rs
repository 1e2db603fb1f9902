//! An empty home folder for playing a scene, with `bugle` on the `PATH`.

use std::path::Path;
use std::process::Command;
use std::{fs, io};

use tempfile::TempDir;

/// The `PATH` for all other programs in a scene.
const SYSTEM_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A home folder that is deleted on drop.
#[derive(Debug)]
pub(super) struct Home {
    folder: TempDir,
    path: String,
}

impl Home {
    /// Creates a home in which `bugle` is the program at this path.
    pub(super) fn new(bugle: &Path) -> Result<Self, String> {
        Self::create(bugle).map_err(|error| format!("cannot create a home folder for the scene: {error}"))
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

    /// A command that runs in the home and inherits no environment variables.
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
            // An agent may be drawing the pictures. The programs in a scene must not join that agent's session.
            .env("BUGLE_TESTED_BY", std::process::id().to_string());
        command
    }
}
