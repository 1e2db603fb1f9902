//! A sandbox for a client, with its own home, project and store, and `bugle` on the `PATH`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use tempfile::TempDir;

use super::Client;
use super::available::{self, Namespace, Seat};
use super::recipe::{Folders, recipe};

/// The folders of the tools that a client or a project may call.
const SYSTEM_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Information about the test program.
#[derive(Debug, Clone, Copy)]
pub struct Tests {
    /// The full name of the test that calls [`run_inside`](super::run_inside) and does nothing else.
    pub inside: &'static str,
    /// The program under test.
    pub bugle: &'static str,
}

/// A client and everything it can access. Only a few sandboxes can exist at the same time, so a test that creates two
/// could wait forever.
#[derive(Debug)]
pub struct Sandbox {
    pub(super) client: Client,
    pub(super) client_program: PathBuf,
    pub(super) namespace: Namespace,
    pub(super) tests: Tests,
    root: PathBuf,
    sockets: AtomicUsize,
    /// Deletes the folder when the test ends.
    _folder: TempDir,
    _seat: Seat,
}

impl Sandbox {
    /// Creates a sandbox with an empty git repository as its project. Returns `None` if the client cannot run, so
    /// that the test is skipped; in CI the test fails.
    pub fn for_client(client: Client, tests: Tests) -> Option<Self> {
        let program = available::program(client);
        let namespace = Namespace::find().map_err(str::to_owned);
        let (program, namespace) = match (program, namespace) {
            (Ok(program), Ok(namespace)) => (program, namespace),
            (Err(why), _) | (_, Err(why)) => {
                available::skip(&why);
                return None;
            }
        };
        let seat = Seat::take();
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let sandbox = Self {
            client,
            client_program: program,
            namespace,
            tests,
            root,
            sockets: AtomicUsize::new(0),
            _folder: folder,
            _seat: seat,
        };
        sandbox.furnish();
        Some(sandbox)
    }

    fn furnish(&self) {
        for name in ["project", "home", "scratch", "bin"] {
            fs::create_dir(self.root.join(name)).unwrap();
        }
        std::os::unix::fs::symlink(self.tests.bugle, self.root.join("bin/bugle")).unwrap();
        // Codex runs commands in a login shell, and the system's profile resets the `PATH`.
        self.write(
            &self.home().join(".profile"),
            &format!("PATH='{}'\n", self.path()),
        );
        for client in Client::ALL {
            for (file, text) in (recipe(client).files)(&self.folders()) {
                self.write(&file, &text);
            }
        }
        for arguments in [
            &["init", "--quiet"][..],
            &["config", "user.email", "tester@example.org"],
            &["config", "user.name", "Tester"],
            &["commit", "--quiet", "--allow-empty", "--message", "first"],
        ] {
            self.tool("git", arguments);
        }
    }

    pub(super) fn folders(&self) -> Folders {
        Folders {
            home: self.home(),
            project: self.project(),
        }
    }

    /// The client.
    pub fn client(&self) -> Client {
        self.client
    }

    /// The repository that clients work in.
    pub fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// The home folder of the client's user.
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// Bugle's home folder.
    pub fn bugle_home(&self) -> PathBuf {
        self.root.join("bugle-home")
    }

    /// Writes a file in the sandbox and creates its parent folders.
    pub fn write(&self, path: &Path, content: &str) {
        assert!(
            path.starts_with(&self.root),
            "{} is outside the sandbox",
            path.display()
        );
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn path(&self) -> String {
        format!("{}:{SYSTEM_PATH}", self.root.join("bin").display())
    }

    /// The environment of all programs in the sandbox. Nothing is inherited from the test.
    pub(super) fn environment(&self) -> BTreeMap<String, String> {
        let text = |path: PathBuf| path.to_str().unwrap().to_owned();
        let variables = [
            ("PATH", self.path()),
            ("HOME", text(self.home())),
            ("CODEX_HOME", text(self.home().join(".codex"))),
            ("TMPDIR", text(self.root.join("scratch"))),
            ("BUGLE_HOME", text(self.bugle_home())),
            ("SHELL", "/bin/bash".to_owned()),
            ("TERM", "dumb".to_owned()),
            ("TZ", "UTC".to_owned()),
        ];
        variables.map(|(name, value)| (name.to_owned(), value)).into()
    }

    /// The path of a new socket, on which no server is listening yet.
    pub(super) fn fresh_socket(&self) -> PathBuf {
        let number = self.sockets.fetch_add(1, Ordering::Relaxed);
        self.root.join(format!("model-{number}.sock"))
    }

    /// A command in the project, as the user would run it in a terminal.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.project())
            .env_clear()
            .envs(self.environment())
            .stdin(Stdio::null());
        command
    }

    /// Runs a tool in the project. Panics if it fails.
    pub fn tool(&self, program: &str, arguments: &[&str]) -> Output {
        let output = self.command(program).args(arguments).output().unwrap();
        assert!(output.status.success(), "{program} {arguments:?}: {output:?}");
        output
    }

    /// The program under test, on the sandbox's `PATH`.
    pub fn program(&self) -> PathBuf {
        self.root.join("bin/bugle")
    }

    /// Runs `bugle` in the project and returns its stdout. Panics if it fails.
    pub fn bugle(&self, arguments: &[&str]) -> String {
        let output = self.tool(self.program().to_str().unwrap(), arguments);
        String::from_utf8(output.stdout).unwrap()
    }

    /// Adds the other clients to the `PATH`, for programs that start clients. Returns `None` if they cannot run, so
    /// that the test is skipped; in CI the test fails.
    pub fn with_all_clients(self) -> Option<Self> {
        for client in Client::ALL {
            match available::program(client) {
                Ok(program) => {
                    std::os::unix::fs::symlink(program, self.root.join("bin").join(client.as_str())).unwrap();
                }
                Err(why) => {
                    available::skip(&why);
                    return None;
                }
            }
        }
        Some(self)
    }
}
