//! Claims a run for the session that works on it. If another session has the run, names that session and the command
//! that takes the run over.

use bugle_client::recognition::client_of_session;
use bugle_core::hook::hooks_are_quiet;
use bugle_core::id::SessionId;
use bugle_core::ownership::{Claim, Ownership};
use bugle_core::reply::{HeldRun, RunNotice};
use bugle_store::{RunRow, SessionRow, Store, retry};

use super::Reply;
use crate::disabled_hooks::files_with_hooks_off;
use crate::error::conflict;
use crate::ownership::{Holder, session_holder};
use crate::runs::select;
use crate::{AppError, Context, messages};

/// The result of claiming a run.
pub(crate) enum ClaimResult {
    /// The owner did not change: this session already owns the run, or cannot own it.
    Unchanged,
    /// This session took the run over from this holder.
    Taken(Holder),
    /// Another session still owns the run.
    Kept(Holder),
}

/// The caller's session; `None` if the session does not own this run.
pub(super) fn own_session(
    store: &mut Store,
    ctx: &Context,
    row: &RunRow,
) -> Result<Option<SessionRow>, AppError> {
    match ctx.session.as_ref().filter(|_| row.session == ctx.session) {
        Some(id) => Ok(store.session(id)?),
        None => Ok(None),
    }
}

/// A notice if the hooks of the session that owns this run have gone silent.
pub(super) fn quiet_hooks_notice(ctx: &Context, row: &RunRow, session: &SessionRow) -> Option<RunNotice> {
    hooks_are_quiet(session.seen_at, row.changed_at, ctx.now()).then(|| RunNotice::HooksSilent {
        doctor: ctx.command(&["doctor", &session.client]),
    })
}

/// A notice if the client of the session that owns this run calls no hooks at all, because its settings turn them off.
pub(super) fn hooks_off_notice(ctx: &Context, row: &RunRow) -> Option<RunNotice> {
    let session = row.session.as_ref().filter(|_| row.session == ctx.session)?;
    let variables = |name: &str| std::env::var_os(name);
    let client = client_of_session(&session.0, &variables)?;
    let is_off = !files_with_hooks_off(ctx, &variables, client).is_empty();
    is_off.then(|| RunNotice::HooksSilent {
        doctor: ctx.command(&["doctor", client.as_str()]),
    })
}

/// The holder of a run; `None` if this session holds it.
pub(crate) fn holder_of(store: &mut Store, ctx: &Context, row: &RunRow) -> Result<Option<Holder>, AppError> {
    if row.session == ctx.session && row.session.is_some() {
        return Ok(None);
    }
    let Some(session) = &row.session else {
        return Ok(Some(Holder {
            ownership: Ownership::Unowned,
            name: "no session".to_owned(),
            seen: row.changed_at,
        }));
    };
    let holder = session_holder(store, ctx, session)?;
    Ok(Some(Holder {
        seen: holder.seen.max(row.changed_at),
        ..holder
    }))
}

/// Claims a run for this session, if [`Ownership::grants`](bugle_core::ownership::Ownership::grants) allows the claim.
pub(crate) fn claim_run(
    store: &mut Store,
    ctx: &Context,
    row: &RunRow,
    claim: Claim,
) -> Result<ClaimResult, AppError> {
    claim_from(store, ctx, row, None, claim)
}

/// Claims a run for this session from a holder that the caller has read.
pub(crate) fn claim_run_from(
    store: &mut Store,
    ctx: &Context,
    row: &RunRow,
    holder: Holder,
    claim: Claim,
) -> Result<ClaimResult, AppError> {
    claim_from(store, ctx, row, Some(holder), claim)
}

