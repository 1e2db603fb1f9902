//! Facts for a replacement to check first: the worktree's state, and the end of the lost agent's log.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use bugle_client::shell_word;
use bugle_core::engine::EvidenceFinding;
use bugle_core::reply::{LogView, RecoveryChecks, StepView, TaskFile, UncommittedView};
use bugle_core::wake::{LOG_WINDOW_BYTES, LogTail, Uncommitted};
use bugle_core::workflow::Evidence;
use bugle_render::evidence_text;
use bugle_store::Store;

use crate::evidence::CommandContext;
use crate::open_run::OpenRun;
use crate::tasks::CurrentTask;
use crate::{AppError, Context, evidence, plan_files, runs, worktree};

/// Maximum number of a task's files to check.
const MAX_FILES: usize = 12;

/// Checks the worktree's state and the current task's files.
pub(super) fn checks(
    store: &mut Store,
    ctx: &Context,
    run: Option<&OpenRun>,
    directory: &Path,
    step: Option<&StepView>,
    current: Option<&CurrentTask>,
) -> Result<RecoveryChecks, AppError> {
    let uncommitted = worktree::status(directory).map(|status| {
        let Uncommitted { files, more } = Uncommitted::read(&status);
        UncommittedView {
            files,
            more,
            command: format!(
                "git -C {} status --short",
                shell_word(&directory.to_string_lossy())
            ),
        }
    });
    let result = step
        .and_then(|step| step.result.as_ref())
        .map(|result| &result.file);
    let mut files = match current {
        Some(at) => files_of(store, at)?,
        None => Vec::new(),
    };
    let more_files = files.len().saturating_sub(MAX_FILES) as u64;
    files.truncate(MAX_FILES);
    let exists = |path: String| TaskFile {
        exists: directory.join(&path).exists(),
        path,
    };
    Ok(RecoveryChecks {
        uncommitted,
        result: result.filter(|file| Path::new(file).is_file()).cloned(),
        evidence: match run {
            Some(run) => evidence_so_far(store, ctx, run)?,
            None => Vec::new(),
        },
        files: files.into_iter().map(exists).collect(),
        more_files,
    })
}

/// The files that the plan names for a task or its nearest planned ancestor. Omits paths outside the project.
fn files_of(store: &mut Store, at: &CurrentTask) -> Result<Vec<String>, AppError> {
    let Some((plan, _)) = &at.plan else {
        return Ok(Vec::new());
    };
    let mut planned = std::iter::once(&at.row).chain(&at.above);
    let Some(planned) = planned.find(|row| row.task.plan.is_some()) else {
        return Ok(Vec::new());
    };
    let mut files = plan_files::read_excerpt(store, plan, Some(&planned.task), None)?.files();
    files.retain(|path| !path.starts_with('/') && path.split('/').all(|part| part != ".."));
    Ok(files)
}

/// Checks the files that a run's open step expects, and describes the result of each check. Runs no command.
fn evidence_so_far(store: &mut Store, ctx: &Context, run: &OpenRun) -> Result<Vec<String>, AppError> {
    let Some(visit) = run.state.current() else {
        return Ok(Vec::new());
    };
    let context = bugle_core::engine::context(&run.state, &run.workflow, visit.number);
    let values = context.for_evidence(None);
    let expected = run.workflow.step(&visit.step).map(|step| step.expect.as_slice());
    // Check only files: other evidence would import a plan or run a command.
    let files: Vec<Evidence> = expected
        .unwrap_or_default()
        .iter()
        .filter(|evidence| matches!(evidence, Evidence::Artifact { .. }))
        .cloned()
        .collect();
    let before = runs::files_before(store, visit)?;
    let reports = evidence::gather(
        &files,
        Path::new(&run.directory),
        &before,
        &values,
        CommandContext {
            scratch: &ctx.work_folder(&run.state.id),
            store: &ctx.store,
        },
        &mut |_| Err("the plan was not checked".to_owned()),
    );
    let checked = reports
        .iter()
        .filter(|report| !matches!(report.finding, EvidenceFinding::NotChecked(_)));
    Ok(checked.map(evidence_text::report).collect())
}

/// The last lines of a log, or the error from reading it.
pub(super) fn log_view(file: &Path) -> LogView {
    let (tail, trouble) = match last_bytes(file) {
        Ok((end, is_all)) => (LogTail::read(&end, is_all), None),
        Err(error) => (LogTail::default(), Some(error.to_string())),
    };
    LogView {
        file: file.display().to_string(),
        lines: tail.lines,
        is_cut: tail.is_cut,
        trouble,
        command: format!("tail -n 200 {}", shell_word(&file.to_string_lossy())),
    }
}

/// The last bytes of a file, and whether they are the whole file.
fn last_bytes(path: &Path) -> std::io::Result<(Vec<u8>, bool)> {
    // Check before opening the file: opening a named pipe blocks until it has a writer.
    if !std::fs::metadata(path)?.is_file() {
        return Err(std::io::Error::other("not a regular file"));
    }
    let mut file = std::fs::File::open(path)?;
    let length = file.metadata()?.len();
    let skipped = length.saturating_sub(LOG_WINDOW_BYTES);
    file.seek(SeekFrom::Start(skipped))?;
    let mut bytes = Vec::new();
    file.take(LOG_WINDOW_BYTES).read_to_end(&mut bytes)?;
    Ok((bytes, skipped == 0))
}
