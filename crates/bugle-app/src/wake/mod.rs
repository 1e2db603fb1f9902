//! Waking an agent up: everything it needs to go on, within the budget of the channel, recorded.

mod at_hand;
mod brief;
mod deeds;
mod facts;
mod inspect;
mod known;
mod mail;
mod records;
mod recovery;
mod template;
mod tokens;

use bugle_core::agent::HandOver;
use bugle_core::id::WakeupId;
use bugle_core::message::AgentAddress;
use bugle_core::wake::{Assembly, Budget, Offer, Picked, Verdict, WakeReason, assemble};
use bugle_render::wake::offers;
use bugle_store::{
    AgentStore as _, LaunchRow, LaunchStore as _, MessageStore as _, ProjectId, SqliteStore, StoreError,
    TaskStore as _, WakeupRow,
};
use bugle_wire::{WakeFacts, WakePart, WakeSkill, WakeView};

pub(crate) use records::{packed, summary, unpacked};
pub use recovery::Replaced;
use template::{Around, Template};

use crate::files::content_hash;
use crate::message::Receipt;
use crate::task::ID_TRIES;
use crate::{App, AppError};

/// Who is to be woken up, why, and how much may be said.
#[derive(Debug, Clone)]
pub struct WakeRequest {
    /// Who; whoever acts here if not said.
    pub agent: Option<String>,
    /// Why.
    pub reason: WakeReason,
    /// The agent whose place it takes, because that one died.
    pub replaces: Option<Replaced>,
    /// How much may be said.
    pub budget: Budget,
    /// What is said to the agent with it.
    pub message: Option<String>,
    /// Whether it is only looked at: then nothing is recorded, no message counts as read, and its tokens are counted.
    pub only_look: bool,
}

/// A budget in which every wake-up is whole.
const ROOM_ENOUGH: &str = "1000000";

/// How a moment is written in a wake-up; the shell knows the time zone.
pub type ShortClock<'a> = &'a dyn Fn(i64) -> String;

/// An agent to whose client a wake-up is to be handed over as its prompt.
#[derive(Debug)]
pub(crate) struct HandingOver {
    /// How its client is started. The wake-up is put into it.
    pub launch: LaunchRow,
    /// How often the agent was recovered with this, if that is what it is.
    pub recoveries: Option<u32>,
    /// What stands before everything: what a new session is for.
    pub errand: Option<String>,
}

/// Writes a wake-up to the agent that asked for it.
pub type SayWake<'a> = &'a mut dyn FnMut(&WakeView) -> Result<(), AppError>;

