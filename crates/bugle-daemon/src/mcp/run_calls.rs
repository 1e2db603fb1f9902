//! Executes the calls of the tools that concern runs.

use bugle_app::{
    App, AppError, Context, DoneRequest, Given, Purpose, Reply, RunSelector, StartRequest, Stop, mcp_caller,
    runs, skills,
};
use bugle_core::engine::Escalation;
use bugle_core::interface::{AnswerRoute, Interface};
use bugle_render::{Format, findings, run, skill, step};

use serde_json::json;

use super::ServerOptions;
use super::arguments::{
    Ending, FinishStep, GetStep, ShownPart, StartRun, child_token, run_selector, usage, visit_token,
};
use super::bounds::BEGINNING;
use super::call_result::CallResult;
use super::question::Question;

/// Maximum number of runs listed.
const MAX_RUNS: u32 = 50;

/// The result of `finish_step`.
pub(super) enum Finished {
    /// The answer to the agent.
    Answer(Box<CallResult>),
    /// The step has a question. The client asks its user.
    Ask(Question),
}

pub(super) fn start_run(
    asked: StartRun,
    open: impl Fn() -> Result<App, AppError>,
) -> Result<CallResult, AppError> {
    let params = asked.params.unwrap_or_default();
    let has_params = !params.is_empty();
    let mut app = open()?;
    let (store, ctx) = (&mut app.store, &app.context);
    let reply = match (asked.skill, asked.child, asked.restart, asked.resume) {
        (None, None, None, None) if !has_params && asked.answer.is_none() => {
            let list = skills::skills(store, ctx)?;
            let rest = ctx.shell_command(&["skill", "list"]);
            return Ok(CallResult::new(skill::startable(&list, ctx.interface), &rest));
        }
        (Some(skill), None, None, None) if asked.answer.is_none() => {
            let params = if has_params {
                vec![Given::Values(params)]
            } else {
                Vec::new()
            };
            let request = StartRequest {
                skill,
                params,
                task: None,
            };
            runs::start(store, ctx, request)?
        }
        (None, Some(child), None, None) if !has_params && asked.answer.is_none() => {
            runs::start_child(store, ctx, &child_token(&child)?)?
        }
        (None, None, Some(child), None) if !has_params => {
            runs::retry(store, ctx, &child_token(&child)?, asked.answer)?
        }
        (None, None, None, Some(run)) if !has_params && asked.answer.is_none() => {
            runs::resume(store, ctx, &run_selector(Some(&run))?)?
        }
        _ => {
            return Err(usage(
                "start_run takes one of `skill`, with optional `params`; `child`; `restart`, with optional `answer`; \
                 or `resume`"
                    .to_owned(),
            ));
        }
    };
    Ok(replied(&app.context, &reply))
}

