//! A sandbox for one test: a scratch project, a home, a store, and the program on the `PATH`.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use super::reply::{End, Refused, Shown, Step};
use super::test_store;

/// The variable in which Claude Code passes its session id.
pub(crate) const SESSION: &str = "CLAUDE_CODE_SESSION_ID";

/// The folders of tools that a project may call.
const SYSTEM_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// One test's scratch project, home, store and program.
#[derive(Debug)]
pub(crate) struct Sandbox {
    /// Deletes the folder when the test ends.
    _folder: TempDir,
    root: PathBuf,
    /// The store's URL; `None` if the store is a file.
    pub(super) store: Option<String>,
}

/// The output and exit code of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["project", "elsewhere", "home", "bin"] {
            fs::create_dir(root.join(name)).unwrap();
        }
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_bugle"), root.join("bin/bugle")).unwrap();
        Self {
            _folder: folder,
            root,
            store: test_store::url(),
        }
    }

    /// A sandbox with this skill in its project.
    pub(crate) fn with_skill(name: &str, workflow: &str) -> Self {
        let sandbox = Self::new();
        sandbox.skill(name, workflow);
        sandbox
    }

    /// The sandbox's root folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// A folder outside the project.
    pub(crate) fn elsewhere(&self) -> PathBuf {
        self.root.join("elsewhere")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    pub(crate) fn bugle_home(&self) -> PathBuf {
        self.root.join("bugle-home")
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.bugle_home().join("bugle.db")
    }

    /// Writes a file and creates its parent folders.
    pub(crate) fn write(&self, path: &Path, content: impl AsRef<[u8]>) {
        assert!(
            path.starts_with(&self.root),
            "{} is outside the sandbox",
            path.display()
        );
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Adds a skill to the project; returns its folder.
    pub(crate) fn skill(&self, name: &str, workflow: &str) -> PathBuf {
        let folder = self.project().join(".bugle/skills").join(name);
        self.skill_at(&folder, name, workflow);
        folder
    }

    /// Writes a skill to a folder.
    pub(crate) fn skill_at(&self, folder: &Path, name: &str, workflow: &str) {
        self.write(&folder.join("SKILL.md"), skill_file(name));
        self.write(&folder.join("workflow.yaml"), workflow);
    }

    /// A program to run in `directory` with an empty environment.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>, directory: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(directory)
            .env_clear()
            .env(
                "PATH",
                format!("{}:{SYSTEM_PATH}", self.root.join("bin").display()),
            )
            .env("HOME", self.home())
            .env("BUGLE_HOME", self.bugle_home())
            .env("TZ", "UTC")
            // The tests may run in an agent's session, so Bugle ignores the processes above them.
            .env("BUGLE_TESTED_BY", std::process::id().to_string())
            .stdin(Stdio::null());
        if let Some(url) = &self.store {
            command.env("BUGLE_DATABASE_URL", url);
        }
        command
    }

    /// The program with these arguments, in the project.
    pub(crate) fn bugle(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(self.root.join("bin/bugle"), &self.project());
        command.args(arguments);
        command
    }

    /// Runs the program in the project.
    pub(crate) fn run(&self, arguments: &[&str]) -> Answer {
        answer(&mut self.bugle(arguments))
    }

    /// Runs the program as a person at a terminal.
    pub(crate) fn run_as_person(&self, arguments: &[&str]) -> Answer {
        answer_at_terminal(&mut self.bugle(arguments))
    }

    /// Runs the program in another folder.
    pub(crate) fn run_in(&self, directory: &Path, arguments: &[&str]) -> Answer {
        answer(self.bugle(arguments).current_dir(directory))
    }

    /// Runs the program in a client's session.
    pub(crate) fn run_in_session(&self, variable: &str, session: &str, arguments: &[&str]) -> Answer {
        answer(self.bugle(arguments).env(variable, session))
    }

    /// Runs a command exactly as it was printed, in a folder outside the project.
    pub(crate) fn printed(&self, line: &str) -> Answer {
        answer(self.command("sh", &self.elsewhere()).arg("-c").arg(line))
    }

    /// Runs a tool in a folder; it must succeed.
    pub(crate) fn tool(&self, directory: &Path, program: &str, arguments: &[&str]) -> Answer {
        answer(self.command(program, directory).args(arguments)).ok()
    }

    /// Makes the project a git repository with one commit.
    pub(crate) fn git_init(&self) {
        let project = self.project();
        for arguments in [
            vec!["init", "--quiet"],
            vec!["config", "user.email", "tester@example.org"],
            vec!["config", "user.name", "Tester"],
            vec!["commit", "--quiet", "--allow-empty", "--message", "first"],
        ] {
            self.tool(&project, "git", &arguments);
        }
    }

    /// Another worktree of the project's repository, on its own branch.
    pub(crate) fn work_tree(&self, branch: &str) -> PathBuf {
        let tree = self.root().join("tree");
        let place = tree.to_str().unwrap();
        let words = ["worktree", "add", "--quiet", "-b", branch, place];
        self.tool(&self.project(), "git", &words);
        tree
    }

    /// Starts a skill and returns its first step.
    pub(crate) fn start(&self, arguments: &[&str]) -> Step {
        let words: Vec<&str> = ["start"].into_iter().chain(arguments.iter().copied()).collect();
        self.run(&words).ok().step()
    }

    /// Writes a result to the step's file and runs the step's command.
    pub(crate) fn report(&self, step: &Step, result: &Value) -> Answer {
        fs::write(step.result_file(), result.to_string()).unwrap();
        self.printed(step.command())
    }

    /// Ends a step despite open sub-agent questions, with the command from its refusal.
    pub(crate) fn end_unanswered(&self, step: &Step) -> Answer {
        let refused = self.printed(step.command()).refused("children-asking");
        let end = refused.details.last().and_then(|line| line.rsplit(": ").next());
        self.printed(end.unwrap()).ok()
    }

    /// The position of a run: its status, visit and step.
    pub(crate) fn position(&self, run: &str) -> (String, Option<String>, Option<String>) {
        let detail = self.run(&["show", run, "--json"]).ok().json();
        let position = &detail["data"]["summary"]["position"];
        let text = |name: &str| position[name].as_str().map(str::to_owned);
        (text("status").unwrap(), text("visit"), text("step"))
    }

    /// The number of a run's events.
    pub(crate) fn events(&self, run: &str) -> usize {
        let detail = self.run(&["show", run, "--json"]).ok().json();
        detail["data"]["timeline"].as_array().unwrap().len()
    }

    /// The store must match its events.
    pub(crate) fn verify(&self) {
        let answer = self.run(&["store", "verify"]).ok();
        assert!(answer.out.contains("no errors found"), "{answer:?}");
    }

    /// Replaces everything that differs between tests.
    pub(crate) fn neutral(&self, text: &str) -> String {
        text.replace(self.root.to_str().unwrap(), "[DIR]")
    }

    /// Files left by processes that ended while writing.
    pub(crate) fn unfinished_files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap().map(Result::unwrap) {
                let path = entry.path();
                if entry.file_type().unwrap().is_dir() {
                    folders.push(path);
                } else if path
                    .extension()
                    .is_some_and(|extension| extension == "part" || extension == "log")
                {
                    found.push(path);
                }
            }
        }
        found
    }
}