/// What becomes of a wake-up in the transaction that marks the messages in it as read.
enum Given<'a> {
    /// It is recorded; its messages are marked as read by the receipt, once it was sent.
    Later(&'a mut Option<Receipt>),
    /// It is the next prompt of an agent.
    HandedOver(&'a HandingOver),
    /// It is said. If that goes wrong, or whoever says it dies over it, nothing counts as read.
    Said(SayWake<'a>),
}

impl<'a> Given<'a> {
    fn handing_over(&self) -> Option<&'a HandingOver> {
        match self {
            Self::HandedOver(handing_over) => Some(handing_over),
            Self::Later(_) | Self::Said(_) => None,
        }
    }
}

/// Facts, and what has to be marked once they were told.
struct Gathered {
    facts: WakeFacts,
    project: Option<ProjectId>,
    /// What of the agent's mailbox is among them.
    read: Option<ReadMail>,
}

/// What of a mailbox was looked at.
struct ReadMail {
    project: ProjectId,
    agent: AgentAddress,
    /// The place of the last one that was read before.
    after: u64,
}

/// A wake-up in the shape that it is given.
struct Shaped {
    assembly: Assembly,
    /// The template that it has its shape from.
    template: Option<String>,
    /// What is wrong with the template that it should have its shape from.
    notices: Vec<String>,
}

impl Shaped {
    /// In the usual shape.
    fn usual(offers: &[Offer], budget: Budget, notices: Vec<String>) -> Self {
        Self {
            assembly: assemble(offers, budget),
            template: None,
            notices,
        }
    }
}

/// What became of the record of a wake-up.
enum Record {
    Kept,
    /// Nothing is known of this place, so there is nothing to record it with.
    NoProject,
    /// Somebody else has read a message meanwhile.
    Overtaken,
}

/// Why nothing was written.
enum Unrecorded {
    Overtaken,
    Error(AppError),
}

impl From<StoreError> for Unrecorded {
    fn from(error: StoreError) -> Self {
        Self::Error(error.into())
    }
}

impl App {
    /// Assembles an agent's wake-up, for a door that sends it later: the receipt marks its messages as read then.
    pub fn wake_to_send(
        &mut self,
        request: &WakeRequest,
        clock: ShortClock<'_>,
    ) -> Result<(WakeView, Option<Receipt>), AppError> {
        let mut receipt = None;
        let view = self.give_wake(request, clock, &mut Given::Later(&mut receipt))?;
        Ok((view, receipt))
    }

    /// Assembles an agent's wake-up and writes it with `say`, in the transaction that marks its messages as read. It is not
    /// written if there is nothing to record.
    pub fn wake_saying(
        &mut self,
        request: &WakeRequest,
        clock: ShortClock<'_>,
        say: SayWake<'_>,
    ) -> Result<WakeView, AppError> {
        self.give_wake(request, clock, &mut Given::Said(say))
    }

    /// The same as the next prompt of an agent: that it is one is written down in the transaction that marks the messages
    /// in it as read. False if there is nothing to say.
    pub(crate) fn hand_over_wake(
        &mut self,
        request: &WakeRequest,
        clock: ShortClock<'_>,
        handing_over: &HandingOver,
    ) -> Result<bool, AppError> {
        let view = self.give_wake(request, clock, &mut Given::HandedOver(handing_over))?;
        Ok(view.id.is_some())
    }

    fn give_wake(
        &mut self,
        request: &WakeRequest,
        clock: ShortClock<'_>,
        given: &mut Given<'_>,
    ) -> Result<WakeView, AppError> {
        for _ in 0..ID_TRIES {
            if let Some(view) = self.try_to_wake(request, clock, given)? {
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
        given: &mut Given<'_>,
    ) -> Result<Option<WakeView>, AppError> {
        self.store.hold_still()?;
        let gathered = self.gather(request, clock);
        self.store.let_go()?;
        let gathered = gathered?;
        let facts = &gathered.facts;
        // A session that begins where nothing is open is not to be bothered.
        let silent = request.reason == WakeReason::Startup
            && facts.step.is_none()
            && facts.position.is_none()
            && facts.held.is_none()
            && facts.questions.is_empty()
            && facts.messages.is_empty();
        let Shaped {
            assembly,
            template,
            notices,
        } = if silent {
            Shaped::usual(&[], request.budget, Vec::new())
        } else {
            self.put_together(request, facts)
        };
        let mut assembly = assembly;
        let errand = given.handing_over().and_then(|given| given.errand.as_ref());
        if let Some(errand) = errand {
            assembly.text = format!("{errand}\n{}", assembly.text);
            assembly.size = assembly.text.chars().count();
        }
        // Only a person who looks into it sees what the agent does not get.
        let is_left_out = |skill: &&WakeSkill| request.only_look && skill.sections.is_empty();
        let unavailable = facts.skill.iter().filter(is_left_out);
        let unavailable = unavailable.map(bugle_render::wake::unavailable);
        let mut view = WakeView {
            id: None,
            reason: facts.reason.clone(),
            agent: facts.agent.clone(),
            text: assembly.text.clone(),
            size: assembly.size,
            limit: request.budget.limit,
            unit: request.budget.unit.as_str().to_owned(),
            tokens: request.only_look.then(|| tokens::count(&assembly.text)).flatten(),
            parts: assembly.parts.iter().map(part_view).collect(),
            too_small: assembly.too_small,
            template,
            notices: notices.into_iter().chain(unavailable).collect(),
        };
        if !request.only_look && !silent {
            match self.record(request, &gathered, &assembly, given, &mut view)? {
                Record::Kept | Record::NoProject => {}
                Record::Overtaken => return Ok(None),
            }
        }
        Ok(Some(view))
    }

    /// In the shape that the project or the user wants, else in the usual one.
    fn put_together(&self, request: &WakeRequest, facts: &WakeFacts) -> Shaped {
        let offers = offers(facts);
        let around = Around {
            agent: &facts.agent,
            project: &facts.project,
            branch: facts.branch.as_deref().unwrap_or(""),
            reason: &facts.reason,
        };
        let template = match Template::find(&self.place, request.reason) {
            Some(Ok(template)) => template,
            Some(Err(wrong)) => return Shaped::usual(&offers, request.budget, vec![wrong]),
            None => return Shaped::usual(&offers, request.budget, Vec::new()),
        };
        match template.assemble(&offers, request.budget, &around) {
            Ok(assembly) => Shaped {
                assembly,
                template: Some(template.file),
                notices: Vec::new(),
            },
            Err(wrong) => Shaped::usual(&offers, request.budget, vec![wrong]),
        }
    }

    /// The command that shows all of a wake-up, whatever its size.
    fn again(&self, request: &WakeRequest) -> String {
        let mut words = vec!["wake".to_owned()];
        words.extend(request.agent.clone());
        match &request.replaces {
            Some(replaced) => {
                words.extend(["--replaces".to_owned(), replaced.agent.clone()]);
                if let Some(log) = &replaced.log {
                    let log = self.place.directory.join(log);
                    words.extend(["--log".to_owned(), log.display().to_string()]);
                }
            }
            None => words.extend(["--reason".to_owned(), request.reason.as_str().to_owned()]),
        }
        words.extend(["--budget".to_owned(), ROOM_ENOUGH.to_owned()]);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        self.place.command(&words)
    }

    /// Records a wake-up, marks the messages in it as read and gives it, all or nothing.
    fn record(
        &mut self,
        request: &WakeRequest,
        gathered: &Gathered,
        assembly: &Assembly,
        given: &mut Given<'_>,
        view: &mut WakeView,
    ) -> Result<Record, AppError> {
        let Some(project) = &gathered.project else {
            return Ok(Record::NoProject);
        };
        let held = records::Held::new(&assembly.parts, gathered.facts.recovery.as_ref());
        let parts = serde_json::to_string(&held).map_err(|error| AppError::System(error.to_string()))?;
        let content = records::packed(&assembly.text);
        let hash = content_hash(assembly.text.as_bytes());
        // What is told is read: whole, or with its beginning and the command that shows it whole. What is not told waits.
        let told = assembly.told as u64;
        let read = gathered.read.as_ref().filter(|_| told > 0);
        // A record by itself is for whoever looks back. What counts as read, what is on its way to an agent, and from whom
        // work was taken over, is relied on.
        let is_relied_on =
            read.is_some() || given.handing_over().is_some() || gathered.facts.recovery.is_some();
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
                hash: hash.clone(),
            };
            view.id = Some(id.to_string());
            let work = |store: &mut SqliteStore| {
                if !store.keep_wakeup(&row, &content)? {
                    return Ok(false);
                }
                if let Some(read) = read
                    && !matches!(given, Given::Later(_))
                    && store.take(&read.project, &read.agent, read.after.saturating_add(told), now)? < told
                {
                    return Err(Unrecorded::Overtaken);
                }
                match given {
                    Given::Later(receipt) => {
                        **receipt = read.map(|read| Receipt {
                            project: read.project.clone(),
                            agent: read.agent.clone(),
                            up_to: read.after.saturating_add(told),
                        });
                    }
                    Given::HandedOver(handing_over) => {
                        let told = read.map(|read| (read.after, read.after.saturating_add(told)));
                        hand_over(store, handing_over, &row, told)?;
                    }
                    Given::Said(say) => say(view).map_err(Unrecorded::Error)?,
                }
                Ok(true)
            };
            let kept = if is_relied_on {
                self.store.together(work)
            } else {
                self.store.together_lightly(work)
            };
            match kept {
                Ok(true) => return Ok(Record::Kept),
                Ok(false) => {}
                Err(Unrecorded::Overtaken) => {
                    view.id = None;
                    return Ok(Record::Overtaken);
                }
                Err(Unrecorded::Error(error)) => return Err(error),
            }
        }
        Err(AppError::System(
            "no free id was found for the wake-up".to_owned(),
        ))
    }
}

/// Makes a wake-up the next prompt of an agent, unless another one is on its way to it.
fn hand_over(
    store: &mut SqliteStore,
    handing_over: &HandingOver,
    wakeup: &WakeupRow,
    told: Option<(u64, u64)>,
) -> Result<(), Unrecorded> {
    let HandingOver {
        launch, recoveries, ..
    } = handing_over;
    let known = store.launch(&launch.project, &launch.agent)?;
    let on_its_way = |known: LaunchRow| {
        matches!(
            known.state,
            HandOver::Taken | HandOver::Carried | HandOver::Confirmed
        )
    };
    if known.is_some_and(on_its_way) {
        return Err(Unrecorded::Overtaken);
    }
    store.keep_launch(&LaunchRow {
        wakeup: Some(wakeup.id.clone()),
        state: HandOver::Taken,
        // What an earlier one told stays told, whatever becomes of this one.
        told: told.or_else(|| launch.told.map(|(_, up_to)| (up_to, up_to))),
        changed_at: wakeup.at,
        ..launch.clone()
    })?;
    if let Some(recoveries) = recoveries
        && let Some(mut agent) = store.agent(&launch.project, &launch.agent)?
    {
        agent.recoveries = *recoveries;
        store.keep_agent(&agent)?;
    }
    Ok(())
}

fn part_view(picked: &Picked) -> WakePart {
    WakePart {
        part: picked.part.as_str().to_owned(),
        verdict: match picked.verdict {
            Verdict::Whole => "whole",
            Verdict::Cut => "cut",
            Verdict::LeftOut => "left out",
            Verdict::Empty => "empty",
            Verdict::Unwanted => "not in the template",
        }
        .to_owned(),
        detail: picked.detail.map(|detail| detail.as_str().to_owned()),
        size: picked.size,
        whole: picked.whole,
    }
}
