//! Wake-ups: gathers the context that an agent needs to continue, fits it into a budget, and records and delivers it.

mod activity;
mod actor_names;
mod brief;
mod deliver;
mod facts;
mod history;
mod lost_work;
mod messages;
mod next_action;
mod open_step;
mod records;
mod recovery;
mod run_selection;
mod task_facts;
mod template;
mod unfinished_work;
mod woken;
mod worktree_state;

pub use brief::brief;
pub(crate) use deliver::keep_with_new_id;
pub(crate) use history::waited_for;
pub(crate) use lost_work::MAX_RUNS;
pub(crate) use messages::MAX_MESSAGES;
pub use records::{compare_wakeups, show_wakeup, wakeups};
pub(crate) use records::{compress, decompress, summary, wakeup_row};
pub use recovery::Replaced;

use bugle_core::agent::AgentStatus;
use bugle_core::id::Timestamp;
use bugle_core::message::AgentAddress;
use bugle_core::reply::{WakeFacts, WakeNotice, WakeSkill, WakeView};
use bugle_core::wake::{Assembly, Budget, Offer, WakeReason, assemble};
use bugle_render::wake::offers;
use bugle_store::{AgentRow, DeliveryRow, Failure, MailRange, ProjectId, Store, retry};
use deliver::{Record, record};
use records::part_view;
use template::{Template, TemplateValues};

use crate::error::conflict;
use crate::messages::Receipt;
use crate::{AppError, Context, addresses};

/// A request for a wake-up.
#[derive(Debug, Clone)]
pub struct WakeRequest {
    /// The agent to wake; the current agent if `None`.
    pub agent: Option<String>,
    /// The reason for the wake-up.
    pub reason: WakeReason,
    /// The lost agent that the woken agent replaces.
    pub replaces: Option<Replaced>,
    /// The size limit.
    pub budget: Budget,
    /// A message to the agent.
    pub message: Option<String>,
    /// Whether to only show the wake-up: record nothing and mark no message as read.
    pub dry_run: bool,
}

/// Formats a time for a wake-up, in the caller's time zone.
pub type ShortClock<'a> = &'a dyn Fn(Timestamp) -> String;

/// The agent whose client receives a wake-up as its prompt.
#[derive(Debug)]
pub(crate) struct PromptTarget<'a> {
    /// The agent.
    pub agent: &'a AgentRow,
    /// The delivery of the wake-up.
    pub delivery: DeliveryRow,
    /// The number of recoveries, including this one; `None` if this is not a recovery.
    pub recoveries: Option<u32>,
    /// The text before the wake-up, which gives a new session its task.
    pub prompt: Option<String>,
}

/// Writes a wake-up to the agent.
pub type WriteWake<'a> = &'a mut dyn FnMut(&WakeView) -> Result<(), AppError>;

