//! What a person can do on the page: what changes a run, once it is confirmed; speak, answer, and have read.

use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use bugle_app::{App, AppError, MAX_INPUT_BYTES, RunSelector, visit_token};
use bugle_core::id::VisitNumber;
use bugle_render::message;
use bugle_render::page::Trouble;
use bugle_wire::SaidView;

use super::answer::Answer;
use super::request::Asked;
use super::{Desk, Shared, at_work};

/// What can be done to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Decide,
    /// Take a finding as a risk.
    Accept,
    Pause,
    Resume,
    Rewind,
    Cancel,
}

impl Act {
    pub(super) fn parse(word: &str) -> Result<Self, AppError> {
        match word {
            "decide" => Ok(Self::Decide),
            "accept" => Ok(Self::Accept),
            "pause" => Ok(Self::Pause),
            "resume" => Ok(Self::Resume),
            "rewind" => Ok(Self::Rewind),
            "cancel" => Ok(Self::Cancel),
            _ => Err(AppError::NotFound {
                what: format!("nothing that can be done to a run is called `{word}`"),
                hints: Vec::new(),
            }),
        }
    }

    pub(super) fn word(self) -> &'static str {
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

/// What was just done, in a sentence; `status` is that of the run that it was done to.
pub(super) fn notice(desk: &Desk, asked: &Asked, status: Option<&str>) -> Option<String> {
    if let Some(told) = asked.number("told").and_then(|number| desk.told(number)) {
        return Some(told);
    }
    let sentence = match (asked.get("done")?, status) {
        ("decide", Some("cancelled")) => "Your answer is recorded, and the run is given up.",
        ("decide", Some("completed")) => "Your answer is recorded, and the run is complete.",
        ("decide", _) => "Your answer is recorded, and the run goes on.",
        ("accept", _) => "The finding is taken as a risk.",
        ("pause", _) => "The run is paused.",
        ("resume", _) => "The run goes on.",
        ("rewind", _) => "The run is rewound; what came after stays in the timeline.",
        ("cancel", _) => "The run is given up.",
        ("read", _) => "That counts as read.",
        _ => return None,
    };
    Some(sentence.to_owned())
}

/// An address, with what was just done there.
fn done(at: &str, what: &str) -> Answer {
    let sign = if at.contains('?') { '&' } else { '?' };
    Answer::GoTo(format!("{at}{sign}done={what}"))
}

pub(super) fn needed<'a>(asked: &'a Asked, name: &str, what: &str) -> Result<&'a str, AppError> {
    asked.get(name).ok_or_else(|| AppError::Usage {
        what: format!("{what} is missing"),
        hints: vec!["Go back, and fill the form in.".to_owned()],
    })
}

pub(super) fn visit(asked: &Asked) -> Result<VisitNumber, AppError> {
    let number: u32 = asked.number("visit").ok_or_else(|| AppError::Usage {
        what: "it is not said which visit is meant".to_owned(),
        hints: vec!["Go back to the run, and choose it there.".to_owned()],
    })?;
    Ok(VisitNumber(number))
}

/// Which finding of a review, from 1.
pub(super) fn finding(asked: &Asked) -> Result<u32, AppError> {
    asked.number("finding").ok_or_else(|| AppError::Usage {
        what: "it is not said which finding is meant".to_owned(),
        hints: vec!["Go back to the run, and choose it there.".to_owned()],
    })
}

/// The run, at the visit that the page showed: what was decided about one question is no answer to the next.
fn at_visit(run: &str, asked: &Asked) -> Result<RunSelector, AppError> {
    RunSelector::parse(Some(&format!("{run}#{}", visit(asked)?)))
}

