//! Looking for the evidence that a step asks for: files in the project, commands that must exit 0.

use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, UNIX_EPOCH};

use bugle_core::engine::{EvidenceReport, Finding};
use bugle_core::id::{TaskId, Timestamp};
use bugle_core::workflow::Evidence;
use bugle_render::template::Engine;
use globset::GlobBuilder;
use serde_json::Value;

/// File times are taken from a clock that ticks a few times in a hundredth of a second; this much earlier is not earlier.
const CLOCK_TICK_MILLISECONDS: i64 = 20;
const MOST_ENTRIES: usize = 200_000;
const MOST_NAMED: usize = 10;
const TAIL_BYTES: u64 = 2000;
/// How many commands this process has run.
static COMMANDS: AtomicU64 = AtomicU64::new(0);

/// Looks for every piece of evidence. `root` is the project's folder, `since` the moment at which the visit began.
pub(crate) fn gather(
    expected: &[Evidence],
    root: &Path,
    since: Timestamp,
    context: &Value,
    scratch: &Path,
    import: Import<'_>,
) -> Vec<EvidenceReport> {
    let mut look = |evidence: &Evidence| match evidence {
        Evidence::Plan { file } => match Engine::default().render(file, context) {
            Ok(file) => plan(file.trim(), root, &mut *import),
            Err(error) => Finding::NotChecked(error.to_string()),
        },
        Evidence::Artifact { pattern, existing } => match Engine::default().render(pattern, context) {
            Ok(pattern) => artifact(pattern.trim(), *existing, root, since),
            Err(error) => Finding::NotChecked(error.to_string()),
        },
        Evidence::Command {
            line,
            timeout_seconds,
        } => command(line, *timeout_seconds, root, scratch),
    };
    expected
        .iter()
        .map(|evidence| EvidenceReport {
            evidence: evidence.clone(),
            finding: look(evidence),
        })
        .collect()
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
    } else if path.is_dir() {
        Err("it is a folder".to_owned())
    } else if !path.exists() {
        Err("there is no such file".to_owned())
    } else {
        import(&path)
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

fn artifact(pattern: &str, existing: bool, root: &Path, since: Timestamp) -> Finding {
    if pattern.starts_with('/') || pattern.split('/').any(|part| part == "..") {
        return Finding::NotChecked(format!("{pattern} leaves the project's folder"));
    }
    let glob = match GlobBuilder::new(pattern).literal_separator(true).build() {
        Ok(glob) => glob.compile_matcher(),
        Err(error) => return Finding::NotChecked(error.to_string()),
    };
    let mut matches: Vec<Candidate> = Vec::new();
    let mut budget = MOST_ENTRIES;
    let start = literal_folder(pattern);
    walk(&root.join(&start), &start, &mut budget, &mut |inside, file| {
        if glob.is_match(inside) {
            matches.push(candidate(inside, file));
        }
    });
    matches.sort_by(|one, other| one.name.cmp(&other.name));
    let is_fresh = |file: &&Candidate| existing || file.changed_at + CLOCK_TICK_MILLISECONDS >= since.0;
    let named = |files: &mut dyn Iterator<Item = &Candidate>| -> Vec<String> {
        files.take(MOST_NAMED).map(|file| file.name.clone()).collect()
    };
    let fresh = || matches.iter().filter(is_fresh);
    if matches.is_empty() {
        Finding::NoFile
    } else if fresh().next().is_none() {
        Finding::OnlyOlderFiles(named(&mut matches.iter()))
    } else if fresh().all(|file| file.is_empty) {
        Finding::OnlyEmptyFiles(named(&mut fresh()))
    } else {
        Finding::Files(named(&mut fresh().filter(|file| !file.is_empty)))
    }
}

/// A file that matches.
struct Candidate {
    /// Its path in the project.
    name: String,
    changed_at: i64,
    is_empty: bool,
}

/// The folder before the first part of a pattern that is not plain: nothing outside it can match.
fn literal_folder(pattern: &str) -> String {
    let parts: Vec<&str> = pattern.split('/').collect();
    let plain = parts
        .iter()
        .take_while(|part| !part.contains(['*', '?', '[', '{', '\\']))
        .count();
    parts[..plain.min(parts.len() - 1)].join("/")
}

fn walk(folder: &Path, inside: &str, budget: &mut usize, visit: &mut dyn FnMut(&str, &Path)) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if *budget == 0 {
            return;
        }
        *budget -= 1;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let path = if inside.is_empty() {
            name.clone()
        } else {
            format!("{inside}/{name}")
        };
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            if name != ".git" {
                walk(&entry.path(), &path, budget, visit);
            }
        } else {
            visit(&path, &entry.path());
        }
    }
}

fn candidate(name: &str, file: &Path) -> Candidate {
    let metadata = fs::metadata(file).ok();
    let changed_at = metadata
        .as_ref()
        .and_then(|metadata| metadata.modified().ok())
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
        .and_then(|since| i64::try_from(since.as_millis()).ok());
    Candidate {
        name: name.to_owned(),
        changed_at: changed_at.unwrap_or(0),
        is_empty: metadata.is_none_or(|metadata| metadata.len() == 0),
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
    let file = fs::File::create(output)?;
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
    fn only_files_of_this_visit_count_unless_older_ones_may() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("docs/plans")).unwrap();
        assert_eq!(
            artifact("docs/**/*.md", false, root, Timestamp(0)),
            Finding::NoFile
        );
        fs::write(root.join("docs/plans/a.md"), "x").unwrap();
        let found = Finding::Files(vec!["docs/plans/a.md".to_owned()]);
        assert_eq!(artifact("docs/**/*.md", false, root, Timestamp(0)), found);
        assert_eq!(
            artifact("docs/*.md", false, root, Timestamp(0)),
            Finding::NoFile,
            "a star stays in its folder"
        );
        let later = Timestamp(i64::MAX);
        assert_eq!(
            artifact("docs/plans/a.md", false, root, later),
            Finding::OnlyOlderFiles(vec!["docs/plans/a.md".to_owned()])
        );
        assert_eq!(artifact("docs/plans/a.md", true, root, later), found);
        assert!(matches!(
            artifact("../x", true, root, later),
            Finding::NotChecked(_)
        ));
    }

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