pub(super) fn get_step(
    asked: &GetStep,
    options: &ServerOptions,
    open: impl Fn(Purpose<'_>) -> Result<App, AppError>,
) -> Result<CallResult, AppError> {
    let selector = run_selector(asked.run.as_deref())?;
    let mut app = open(Purpose::Step(&selector))?;
    let (store, ctx) = (&mut app.store, &app.context);
    let show = asked.show.unwrap_or(ShownPart::Step);
    let (text, run) = match show {
        ShownPart::Step => match runs::step(store, ctx, &selector)? {
            Reply::Step(view) => (step::step(&view, Format::Xml), view.position.run.to_string()),
            Reply::End(view) => (step::end(&view, Format::Xml), view.position.run.to_string()),
        },
        ShownPart::History => {
            let detail = runs::show(store, ctx, &selector)?;
            let run = detail.summary.position.run.to_string();
            (run::detail(&detail, &options.clock), run)
        }
        ShownPart::Runs => {
            let list = runs::runs(store, ctx, false, true, MAX_RUNS)?;
            let rest = ctx.shell_command(&["run", "list"]);
            return Ok(CallResult::new(run::list(&list, &options.clock), &rest));
        }
        ShownPart::Findings => {
            let view = runs::findings(store, ctx, &selector)?;
            (findings(&view, Format::Xml), view.visit.to_string())
        }
    };
    let offset = asked.offset.unwrap_or(0);
    let text = text.chars().skip(offset).collect();
    Ok(CallResult::new(text, &rest_of(&run, show, offset)))
}

/// The call that returns the rest of an answer of which the characters from `offset` on do not fit.
fn rest_of(run: &str, show: ShownPart, offset: usize) -> String {
    let mut arguments = json!({ "run": run, "offset": offset + BEGINNING });
    if show != ShownPart::Step {
        arguments["show"] = json!(show);
    }
    format!("get_step {arguments}")
}

pub(super) fn finish_step(
    asked: FinishStep,
    open: impl Fn(Purpose<'_>) -> Result<App, AppError>,
) -> Result<Finished, AppError> {
    let outcome = asked.outcome.unwrap_or(Ending::Done);
    let stop = match outcome {
        Ending::Done | Ending::Unanswered => None,
        Ending::Fail => Some(Stop::Failed),
        Ending::Blocked => Some(Stop::Escalated(Escalation::Blocked)),
        Ending::NeedsDecision => Some(Stop::Escalated(Escalation::NeedsDecision)),
        Ending::Uncertainty => Some(Stop::Escalated(Escalation::Uncertainty)),
    };
    let unfit = if asked.answer.is_some() && (outcome != Ending::Done || asked.result.is_some()) {
        Some("`answer` is allowed only without `result` and `outcome`")
    } else if outcome != Ending::Done && asked.result.is_some() {
        Some("`result` is allowed only with the outcome `done`")
    } else if stop.is_none() && asked.answer.is_none() && asked.why.is_some() {
        Some("`why` is allowed only with `answer` or an outcome that stops the step")
    } else {
        None
    };
    if let Some(unfit) = unfit {
        return Err(usage(format!("{unfit}: remove it, or change `outcome`")));
    }
    let visit = visit_token(&asked.visit)?;
    let mut app = open(Purpose::Done(&visit))?;
    if let Some(answer) = asked.answer {
        let selector = RunSelector::Visit(visit);
        let decided = runs::decide(&mut app.store, &app.context, &selector, Some(answer), asked.why);
        return match decided {
            Ok(decided) => Ok(Finished::Answer(Box::new(replied(&app.context, &decided.reply)))),
            Err(error) => ask_instead(&mut app, &selector, error),
        };
    }
    let request = DoneRequest {
        visit: visit.clone(),
        unanswered: outcome == Ending::Unanswered,
        // An agent may pass the JSON as a string, as it would on the command line.
        result: asked.result.map(|result| match result {
            serde_json::Value::String(text) => text,
            value => value.to_string(),
        }),
        stopped: stop.map(|stop| (stop, asked.why)),
        note: asked.note,
    };
    match runs::done(&mut app.store, &app.context, request) {
        Ok(reply) => Ok(Finished::Answer(Box::new(replied(&app.context, &reply)))),
        Err(error) => ask_instead(&mut app, &RunSelector::Visit(visit), error),
    }
}

/// Asks the user through the client if a call was refused because its visit waits for the user's answer.
fn ask_instead(app: &mut App, selector: &RunSelector, error: AppError) -> Result<Finished, AppError> {
    let waits = matches!(&error, AppError::Refused(refused)
        if ["wrong-status", "user-not-heard", "person-needed"].contains(&refused.reason.code()));
    if !waits || app.context.interface != Interface::Mcp(AnswerRoute::Client) {
        return Err(error);
    }
    let reply = runs::step(&mut app.store, &app.context, selector)?;
    let Reply::Step(view) = reply else {
        return Err(error);
    };
    match (&view.ask, &view.position.visit) {
        (Some(ask), Some(visit)) if selector.visit() == Some(visit.visit) => {
            Ok(Finished::Ask(Question::of(visit.clone(), ask)))
        }
        _ => Err(error),
    }
}

/// Records the user's answer from the client's form. Returns the run's next step.
pub(super) fn record_answer(
    app: &mut App,
    question: &Question,
    answer: String,
    reason: Option<String>,
) -> Result<CallResult, AppError> {
    let person = mcp_caller::answered_in_client(&app.context);
    let selector = RunSelector::Visit(question.visit.clone());
    let decided = runs::decide(&mut app.store, &person, &selector, Some(answer), reason)?;
    let reply = match decided.reply {
        Reply::End(_) => decided.reply,
        // The agent reads the next step, so its own context describes the step.
        Reply::Step(_) => runs::step(
            &mut app.store,
            &app.context,
            &RunSelector::Run(question.visit.run.clone()),
        )?,
    };
    Ok(replied(&app.context, &reply))
}

/// The reply if the user did not answer.
pub(super) fn not_answered(app: &App, question: &Question, how: &str) -> CallResult {
    let visit = question.visit.to_string();
    let decide = app.context.shell_command(&["decide", &visit]);
    let again = app.context.command(&["decide", &visit]);
    CallResult {
        error: true,
        ..CallResult::new(
            format!(
                "The user {how}. The question stays open. Ask the user what to do. To ask the question again: {again}. \
                 The user can also answer in a terminal ({decide} ANSWER) or on the dashboard (`bugle ui`).\n"
            ),
            &decide,
        )
    }
}

/// The result of a run command.
fn replied(ctx: &Context, reply: &Reply) -> CallResult {
    match reply {
        Reply::Step(view) => {
            let run = view.position.run.as_str();
            CallResult::new(step::step(view, Format::Xml), &rest_of(run, ShownPart::Step, 0))
        }
        Reply::End(view) => CallResult::new(
            step::end(view, Format::Xml),
            &ctx.command(&["run", "show", view.position.run.as_str()]),
        ),
    }
}