/// Does what was confirmed.
pub(super) async fn carry_out(
    State(desk): State<Shared>,
    Path((run, act)): Path<(String, String)>,
    request: Request,
) -> Response {
    with_form(desk, vec![run, act], request, |_, app, asked| {
        let run = asked.part(0);
        let act = Act::parse(asked.part(1))?;
        let selector = RunSelector::parse(Some(run))?;
        let why = asked.get("why").map(str::trim).filter(|why| !why.is_empty());
        match act {
            Act::Decide => {
                let answer = needed(asked, "answer", "the answer")?.to_owned();
                app.decide(&at_visit(run, asked)?, Some(answer), why.map(str::to_owned))?;
            }
            Act::Accept => {
                let token = visit_token(&format!("{run}#{}", visit(asked)?))?;
                app.accept(&token, &[finding(asked)?], why.unwrap_or_default())?;
            }
            Act::Cancel => {
                app.cancel(&selector, why)?;
            }
            Act::Pause => {
                app.pause(&selector, why)?;
            }
            Act::Resume => {
                app.resume(&selector)?;
            }
            Act::Rewind => {
                app.rewind(&at_visit(run, asked)?, visit(asked)?)?;
            }
        }
        Ok(done(&format!("/runs/{run}"), act.word()))
    })
    .await
}

/// What was said, and whatever whoever spoke should know: the words of the command line.
fn spoken(desk: &Desk, at: &str, said: &SaidView) -> Answer {
    let sign = if at.contains('?') { '&' } else { '?' };
    let number = desk.tell(message::said(said));
    Answer::GoTo(format!("{at}{sign}told={number}"))
}

/// Says something as the person, in a channel or to one agent.
pub(super) async fn say(State(desk): State<Shared>, request: Request) -> Response {
    with_form(desk, Vec::new(), request, |desk, app, asked| {
        let project = app.enter_project(asked.get("project"))?;
        let branch = needed(asked, "branch", "the branch")?;
        let text = needed(asked, "text", "what is to be said")?;
        let text = match asked.get("to") {
            Some(name) => format!("@{name} {text}"),
            None => text.to_owned(),
        };
        let said = app.say_on(branch, &text)?;
        let project = project.map(|project| project.id).unwrap_or_default();
        let channel = format!(
            "/channels?project={}&branch={}",
            encoded(&project),
            encoded(branch)
        );
        let at = asked.get("back").map_or(channel.as_str(), |_| asked.way_back());
        Ok(spoken(desk, at, &said))
    })
    .await
}

/// Answers a question as the person.
pub(super) async fn answer(State(desk): State<Shared>, request: Request) -> Response {
    with_form(desk, Vec::new(), request, |desk, app, asked| {
        app.enter_project(asked.get("project"))?;
        let question = needed(asked, "question", "the question")?;
        let said = app.answer(Some(question), needed(asked, "text", "the answer")?, None)?;
        Ok(spoken(desk, asked.way_back(), &said))
    })
    .await
}

/// What the person was told counts as read, as far as the page showed it.
pub(super) async fn read(State(desk): State<Shared>, request: Request) -> Response {
    with_form(desk, Vec::new(), request, |_, app, asked| {
        app.enter_project(asked.get("project"))?;
        let up_to = asked.number("up_to").ok_or_else(|| AppError::Usage {
            what: "it is not said how far was read".to_owned(),
            hints: Vec::new(),
        })?;
        app.have_read(up_to)?;
        Ok(done(asked.way_back(), "read"))
    })
    .await
}

/// A text as a part of an address.
fn encoded(text: &str) -> String {
    bugle_render::page::url(text)
}

/// Reads the form that came with a request, and does what it asks for.
async fn with_form(
    desk: Shared,
    parts: Vec<String>,
    request: Request,
    work: impl FnOnce(&Desk, &mut App, &Asked) -> Result<Answer, AppError> + Send + 'static,
) -> Response {
    let Ok(body) = axum::body::to_bytes(request.into_body(), MAX_INPUT_BYTES).await else {
        let trouble = Trouble {
            heading: "Nothing was done".to_owned(),
            details: vec![format!("What was sent has more than {MAX_INPUT_BYTES} bytes.")],
            hints: vec!["Put it into a file, and say which.".to_owned()],
            ways: vec![("Go to the page", "/".to_owned())],
        };
        return Answer::trouble(StatusCode::PAYLOAD_TOO_LARGE, trouble).written(&desk.pages);
    };
    let asked = Asked::of(parts, &String::from_utf8_lossy(&body)).or_back_to_run();
    at_work(desk, asked, |desk, asked| work(desk, &mut desk.open()?, asked)).await
}
