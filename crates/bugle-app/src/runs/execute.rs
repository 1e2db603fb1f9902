//! Executes a command on a run: read, decide, gather evidence, append. Retries after a conflict.

use std::path::Path;

use bugle_core::engine::{
    Assignment, Command, Decision, Environment, Event, EvidenceReport, Refusal, context, decide,
    merged_result, plan_in_view,
};
use bugle_core::id::{Actor, VisitNumber, VisitToken};
use bugle_core::task::Board;
use bugle_core::workflow::Evidence;
use bugle_render::template::Engine;
use bugle_store::{Append, RunRow, SessionRow, Store, Transaction, retry};
use serde_json::Value;

use super::loaded::{Children, Loaded, ParentRun};
use super::refusal::refused;
use super::select::{RunSelector, select};
use super::self_review::Reviewers;
use super::task_effects::{TaskEffects, apply_effects};
use super::{artifact_record, references, run_tree, task_effects};
use crate::delegation::child_of;
use crate::error::conflict;
use crate::evidence::CommandContext;
use crate::open_run::OpenRun;
use crate::{AppError, Context, event_record, evidence, fs_util, open_run, reviewed_files, runs, work_files};

/// A visit's evidence. Gathering evidence is slow, so it happens between attempts.
type GatheredEvidence = Option<(VisitNumber, Vec<EvidenceReport>)>;

/// How an attempt ended.
enum Attempt {
    /// The command was executed.
    Finished(Box<Executed>),
    /// Another process changed the run first.
    Conflict,
    /// The step requires evidence, which this attempt has gathered.
    NeedsEvidence(VisitNumber, Vec<EvidenceReport>),
}

/// The run that a command applies to, as read by the caller.
pub(crate) struct Target {
    pub row: RunRow,
    /// The caller's session, if the caller has read it.
    pub session: Option<SessionRow>,
}

impl From<RunRow> for Target {
    fn from(row: RunRow) -> Self {
        Self { row, session: None }
    }
}

/// A run after a command, with related data that the command loaded.
pub(crate) struct Executed {
    pub run: OpenRun,
    pub loaded: Loaded,
}

/// Executes a command; returns the run's new state.
pub(crate) fn execute<'a>(
    store: &mut Store,
    ctx: &Context,
    mut target: Target,
    command: impl Fn(&OpenRun) -> Command<'a>,
) -> Result<Executed, AppError> {
    let mut gathered: GatheredEvidence = None;
    let id = target.row.id.clone();
    let mut is_read_ahead = store.reads_ahead();
    retry(|| {
        loop {
            store.begin_snapshot()?;
            let attempt = open_run::read(store, &id, &target.row.directory)
                .and_then(|run| attempt(store, ctx, &target, run, &command, &gathered));
            store.end_snapshot()?;
            if is_read_ahead && matches!(attempt, Err(AppError::Refused(_))) {
                // Another process may have ended the visit, and removed its files, after the run was read ahead.
                store.forget_read_ahead();
                is_read_ahead = false;
                continue;
            }
            match attempt? {
                Attempt::Finished(executed) => return Ok(*executed),
                Attempt::NeedsEvidence(visit, reports) => {
                    gathered = Some((visit, reports));
                    // Sub-agents and trust may have changed while the evidence was gathered.
                    store.forget_read_ahead();
                    is_read_ahead = false;
                }
                Attempt::Conflict => break,
            }
        }
        target = select(store, ctx, &RunSelector::Run(id.clone()))?.into();
        Err(conflict(&format!(
            "nothing was changed, because other processes kept changing run {id}; try again"
        )))
    })
}

