//! Records a wake-up and delivers it in the same transaction.

use bugle_core::agent::Delivery;
use bugle_core::id::WakeupId;
use bugle_core::wake::Assembly;
use bugle_store::{DeliveryRow, MailRange, Store, StoreError, WakeupRow};
use bugle_wire::WakeView;

use super::{Gathered, Output, PromptTarget, WakeRequest, records};
use crate::AppError;
use crate::files::content_hash;
use crate::ids::ID_TRIES;
use crate::messages::Receipt;

/// The result of recording a wake-up.
pub(super) enum Record {
    Kept,
    /// This folder is in no known project.
    NoProject,
    /// Another process has read a message meanwhile.
    Conflict,
}

/// Why nothing was recorded.
enum RecordError {
    Conflict,
    Error(AppError),
}

impl From<StoreError> for RecordError {
    fn from(error: StoreError) -> Self {
        Self::Error(error.into())
    }
}

/// Records a wake-up, marks its messages as read and delivers it, in one transaction.
pub(super) fn record(
    store: &mut Store,
    request: &WakeRequest,
    gathered: &Gathered,
    assembly: &Assembly,
    output: &mut Output<'_>,
    view: &mut WakeView,
) -> Result<Record, AppError> {
    let Some(project) = &gathered.project else {
        return Ok(Record::NoProject);
    };
    let recorded = records::RecordedParts::new(&assembly.parts, gathered.facts.recovery.as_ref());
    let parts = serde_json::to_string(&recorded).map_err(|error| AppError::System(error.to_string()))?;
    let content = records::compress(&assembly.text);
    let hash = content_hash(assembly.text.as_bytes());
    // Messages in the wake-up count as read, even those that are cut. The others stay unread.
    let shown = assembly.told as u64;
    let read = gathered.read.as_ref().filter(|_| shown > 0);
    // A record alone may be lost in a crash. Read marks, prompts and takeovers may not.
    let must_be_durable = read.is_some() || output.target().is_some() || gathered.facts.recovery.is_some();
    let now = crate::ids::now();
    for _ in 0..ID_TRIES {
        let id = WakeupId::from_random(crate::ids::random()?);
        let row = WakeupRow {
            id: id.clone(),
            project: project.clone(),
            agent: gathered.facts.agent.clone(),
            reason: request.reason,
            at: now,
            budget: request.budget,
            size: assembly.size as u64,
            parts: parts.clone(),
            hash: hash.clone(),
        };
        view.id = Some(id.to_string());
        let work = |store: &mut bugle_store::Transaction<'_>| {
            if !store.keep_wakeup(&row, &content)? {
                return Ok(false);
            }
            if let Some(read) = read
                && !matches!(output, Output::Deferred(_))
                && store.take(&read.project, &read.agent, read.after.saturating_add(shown), now)? < shown
            {
                return Err(RecordError::Conflict);
            }
            match output {
                Output::Deferred(receipt) => {
                    **receipt = read.map(|read| Receipt {
                        project: read.project.clone(),
                        agent: read.agent.clone(),
                        up_to: read.after.saturating_add(shown),
                    });
                }
                Output::Prompt(target) => {
                    let mail = read.map(|read| MailRange {
                        after: read.after,
                        up_to: read.after.saturating_add(shown),
                    });
                    record_prompt(store, target, &row, mail)?;
                }
                Output::Written(write) => write(view).map_err(RecordError::Error)?,
            }
            Ok(true)
        };
        let kept = if must_be_durable {
            store.transaction(work)
        } else {
            store.transaction_relaxed(work)
        };
        match kept {
            Ok(true) => return Ok(Record::Kept),
            Ok(false) => {}
            Err(RecordError::Conflict) => {
                view.id = None;
                return Ok(Record::Conflict);
            }
            Err(RecordError::Error(error)) => return Err(error),
        }
    }
    Err(AppError::System(
        "no free id was found for the wake-up".to_owned(),
    ))
}

/// Makes a wake-up the next prompt of an agent, unless another prompt is on its way to it.
fn record_prompt(
    store: &mut Store,
    target: &PromptTarget,
    wakeup: &WakeupRow,
    mail: Option<MailRange>,
) -> Result<(), RecordError> {
    let PromptTarget {
        delivery, recoveries, ..
    } = target;
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
        // Messages of an earlier prompt stay read if this one fails.
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
