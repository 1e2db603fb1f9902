//! The demo's scratch project. Runs commands there as an agent would, and prints them with their output.

use std::cell::Cell;
use std::io::{BufRead as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use bugle_app::AppError;
use bugle_client::Client;
use bugle_client::recognition::{command_marks, session_variables};
use serde_json::Value;

use crate::output::print;
use bugle_core::count::counted;

/// The client that the demo's agents use.
pub(super) const CLIENT: Client = Client::Claude;

/// How much of an output to print.
#[derive(Debug, Clone, Copy)]
pub(super) enum Show {
    Whole,
    Beginning(usize),
}

/// A scratch project.
pub(super) struct Stage {
    folder: PathBuf,
    programs: PathBuf,
    /// Whether to wait for Enter before each scene.
    pauses: Cell<bool>,
}

impl Stage {
    /// Creates the project in a folder that must not exist yet.
    pub(super) fn in_folder(folder: &Path, pauses: bool) -> Result<Self, AppError> {
        std::fs::create_dir(folder).map_err(|source| AppError::File {
            what: "cannot create",
            path: folder.to_owned(),
            source,
        })?;
        let program = std::env::current_exe()
            .map_err(|error| AppError::System(format!("cannot locate the bugle executable: {error}")))?;
        let stage = Self {
            folder: folder.to_owned(),
            programs: folder.join("bin"),
            pauses: Cell::new(pauses),
        };
        make_folder(&stage.project())?;
        make_folder(&stage.home())?;
        make_folder(&stage.programs)?;
        stage.link(&program)?;
        Ok(stage)
    }

    pub(super) fn project(&self) -> PathBuf {
        self.folder.join("shop")
    }

    pub(super) fn home(&self) -> PathBuf {
        self.folder.join("bugle-home")
    }

    /// Adds this program to the stage's `PATH` as `bugle`.
    fn link(&self, program: &Path) -> Result<(), AppError> {
        let path = self.programs.join("bugle");
        #[cfg(unix)]
        let linked = std::os::unix::fs::symlink(program, &path);
        #[cfg(not(unix))]
        let linked = std::fs::copy(program, &path).map(|_| ());
        linked.map_err(|source| AppError::File {
            what: "cannot create",
            path,
            source,
        })
    }

    /// Adds a program to the stage's `PATH`.
    pub(super) fn program(&self, name: &str, script: &str) -> Result<(), AppError> {
        let path = self.programs.join(name);
        write(&path, script)?;
        #[cfg(unix)]
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).map_err(
            |source| AppError::File {
                what: "cannot write",
                path,
                source,
            },
        )?;
        Ok(())
    }

    /// Begins a scene: waits for Enter if the user wants pauses, and prints a heading.
    pub(super) fn tell(&self, text: &str) -> Result<(), AppError> {
        self.pause()?;
        print(&format!("\n== {text}\n"))
    }

    /// Waits for Enter if the user wants pauses. The end of the input ends the pauses.
    pub(super) fn pause(&self) -> Result<(), AppError> {
        if !self.pauses.get() {
            return Ok(());
        }
        print("\n(Press Enter to continue, or Ctrl-D to show the rest without pausing.)\n")?;
        let read = std::io::stdin().lock().read_until(b'\n', &mut Vec::new());
        let read = read.map_err(|error| AppError::System(format!("cannot read stdin: {error}")))?;
        self.pauses.set(read > 0);
        Ok(())
    }

    /// Prints a command, runs it in an agent's session, and prints its output. The command must exit with the wanted
    /// code.
    pub(super) fn run(&self, session: &str, line: &str, wanted: i32, show: Show) -> Result<String, AppError> {
        print(&format!("\n{session}$ {line}\n"))?;
        let (code, text) = self.answer(session, line, "")?;
        match show {
            Show::Whole => print(&indented(&text, usize::MAX))?,
            Show::Beginning(most) => print(&indented(&text, most))?,
        }
        if code != Some(wanted) {
            return Err(AppError::System(format!(
                "`{line}` exited with {code:?} instead of {wanted}:\n{text}"
            )));
        }
        Ok(text)
    }

    /// Runs a command without printing it, and parses its JSON output.
    pub(super) fn data(&self, session: &str, line: &str, input: &str) -> Result<Value, AppError> {
        let (_, text) = self.answer(session, line, input)?;
        serde_json::from_str(&text)
            .map_err(|error| AppError::System(format!("`{line}` did not print JSON: {error}:\n{text}")))
    }

    /// Shows the dashboard until the user stops it.
    pub(super) fn show_page(&self) -> Result<(), AppError> {
        // Ctrl-C stops the dashboard. This process ignores Ctrl-C, because it must clean up afterwards.
        #[cfg(unix)]
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            let outlives = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
            signal_hook::flag::register(signal, outlives)
                .map_err(|error| AppError::System(format!("cannot listen for signals: {error}")))?;
        }
        print("\n")?;
        let status = self
            .command("exec bugle ui --port 0")
            .status()
            .map_err(|error| AppError::System(format!("cannot start the dashboard: {error}")))?;
        if status.success() {
            return Ok(());
        }
        Err(AppError::System(format!("the dashboard ended with {status}")))
    }

    /// A shell command on the stage.
    fn command(&self, line: &str) -> Command {
        let mut path = self.programs.clone().into_os_string();
        if let Some(before) = std::env::var_os("PATH") {
            path.push(":");
            path.push(before);
        }
        let mut command = Command::new("sh");
        command
            .args(["-c", line])
            .current_dir(self.project())
            .env("HOME", &self.folder)
            .env("BUGLE_HOME", self.home())
            .env("PATH", path);
        // The demo may run inside a client's session, which the demo's commands must not inherit.
        for name in session_variables()
            .chain(command_marks())
            .chain(["BUGLE_AGENT", "BUGLE_DATABASE_URL"])
        {
            command.env_remove(name);
        }
        command
    }

    /// Runs a command in an agent's session with this input; returns its exit code and output.
    pub(super) fn answer(
        &self,
        session: &str,
        line: &str,
        input: &str,
    ) -> Result<(Option<i32>, String), AppError> {
        let failed = |error: std::io::Error| AppError::System(format!("cannot run `{line}`: {error}"));
        let mut command = self.command(line);
        if let Some(name) = CLIENT.session_variable().filter(|_| session != "you") {
            command.env(name, session);
        }
        let mut child = command
            .env("NO_COLOR", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        if let Some(mut stdin) = child.stdin.take() {
            // A command may exit without reading its input.
            stdin.write_all(input.as_bytes()).ok();
        }
        let output = child.wait_with_output().map_err(failed)?;
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        Ok((output.status.code(), text))
    }
}

fn make_folder(path: &Path) -> Result<(), AppError> {
    std::fs::create_dir_all(path).map_err(|source| AppError::File {
        what: "cannot create",
        path: path.to_owned(),
        source,
    })
}

/// Indents text, and truncates it after `most` lines.
pub(super) fn indented(text: &str, most: usize) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let mut out = String::new();
    for line in lines.iter().take(most) {
        out.push_str(format!("    {line}").trim_end());
        out.push('\n');
    }
    if lines.len() > most {
        out.push_str(&format!(
            "    ... ({})\n",
            counted(lines.len() - most, "more line")
        ));
    }
    out
}

/// Writes a file, and creates its folder.
pub(super) fn write(path: &Path, text: &str) -> Result<(), AppError> {
    if let Some(parent) = path.parent() {
        make_folder(parent)?;
    }
    std::fs::write(path, text).map_err(|source| AppError::File {
        what: "cannot write",
        path: path.to_owned(),
        source,
    })
}
