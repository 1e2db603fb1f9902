//! What a replacement has to look at first: the work tree as the one before left it, and the end of that one's log.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use bugle_core::engine::Finding;
use bugle_core::wake::{LOG_WINDOW_BYTES, LastWords, Uncommitted};
use bugle_core::workflow::Evidence;
use bugle_render::words;
use bugle_store::{RunRow, TaskRow, TaskStore as _};
use bugle_wire::setup::shell_word;
use bugle_wire::{LogView, RecoveryChecks, StepView, TaskFile, UncommittedView};

use super::recovery::Left;
use crate::{App, AppError, evidence, tree};

/// How many files of a task are looked at.
const MOST_FILES: usize = 12;

impl App {
    /// How the work tree stands.
    pub(super) fn checks(
        &mut self,
        left: &Left,
        directory: &Path,
        step: Option<&StepView>,
        current: Option<&TaskRow>,
    ) -> Result<RecoveryChecks, AppError> {
        let uncommitted = tree::status(directory).map(|status| {
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
            Some(row) => self.files_of(row)?,
            None => Vec::new(),
        };
        let more_files = files.len().saturating_sub(MOST_FILES) as u64;
        files.truncate(MOST_FILES);
        let exists = |path: String| TaskFile {
            exists: directory.join(&path).exists(),
            path,
        };
        Ok(RecoveryChecks {
            uncommitted,
            result: result.filter(|file| Path::new(file).is_file()).cloned(),
            evidence: match left.runs.first() {
                Some(row) if step.is_some() => self.evidence_so_far(row)?,
                _ => Vec::new(),
            },
            files: files.into_iter().map(exists).collect(),
            more_files,
        })
    }

    /// The files that the plan names for a task, or for the nearest thing it lies in; only those inside the project.
    fn files_of(&mut self, row: &TaskRow) -> Result<Vec<String>, AppError> {
        let above = self.store.above(row)?;
        let Some(plan) = self.plan_above(row, &above)? else {
            return Ok(Vec::new());
        };
        let mut planned = std::iter::once(row).chain(&above);
        let Some(planned) = planned.find(|row| row.task.plan.is_some()) else {
            return Ok(Vec::new());
        };
        let mut files = self.reading(&plan, Some(&planned.task), None)?.files();
        files.retain(|path| !path.starts_with('/') && path.split('/').all(|part| part != ".."));
        Ok(files)
    }

    /// The files that the open step of a run will be checked for, and which of them are there. No command is run for it.
    fn evidence_so_far(&mut self, row: &RunRow) -> Result<Vec<String>, AppError> {
        let run = self.read(&row.id)?;
        let Some(visit) = run.state.current() else {
            return Ok(Vec::new());
        };
        let context = bugle_core::engine::context(&run.state, &run.workflow, visit.number);
        let values = context.for_evidence(None);
        let expected = run.workflow.step(&visit.step).map(|step| step.expect.as_slice());
        // A plan would be imported and a command be run to look at it.
        let files: Vec<Evidence> = expected
            .unwrap_or_default()
            .iter()
            .filter(|evidence| matches!(evidence, Evidence::Artifact { .. }))
            .cloned()
            .collect();
        let before = self.files_before(visit)?;
        let reports = evidence::gather(
            &files,
            Path::new(&run.directory),
            &before,
            &values,
            &self.place.work_folder(&row.id),
            &mut |_| Err("it was not looked at".to_owned()),
        );
        let checked = reports
            .iter()
            .filter(|report| !matches!(report.finding, Finding::NotChecked(_)));
        Ok(checked.map(words::evidence).collect())
    }
}

/// The last lines of a log, or why there are none.
pub(super) fn log_view(file: &Path) -> LogView {
    let (words, trouble) = match last_bytes(file) {
        Ok((end, is_all)) => (LastWords::read(&end, is_all), None),
        Err(error) => (LastWords::default(), Some(error.to_string())),
    };
    LogView {
        file: file.display().to_string(),
        lines: words.lines,
        is_cut: words.is_cut,
        trouble,
        command: format!("tail -n 200 {}", shell_word(&file.to_string_lossy())),
    }
}

/// The end of a file, and whether that is all of it. No more is read than is looked at, however long it is.
fn last_bytes(path: &Path) -> std::io::Result<(Vec<u8>, bool)> {
    // Looked at before it is opened: to open a pipe is to wait for whoever writes to it.
    if !std::fs::metadata(path)?.is_file() {
        return Err(std::io::Error::other("it is not a regular file"));
    }
    let mut file = std::fs::File::open(path)?;
    let length = file.metadata()?.len();
    let skipped = length.saturating_sub(LOG_WINDOW_BYTES);
    file.seek(SeekFrom::Start(skipped))?;
    let mut bytes = Vec::new();
    file.take(LOG_WINDOW_BYTES).read_to_end(&mut bytes)?;
    Ok((bytes, skipped == 0))
}