fn claim_from(
    store: &mut Store,
    ctx: &Context,
    row: &RunRow,
    mut known: Option<Holder>,
    claim: Claim,
) -> Result<ClaimResult, AppError> {
    let Some(session) = ctx.session.clone() else {
        return Ok(ClaimResult::Unchanged);
    };
    let mut row = row.clone();
    retry(|| {
        // A sub-agent's run belongs to its parent run.
        if row.child.is_some() || !row.status.is_open() {
            return Ok(ClaimResult::Unchanged);
        }
        let holder = match known.take() {
            Some(holder) => Some(holder),
            None => holder_of(store, ctx, &row)?,
        };
        let Some(holder) = holder else {
            return Ok(ClaimResult::Unchanged);
        };
        if claim == Claim::Continue && is_over(store, &session)? {
            // A server that outlives its session does not see the client's new session.
            return Ok(ClaimResult::Unchanged);
        }
        if !holder.ownership.grants(claim) {
            return Ok(ClaimResult::Kept(holder));
        }
        if store.take_run(&row.id, row.session.as_ref(), &session)? {
            return Ok(ClaimResult::Taken(holder));
        }
        row = select::select(store, ctx, &super::RunSelector::Run(row.id.clone()))?;
        Err(conflict(&format!(
            "other sessions kept claiming run {}; try again",
            row.id
        )))
    })
}

fn is_over(store: &mut Store, session: &SessionId) -> Result<bool, AppError> {
    let known = store.session(session)?;
    Ok(known.is_some_and(|known| known.ended.is_some()))
}

/// Like [`claim_run`], but returns the notice to print. Also updates the owner in `row`.
pub(super) fn claim_with_notice(
    store: &mut Store,
    ctx: &Context,
    row: &mut RunRow,
    claim: Claim,
) -> Result<Option<RunNotice>, AppError> {
    Ok(match claim_run(store, ctx, row, claim)? {
        ClaimResult::Unchanged => None,
        ClaimResult::Taken(holder) => {
            if holder.ownership == Ownership::MaybeActive {
                inform_owner(store, ctx, row)?;
            }
            row.session.clone_from(&ctx.session);
            (holder.ownership != Ownership::Unowned).then(|| RunNotice::TakenOver {
                has_ended: holder.ownership == Ownership::Ended,
                owner: holder.name,
            })
        }
        ClaimResult::Kept(holder) => Some(RunNotice::HeldElsewhere {
            owner: holder.name,
            idle: ctx.now().0.saturating_sub(holder.seen.0),
            take_over: ctx.command(&["run", "resume", row.id.as_str()]),
        }),
    })
}

/// Informs the agent that owned a run that this session has taken the run over.
fn inform_owner(store: &mut Store, ctx: &Context, row: &RunRow) -> Result<(), AppError> {
    let (Some(before), Some(session)) = (&row.session, &ctx.session) else {
        return Ok(());
    };
    let Some(owner) = store.agent_of_session(before)? else {
        return Ok(());
    };
    // The owner runs the command under its own name.
    let command = Context {
        acting_as: None,
        ..ctx.clone()
    }
    .command(&["run", "resume", row.id.as_str()]);
    let text = format!(
        "{} has taken over your run {} of {}. Don't continue the run. To take it back: {command}",
        session_holder(store, ctx, session)?.name,
        row.id,
        row.skill,
    );
    messages::inform(store, ctx, &owner, &text)
}

/// A run that another session owns.
pub(crate) fn held_run(ctx: &Context, row: &RunRow, holder: &Holder) -> HeldRun {
    HeldRun {
        run: row.id.clone(),
        skill: row.skill.clone(),
        with: (holder.ownership != Ownership::Unowned).then(|| holder.name.clone()),
        is_over: holder.ownership != Ownership::MaybeActive,
        idle: ctx.now().0.saturating_sub(holder.seen.0),
        command: ctx.command(&["run", "resume", row.id.as_str()]),
    }
}

impl Reply {
    /// Inserts a notice before all others.
    #[must_use]
    pub(super) fn with_notice(mut self, notice: Option<RunNotice>) -> Self {
        if let Some(notice) = notice {
            match &mut self {
                Self::Step(step) => step.notices.insert(0, notice),
                Self::End(end) => end.notices.insert(0, notice),
            }
        }
        self
    }
}
