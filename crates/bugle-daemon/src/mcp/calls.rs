//! Executes tool calls. Each tool calls a command's use case and returns the text that the command prints.

use bugle_app::{
    App, AppError, Context, DoneRequest, Given, MAX_INPUT_BYTES, Purpose, Reply, RunSelector, StartRequest,
    Stop, WakeRequest, child_token, messages, open_for, projects, runs, visit_token, wakeup,
};
use bugle_core::engine::Escalation;
use bugle_core::reply::StepView;
use bugle_core::wake::{Budget, WakeReason};
use bugle_render::{Format, message, step, wake};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::ServerOptions;
use super::arguments::{Ending, FinishStep, GetContext, GetStep, ReadInbox, SendMessage, StartRun, usage};
use super::call_result::{CallResult, sent};
use super::session::Caller;
use super::task_calls::{list_tasks, update_task};
use super::tools::Tool;

/// The size limit for a wake-up. It is the same as for hooks, so that an agent gets the same text from both.
const CONTEXT_BUDGET: Budget = Budget::utf16(9_000);

/// Executes a call.
pub(super) fn call(
    options: &ServerOptions,
    caller: &Caller,
    tool: Tool,
    arguments: Map<String, Value>,
) -> Result<CallResult, AppError> {
    let arguments = Value::Object(arguments);
    if arguments.to_string().len() > MAX_INPUT_BYTES {
        return Err(usage(format!(
            "the arguments for {} are larger than {MAX_INPUT_BYTES} bytes",
            tool.name()
        )));
    }
    let open = || {
        let mut app = App::open(caller.context(&options.directory)?)?;
        projects::follow_move(&mut app.store, &app.context)?;
        Ok(app)
    };
    let open_to = |purpose: Purpose<'_>| {
        let mut app = open_for(caller.context(&options.directory)?, purpose, &mut |_| ())?;
        projects::follow_move(&mut app.store, &app.context)?;
        Ok(app)
    };
    match tool {
        Tool::StartRun => start_run(read(tool, arguments)?, open),
        Tool::FinishStep => finish_step(read(tool, arguments)?, open_to),
        Tool::GetStep => {
            let asked: GetStep = read(tool, arguments)?;
            let selector = RunSelector::parse(asked.run.as_deref())?;
            let mut app = open_to(Purpose::Step(&selector))?;
            let reply = runs::step(&mut app.store, &app.context, &selector)?;
            Ok(replied(&app.context, &reply))
        }
        Tool::ListTasks => list_tasks(&read(tool, arguments)?, open, options),
        Tool::UpdateTask => update_task(read(tool, arguments)?, open, options),
        Tool::SendMessage => {
            let asked: SendMessage = read(tool, arguments)?;
            let mut app = open()?;
            let said = messages::say(&mut app.store, &app.context, &asked.text, asked.agent.as_deref())?;
            Ok(CallResult::new(
                message::said(&said),
                &app.context.command(&["message", "list"]),
            ))
        }
        Tool::ReadInbox => {
            let asked: ReadInbox = read(tool, arguments)?;
            let mut app = open()?;
            let (list, receipt) =
                messages::unread_messages(&mut app.store, &app.context, asked.agent.as_deref())?;
            let receipt = receipt.filter(|_| !asked.keep_unread.unwrap_or(false));
            let reader = list.unread_by.clone().unwrap_or_default();
            // Read messages stay in the history, so truncation loses nothing.
            let rest = app.context.command(&["message", "list", "--for", &reader]);
            Ok(CallResult {
                sent: sent(&app.context, receipt),
                ..CallResult::new(message::list(&list, &options.clock), &rest)
            })
        }
        Tool::GetContext => {
            let asked: GetContext = read(tool, arguments)?;
            let mut app = open_to(Purpose::Wake)?;
            let request = WakeRequest {
                agent: asked.agent,
                reason: WakeReason::Compact,
                budget: CONTEXT_BUDGET,
                message: None,
                replaces: None,
                dry_run: false,
            };
            let (view, receipt) =
                wakeup::wake_with_receipt(&mut app.store, &app.context, &request, &options.short_clock)?;
            let woken = CallResult::new(format!("{}\n", view.text), &app.context.command(&["wake"]));
            let notices: Vec<String> = view.notices.iter().map(wake::notice).collect();
            let notices = (!notices.is_empty()).then(|| notices.join("\n"));
            Ok(CallResult {
                aside: notices,
                sent: sent(&app.context, receipt),
                ..woken
            })
        }
    }
}

