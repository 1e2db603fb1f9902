//! Calls git without running any program that a repository configures: no hooks, filters, monitors, helpers or
//! transports.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use crate::store_location::{PASSWORD_VARIABLE, URL_VARIABLE};

/// Overrides for repository settings that could run a program.
const SAFE_SETTINGS: [&str; 12] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.untrackedCache=false",
    "core.pager=cat",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.askPass=",
    "core.editor=false",
    "credential.helper=",
    "diff.external=",
    "protocol.allow=never",
    "submodule.recurse=false",
];

/// Environment variables that make git use another repository or run a program.
const UNSAFE_VARIABLES: [&str; 9] = [
    "GIT_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_EXTERNAL_DIFF",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
    "GIT_ATTR_SOURCE",
];

/// A git command at the root of a worktree. Callers may only add subcommands that apply no content filters.
pub(crate) fn command(root: &Path) -> Command {
    let mut command = Command::new("git");
    for setting in SAFE_SETTINGS {
        command.args(["-c", setting]);
    }
    command.args(["--no-optional-locks", "--no-pager", "--literal-pathspecs"]);
    for variable in UNSAFE_VARIABLES
        .into_iter()
        .chain([URL_VARIABLE, PASSWORD_VARIABLE])
    {
        command.env_remove(variable);
    }
    command
        // A repository's settings may name another worktree.
        .env("GIT_WORK_TREE", root)
        // A partial clone fetches missing objects through its remote, which can name a program to run.
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "none")
        .env("GIT_TERMINAL_PROMPT", "0")
        .current_dir(root)
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Git's output; `None` if git fails.
pub(crate) fn output(root: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
    let output = command(root).args(arguments).output().ok()?;
    output.status.success().then_some(output.stdout)
}

/// Git's output for this input, even if git fails partway.
pub(crate) fn output_for(root: &Path, arguments: &[impl AsRef<OsStr>], input: &[u8]) -> Option<Vec<u8>> {
    use std::io::Write as _;
    let mut child = command(root)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut pipe = child.stdin.take()?;
    // Write in another thread: either pipe may fill up before the other is drained.
    thread::scope(|scope| {
        scope.spawn(move || pipe.write_all(input));
        child.wait_with_output().ok().map(|output| output.stdout)
    })
}

/// The names of repository settings that would make a checkout run programs.
pub(crate) fn checkout_programs(root: &Path) -> Vec<String> {
    let pattern = r"^(filter\..*\.(smudge|clean|process)|lfs\.(customtransfer|extension)\..*|lfs\.standalonetransferagent)$";
    let listed = output(root, &["config", "--show-scope", "-z", "--get-regexp", pattern]).unwrap_or_default();
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let mut fields = listed.split('\0');
    let mut found = Vec::new();
    while let (Some(scope), Some(setting)) = (fields.next(), fields.next()) {
        let (name, value) = setting.split_once('\n').unwrap_or((setting, ""));
        if matches!(scope, "local" | "worktree") && !value.is_empty() {
            found.push(name.to_owned());
        }
    }
    found
}
