//! Executes tool calls. Each tool calls a command's use case and returns the text that the command prints.

use bugle_app::{
    App, AppError, MAX_INPUT_BYTES, McpClient, Purpose, WakeRequest, agents, mcp_caller, messages, open_for,
    wakeup,
};
use bugle_core::wake::{Budget, WakeReason};
use bugle_render::{message, wake};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::ServerOptions;
use super::arguments::{GetContext, ReadInbox, SendMessage, usage};
use super::call_result::{CallResult, sent};
use super::question::{Answered, Question};
use super::run_calls::{Finished, finish_step, get_step, not_answered, record_answer, start_run};
use super::session::Caller;
use super::task_calls::{list_tasks, update_task};
use super::tools::Tool;

/// The size limit for a wake-up. It is the same as for hooks, so that an agent gets the same text from both.
const CONTEXT_BUDGET: Budget = Budget::utf16(9_000);

/// The connection that a call comes from.
#[derive(Debug, Clone)]
pub(super) struct Connection {
    pub options: ServerOptions,
    pub caller: Caller,
    pub client: McpClient,
}

impl Connection {
    fn open(&self) -> Result<App, AppError> {
        self.prepared(App::open(self.caller.context(&self.options.directory)?)?)
    }

    fn open_for(&self, purpose: Purpose<'_>) -> Result<App, AppError> {
        let context = self.caller.context(&self.options.directory)?;
        self.prepared(open_for(context, purpose, &mut |_| ())?)
    }

    fn prepared(&self, mut app: App) -> Result<App, AppError> {
        mcp_caller::prepare(&mut app, self.client)?;
        Ok(app)
    }

    /// Records the user's answer from the client's form, or says that there is none.
    pub(super) fn answer(&self, question: &Question, answered: Answered) -> Result<CallResult, AppError> {
        let mut app = self.open()?;
        match answered {
            Answered::Yes { answer, reason } => record_answer(&mut app, question, answer, reason),
            Answered::No(how) => Ok(not_answered(&app, question, how)),
        }
    }
}

/// Executes a call.
pub(super) fn call(
    connection: &Connection,
    tool: Tool,
    arguments: Map<String, Value>,
) -> Result<Finished, AppError> {
    let arguments = Value::Object(arguments);
    if arguments.to_string().len() > MAX_INPUT_BYTES {
        return Err(usage(format!(
            "the arguments for {} are larger than {MAX_INPUT_BYTES} bytes",
            tool.name()
        )));
    }
    let options = &connection.options;
    let open = || connection.open();
    let open_for = |purpose: Purpose<'_>| connection.open_for(purpose);
    let answer = match tool {
        Tool::FinishStep => return finish_step(read(tool, arguments)?, open_for),
        Tool::StartRun => start_run(read(tool, arguments)?, open),
        Tool::GetStep => get_step(&read(tool, arguments)?, options, open_for),
        Tool::ListTasks => list_tasks(&read(tool, arguments)?, open, options),
        Tool::UpdateTask => update_task(read(tool, arguments)?, open, options),
        Tool::SendMessage => send_message(&read(tool, arguments)?, &mut open()?),
        Tool::ReadInbox => read_inbox(&read(tool, arguments)?, &mut open()?, options),
        Tool::GetContext => get_context(read(tool, arguments)?, open_for(Purpose::Wake)?, options),
    };
    answer.map(|answer| Finished::Answer(Box::new(answer)))
}

/// Parses a tool's arguments.
fn read<T: DeserializeOwned>(tool: Tool, arguments: Value) -> Result<T, AppError> {
    serde_json::from_value(arguments)
        .map_err(|error| usage(format!("invalid arguments for {}: {error}", tool.name())))
}

/// Identifies a caller whose client sends no session as the agent that it names, and registers a new agent.
fn act_as(app: &mut App, name: Option<&String>) -> Result<(), AppError> {
    app.context.acting_as = name.cloned();
    agents::act_as(&mut app.store, &mut app.context)
}

fn send_message(asked: &SendMessage, app: &mut App) -> Result<CallResult, AppError> {
    act_as(app, asked.agent.as_ref())?;
    let (store, ctx) = (&mut app.store, &app.context);
    let name = asked.agent.as_deref();
    let said = match (&asked.answers, asked.question.unwrap_or(false)) {
        (Some(_), true) => {
            return Err(usage("pass either `question` or `answers`, not both".to_owned()));
        }
        (Some(question), false) => messages::answer(store, ctx, Some(question), &asked.text, name)?,
        (None, true) => messages::ask(store, ctx, &asked.text, name)?,
        (None, false) => messages::say(store, ctx, &asked.text, name)?,
    };
    let rest = ctx.shell_command(&["message", "list"]);
    Ok(CallResult::new(message::said(&said), &rest))
}

fn read_inbox(asked: &ReadInbox, app: &mut App, options: &ServerOptions) -> Result<CallResult, AppError> {
    act_as(app, asked.agent.as_ref())?;
    let (list, receipt) = messages::unread_messages(&mut app.store, &app.context, asked.agent.as_deref())?;
    let receipt = receipt.filter(|_| !asked.keep_unread.unwrap_or(false));
    let reader = list.unread_by.clone().unwrap_or_default();
    // Read messages stay in the history, so truncation loses nothing.
    let rest = app.context.shell_command(&["message", "list", "--for", &reader]);
    let text = message::list(&list, app.context.interface, &options.clock);
    Ok(CallResult {
        sent: sent(&app.context, receipt),
        ..CallResult::new(text, &rest)
    })
}

fn get_context(asked: GetContext, mut app: App, options: &ServerOptions) -> Result<CallResult, AppError> {
    act_as(&mut app, asked.agent.as_ref())?;
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
    let woken = CallResult::new(format!("{}\n", view.text), &app.context.shell_command(&["wake"]));
    let notices: Vec<String> = view.notices.iter().map(wake::notice).collect();
    let notices = (!notices.is_empty()).then(|| notices.join("\n"));
    Ok(CallResult {
        aside: notices,
        sent: sent(&app.context, receipt),
        ..woken
    })
}
