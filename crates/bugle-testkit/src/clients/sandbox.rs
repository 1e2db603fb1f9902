//! A place for a client to work in: a home, a project and a store of its own, and `bugle` on the `PATH`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use tempfile::TempDir;

use super::available::{self, Namespace, Seat};
use super::inside::PORT;
use super::{Client, Launch};

/// Where the tools are that a client or a project might call.
const SYSTEM_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// What the harness must know about the program of the tests that it is used by.
#[derive(Debug, Clone, Copy)]
pub struct Tests {
    /// The full name of the test that calls [`run_inside`](super::run_inside) and does nothing else.
    pub inside: &'static str,
    /// The program under test.
    pub bugle: &'static str,
}

/// A client, and everything that it may touch. No more than a few work at the same time: a test that asks for one may
/// have to wait, so it asks for one only.
#[derive(Debug)]
pub struct Sandbox {
    pub(super) client: Client,
    pub(super) client_program: PathBuf,
    pub(super) namespace: Namespace,
    pub(super) tests: Tests,
    root: PathBuf,
    sockets: AtomicUsize,
    /// Keeps the folder until the test is over.
    _folder: TempDir,
    _seat: Seat,
}

impl Sandbox {
    /// A fresh one, with an empty git repository as its project; nothing where the client cannot be run, in which case
    /// the test is skipped. In CI it fails instead.
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
        // Codex runs commands in a login shell, and that of the system forgets the path.
        self.write(
            &self.home().join(".profile"),
            &format!("PATH='{}'\n", self.path()),
        );
        let config = self.home().join(".codex/config.toml");
        self.write(&config, &codex_config(&self.project()));
        for arguments in [
            &["init", "--quiet"][..],
            &["config", "user.email", "tester@example.org"],
            &["config", "user.name", "Tester"],
            &["commit", "--quiet", "--allow-empty", "--message", "first"],
        ] {
            self.tool("git", arguments);
        }
    }

    /// Which client works here.
    pub fn client(&self) -> Client {
        self.client
    }

    /// The repository in which clients work.
    pub fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// The home of the made-up user of the client.
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// Where Bugle keeps what it knows.
    pub fn bugle_home(&self) -> PathBuf {
        self.root.join("bugle-home")
    }

    /// Writes a file of the sandbox, and the folders that it needs.
    pub fn write(&self, path: &Path, content: &str) {
        assert!(path.starts_with(&self.root), "{} is outside", path.display());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn path(&self) -> String {
        format!("{}:{SYSTEM_PATH}", self.root.join("bin").display())
    }

    /// The environment of every program in here: nothing of the test's own.
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

    /// A socket that no server listens on yet.
    pub(super) fn fresh_socket(&self) -> PathBuf {
        let number = self.sockets.fetch_add(1, Ordering::Relaxed);
        self.root.join(format!("model-{number}.sock"))
    }

    /// A program that is no client, in the project: as the user would run it in a terminal.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.project())
            .env_clear()
            .envs(self.environment())
            .stdin(Stdio::null());
        command
    }

    /// Runs a tool in the project; it must succeed.
    pub fn tool(&self, program: &str, arguments: &[&str]) -> Output {
        let output = self.command(program).args(arguments).output().unwrap();
        assert!(output.status.success(), "{program} {arguments:?}: {output:?}");
        output
    }

    /// The program under test, as it lies on the `PATH` in here.
    pub fn program(&self) -> PathBuf {
        self.root.join("bin/bugle")
    }

    /// Runs `bugle` in the project; it must succeed. The answer is what it printed.
    pub fn bugle(&self, arguments: &[&str]) -> String {
        let output = self.tool(self.program().to_str().unwrap(), arguments);
        String::from_utf8(output.stdout).unwrap()
    }

    /// Puts another client on the `PATH` beside the own one, for what starts clients itself; nothing where it cannot be
    /// run, in which case the test is skipped. In CI it fails instead.
    pub fn with_all_clients(self) -> Option<Self> {
        for client in [Client::Claude, Client::Codex] {
            match available::program(client) {
                Ok(program) => {
                    std::os::unix::fs::symlink(program, self.root.join("bin").join(client.name())).unwrap();
                }
                Err(why) => {
                    available::skip(&why);
                    return None;
                }
            }
        }
        Some(self)
    }

    /// Lines of shell, run where clients run: whatever they start can reach the model and nothing else.
    pub fn script(&self, lines: &str) -> Launch<'_> {
        Launch::new(self, lines).of_script()
    }

    /// The client with a prompt, yet to be started.
    pub fn launch(&self, prompt: &str) -> Launch<'_> {
        Launch::new(self, prompt)
    }
}

/// Which model Codex has, and nothing that would look for anything else: its plugins would, for five seconds. The project
/// is trusted, without which its own settings count for nothing.
fn codex_config(project: &Path) -> String {
    format!(
        r#"model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false

[features]
plugins = false

[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:{PORT}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1

[projects."{}"]
trust_level = "trusted"
"#,
        project.display()
    )
}