/// Makes one attempt: decides based on the run as it was read, and appends the events.
fn attempt<'a>(
    store: &mut Store,
    ctx: &Context,
    target: &Target,
    mut run: OpenRun,
    command: &impl Fn(&OpenRun) -> Command<'a>,
    gathered: &GatheredEvidence,
) -> Result<Attempt, AppError> {
    let mut asked = command(&run);
    if !run.state.is_enough_for(&asked) {
        run = open_run::read_whole(store, &run.state.id, &run.directory)?;
        asked = command(&run);
    }
    let trusted = store.is_trusted(&run.state.pin)?;
    let children = Children::read(store, &run.state)?;
    let above = run_tree::runs_above(store, &run.state)?;
    let abandoned_by = run_tree::cancelled_among(&above);
    let mut parent = above.into_iter().next().map(ParentRun::new);
    let reports_review = matches!(asked, Command::Done { .. }) && is_review(&run);
    let self_reviews = if reports_review {
        let mut reviewers = Reviewers::new(target.session.clone());
        if let Some(parent) = &mut parent {
            reviewers.refuse_to_report_own_review(store, ctx, &run, parent)?;
        }
        reviewers.self_reviews(store, ctx, &run, &target.row, &children)?
    } else {
        Vec::new()
    };
    let current = run.state.current().map(|visit| visit.number);
    // Evidence counts only for the visit for which it was gathered.
    let evidence = gathered
        .as_ref()
        .filter(|(visit, _)| Some(*visit) == current)
        .map(|(_, reports)| reports.as_slice());
    let board = task_effects::board(store, ctx, plan_in_view(&run.state, &asked, evidence))?;
    // Git, files and commands are slow, so close the snapshot before using them.
    if reports_review {
        store.close_snapshot()?;
    } else {
        store.end_snapshot()?;
    }
    let tree = reports_review
        .then(|| ctx.fingerprint.get(Path::new(&run.directory)))
        .flatten();
    if let (Some(_), Some(child)) = (&tree, child_of(&run.state)) {
        reviewed_files::record(ctx, &child.token, Path::new(&run.directory));
    }
    // Evidence may depend on values in the submitted result.
    let result = merged_result(&run.state, &run.workflow, &asked);
    let action = asked.action(&run.state, &run.workflow);
    let comes_here = matches!(asked, Command::Done { .. }) && target.row.machine != *store.machine();
    let environment = Environment {
        evidence,
        trusted,
        children: &children.reports,
        self_reviews: &self_reviews,
        tree: tree.as_deref(),
        abandoned_by: abandoned_by.as_ref(),
        tasks: board.as_ref(),
    };
    let decision = decide(&run.state, &run.workflow, asked, environment);
    let loaded = Loaded {
        children: Some(children),
        parent,
        drift: None,
    };
    match decision {
        Decision::Already => Ok(Attempt::Finished(Box::new(Executed { run, loaded }))),
        Decision::Refuse(Refusal::Untrusted { commands }) => {
            let visit = run.state.current().map_or(VisitNumber(0), |visit| visit.number);
            let values = context(&run.state, &run.workflow, visit).for_evidence(result.as_ref());
            let preview = |line: &String| Engine::default().command_preview(line, &values);
            let commands = commands.iter().map(preview).collect();
            Err(refused(ctx, &run, &Refusal::Untrusted { commands }))
        }
        Decision::Refuse(refusal) => Err(refused(ctx, &run, &refusal)),
        Decision::NeedsEvidence(expected) => gather(store, ctx, &run, &expected, result.as_ref()),
        Decision::Accept(events) => {
            if let Some(refusal) = references::refusal(&run, &events) {
                return Err(refused(ctx, &run, &refusal));
            }
            let by = runs::recorded_actor(store, ctx, &run, action)?;
            let appended = append(store, ctx, run, &by, events, board.as_ref())?;
            if let Some(run) = appended.as_ref().filter(|_| comes_here) {
                store.place_run(&run.state.id, &run.directory)?;
            }
            Ok(match appended {
                Some(run) => Attempt::Finished(Box::new(Executed { run, loaded })),
                None => Attempt::Conflict,
            })
        }
    }
}

