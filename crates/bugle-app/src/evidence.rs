//! Gathers a step's evidence: project files, plans, and commands that must exit 0.

use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bugle_core::engine::{EvidenceFinding, EvidenceReport};
use bugle_core::id::TaskId;
use bugle_core::workflow::Evidence;
use bugle_render::template::Engine;
use serde_json::Value;

use crate::artifacts::{self, VisitStart};
use crate::contained_path::{self, PathError};
use crate::store_location::StoreLocation;

const TAIL_BYTES: u64 = 2000;
/// Number of commands that this process has run.
static COMMANDS: AtomicU64 = AtomicU64::new(0);

/// The inputs of an evidence command besides the project.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommandContext<'a> {
    /// The folder for the command's output.
    pub scratch: &'a Path,
    /// The store, whose password the command must not receive.
    pub store: &'a StoreLocation,
}

/// Checks every piece of evidence. `root` is the project's folder; `before` contains the files recorded when the
/// visit began.
pub(crate) fn gather(
    expected: &[Evidence],
    root: &Path,
    before: &VisitStart,
    context: &Value,
    commands: CommandContext<'_>,
    import: Import<'_>,
) -> Vec<EvidenceReport> {
    let mut check = |evidence: &Evidence| {
        let filled = match filled(evidence, context) {
            Ok(filled) => filled,
            Err(error) => return (None, EvidenceFinding::NotChecked(error)),
        };
        let finding = match evidence {
            Evidence::Plan { .. } => plan(&filled, root, &mut *import),
            Evidence::Artifact { pattern, existing } => {
                artifacts::find(pattern, &filled, *existing, root, context, before)
            }
            Evidence::Command { timeout_seconds, .. } => command(&filled, *timeout_seconds, root, commands),
        };
        (Some(filled), finding)
    };
    expected
        .iter()
        .map(|evidence| {
            let (filled, finding) = check(evidence);
            EvidenceReport {
                evidence: evidence.clone(),
                filled,
                finding,
            }
        })
        .collect()
}

/// The pattern, command or file of a piece of evidence, with all template values filled in.
fn filled(evidence: &Evidence, context: &Value) -> Result<String, String> {
    match evidence {
        Evidence::Plan { file: source } | Evidence::Artifact { pattern: source, .. } => Engine::default()
            .render(source, context)
            .map(|text| text.trim().to_owned())
            .map_err(|error| error.to_string()),
        Evidence::Command { line, .. } => Engine::default()
            .command(line, context)
            .map_err(|error| error.to_string()),
    }
}

/// A plan imported into the task tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ImportedPlan {
    /// The root task of the plan.
    pub root: TaskId,
    /// Number of tasks in the plan, without groups.
    pub tasks: u32,
}

/// Imports the plan in a file. The error is a clause about the file, such as "the file has no tasks".
pub(crate) type Import<'a> = &'a mut dyn FnMut(&Path) -> Result<ImportedPlan, String>;

fn plan(file: &str, root: &Path, import: Import<'_>) -> EvidenceFinding {
    let path = root.join(file);
    let imported = if file.is_empty() {
        Err("the file name is empty".to_owned())
    } else {
        match contained_path::check_contained(root, &path) {
            Err(PathError::Leaves) => Err("the file is outside the project".to_owned()),
            Err(PathError::Unreadable(_)) => Err(format!("there is no such file in {}", root.display())),
            Ok(()) if path.is_dir() => Err("the path is a folder".to_owned()),
            Ok(()) => import(&path),
        }
    };
    match imported {
        Ok(ImportedPlan { root, tasks }) => EvidenceFinding::Plan {
            file: file.to_owned(),
            root,
            tasks,
        },
        Err(why) => EvidenceFinding::NoPlan { why },
    }
}

/// Runs a command in the project's folder. Its output goes to a file, so that a background process cannot block the
/// read. On timeout, the command and all processes that it started are killed.
fn command(line: &str, timeout_seconds: u32, root: &Path, context: CommandContext<'_>) -> EvidenceFinding {
    // A server may gather evidence in several threads at once.
    let number = COMMANDS.fetch_add(1, Ordering::Relaxed);
    let output = context
        .scratch
        .join(format!("evidence-{}-{number}.log", std::process::id()));
    let finding = run(line, timeout_seconds, root, &output, context.store);
    let _ = fs::remove_file(&output);
    finding.unwrap_or_else(|error| EvidenceFinding::NotChecked(format!("cannot run `{line}`: {error}")))
}