impl Answer {
    fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Asserts this exit code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.out, self.err);
        self
    }

    /// Asserts success and an empty stderr.
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        let answer = self.exits(0);
        assert_eq!(answer.err, "", "{}", answer.out);
        answer
    }

    /// Asserts this exit code, these words on stderr and an empty stdout.
    #[track_caller]
    pub(crate) fn fails(self, code: i32, words: &str) -> Self {
        let answer = self.exits(code);
        assert!(answer.err.starts_with("bugle: "), "{}", answer.err);
        assert!(answer.err.contains(words), "{words:?} is not in:\n{}", answer.err);
        assert_eq!(answer.out, "");
        answer
    }

    /// The output for an agent.
    #[track_caller]
    pub(crate) fn shown(&self) -> Shown {
        Shown::parse(&self.out)
    }

    #[track_caller]
    pub(crate) fn step(&self) -> Step {
        match self.shown() {
            Shown::Step(step) => *step,
            other => panic!("not a step: {other:?}"),
        }
    }

    #[track_caller]
    pub(crate) fn end(&self) -> End {
        match self.shown() {
            Shown::End(end) => end,
            other => panic!("not the end: {other:?}"),
        }
    }

    /// Asserts a refusal for this reason.
    #[track_caller]
    pub(crate) fn refused(self, reason: &str) -> Refused {
        let answer = self.exits(3);
        assert_eq!(answer.err, "");
        match answer.shown() {
            Shown::Refused(refused) => {
                assert_eq!(refused.reason, reason, "{}", answer.out);
                refused
            }
            other => panic!("not a refusal: {other:?}"),
        }
    }

    /// The printed JSON document.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

/// Runs a command to completion.
pub(crate) fn answer(command: &mut Command) -> Answer {
    Answer::of(command.output().unwrap())
}

/// Runs a command to completion, with a terminal as stdin.
pub(crate) fn answer_at_terminal(command: &mut Command) -> Answer {
    let (_master, slave) = bugle_testkit::terminal::pair();
    Answer::of(command.stdin(slave).output().unwrap())
}

/// Runs a command to completion, with a terminal as stdout and this input on stdin, as in `echo TEXT | bugle ...`.
pub(crate) fn piped_at_terminal(command: &mut Command, input: &[u8]) -> Answer {
    let (_master, slave) = bugle_testkit::terminal::pair();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(slave)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    Answer::of(child.wait_with_output().unwrap())
}

/// Runs a command to completion, with this input on stdin.
pub(crate) fn answer_with_input(command: &mut Command, input: &[u8]) -> Answer {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program may exit before it has read all of its input.
    let _ = child.stdin.take().unwrap().write_all(input);
    Answer::of(child.wait_with_output().unwrap())
}

/// Runs all commands at the same time.
pub(crate) fn all_at_once(commands: Vec<Command>) -> Vec<Answer> {
    let children: Vec<Child> = commands
        .into_iter()
        .map(|mut command| {
            command
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    children
        .into_iter()
        .map(|child| Answer::of(child.wait_with_output().unwrap()))
        .collect()
}

/// A minimal `SKILL.md`.
pub(crate) fn skill_file(name: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: Use when something has to be tested.\n---\n\nA skill of a test.\n"
    )
}

/// Skips a test that cannot run here. In CI, fails it instead.
pub(crate) fn skip(why: &str) {
    let in_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    assert!(!in_ci, "cannot be tested here: {why}");
    eprintln!("SKIPPED: {why}");
}
