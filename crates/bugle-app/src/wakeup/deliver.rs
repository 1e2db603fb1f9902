//! Records a wake-up and delivers it in the same transaction.

use bugle_core::agent::Delivery;
use bugle_core::id::WakeupId;
use bugle_core::reply::WakeView;
use bugle_core::wake::Assembly;
use bugle_store::{DeliveryRow, MailRange, Store, StoreError, WakeupRow};

use super::{Gathered, Output, PromptTarget, WakeRequest, records};
use crate::files::content_hash;
use crate::ids::{NewIdError, with_new_ids};
use crate::messages::Receipt;
use crate::{AppError, Context};

/// The result of recording a wake-up.
pub(super) enum Record {
    Kept,
    /// This folder does not belong to a known project.
    NoProject,
    /// Another process has changed the messages or the delivery in the meantime.
    Conflict,
}

/// Why nothing was recorded.
enum RecordError {
    Conflict,
    Error(AppError),
}

impl From<AppError> for RecordError {
    fn from(error: AppError) -> Self {
        Self::Error(error)
    }
}

impl From<StoreError> for RecordError {
    fn from(error: StoreError) -> Self {
        Self::Error(error.into())
    }
}

/// Records a wake-up, marks its messages as read and delivers it, in one transaction.
pub(super) fn record(
    store: &mut Store,
    ctx: &Context,
    request: &WakeRequest,
    gathered: &Gathered,
    assembly: &Assembly,
    output: &mut Output<'_>,
    view: &mut WakeView,
) -> Result<Record, AppError> {
    let Some(project) = &gathered.project else {
        return Ok(Record::NoProject);
    };
    let recorded = records::RecordedParts::new(&assembly.parts, gathered.facts.recovery.as_ref(), view);
    let parts = serde_json::to_string(&recorded).map_err(|error| AppError::System(error.to_string()))?;
    let content = records::compress(&assembly.text);
    // Messages in the wake-up count as read, even if their text was cut. All other messages stay unread.
    let shown = assembly.told as u64;
    let read = gathered.read.as_ref().filter(|_| shown > 0);
    // A crash may lose the record of this wake-up, but not read marks, prompts or takeovers.
    let must_be_durable = read.is_some() || output.target().is_some() || gathered.facts.recovery.is_some();
    let now = ctx.now();
    let mut row = WakeupRow {
        id: WakeupId::from_random(ctx.random()?),
        project: project.clone(),
        agent: gathered.facts.agent.clone(),
        reason: request.reason,
        at: now,
        budget: request.budget,
        size: assembly.size as u64,
        parts,
        hash: content_hash(assembly.text.as_bytes()),
    };
    // Without messages, nothing has to be undone if the wake-up cannot be written.
    if let (None, Output::Written(write)) = (read, &mut *output) {
        if must_be_durable {
            keep_with_new_id(store, ctx, &mut row, &content)?;
        } else {
            store.relaxed(|store| keep_with_new_id(store, ctx, &mut row, &content))?;
        }
        view.id = Some(row.id.to_string());
        write(view)?;
        return Ok(Record::Kept);
    }
    let work = |store: &mut bugle_store::Transaction<'_>| {
        match read.filter(|_| !matches!(output, Output::Deferred(_))) {
            Some(read) => {
                let mail = read.first(shown);
                if !store.keep_wakeup_and_take(&row, &content, &read.project, &read.agent, mail)? {
                    return Err(RecordError::Conflict);
                }
            }
            None => keep_with_new_id(store, ctx, &mut row, &content)?,
        }
        view.id = Some(row.id.to_string());
        match output {
            Output::Deferred(receipt) => {
                **receipt = read.map(|read| Receipt {
                    project: read.project.clone(),
                    agent: read.agent.clone(),
                    up_to: read.first(shown).up_to,
                });
            }
            Output::Prompt(target) => {
                let mail = read.map(|read| read.first(shown));
                record_prompt(store, target, &row, mail)?;
            }
            Output::Written(write) => {
                store.forbid_retry();
                write(view)?;
            }
        }
        Ok(())
    };
    let kept = if must_be_durable {
        store.project_transaction(project, work)
    } else {
        store.relaxed_project_transaction(project, work)
    };
    match kept {
        Ok(()) => Ok(Record::Kept),
        Err(RecordError::Conflict) => {
            view.id = None;
            Ok(Record::Conflict)
        }
        Err(RecordError::Error(error)) => Err(error),
    }
}

/// Stores a wake-up under a new id.
pub(crate) fn keep_with_new_id(
    store: &mut Store,
    ctx: &Context,
    row: &mut WakeupRow,
    content: &[u8],
) -> Result<(), AppError> {
    with_new_ids("the wake-up", || {
        if store.keep_wakeup(row, content)? {
            return Ok(());
        }
        row.id = WakeupId::from_random(ctx.random()?);
        Err(NewIdError::Taken)
    })
}

/// Makes a wake-up an agent's next prompt, unless another prompt is already being delivered.
fn record_prompt(
    store: &mut Store,
    target: &PromptTarget<'_>,
    wakeup: &WakeupRow,
    mail: Option<MailRange>,
) -> Result<(), RecordError> {
    let PromptTarget {
        delivery, recoveries, ..
    } = target;
    // Read again inside the transaction: another process may have stored a prompt in the meantime.
    let known = store.delivery(&delivery.project, &delivery.agent)?;
    let on_its_way = |known: DeliveryRow| {
        matches!(
            known.state,
            Delivery::Taken | Delivery::Carried | Delivery::Confirmed
        )
    };
    if known.is_some_and(on_its_way) {
        return Err(RecordError::Conflict);
    }
    store.keep_delivery(&DeliveryRow {
        wakeup: Some(wakeup.id.clone()),
        state: Delivery::Taken,
        // If this prompt fails, messages from an earlier prompt stay read.
        mail: mail.or_else(|| delivery.mail.map(|mail| MailRange::empty(mail.up_to))),
        changed_at: wakeup.at,
        ..delivery.clone()
    })?;
    if let Some(recoveries) = recoveries
        && let Some(mut agent) = store.agent(&delivery.project, &delivery.agent)?
    {
        agent.recoveries = *recoveries;
        store.keep_agent(&agent)?;
    }
    Ok(())
}
