//! One function per tool: arguments become a use case, and its answer the text that the command prints.

use bugle_app::{
    AddRequest, App, AppError, DoneRequest, Extent, Given, MAX_INPUT_BYTES, Place, Receipt, Reply,
    RunSelector, StartRequest, Stop, TaskScope, WakeRequest, child_token, task_id, visit_token,
};
use bugle_core::engine::Escalation;
use bugle_core::name::AgentName;
use bugle_core::task::TaskCommand;
use bugle_core::wake::{Budget, WakeReason};
use bugle_render::{Format, message, step, task, text};
use bugle_wire::StepView;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::Surroundings;
use super::arguments::{
    Action, Ending, FinishStep, GetContext, GetStep, ListTasks, Listing, ReadInbox, SendMessage, StartRun,
    UpdateTask,
};
use super::bounds::bounded;
use super::session::Caller;
use super::tools::Tool;

/// How many tasks are shown at most, as on the command line.
const MOST_TASKS: u32 = 300;
const MOST_READY: u32 = 50;

/// What a call has come to.
#[derive(Debug)]
pub(super) struct Told {
    /// The answer.
    pub text: String,
    /// What only a client of this server needs to know about it.
    pub aside: Option<String>,
    /// Whether nothing was done.
    pub error: bool,
    /// The messages in it, which count as read once it was sent.
    pub sent: Option<Sent>,
}

/// What to mark as read once an answer was sent.
#[derive(Debug, Clone)]
pub(super) struct Sent {
    place: Place,
    receipt: Receipt,
}

impl Sent {
    /// Marks it. If that fails, the messages stay unread and are sent again, which loses nothing.
    pub(super) fn mark(&self) {
        if let Ok(mut app) = App::open(self.place.clone()) {
            let _ = app.mark_read(&self.receipt);
        }
    }
}

impl Told {
    fn new(text: String, rest: &str) -> Self {
        Self {
            text: bounded(text, rest),
            aside: None,
            error: false,
            sent: None,
        }
    }

    /// Nothing was done, and this is why.
    pub(super) fn failed(error: &AppError) -> Self {
        let text = if let AppError::Refused(view) = error {
            step::refusal(view, Format::Xml)
        } else {
            let view = error.view();
            text::complaint(&view.message, &view.hints)
        };
        Self {
            error: true,
            // A refusal is short; the command that shows where things stand is in it.
            ..Self::new(text, "bugle step")
        }
    }
}

/// Carries out a call.
pub(super) fn call(
    around: &Surroundings,
    caller: &Caller,
    tool: Tool,
    arguments: Map<String, Value>,
) -> Result<Told, AppError> {
    let arguments = Value::Object(arguments);
    if arguments.to_string().len() > MAX_INPUT_BYTES {
        return Err(usage(format!(
            "the arguments of {} have more than {MAX_INPUT_BYTES} bytes",
            tool.name()
        )));
    }
    let open = || App::open(caller.place(&around.directory)?);
    match tool {
        Tool::StartRun => start_run(read(tool, arguments)?, open),
        Tool::FinishStep => finish_step(read(tool, arguments)?, open),
        Tool::GetStep => {
            let asked: GetStep = read(tool, arguments)?;
            let selector = RunSelector::parse(asked.run.as_deref())?;
            let mut app = open()?;
            let reply = app.step(&selector)?;
            Ok(replied(&app.place, &reply))
        }
        Tool::ListTasks => list_tasks(&read(tool, arguments)?, open, around),
        Tool::UpdateTask => update_task(read(tool, arguments)?, open, around),
        Tool::SendMessage => {
            let asked: SendMessage = read(tool, arguments)?;
            let mut app = open()?;
            let said = app.say(&asked.text, asked.agent.as_deref())?;
            Ok(Told::new(message::said(&said), &app.place.command(&["messages"])))
        }
        Tool::ReadInbox => {
            let asked: ReadInbox = read(tool, arguments)?;
            let mut app = open()?;
            let (list, receipt) = app.unread_messages(asked.agent.as_deref())?;
            let receipt = receipt.filter(|_| !asked.keep_unread.unwrap_or(false));
            let reader = list.unread_by.clone().unwrap_or_default();
            // What was taken is in the history: nothing that is cut is lost.
            let rest = app.place.command(&["messages", "--for", &reader]);
            Ok(Told {
                sent: sent(&app.place, receipt),
                ..Told::new(message::list(&list, &around.clock), &rest)
            })
        }
        Tool::GetContext => {
            let asked: GetContext = read(tool, arguments)?;
            let mut app = open()?;
            let request = WakeRequest {
                agent: asked.agent,
                reason: WakeReason::Compact,
                budget: Budget::CLAUDE,
                message: None,
                replaces: None,
                only_look: false,
            };
            let (view, receipt) = app.wake_to_send(&request, &around.short_clock)?;
            let told = Told::new(format!("{}\n", view.text), &app.place.command(&["wake"]));
            let notices = (!view.notices.is_empty()).then(|| view.notices.join("\n"));
            Ok(Told {
                aside: notices,
                sent: sent(&app.place, receipt),
                ..told
            })
        }
    }
}

