//! Waking an agent up: everything it needs to go on, within the budget of the channel, recorded.

mod brief;
mod facts;
mod known;
mod records;
mod template;

use bugle_core::id::WakeupId;
use bugle_core::message::AgentAddress;
use bugle_core::wake::{Assembly, Budget, Part, Picked, Verdict, WakeReason, assemble};
use bugle_render::wake::offers;
use bugle_store::{MessageStore as _, ProjectId, StoreError, TaskStore as _, WakeupRow};
use bugle_wire::{WakeFacts, WakePart, WakeView};

use template::{Around, Template};

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
    /// What of the agent's mailbox is among them.
    read: Option<ReadMail>,
}

/// What of a mailbox was looked at.
struct ReadMail {
    agent: AgentAddress,
    /// The place of the last one.
    up_to: u64,
    /// How many there are.
    count: u64,
}

/// What became of the record of a wake-up.
enum Record {
    Kept(WakeupId),
    /// Nothing is known of this place, so there is nothing to record it with.
    NoProject,
    /// Somebody else has read a message meanwhile.
    Overtaken,
}

/// Why nothing was written.
enum Unrecorded {
    Overtaken,
    Error(StoreError),
}

impl From<StoreError> for Unrecorded {
    fn from(error: StoreError) -> Self {
        Self::Error(error)
    }
}

impl App {
    /// Puts together what an agent needs to go on; nothing at all if there is nothing to say.
    pub fn wake(&mut self, request: &WakeRequest, clock: ShortClock<'_>) -> Result<WakeView, AppError> {
        for _ in 0..ID_TRIES {
            if let Some(view) = self.try_to_wake(request, clock)? {
                return Ok(view);
            }
        }
        Err(AppError::System(
            "others read the same messages again and again; nothing was recorded".to_owned(),
        ))
    }

    /// The same once; nothing if somebody else has read a message meanwhile that would be told twice.
    fn try_to_wake(
        &mut self,
        request: &WakeRequest,
        clock: ShortClock<'_>,
    ) -> Result<Option<WakeView>, AppError> {
        let gathered = self.gather(request, clock)?;
        let facts = &gathered.facts;
        // A session that begins where nothing is open is not to be bothered.
        let silent = request.reason == WakeReason::Startup
            && facts.step.is_none()
            && facts.position.is_none()
            && facts.messages.is_empty();
        let (assembly, notices) = if silent {
            (assemble(&[], request.budget), Vec::new())
        } else {
            self.put_together(request, facts)
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
            notices,
        };
        if !request.only_look && !silent {
            match self.record(request, &gathered, &assembly)? {
                Record::Kept(id) => view.id = Some(id.to_string()),
                Record::NoProject => {}
                Record::Overtaken => return Ok(None),
            }
        }
        Ok(Some(view))
    }

    /// In the shape that the project or the user wants, else in the usual one.
    fn put_together(&self, request: &WakeRequest, facts: &WakeFacts) -> (Assembly, Vec<String>) {
        let offers = offers(facts);
        let around = Around {
            agent: &facts.agent,
            project: &facts.project,
            branch: facts.branch.as_deref().unwrap_or(""),
            reason: &facts.reason,
        };
        let template = Template::find(&self.place, request.reason);
        let shaped = template.map(|found| found?.assemble(&offers, request.budget, &around));
        match shaped {
            Some(Ok(assembly)) => (assembly, Vec::new()),
            Some(Err(wrong)) => (assemble(&offers, request.budget), vec![wrong]),
            None => (assemble(&offers, request.budget), Vec::new()),
        }
    }

    /// Records a wake-up and marks the messages in it as read, both or neither.
    fn record(
        &mut self,
        request: &WakeRequest,
        gathered: &Gathered,
        assembly: &Assembly,
    ) -> Result<Record, AppError> {
        let Some(project) = &gathered.project else {
            return Ok(Record::NoProject);
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
                // What was not shown whole is not read: it is told again, or fetched.
                let whole =
                    |picked: &Picked| picked.part == Part::Messages && picked.verdict == Verdict::Whole;
                if let Some(read) = gathered
                    .read
                    .as_ref()
                    .filter(|_| assembly.parts.iter().any(whole))
                    && store.take(project, &read.agent, read.up_to, now)? < read.count
                {
                    return Err(Unrecorded::Overtaken);
                }
                Ok(true)
            });
            match kept {
                Ok(true) => return Ok(Record::Kept(id)),
                Ok(false) => {}
                Err(Unrecorded::Overtaken) => return Ok(Record::Overtaken),
                Err(Unrecorded::Error(error)) => return Err(error.into()),
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
        detail: picked.detail.map(|detail| detail.as_str().to_owned()),
        size: picked.size,
        whole: picked.whole,
    }
}