fn run(
    line: &str,
    timeout_seconds: u32,
    root: &Path,
    output: &PathBuf,
    store: &StoreLocation,
) -> std::io::Result<EvidenceFinding> {
    let file = crate::fs_util::private_options()
        .create(true)
        .write(true)
        .truncate(true)
        .open(output)?;
    let mut command = shell(line);
    store.hide_password(&mut command);
    let mut child = command
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file)
        .spawn()?;
    let deadline = Instant::now() + Duration::from_secs(u64::from(timeout_seconds));
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(EvidenceFinding::Exit {
                code: status.code(),
                tail: tail(output),
            });
        }
        if Instant::now() >= deadline {
            stop(&mut child);
            return Ok(EvidenceFinding::TimedOut { tail: tail(output) });
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

#[cfg(unix)]
pub(crate) fn shell(line: &str) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(line);
    own_group(&mut command);
    command
}

/// Puts a command in its own process group, so that [`stop`] reaches every process that the command starts.
#[cfg(unix)]
pub(crate) fn own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    command.process_group(0);
}

#[cfg(not(unix))]
pub(crate) fn own_group(_: &mut Command) {}

#[cfg(not(unix))]
pub(crate) fn shell(line: &str) -> Command {
    let mut command = Command::new("cmd");
    command.arg("/C").arg(line);
    command
}

/// Kills a process started with [`own_group`] and every process that it started.
pub(crate) fn stop(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw)
    {
        // The process may already have exited.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

fn tail(output: &PathBuf) -> String {
    let read = || -> std::io::Result<String> {
        let mut file = fs::File::open(output)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES)))?;
        let mut bytes = Vec::new();
        file.take(TAIL_BYTES).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    read().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_in_the_project_is_imported_as_a_plan() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::write(root.join("plan.md"), "# Plan").unwrap();
        let found = ImportedPlan {
            root: TaskId::from_random(1),
            tasks: 2,
        };
        let check = |file: &str, answer: Result<ImportedPlan, String>| {
            let mut asked = Vec::new();
            let finding = plan(file, root, &mut |path| {
                asked.push(path.to_owned());
                answer.clone()
            });
            (finding, asked)
        };
        let (finding, asked) = check("plan.md", Ok(found.clone()));
        assert!(
            matches!(finding, EvidenceFinding::Plan { tasks: 2, .. }),
            "{finding:?}"
        );
        assert_eq!(asked, [root.join("plan.md")]);
        let why = |finding| match finding {
            EvidenceFinding::NoPlan { why } => why,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            why(check("plan.md", Err("the file has no tasks".to_owned())).0),
            "the file has no tasks"
        );
        let no_such_file = format!("there is no such file in {}", root.display());
        for (file, expected) in [
            ("other.md", no_such_file.as_str()),
            (".", "the path is a folder"),
            ("", "the file name is empty"),
            ("..", "the file is outside the project"),
            ("/etc/passwd", "the file is outside the project"),
        ] {
            let (finding, asked) = check(file, Ok(found.clone()));
            assert_eq!(why(finding), expected);
            assert!(asked.is_empty(), "nothing is imported from {file:?}");
        }
    }

    #[test]
    fn a_command_is_judged_by_its_exit_code_and_killed_on_timeout() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let store = StoreLocation::File(root.join("bugle.db"));
        let context = CommandContext {
            scratch: root,
            store: &store,
        };
        let exit = |line, seconds| command(line, seconds, root, context);
        assert!(matches!(
            exit("exit 0", 10),
            EvidenceFinding::Exit { code: Some(0), .. }
        ));
        let failed = exit("echo broken; exit 7", 10);
        assert!(
            matches!(&failed, EvidenceFinding::Exit { code: Some(7), tail } if tail.contains("broken")),
            "{failed:?}"
        );
        assert!(
            matches!(exit("echo started; sleep 60 & wait", 1), EvidenceFinding::TimedOut { tail } if tail.contains("started"))
        );
    }
}
