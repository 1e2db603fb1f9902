//! Asks the user to confirm an action on a run: describes the action's effect and shows a form that executes the
//! action.

use std::collections::BTreeMap;

use axum::extract::{Path, Query, RawQuery, State};
use axum::response::Response;
use bugle_app::dashboard::RunPage;
use bugle_app::{App, AppError, RunSelector, dashboard, runs};
use bugle_core::engine::GateDecision;
use bugle_render::page::{Confirmation, Content, Reason, Template, View, url};

use super::actions::{RunAction, finding, required, visit};
use super::params::Params;
use super::reply::{Page, respond};
use super::state::SharedState;

/// A confirmation's text and hidden fields.
#[derive(Default)]
struct Text {
    heading: String,
    meaning: String,
    button: String,
    fields: BTreeMap<&'static str, String>,
    reason: Option<Reason>,
    ends_run: bool,
}

/// Shows the effect of an action and asks for confirmation.
pub(super) async fn confirm(
    State(state): State<SharedState>,
    Path((run, action)): Path<(String, String)>,
    Query(params): Query<Params>,
    RawQuery(query): RawQuery,
) -> Response {
    let here = format!(
        "/runs/{}/{}?{}",
        url(&run),
        url(&action),
        query.unwrap_or_default()
    );
    let params = params.or_back_to_run(&run);
    respond(state, params, move |state, params| {
        let action = RunAction::parse(&action)?;
        let mut app = state.open()?;
        let selector = RunSelector::parse(Some(&run))?;
        let page = dashboard::run_page(&mut app.store, &app.context, &selector, None)?;
        let mut text = match action {
            RunAction::Decide => decision(&mut app, &page, params)?,
            RunAction::Accept => risk(&page, params)?,
            RunAction::Rewind => rewind(&page, params)?,
            RunAction::Pause | RunAction::Resume | RunAction::Cancel => simple(action, &page),
        };
        // If the action is refused, the error page links back to this form.
        text.fields.insert("back", here);
        let run = &page.detail.summary.position.run;
        let confirmation = Confirmation {
            heading: text.heading.clone(),
            meaning: text.meaning,
            button: text.button,
            ends_run: text.ends_run,
            action: format!("/runs/{run}/{}", action.as_str()),
            fields: text.fields,
            reason: text.reason,
            back: format!("/runs/{run}"),
        };
        let ask = page.ask.filter(|_| action == RunAction::Decide);
        let content = Content::new(Template::Confirm)
            .with("confirm", &confirmation)
            .with("ask", &ask);
        Ok(Page::new(View::Runs, text.heading, content))
    })
    .await
}

/// The confirmation for an action without further parameters.
fn simple(action: RunAction, page: &RunPage) -> Text {
    let run = &page.detail.summary.position.run;
    let (heading, meaning, button) = match action {
        RunAction::Resume => (
            format!("Resume {run}?"),
            "The run continues at the step where it was paused.",
            "Resume",
        ),
        RunAction::Cancel => (
            format!("Cancel {run}?"),
            "The run and its sub-agents' runs end. The timeline is kept, but the run cannot be resumed.",
            "Cancel the run",
        ),
        _ => (
            format!("Pause {run}?"),
            "The run's agent sees that the run is paused and cannot finish a step until you resume the run.",
            "Pause",
        ),
    };
    Text {
        heading,
        meaning: meaning.to_owned(),
        button: button.to_owned(),
        reason: (action != RunAction::Resume).then(|| Reason::optional("Reason (optional)")),
        ends_run: action == RunAction::Cancel,
        ..Text::default()
    }
}

/// The confirmation for an answer to a question or a decision at a gate. Fails if the answer would be refused.
fn decision(app: &mut App, page: &RunPage, params: &Params) -> Result<Text, AppError> {
    let position = &page.detail.summary.position;
    let run = &position.run;
    let answer = required(params, "answer", "the answer")?;
    let number = visit(params)?;
    let decision = runs::check_answer(
        &mut app.store,
        &app.context,
        &RunSelector::parse(Some(run.as_str()))?,
        number,
        answer,
    )?;
    let meaning = match decision {
        None => format!(
            "Run {run} of {} continues with this answer, recorded under your name. To change the answer later, rewind the run.",
            position.skill
        ),
        Some(GateDecision::Continue) => {
            "The agent fixes the blocking findings, then a reviewer checks the work again.".to_owned()
        }
        Some(GateDecision::Accept) => {
            "The blocking findings are accepted as risks under your name, and the run continues.".to_owned()
        }
        Some(GateDecision::Abort) => {
            "The run is cancelled. The timeline is kept, but the run cannot be resumed.".to_owned()
        }
    };
    let reason = match decision {
        Some(GateDecision::Accept) => Reason::required("Reason (required; recorded with the findings)"),
        Some(_) | None => Reason::optional("Reason (optional; the agent sees it)"),
    };
    Ok(Text {
        heading: format!("Answer “{answer}”?"),
        meaning,
        button: format!("Answer “{answer}”"),
        fields: BTreeMap::from([("answer", answer.to_owned()), ("visit", number.to_string())]),
        reason: Some(reason),
        ends_run: decision == Some(GateDecision::Abort),
    })
}

/// The confirmation for accepting a finding as a risk.
fn risk(page: &RunPage, params: &Params) -> Result<Text, AppError> {
    let (number, finding) = (visit(params)?, finding(params)?);
    let review = page.reviews.iter().find(|review| review.visit == number.0);
    let index = usize::try_from(finding).ok().and_then(|at| at.checked_sub(1));
    let found = review
        .zip(index)
        .and_then(|(review, at)| review.blocking.get(at))
        .ok_or_else(|| AppError::NotFound {
            what: format!("visit {number} has no blocking finding {finding}"),
            hints: Vec::new(),
        })?;
    Ok(Text {
        heading: "Accept this finding as a risk?".to_owned(),
        meaning: format!(
            "{} {}: {} Once accepted, the finding no longer blocks, and Bugle asks later reviewers not to report it again.",
            found.finding.location, found.finding.element, found.finding.problem
        ),
        button: "Accept as a risk".to_owned(),
        fields: BTreeMap::from([("visit", number.to_string()), ("finding", finding.to_string())]),
        reason: Some(Reason::required("Reason (required; recorded with the finding)")),
        ends_run: false,
    })
}

fn rewind(page: &RunPage, params: &Params) -> Result<Text, AppError> {
    let run = &page.detail.summary.position.run;
    let visit = visit(params)?;
    let step = page.visits.iter().find(|known| known.number == visit.0);
    let named = step.map_or(String::new(), |known| format!(", step {}", known.step));
    Ok(Text {
        heading: format!("Rewind {run} to visit {visit}?"),
        meaning: format!(
            "The run goes back to visit {visit}{named}. Later visits no longer count but stay in the timeline."
        ),
        button: "Rewind".to_owned(),
        fields: BTreeMap::from([("visit", visit.to_string())]),
        ..Text::default()
    })
}