/// Gathers the current visit's evidence.
fn gather(
    store: &mut Store,
    ctx: &Context,
    run: &OpenRun,
    expected: &[Evidence],
    result: Option<&Value>,
) -> Result<Attempt, AppError> {
    let Some(visit) = run.state.current() else {
        return Err(refused(ctx, run, &Refusal::NotAsking));
    };
    let scratch = ctx.work_folder(&run.state.id);
    fs_util::create_private_dir(&scratch)?;
    let values = context(&run.state, &run.workflow, visit.number).for_evidence(result);
    let before = artifact_record::files_before(store, visit)?;
    store.close_snapshot()?;
    let reports = evidence::gather(
        expected,
        Path::new(&run.directory),
        &before,
        &values,
        CommandContext {
            scratch: &scratch,
            store: &ctx.store,
        },
        &mut |file| task_effects::import_plan_for(store, ctx, run, file),
    );
    // A command may have changed files.
    ctx.fingerprint.clear();
    Ok(Attempt::NeedsEvidence(visit.number, reports))
}

/// Appends events to a run; `None` after a conflict.
pub(super) fn append(
    store: &mut Store,
    ctx: &Context,
    mut run: OpenRun,
    by: &Actor,
    events: Vec<Event>,
    board: Option<&Board>,
) -> Result<Option<OpenRun>, AppError> {
    let expected = run.state.version;
    let ended = run.state.current_token();
    let task_effects = TaskEffects {
        effects: bugle_core::engine::task_effects(&run.state, &events),
        rewound: events.iter().any(|event| matches!(event, Event::Rewound { .. })),
    };
    let mut recorded = event_record::run_events(ctx, by, events);
    let (state, files) = artifact_record::entered(
        &run.workflow,
        Path::new(&run.directory),
        &mut recorded,
        |events| {
            let mut state = run.state.clone();
            events.iter().try_for_each(|event| state.apply(event))?;
            Ok(state)
        },
    )?;
    run.state = state;
    let work = |tx: &mut Transaction<'_>| {
        tx.keep_blobs(files.as_slice())?;
        if tx.append(expected, &recorded, &run.state)? == Append::Conflict {
            return Err(AppendError::Conflict);
        }
        if !apply_effects(tx, ctx, &run.state, board, &task_effects)? {
            return Err(AppendError::Conflict);
        }
        Ok(())
    };
    let written = if task_effects.effects.is_empty() {
        store.row_transaction(work)
    } else {
        store.transaction(work)
    };
    match written {
        Ok(()) => {}
        Err(AppendError::Conflict) => return Ok(None),
        Err(AppendError::Error(error)) => return Err(error),
    }
    remove_submitted(ctx, &run, ended.as_ref());
    Ok(Some(run))
}

/// Removes the files that agents submitted for an ended visit. The store has their contents, so a failure is harmless.
fn remove_submitted(ctx: &Context, run: &OpenRun, ended: Option<&VisitToken>) {
    if !run.state.status.is_open() {
        let _ = std::fs::remove_dir_all(ctx.work_folder(&run.state.id));
    } else if let Some(token) = ended.filter(|token| run.state.current_token().as_ref() != Some(token)) {
        let _ = std::fs::remove_file(work_files::result_file(ctx, token));
        let _ = std::fs::remove_file(work_files::text_file(ctx, token));
    }
}

/// Why nothing was appended.
enum AppendError {
    /// Another process changed the run or its tasks first.
    Conflict,
    Error(AppError),
}

impl From<AppError> for AppendError {
    fn from(error: AppError) -> Self {
        Self::Error(error)
    }
}

impl From<bugle_store::StoreError> for AppendError {
    fn from(error: bugle_store::StoreError) -> Self {
        Self::Error(error.into())
    }
}

/// Whether the current visit is part of a review. A review's verdict records the state of the files.
fn is_review(run: &OpenRun) -> bool {
    let gate = run
        .state
        .current()
        .and_then(|visit| run.workflow.step(&visit.step));
    gate.is_some_and(|step| step.gate.is_some())
        || child_of(&run.state).is_some_and(|child| matches!(child.assignment, Assignment::Review(_)))
}
