//! Looking for the evidence that a step asks for: files in the project, commands that must exit 0.

use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bugle_core::engine::{EvidenceReport, Finding};
use bugle_core::id::TaskId;
use bugle_core::workflow::Evidence;
use bugle_render::template::Engine;
use serde_json::Value;

use crate::artifacts::{self, Before};
use crate::inside::{self, Outside};

const TAIL_BYTES: u64 = 2000;
/// How many commands this process has run.
static COMMANDS: AtomicU64 = AtomicU64::new(0);

/// Looks for every piece of evidence. `root` is the project's folder, `before` what is known about its files from when
/// the visit began.
pub(crate) fn gather(
    expected: &[Evidence],
    root: &Path,
    before: &Before,
    context: &Value,
    scratch: &Path,
    import: Import<'_>,
) -> Vec<EvidenceReport> {
    let mut look = |evidence: &Evidence| {
        let filled = match filled(evidence, context) {
            Ok(filled) => filled,
            Err(error) => return (None, Finding::NotChecked(error)),
        };
        let finding = match evidence {
            Evidence::Plan { .. } => plan(&filled, root, &mut *import),
            Evidence::Artifact { pattern, existing } => {
                artifacts::find((pattern, &filled), *existing, root, context, before)
            }
            Evidence::Command { timeout_seconds, .. } => command(&filled, *timeout_seconds, root, scratch),
        };
        (Some(filled), finding)
    };
    expected
        .iter()
        .map(|evidence| {
            let (filled, finding) = look(evidence);
            EvidenceReport {
                evidence: evidence.clone(),
                filled,
                finding,
            }
        })
        .collect()
}

/// The pattern, command or file of a piece of evidence with all values filled in.
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

/// A plan that was imported into the task tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ImportedPlan {
    /// The task that stands for the plan as a whole.
    pub root: TaskId,
    /// How many tasks with work in them it has.
    pub tasks: u32,
}

/// Imports the plan in a file, or says what is wrong with it, as a clause.
pub(crate) type Import<'a> = &'a mut dyn FnMut(&Path) -> Result<ImportedPlan, String>;

fn plan(file: &str, root: &Path, import: Import<'_>) -> Finding {
    let path = root.join(file);
    let imported = if file.is_empty() {
        Err("no file is named".to_owned())
    } else {
        match inside::project_path(root, &path) {
            Err(Outside::Leaves) => Err("it is outside the project".to_owned()),
            Err(Outside::Unreadable(_)) => Err("there is no such file".to_owned()),
            Ok(()) if path.is_dir() => Err("it is a folder".to_owned()),
            Ok(()) => import(&path),
        }
    };
    match imported {
        Ok(ImportedPlan { root, tasks }) => Finding::Plan {
            file: file.to_owned(),
            root,
            tasks,
        },
        Err(why) => Finding::NoPlan { why },
    }
}

/// Runs a command in the project's folder. What it prints goes to a file, so that a process it leaves behind holds
/// nothing up; at the end of its time, it and all that it started are stopped.
fn command(line: &str, timeout_seconds: u32, root: &Path, scratch: &Path) -> Finding {
    // A server looks for evidence in several threads at once.
    let number = COMMANDS.fetch_add(1, Ordering::Relaxed);
    let output = scratch.join(format!("evidence-{}-{number}.log", std::process::id()));
    let finding = run(line, timeout_seconds, root, &output);
    let _ = fs::remove_file(&output);
    finding.unwrap_or_else(|error| Finding::NotChecked(format!("`{line}` could not be run: {error}")))
}

fn run(line: &str, timeout_seconds: u32, root: &Path, output: &PathBuf) -> std::io::Result<Finding> {
    let file = crate::folder::private_options()
        .create(true)
        .write(true)
        .truncate(true)
        .open(output)?;
    let mut child = shell(line)
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file)
        .spawn()?;
    let deadline = Instant::now() + Duration::from_secs(u64::from(timeout_seconds));
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Finding::Exit {
                code: status.code(),
                tail: tail(output),
            });
        }
        if Instant::now() >= deadline {
            stop(&mut child);
            return Ok(Finding::TimedOut { tail: tail(output) });
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

/// Has a command end together with all that it starts.
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

/// Ends a process of [`own_group`] and all that it has started.
pub(crate) fn stop(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw)
    {
        // It may have ended in this very moment.
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
    fn a_plan_is_what_can_be_imported() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::write(root.join("plan.md"), "# Plan").unwrap();
        let found = ImportedPlan {
            root: TaskId::from_random(1),
            tasks: 2,
        };
        let look = |file: &str, answer: Result<ImportedPlan, String>| {
            let mut asked = Vec::new();
            let finding = plan(file, root, &mut |path| {
                asked.push(path.to_owned());
                answer.clone()
            });
            (finding, asked)
        };
        let (finding, asked) = look("plan.md", Ok(found.clone()));
        assert!(matches!(finding, Finding::Plan { tasks: 2, .. }), "{finding:?}");
        assert_eq!(asked, [root.join("plan.md")]);
        let why = |finding| match finding {
            Finding::NoPlan { why } => why,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            why(look("plan.md", Err("it has no tasks".to_owned())).0),
            "it has no tasks"
        );
        for (file, expected) in [
            ("other.md", "there is no such file"),
            (".", "it is a folder"),
            ("", "no file is named"),
            ("..", "it is outside the project"),
            ("/etc/passwd", "it is outside the project"),
        ] {
            let (finding, asked) = look(file, Ok(found.clone()));
            assert_eq!(why(finding), expected);
            assert!(asked.is_empty(), "nothing is imported from {file:?}");
        }
    }

    #[test]
    fn a_command_is_believed_by_its_exit_code_and_stopped_at_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let exit = |line, seconds| command(line, seconds, root, root);
        assert!(matches!(exit("exit 0", 10), Finding::Exit { code: Some(0), .. }));
        let failed = exit("echo told you; exit 7", 10);
        assert!(
            matches!(&failed, Finding::Exit { code: Some(7), tail } if tail.contains("told you")),
            "{failed:?}"
        );
        assert!(
            matches!(exit("echo started; sleep 60 & wait", 1), Finding::TimedOut { tail } if tail.contains("started"))
        );
    }
}