fn sent(place: &Place, receipt: Option<Receipt>) -> Option<Sent> {
    let place = place.clone();
    receipt.map(|receipt| Sent { place, receipt })
}

/// The arguments as the tool takes them.
fn read<T: DeserializeOwned>(tool: Tool, arguments: Value) -> Result<T, AppError> {
    serde_json::from_value(arguments)
        .map_err(|error| usage(format!("{} does not take these arguments: {error}", tool.name())))
}

fn usage(what: String) -> AppError {
    AppError::Usage {
        what,
        hints: Vec::new(),
    }
}

fn start_run(asked: StartRun, open: impl Fn() -> Result<App, AppError>) -> Result<Told, AppError> {
    let params = asked.params.unwrap_or_default();
    match (asked.skill, asked.child) {
        (None, Some(child)) if params.is_empty() => {
            let token = child_token(&child)?;
            let mut app = open()?;
            let reply = app.start_child(&token)?;
            Ok(replied(&app.place, &reply))
        }
        (Some(skill), None) => {
            let params = if params.is_empty() {
                Vec::new()
            } else {
                vec![Given::Values(params)]
            };
            let mut app = open()?;
            let reply = app.start(StartRequest { skill, params })?;
            Ok(replied(&app.place, &reply))
        }
        _ => Err(usage(
            "start_run takes a skill, with its params, or the token of a sub-agent".to_owned(),
        )),
    }
}

fn finish_step(asked: FinishStep, open: impl Fn() -> Result<App, AppError>) -> Result<Told, AppError> {
    let stop = match asked.outcome.unwrap_or(Ending::Done) {
        Ending::Done | Ending::Unanswered => None,
        Ending::Fail => Some(Stop::Failed),
        Ending::Blocked => Some(Stop::Escalated(Escalation::Blocked)),
        Ending::NeedsDecision => Some(Stop::Escalated(Escalation::NeedsDecision)),
        Ending::Uncertainty => Some(Stop::Escalated(Escalation::Uncertainty)),
    };
    let unfit = match stop {
        None => asked.why.as_ref().map(|_| "a reason is not for what is done"),
        Some(_) => asked.result.as_ref().map(|_| "a result is only for what is done"),
    };
    if let Some(unfit) = unfit {
        return Err(usage(format!("{unfit}: leave it out, or give another outcome")));
    }
    let request = DoneRequest {
        visit: visit_token(&asked.visit)?,
        unanswered: asked.outcome == Some(Ending::Unanswered),
        // An agent may hand in the text of the JSON, as it would on the command line.
        result: asked.result.map(|result| match result {
            Value::String(text) => text,
            value => value.to_string(),
        }),
        stopped: stop.map(|stop| (stop, asked.why)),
        note: asked.note,
    };
    let mut app = open()?;
    let reply = app.done(request)?;
    Ok(replied(&app.place, &reply))
}

/// What follows from a change to a run.
fn replied(place: &Place, reply: &Reply) -> Told {
    match reply {
        Reply::Step(view) => Told {
            aside: way_on(view),
            ..Told::new(
                step::step(view, Format::Xml),
                &place.command(&["step", &view.position.run]),
            )
        },
        Reply::End(view) => Told::new(
            step::end(view, Format::Xml),
            &place.command(&["show", &view.position.run]),
        ),
    }
}