/// Parses a tool's arguments.
fn read<T: DeserializeOwned>(tool: Tool, arguments: Value) -> Result<T, AppError> {
    serde_json::from_value(arguments)
        .map_err(|error| usage(format!("invalid arguments for {}: {error}", tool.name())))
}

fn start_run(asked: StartRun, open: impl Fn() -> Result<App, AppError>) -> Result<CallResult, AppError> {
    let params = asked.params.unwrap_or_default();
    match (asked.skill, asked.child) {
        (None, Some(child)) if params.is_empty() => {
            let token = child_token(&child)?;
            let mut app = open()?;
            let reply = runs::start_child(&mut app.store, &app.context, &token)?;
            Ok(replied(&app.context, &reply))
        }
        (Some(skill), None) => {
            let params = if params.is_empty() {
                Vec::new()
            } else {
                vec![Given::Values(params)]
            };
            let mut app = open()?;
            let reply = runs::start(
                &mut app.store,
                &app.context,
                StartRequest {
                    skill,
                    params,
                    task: None,
                },
            )?;
            Ok(replied(&app.context, &reply))
        }
        _ => Err(usage(
            "start_run needs either `skill`, with optional `params`, or `child`".to_owned(),
        )),
    }
}

fn finish_step(
    asked: FinishStep,
    open: impl Fn(Purpose<'_>) -> Result<App, AppError>,
) -> Result<CallResult, AppError> {
    let outcome = asked.outcome.unwrap_or(Ending::Done);
    let stop = match outcome {
        Ending::Done | Ending::Unanswered => None,
        Ending::Fail => Some(Stop::Failed),
        Ending::Blocked => Some(Stop::Escalated(Escalation::Blocked)),
        Ending::NeedsDecision => Some(Stop::Escalated(Escalation::NeedsDecision)),
        Ending::Uncertainty => Some(Stop::Escalated(Escalation::Uncertainty)),
    };
    let unfit = if outcome != Ending::Done && asked.result.is_some() {
        Some("`result` is allowed only with the outcome `done`")
    } else if stop.is_none() && asked.why.is_some() {
        Some("`why` is allowed only with an outcome that stops the step")
    } else {
        None
    };
    if let Some(unfit) = unfit {
        return Err(usage(format!("{unfit}: remove it, or change `outcome`")));
    }
    let request = DoneRequest {
        visit: visit_token(&asked.visit)?,
        unanswered: outcome == Ending::Unanswered,
        // An agent may pass the JSON as a string, as it would on the command line.
        result: asked.result.map(|result| match result {
            Value::String(text) => text,
            value => value.to_string(),
        }),
        stopped: stop.map(|stop| (stop, asked.why)),
        note: asked.note,
    };
    let mut app = open(Purpose::Done(&request.visit))?;
    let reply = runs::done(&mut app.store, &app.context, request)?;
    Ok(replied(&app.context, &reply))
}

/// The result of a run command.
fn replied(ctx: &Context, reply: &Reply) -> CallResult {
    match reply {
        Reply::Step(view) => CallResult {
            aside: finish_hint(view),
            ..CallResult::new(
                step::step(view, Format::Xml),
                &ctx.command(&["step", view.position.run.as_str()]),
            )
        },
        Reply::End(view) => CallResult::new(
            step::end(view, Format::Xml),
            &ctx.command(&["run", "show", view.position.run.as_str()]),
        ),
    }
}

/// A hint on how to finish the step with this server, if an agent may finish it.
fn finish_hint(view: &StepView) -> Option<String> {
    let visit = view.position.visit.as_ref()?;
    if view.command.is_none() || view.ask.is_some() {
        return None;
    }
    let result = match &view.result {
        Some(_) => " and pass the result as `result`, without writing the file",
        None => "",
    };
    Some(format!(
        "Instead of running the command, you can call finish_step with visit \"{visit}\"{result}."
    ))
}
