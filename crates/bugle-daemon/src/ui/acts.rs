//! What a person can do on the page: decide, pause, resume and rewind, each confirmed first; speak and answer.

use std::collections::BTreeMap;

use axum::extract::{Path, RawQuery, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use bugle_app::{App, AppError, MAX_INPUT_BYTES, RunSelector};
use bugle_core::id::VisitNumber;
use bugle_render::page::{Confirmation, Trouble, View};

use super::answer::{Answer, Sheet, Shown};
use super::request::Asked;
use super::{Shared, at_work};

/// What can be done to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Decide,
    Pause,
    Resume,
    Rewind,
}

impl Act {
    fn parse(word: &str) -> Result<Self, AppError> {
        match word {
            "decide" => Ok(Self::Decide),
            "pause" => Ok(Self::Pause),
            "resume" => Ok(Self::Resume),
            "rewind" => Ok(Self::Rewind),
            _ => Err(AppError::NotFound {
                what: format!("nothing that can be done to a run is called `{word}`"),
                hints: Vec::new(),
            }),
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Decide => "decide",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Rewind => "rewind",
        }
    }
}

/// What was just done, in a sentence.
pub(super) fn notice(asked: &Asked) -> Option<&'static str> {
    match asked.get("done")? {
        "decide" => Some("Your answer is recorded, and the run goes on."),
        "pause" => Some("The run is paused."),
        "resume" => Some("The run goes on."),
        "rewind" => Some("The run is rewound; what came after stays in the timeline."),
        "say" => Some("It is said."),
        "answer" => Some("Your answer is on its way."),
        _ => None,
    }
}

/// An address, with what was just done there.
fn done(at: &str, what: &str) -> Answer {
    let sign = if at.contains('?') { '&' } else { '?' };
    Answer::GoTo(format!("{at}{sign}done={what}"))
}

fn needed<'a>(asked: &'a Asked, name: &str, what: &str) -> Result<&'a str, AppError> {
    asked.get(name).ok_or_else(|| AppError::Usage {
        what: format!("{what} is missing"),
        hints: vec!["Go back, and fill the form in.".to_owned()],
    })
}

fn visit(asked: &Asked) -> Result<VisitNumber, AppError> {
    let number: u32 = asked.number("visit").ok_or_else(|| AppError::Usage {
        what: "it is not said which visit is meant".to_owned(),
        hints: vec!["Go back to the run, and choose it there.".to_owned()],
    })?;
    Ok(VisitNumber(number))
}

/// The run, at the visit that the page showed: what was decided about one question is no answer to the next.
fn at_visit(run: &str, asked: &Asked) -> Result<RunSelector, AppError> {
    RunSelector::parse(Some(&format!("{run}#{}", visit(asked)?)))
}

/// Shows what is about to be done, and asks.
pub(super) async fn confirm(
    State(desk): State<Shared>,
    Path((run, act)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Response {
    let asked = Asked::of(vec![run, act], &query.unwrap_or_default());
    at_work(desk, asked, |desk, asked| {
        let act = Act::parse(asked.part(1))?;
        let mut app = desk.open()?;
        let selector = RunSelector::parse(Some(asked.part(0)))?;
        let look = app.look_at_run(&selector, None)?.look;
        let position = &look.detail.summary.position;
        let run = position.run.clone();
        let mut fields = BTreeMap::new();
        let (heading, meaning, button, reason) = match act {
            Act::Decide => {
                let answer = needed(asked, "answer", "the answer")?;
                fields.insert("answer", answer.to_owned());
                fields.insert("visit", visit(asked)?.to_string());
                (
                    format!("Answer “{answer}”?"),
                    format!(
                        "{} {run} goes on with this answer. It is recorded as yours and cannot be taken back.",
                        position.skill
                    ),
                    format!("Answer “{answer}”"),
                    Some("Why (kept with the decision)"),
                )
            }
            Act::Pause => (
                format!("Pause {run}?"),
                "Its agent is told that the run is put aside, and no step can be ended until it is resumed.".to_owned(),
                "Pause it".to_owned(),
                Some("Why (optional)"),
            ),
            Act::Resume => (
                format!("Resume {run}?"),
                "It goes on at the step where it was put aside.".to_owned(),
                "Resume it".to_owned(),
                None,
            ),
            Act::Rewind => {
                let visit = visit(asked)?;
                fields.insert("visit", visit.to_string());
                let step = look.visits.iter().find(|known| known.number == visit.0);
                let named = step.map_or(String::new(), |known| format!(", step {}", known.step));
                (
                    format!("Rewind {run} to visit {visit}?"),
                    format!(
                        "Visit {visit}{named} is made anew. What came after it no longer counts, but stays in the timeline."
                    ),
                    "Rewind it".to_owned(),
                    None,
                )
            }
        };
        let confirmation = Confirmation {
            heading: heading.clone(),
            meaning,
            button,
            action: format!("/runs/{run}/{}", act.word()),
            fields,
            reason,
            back: format!("/runs/{run}"),
        };
        let ask = look.ask.filter(|_| act == Act::Decide);
        Ok(Sheet::new(View::Runs, heading, Shown::Confirm(confirmation, ask)).into())
    })
    .await
}

/// Does what was confirmed.
pub(super) async fn carry_out(
    State(desk): State<Shared>,
    Path((run, act)): Path<(String, String)>,
    request: Request,
) -> Response {
    with_form(desk, vec![run, act], request, |app, asked| {
        let run = asked.part(0);
        let act = Act::parse(asked.part(1))?;
        let selector = RunSelector::parse(Some(run))?;
        let why = asked.get("why").map(str::trim).filter(|why| !why.is_empty());
        match act {
            Act::Decide => {
                let answer = needed(asked, "answer", "the answer")?.to_owned();
                app.decide(&at_visit(run, asked)?, Some(answer), why.map(str::to_owned))?;
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

/// Says something as the person.
pub(super) async fn say(State(desk): State<Shared>, request: Request) -> Response {
    with_form(desk, Vec::new(), request, |app, asked| {
        let project = app.enter_project(asked.get("project"))?;
        let branch = needed(asked, "branch", "the branch")?;
        app.say_on(branch, needed(asked, "text", "what is to be said")?)?;
        let project = project.map(|project| project.id).unwrap_or_default();
        let at = format!(
            "/channels?project={}&branch={}",
            encoded(&project),
            encoded(branch)
        );
        Ok(done(&at, "say"))
    })
    .await
}

/// Answers a question as the person.
pub(super) async fn answer(State(desk): State<Shared>, request: Request) -> Response {
    with_form(desk, Vec::new(), request, |app, asked| {
        app.enter_project(asked.get("project"))?;
        let question = needed(asked, "question", "the question")?;
        app.answer(Some(question), needed(asked, "text", "the answer")?, None)?;
        Ok(done(asked.way_back(), "answer"))
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
    work: impl FnOnce(&mut App, &Asked) -> Result<Answer, AppError> + Send + 'static,
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
    let asked = Asked::of(parts, &String::from_utf8_lossy(&body));
    at_work(desk, asked, |desk, asked| work(&mut desk.open()?, asked)).await
}
