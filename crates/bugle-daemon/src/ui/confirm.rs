//! The confirmation of an action on a run: what it means, and a form that executes it.

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

/// The text of a confirmation, and its hidden fields.
#[derive(Default)]
struct Text {
    heading: String,
    meaning: String,
    button: String,
    fields: BTreeMap<&'static str, String>,
    reason: Option<Reason>,
    ends_run: bool,
}

/// Shows what an action means, and asks for confirmation.
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
        // A refused action returns to this form.
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

/// An action that needs nothing but the run.
fn simple(action: RunAction, page: &RunPage) -> Text {
    let run = &page.detail.summary.position.run;
    let (heading, meaning, button) = match action {
        RunAction::Resume => (
            format!("Resume {run}?"),
            "It goes on at the step where it was put aside.",
            "Resume it",
        ),
        RunAction::Cancel => (
            format!("Give {run} up?"),
            "It ends here, and so do the runs of its sub-agents. What it found stays in the timeline, but it cannot be \
             taken up again.",
            "Give it up",
        ),
        _ => (
            format!("Pause {run}?"),
            "Its agent is told that the run is put aside, and no step can be ended until it is resumed.",
            "Pause it",
        ),
    };
    Text {
        heading,
        meaning: meaning.to_owned(),
        button: button.to_owned(),
        reason: (action != RunAction::Resume).then(|| Reason::optional("Why (optional)")),
        ends_run: action == RunAction::Cancel,
        ..Text::default()
    }
}

/// An answer to a question, or a decision about a review. An answer that would be refused cannot be confirmed.
fn decision(app: &mut App, page: &RunPage, params: &Params) -> Result<Text, AppError> {
    let position = &page.detail.summary.position;
    let run = &position.run;
    let answer = required(params, "answer", "the answer")?;
    let number = visit(params)?;
    let decision = runs::check_answer(
        &mut app.store,
        &app.context,
        &RunSelector::parse(Some(run))?,
        number,
        answer,
    )?;
    let meaning = match decision {
        None => format!(
            "{} {run} goes on with this answer, which is recorded as yours. A rewind asks anew.",
            position.skill
        ),
        Some(GateDecision::Continue) => {
            "What blocks is mended, and reviewed once more. Whoever mends is told your reason.".to_owned()
        }
        Some(GateDecision::Accept) => {
            "What blocks is taken as a risk, recorded as yours, and the run goes on.".to_owned()
        }
        Some(GateDecision::Abort) => {
            "The run is given up. What it found stays in the timeline, but it cannot be taken up again."
                .to_owned()
        }
    };
    let reason = match decision {
        None => Reason::optional("Why (optional; the agent is told)"),
        Some(_) => Reason::required("Why (required; kept with the decision)"),
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

/// A finding to accept as a risk.
fn risk(page: &RunPage, params: &Params) -> Result<Text, AppError> {
    let (number, finding) = (visit(params)?, finding(params)?);
    let review = page.reviews.iter().find(|review| review.visit == number.0);
    let index = usize::try_from(finding).ok().and_then(|at| at.checked_sub(1));
    let found = review
        .zip(index)
        .and_then(|(review, at)| review.blocking.get(at))
        .ok_or_else(|| AppError::NotFound {
            what: format!("nothing with the number {finding} blocks at visit {number}"),
            hints: Vec::new(),
        })?;
    Ok(Text {
        heading: "Take this finding as a risk?".to_owned(),
        meaning: format!(
            "{} {}: {} It no longer blocks, and later reviewers are told not to report it again.",
            found.location, found.element, found.problem
        ),
        button: "Take it as a risk".to_owned(),
        fields: BTreeMap::from([("visit", number.to_string()), ("finding", finding.to_string())]),
        reason: Some(Reason::required("Why (required; kept with it)")),
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
            "Visit {visit}{named} is made anew. What came after it no longer counts, but stays in the timeline."
        ),
        button: "Rewind it".to_owned(),
        fields: BTreeMap::from([("visit", visit.to_string())]),
        ..Text::default()
    })
}