/// How the step is ended through this server, where an agent may end it.
fn way_on(view: &StepView) -> Option<String> {
    let visit = view.position.visit.as_ref()?;
    if view.command.is_none() || view.ask.is_some() {
        return None;
    }
    let result = match &view.result {
        Some(_) => " and the result as `result`, without a file",
        None => "",
    };
    Some(format!(
        "The tool finish_step with visit \"{visit}\"{result} does the same as the command."
    ))
}

fn list_tasks(
    asked: &ListTasks,
    open: impl Fn() -> Result<App, AppError>,
    around: &Surroundings,
) -> Result<Told, AppError> {
    let within = asked.within.as_deref();
    let listing = asked.show.unwrap_or(Listing::Open);
    if listing == Listing::Details {
        let id =
            within.ok_or_else(|| usage("details are of one task: give its id as `within`".to_owned()))?;
        return details(&mut open()?, id, Extent::Full, None, around);
    }
    let scope = TaskScope::parse(within)?;
    let mut app = open()?;
    let (shown, words) = match listing {
        Listing::Next => (task::next(&app.next_task(&scope, None)?), vec!["next"]),
        Listing::Ready => (task::ready(&app.ready_tasks(&scope, MOST_READY)?), vec!["ready"]),
        Listing::All => (
            task::tree(&app.task_tree(&scope, true, MOST_TASKS)?),
            vec!["list", "--all"],
        ),
        Listing::Open | Listing::Details => (
            task::tree(&app.task_tree(&scope, false, MOST_TASKS)?),
            vec!["list"],
        ),
    };
    let words: Vec<&str> = ["task"].into_iter().chain(words).chain(within).collect();
    Ok(Told::new(shown, &app.place.command(&words)))
}

fn details(
    app: &mut App,
    task: &str,
    extent: Extent,
    agent: Option<&AgentName>,
    around: &Surroundings,
) -> Result<Told, AppError> {
    let detail = app.show_task(&task_id(task)?, extent, agent)?;
    let rest = app.place.command(&["task", "show", task, "--full"]);
    Ok(Told::new(task::detail(&detail, &around.clock), &rest))
}

fn update_task(
    asked: UpdateTask,
    open: impl Fn() -> Result<App, AppError>,
    around: &Surroundings,
) -> Result<Told, AppError> {
    let UpdateTask {
        action,
        task: named,
        text,
        agent,
    } = asked;
    let agent = agent
        .map(|name| AgentName::new(name).map_err(|bad| usage(bad.to_string())))
        .transpose()?;
    let needed = |text: Option<String>, what: &str| {
        text.ok_or_else(|| usage(format!("this needs {what}: give it as `text`")))
    };
    let id = named.as_deref().map(task_id).transpose()?;
    if action == Action::Add {
        let request = AddRequest {
            titles: vec![needed(text, "the title of the task")?],
            under: id,
            neighbour: None,
            skill: None,
            agent,
            waits_for: Vec::new(),
            note: None,
        };
        let mut app = open()?;
        let changed = app.add_tasks(&request)?;
        return Ok(Told::new(
            task::changed(&changed),
            &app.place.command(&["task", "list"]),
        ));
    }
    let (Some(id), Some(named)) = (id, named) else {
        return Err(usage("this needs a task: give its id as `task`".to_owned()));
    };
    // What is said with the end of a task is what later tasks should know.
    let note = text
        .clone()
        .filter(|_| action == Action::Done)
        .map(TaskCommand::Note);
    let command = match action {
        Action::Start => {
            let command = TaskCommand::Start {
                agent: agent.clone(),
                run: None,
                take_over: false,
            };
            let mut app = open()?;
            app.change_task(&id, &command)?;
            return details(&mut app, &named, Extent::Work, agent.as_ref(), around);
        }
        Action::Add | Action::Done => TaskCommand::Done,
        Action::Skip => TaskCommand::Skip { reason: text },
        Action::Fail => TaskCommand::Fail {
            reason: needed(text, "the reason")?,
        },
        Action::Block => TaskCommand::Block {
            reason: needed(text, "what stands in the way")?,
        },
        Action::Reopen => TaskCommand::Reopen,
        Action::Note => TaskCommand::Note(needed(text, "the note")?),
    };
    let mut app = open()?;
    let commands: Vec<TaskCommand> = note.into_iter().chain([command]).collect();
    let changed = app.change_task_by(&id, &commands)?;
    let rest = app.place.command(&["task", "show", &named, "--full"]);
    Ok(Told::new(task::changed(&changed), &rest))
}