/// How a wake-up is delivered, in the transaction that records it.
enum Output<'a> {
    /// The caller sends the wake-up later, and then uses the receipt to mark its messages as read.
    Deferred(&'a mut Option<Receipt>),
    /// The wake-up becomes an agent's next prompt.
    Prompt(&'a PromptTarget<'a>),
    /// The wake-up is written now. If writing fails or the process dies, no message counts as read.
    Written(WriteWake<'a>),
}

impl<'a> Output<'a> {
    fn target(&self) -> Option<&'a PromptTarget<'a>> {
        match self {
            Self::Prompt(target) => Some(target),
            Self::Deferred(_) | Self::Written(_) => None,
        }
    }
}

/// The facts for a wake-up, and the range of their unread messages.
struct Gathered {
    facts: WakeFacts,
    project: Option<ProjectId>,
    /// The unread messages among the facts.
    read: Option<MessageRange>,
    /// Whether no agent with this name is registered.
    is_unknown: bool,
    /// Whether the wake-up is for a person.
    is_person: bool,
}

/// A range of messages in a mailbox.
struct MessageRange {
    project: ProjectId,
    agent: AgentAddress,
    /// The position of the last message before the range.
    after: u64,
}

impl MessageRange {
    /// The first `count` messages of the range.
    fn first(&self, count: u64) -> MailRange {
        MailRange {
            after: self.after,
            up_to: self.after.saturating_add(count),
        }
    }
}

/// A wake-up that fits its budget.
struct Shaped {
    assembly: Assembly,
    /// The template's file, if a template was used.
    template: Option<String>,
    /// Notices about a template that could not be used.
    notices: Vec<WakeNotice>,
}

impl Shaped {
    fn without_template(offers: &[Offer], budget: Budget, notices: Vec<WakeNotice>) -> Self {
        Self {
            assembly: assemble(offers, budget),
            template: None,
            notices,
        }
    }
}

/// Assembles an agent's wake-up. The caller sends the wake-up later, and then uses the receipt to mark its messages as
/// read.
pub fn wake_with_receipt(
    store: &mut Store,
    ctx: &Context,
    request: &WakeRequest,
    clock: ShortClock<'_>,
) -> Result<(WakeView, Option<Receipt>), AppError> {
    let mut receipt = None;
    let view = wake(store, ctx, request, clock, &mut Output::Deferred(&mut receipt))?;
    Ok((view, receipt))
}

/// Assembles an agent's wake-up and passes it to `write`, in the transaction that marks its messages as read. Does not
/// write an empty or unrecorded wake-up.
pub fn wake_and_write(
    store: &mut Store,
    ctx: &Context,
    request: &WakeRequest,
    clock: ShortClock<'_>,
    write: WriteWake<'_>,
) -> Result<WakeView, AppError> {
    wake(store, ctx, request, clock, &mut Output::Written(write))
}

/// Assembles a wake-up and stores it as an agent's next prompt, in the transaction that marks its messages as read.
/// Returns false if the wake-up is empty or was not recorded.
pub(crate) fn wake_as_prompt(
    store: &mut Store,
    ctx: &Context,
    request: &WakeRequest,
    clock: ShortClock<'_>,
    target: &PromptTarget<'_>,
) -> Result<bool, AppError> {
    let view = wake(store, ctx, request, clock, &mut Output::Prompt(target))?;
    Ok(view.id.is_some())
}

fn wake(
    store: &mut Store,
    ctx: &Context,
    request: &WakeRequest,
    clock: ShortClock<'_>,
    output: &mut Output<'_>,
) -> Result<WakeView, AppError> {
    retry(|| {
        // The wake-up may have been printed before the failure.
        let view = try_wake(store, ctx, request, clock, output).map_err(Failure::Permanent)?;
        view.ok_or_else(|| {
            conflict(
                "nothing was recorded, because other processes kept reading the same messages; try again",
            )
        })
    })
}

/// Makes one attempt. Returns `None` if another process has read one of the wake-up's messages in the meantime.
fn try_wake(
    store: &mut Store,
    ctx: &Context,
    request: &WakeRequest,
    clock: ShortClock<'_>,
    output: &mut Output<'_>,
) -> Result<Option<WakeView>, AppError> {
    store.begin_snapshot()?;
    let gathered = facts::gather(
        store,
        ctx,
        request,
        output.target().map(|target| target.agent),
        clock,
    );
    store.end_snapshot()?;
    let gathered = gathered?;
    let facts = &gathered.facts;
    // A new session gets no wake-up if nothing is open and there are no messages.
    let is_empty = request.reason == WakeReason::Startup
        && facts.step.is_none()
        && facts.position.is_none()
        && facts.held.is_none()
        && facts.questions.is_empty()
        && facts.asked.is_none()
        && facts.messages.is_empty();
    let Shaped {
        assembly,
        template,
        notices,
    } = if is_empty {
        Shaped::without_template(&[], request.budget, Vec::new())
    } else {
        assemble_text(ctx, request, facts)
    };
    let mut assembly = assembly;
    let prompt = output.target().and_then(|target| target.prompt.as_ref());
    if let Some(prompt) = prompt {
        assembly.text = format!("{prompt}\n{}", assembly.text);
        assembly.size = request.budget.unit.measure(&assembly.text);
    }
    // A missing skill text is reported only in a dry run, which is for the user.
    let is_left_out = |skill: &&WakeSkill| request.dry_run && skill.sections.is_empty();
    let unavailable = facts.skill.iter().filter(is_left_out);
    let unavailable = unavailable.map(|skill| WakeNotice::SkillUnavailable {
        skill: skill.name.clone(),
        notices: skill.notices.clone(),
    });
    let named = request.agent.as_ref();
    let named = named.filter(|_| request.dry_run && gathered.is_unknown);
    let unknown = named.map(|agent| WakeNotice::UnknownAgent {
        agent: agent.clone(),
        list: ctx.command(&["agent", "list"]),
    });
    let explain_agents = match &gathered.project {
        Some(project) if request.dry_run && request.agent.is_none() && gathered.is_person => {
            explain_agents(store, ctx, project)?
        }
        _ => Vec::new(),
    };
    let mut view = WakeView {
        id: None,
        reason: facts.reason,
        agent: facts.agent.clone(),
        text: assembly.text.clone(),
        size: assembly.size,
        limit: request.budget.limit,
        unit: request.budget.unit.as_str().to_owned(),
        parts: assembly.parts.iter().map(part_view).collect(),
        too_small: assembly.too_small,
        template,
        notices: notices.into_iter().chain(unavailable).chain(unknown).collect(),
        explain_agents,
    };
    if !request.dry_run && !is_empty {
        match record(store, ctx, request, &gathered, &assembly, output, &mut view)? {
            Record::Kept | Record::NoProject => {}
            Record::Conflict => return Ok(None),
        }
    }
    Ok(Some(view))
}

/// The commands that explain the wake-ups of a project's agents.
fn explain_agents(store: &mut Store, ctx: &Context, project: &ProjectId) -> Result<Vec<String>, AppError> {
    let home = addresses::home(ctx);
    let agents = store.agents(Some(project))?.into_iter();
    let agents = agents.filter(|row| row.state.status != AgentStatus::Archived && !row.address.is_human());
    Ok(agents
        .map(|row| ctx.command(&["wake", &row.address.seen_from(&home), "--explain"]))
        .collect())
}

/// Fits the facts into the budget. Uses the project's or the user's template, if there is one.
fn assemble_text(ctx: &Context, request: &WakeRequest, facts: &WakeFacts) -> Shaped {
    let offers = offers(facts);
    let values = TemplateValues {
        agent: &facts.agent,
        project: &facts.project,
        branch: facts.branch.as_deref().unwrap_or(""),
        reason: facts.reason.as_str(),
    };
    let template = match Template::find(ctx, request.reason) {
        Some(Ok(template)) => template,
        Some(Err(notice)) => return Shaped::without_template(&offers, request.budget, vec![notice]),
        None => return Shaped::without_template(&offers, request.budget, Vec::new()),
    };
    match template.assemble(&offers, request.budget, &values) {
        Ok(assembly) => Shaped {
            assembly,
            template: Some(template.file),
            notices: Vec::new(),
        },
        Err(problem) => {
            let notice = WakeNotice::Template {
                file: template.file,
                problem,
            };
            Shaped::without_template(&offers, request.budget, vec![notice])
        }
    }
}
