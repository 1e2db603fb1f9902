//! User actions in the dashboard: control runs, send messages, answer questions, mark messages as read.

use std::fmt::Display;

use axum::Form;
use axum::extract::rejection::FormRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use bugle_app::{
    App, AppError, MAX_INPUT_BYTES, RunSelector, dashboard, messages, projects, runs, visit_token,
};
use bugle_core::engine::RunStatus;
use bugle_core::id::VisitNumber;
use bugle_core::reply::SaidView;
use bugle_render::message;
use bugle_render::page::{ErrorPage, url};

use super::params::Params;
use super::reply::{Page, Reply, respond};
use super::state::{AppState, SharedState};

/// A parsed form, or the reason that parsing failed.
type FormResult = Result<Form<Params>, FormRejection>;

/// An action on a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunAction {
    Decide,
    /// Accepts a finding as a risk.
    Accept,
    Pause,
    Resume,
    Rewind,
    Cancel,
}

impl RunAction {
    pub(super) fn parse(word: &str) -> Result<Self, AppError> {
        match word {
            "decide" => Ok(Self::Decide),
            "accept" => Ok(Self::Accept),
            "pause" => Ok(Self::Pause),
            "resume" => Ok(Self::Resume),
            "rewind" => Ok(Self::Rewind),
            "cancel" => Ok(Self::Cancel),
            _ => Err(AppError::NotFound {
                what: format!("there is no run action `{word}`"),
                hints: Vec::new(),
            }),
        }
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Decide => "decide",
            Self::Accept => "accept",
            Self::Cancel => "cancel",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Rewind => "rewind",
        }
    }
}

/// One-sentence summary of the last action; `status` is the run's status.
pub(super) fn notice(state: &AppState, params: &Params, status: Option<RunStatus>) -> Option<String> {
    if let Some(notice) = params.number("told").and_then(|number| state.notice(number)) {
        return Some(notice);
    }
    let sentence = match (params.get("done")?, status) {
        ("decide", Some(RunStatus::Cancelled)) => "Answer recorded. The run was cancelled.",
        ("decide", Some(RunStatus::Completed)) => "Answer recorded. The run is complete.",
        ("decide", Some(RunStatus::Failed)) => "Answer recorded. The run failed.",
        ("decide", _) => "Answer recorded. The run continues.",
        ("accept", _) => "The finding was accepted as a risk.",
        ("pause", _) => "The run was paused.",
        ("resume", _) => "The run was resumed.",
        ("rewind", _) => "The run was rewound. Later visits stay in the timeline.",
        ("cancel", _) => "The run was cancelled.",
        ("read", _) => "Marked as read.",
        _ => return None,
    };
    Some(sentence.to_owned())
}

/// Redirects to a page that reports the action.
fn redirect(to: &str, name: &str, value: impl Display) -> Reply {
    let separator = if to.contains('?') { '&' } else { '?' };
    Reply::Redirect(format!("{to}{separator}{name}={value}"))
}

pub(super) fn required<'a>(params: &'a Params, name: &str, what: &str) -> Result<&'a str, AppError> {
    params.get(name).ok_or_else(|| AppError::Usage {
        what: format!("{what} is missing"),
        hints: vec!["Go back and fill in the form.".to_owned()],
    })
}

pub(super) fn visit(params: &Params) -> Result<VisitNumber, AppError> {
    let number: u32 = params.number("visit").ok_or_else(|| AppError::Usage {
        what: "the visit is missing".to_owned(),
        hints: vec!["Go back to the run and choose a visit.".to_owned()],
    })?;
    Ok(VisitNumber(number))
}

/// A finding's number in its review, starting at 1.
pub(super) fn finding(params: &Params) -> Result<u32, AppError> {
    params.number("finding").ok_or_else(|| AppError::Usage {
        what: "the finding is missing".to_owned(),
        hints: vec!["Go back to the run and choose a finding.".to_owned()],
    })
}

/// Selects the run at the visit that the page showed. Otherwise a late answer could answer the next question.
fn at_visit(run: &str, params: &Params) -> Result<RunSelector, AppError> {
    RunSelector::parse(Some(&format!("{run}#{}", visit(params)?)))
}

