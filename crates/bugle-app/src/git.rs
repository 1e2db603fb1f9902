//! Calling git so that nothing which a repository brings along is run: no hooks, filters, monitors, helpers or transports.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

/// Settings that name programs, or lead to one, with values that run nothing. They hold over a repository's own.
const HARMLESS: [&str; 12] = [
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

/// Variables that would have git look at another repository, or run a program.
const MISLEADING: [&str; 9] = [
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

/// A call of git at the root of a work tree. Only commands that apply no content filters may be added to it.
pub(crate) fn command(root: &Path) -> Command {
    let mut command = Command::new("git");
    for setting in HARMLESS {
        command.args(["-c", setting]);
    }
    command.args(["--no-optional-locks", "--no-pager", "--literal-pathspecs"]);
    for variable in MISLEADING {
        command.env_remove(variable);
    }
    command
        // A repository may say that its work tree is elsewhere.
        .env("GIT_WORK_TREE", root)
        // A partial clone fetches what it lacks, with whatever program its remote names.
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "none")
        .env("GIT_TERMINAL_PROMPT", "0")
        .current_dir(root)
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// What git prints; nothing if it fails.
pub(crate) fn output(root: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
    let output = command(root).args(arguments).output().ok()?;
    output.status.success().then_some(output.stdout)
}

/// What git prints for this input; all that it printed, even if it fails half-way.
pub(crate) fn output_for(root: &Path, arguments: &[impl AsRef<OsStr>], input: &[u8]) -> Option<Vec<u8>> {
    use std::io::Write as _;
    let mut child = command(root)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut pipe = child.stdin.take()?;
    // Written beside the reading: either side may fill its pipe before the other has come to its end.
    thread::scope(|scope| {
        scope.spawn(move || pipe.write_all(input));
        child.wait_with_output().ok().map(|output| output.stdout)
    })
}

/// The programs that a repository's own settings would have a checkout run, by the names of these settings.
pub(crate) fn programs_of_checkout(root: &Path) -> Vec<String> {
    let pattern = r"^(filter\..*\.(smudge|clean|process)|lfs\.(customtransfer|extension)\..*|lfs\.standalonetransferagent)$";
    let listed = output(root, &["config", "--show-scope", "-z", "--get-regexp", pattern]).unwrap_or_default();
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let mut words = listed.split('\0');
    let mut found = Vec::new();
    while let (Some(scope), Some(setting)) = (words.next(), words.next()) {
        let (name, value) = setting.split_once('\n').unwrap_or((setting, ""));
        if matches!(scope, "local" | "worktree") && !value.is_empty() {
            found.push(name.to_owned());
        }
    }
    found
}
