//! Waking an agent up: everything it needs to go on, within the budget of the channel, recorded.

mod brief;
mod facts;
mod known;
mod records;

use bugle_core::id::WakeupId;
use bugle_core::wake::{Assembly, Budget, Picked, Verdict, WakeReason, assemble};
use bugle_render::wake::offers;
use bugle_store::{MessageStore as _, ProjectId, TaskStore as _, WakeupRow};
use bugle_wire::{WakeFacts, WakePart, WakeView};

use crate::files::content_hash;
use crate::task::ID_TRIES;
use crate::{App, AppError};

/// Who is to be woken up, why, and how much may be said.
#[derive(Debug, Clone)]
pub struct WakeRequest {
    /// Who; whoever acts here if not said.
    pub agent: Option<String>,
    /// Why.
    pub reason: WakeReason,
    /// How much may be said.
    pub budget: Budget,
    /// What is said to the agent with it.
    pub message: Option<String>,
    /// Whether it is only looked at: then nothing is recorded, and no message counts as read.
    pub only_look: bool,
}

/// How a moment is written in a wake-up; the shell knows the time zone.
pub type ShortClock<'a> = &'a dyn Fn(i64) -> String;

/// Facts, and what has to be marked once they were told.
struct Gathered {
    facts: WakeFacts,
    project: Option<ProjectId>,
    /// The agent's mailbox, and the place up to which it was read.
    read_up_to: Option<(bugle_core::message::AgentAddress, u64)>,
}

impl App {
    /// Puts together what an agent needs to go on; nothing at all if there is nothing to say.
    pub fn wake(&mut self, request: &WakeRequest, clock: ShortClock<'_>) -> Result<WakeView, AppError> {
        let gathered = self.gather(request, clock)?;
        let facts = &gathered.facts;
        // A session that begins where nothing is open is not to be bothered.
        let silent = request.reason == WakeReason::Startup
            && facts.step.is_none()
            && facts.position.is_none()
            && facts.messages.is_empty();
        let assembly = if silent {
            assemble(&[], request.budget)
        } else {
            assemble(&offers(facts), request.budget)
        };
        let mut view = WakeView {
            id: None,
            reason: facts.reason.clone(),
            agent: facts.agent.clone(),
            text: assembly.text.clone(),
            size: assembly.size,
            limit: request.budget.limit,
            unit: request.budget.unit.as_str().to_owned(),
            parts: assembly.parts.iter().map(part_view).collect(),
            too_small: assembly.too_small,
        };
        if !request.only_look && !silent {
            view.id = self
                .record(request, &gathered, &assembly)?
                .map(|id| id.to_string());
        }
        Ok(view)
    }

    /// Records a wake-up and marks the messages in it as read, both or neither.
    fn record(
        &mut self,
        request: &WakeRequest,
        gathered: &Gathered,
        assembly: &Assembly,
    ) -> Result<Option<WakeupId>, AppError> {
        let Some(project) = &gathered.project else {
            return Ok(None);
        };
        let parts =
            serde_json::to_string(&assembly.parts).map_err(|error| AppError::System(error.to_string()))?;
        let now = crate::now();
        for _ in 0..ID_TRIES {
            let id = WakeupId::from_random(crate::random()?);
            let row = WakeupRow {
                id: id.clone(),
                project: project.clone(),
                agent: gathered.facts.agent.clone(),
                reason: request.reason,
                at: now,
                budget: request.budget,
                size: assembly.size as u64,
                parts: parts.clone(),
                hash: content_hash(assembly.text.as_bytes()),
            };
            let kept = self.store.together(|store| {
                if !store.keep_wakeup(&row, &records::packed(&assembly.text))? {
                    return Ok(false);
                }
                if let Some((agent, place)) = &gathered.read_up_to {
                    store.take(project, agent, *place, now)?;
                }
                Ok::<_, AppError>(true)
            })?;
            if kept {
                return Ok(Some(id));
            }
        }
        Err(AppError::System(
            "no free id was found for the wake-up".to_owned(),
        ))
    }
}

fn part_view(picked: &Picked) -> WakePart {
    WakePart {
        part: picked.part.as_str().to_owned(),
        verdict: match picked.verdict {
            Verdict::Whole => "whole",
            Verdict::Cut => "cut",
            Verdict::LeftOut => "left out",
            Verdict::Empty => "empty",
        }
        .to_owned(),
        detail: picked.detail.map(|detail| format!("{detail:?}").to_lowercase()),
        size: picked.size,
        whole: picked.whole,
    }
}