/// Executes a confirmed action on a run.
pub(super) async fn execute(
    State(state): State<SharedState>,
    Path((run, action)): Path<(String, String)>,
    form: FormResult,
) -> Response {
    let form = form.map(|Form(params)| Form(params.or_back_to_run(&run)));
    with_form(state, form, move |_, app, params| {
        let action = RunAction::parse(&action)?;
        let selector = RunSelector::parse(Some(&run))?;
        let why = params.get("why").map(str::trim).filter(|why| !why.is_empty());
        match action {
            RunAction::Decide => {
                let answer = required(params, "answer", "the answer")?.to_owned();
                runs::decide(
                    &mut app.store,
                    &app.context,
                    &at_visit(&run, params)?,
                    Some(answer),
                    why.map(str::to_owned),
                )?;
            }
            RunAction::Accept => {
                let token = visit_token(&format!("{run}#{}", visit(params)?))?;
                runs::accept(
                    &mut app.store,
                    &app.context,
                    &token,
                    &[finding(params)?],
                    why.unwrap_or_default(),
                )?;
            }
            RunAction::Cancel => {
                runs::cancel(&mut app.store, &app.context, &selector, why)?;
            }
            RunAction::Pause => {
                runs::pause(&mut app.store, &app.context, &selector, why)?;
            }
            RunAction::Resume => {
                runs::resume(&mut app.store, &app.context, &selector)?;
            }
            RunAction::Rewind => {
                runs::rewind(
                    &mut app.store,
                    &app.context,
                    &at_visit(&run, params)?,
                    visit(params)?,
                )?;
            }
        }
        Ok(redirect(&format!("/runs/{run}"), "done", action.as_str()))
    })
    .await
}

/// Posts a message from the user, on a branch or to one agent.
pub(super) async fn say(State(state): State<SharedState>, form: FormResult) -> Response {
    with_form(state, form, |state, app, params| {
        let project = dashboard::enter_project(&mut app.store, &mut app.context, params.get("project"))?;
        let branch = required(params, "branch", "the branch")?;
        let text = required(params, "text", "the message")?;
        let text = match params.get("to") {
            Some(name) => format!("@{name} {text}"),
            None => text.to_owned(),
        };
        let said = messages::say_on(&mut app.store, &app.context, branch, &text)?;
        let project = project.map(|project| project.id).unwrap_or_default();
        let channel = format!("/channels?project={}&branch={}", url(&project), url(branch));
        let to = params.get("back").map_or(channel.as_str(), |_| params.back());
        Ok(posted(state, to, &said))
    })
    .await
}

/// Answers a question on behalf of the user.
pub(super) async fn answer(State(state): State<SharedState>, form: FormResult) -> Response {
    with_form(state, form, |state, app, params| {
        dashboard::enter_project(&mut app.store, &mut app.context, params.get("project"))?;
        let question = required(params, "question", "the question")?;
        let said = messages::answer(
            &mut app.store,
            &app.context,
            Some(question),
            required(params, "text", "the answer")?,
            None,
        )?;
        Ok(posted(state, params.back(), &said))
    })
    .await
}

/// Marks the user's messages as read, up to the last one shown on the page.
pub(super) async fn read(State(state): State<SharedState>, form: FormResult) -> Response {
    with_form(state, form, |_, app, params| {
        dashboard::enter_project(&mut app.store, &mut app.context, params.get("project"))?;
        let up_to = params.number("up_to").ok_or_else(|| AppError::Usage {
            what: "the number of the last read message is missing".to_owned(),
            hints: vec!["Go back, reload the page and try again.".to_owned()],
        })?;
        messages::mark_read_up_to(&mut app.store, &app.context, up_to)?;
        Ok(redirect(params.back(), "done", "read"))
    })
    .await
}

/// Redirects to a page that shows the same notice as `bugle say`.
fn posted(state: &AppState, to: &str, said: &SaidView) -> Reply {
    redirect(to, "told", state.add_notice(message::said(said)))
}

async fn with_form(
    state: SharedState,
    form: FormResult,
    handle: impl FnOnce(&AppState, &mut App, &Params) -> Result<Reply, AppError> + Send + 'static,
) -> Response {
    match form {
        Ok(Form(params)) => {
            respond(state, params, |state, params| {
                let mut app = state.open()?;
                projects::follow_move(&mut app.store, &app.context)?;
                handle(state, &mut app, params)
            })
            .await
        }
        Err(rejection) => {
            let error = unreadable_form(&rejection);
            Page::error(rejection.status(), &error).into_response(&state.pages)
        }
    }
}

fn unreadable_form(rejection: &FormRejection) -> ErrorPage {
    let (detail, hint) = if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
        (
            format!("The form is larger than {MAX_INPUT_BYTES} bytes."),
            "Write the text to a file and mention the file's path instead.",
        )
    } else {
        (rejection.body_text(), "Send the form from the dashboard.")
    };
    ErrorPage {
        heading: "Nothing was changed".to_owned(),
        details: vec![detail],
        hints: vec![hint.to_owned()],
        ways: vec![("Open the dashboard", "/".to_owned())],
    }
}
