//! What is about to be done to a run is shown first, with what it means.

use std::collections::BTreeMap;

use axum::extract::{Path, RawQuery, State};
use axum::response::Response;
use bugle_app::{App, AppError, RunSelector};
use bugle_core::engine::GateDecision;
use bugle_render::page::{Confirmation, Reason, View, url};
use bugle_wire::RunLook;

use super::acts::{Act, finding, needed, visit};
use super::answer::{Sheet, Shown};
use super::request::Asked;
use super::{Shared, at_work};

/// The words of a confirmation, and what is sent along.
#[derive(Default)]
struct Words {
    heading: String,
    meaning: String,
    button: String,
    fields: BTreeMap<&'static str, String>,
    reason: Option<Reason>,
    gives_up: bool,
}

/// Shows what is about to be done, and asks.
pub(super) async fn confirm(
    State(desk): State<Shared>,
    Path((run, act)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Response {
    let query = query.unwrap_or_default();
    let here = format!("/runs/{}/{}?{query}", url(&run), url(&act));
    let asked = Asked::of(vec![run, act], &query).or_back_to_run();
    at_work(desk, asked, move |desk, asked| {
        let act = Act::parse(asked.part(1))?;
        let mut app = desk.open()?;
        let selector = RunSelector::parse(Some(asked.part(0)))?;
        let look = app.look_at_run(&selector, None)?.look;
        let mut words = match act {
            Act::Decide => decision(&mut app, &look, asked)?,
            Act::Accept => risk(&look, asked)?,
            Act::Rewind => rewind(&look, asked)?,
            Act::Pause | Act::Resume | Act::Cancel => plain(act, &look),
        };
        // Whoever is refused comes back to this form.
        words.fields.insert("back", here);
        let run = &look.detail.summary.position.run;
        let confirmation = Confirmation {
            heading: words.heading.clone(),
            meaning: words.meaning,
            button: words.button,
            gives_up: words.gives_up,
            action: format!("/runs/{run}/{}", act.word()),
            fields: words.fields,
            reason: words.reason,
            back: format!("/runs/{run}"),
        };
        let ask = look.ask.filter(|_| act == Act::Decide);
        let shown = Shown::Confirm(confirmation, ask);
        Ok(Sheet::new(View::Runs, words.heading, shown).into())
    })
    .await
}

/// What needs no more than the run.
fn plain(act: Act, look: &RunLook) -> Words {
    let run = &look.detail.summary.position.run;
    let (heading, meaning, button) = match act {
        Act::Resume => (
            format!("Resume {run}?"),
            "It goes on at the step where it was put aside.",
            "Resume it",
        ),
        Act::Cancel => (
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
    Words {
        heading,
        meaning: meaning.to_owned(),
        button: button.to_owned(),
        reason: (act != Act::Resume).then(|| Reason::optional("Why (optional)")),
        gives_up: act == Act::Cancel,
        ..Words::default()
    }
}

/// An answer to a question, or a decision about a review: only one that would be taken can be confirmed.
fn decision(app: &mut App, look: &RunLook, asked: &Asked) -> Result<Words, AppError> {
    let position = &look.detail.summary.position;
    let run = &position.run;
    let answer = needed(asked, "answer", "the answer")?;
    let number = visit(asked)?;
    let decision = app.check_answer(&RunSelector::parse(Some(run))?, number, answer)?;
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
    Ok(Words {
        heading: format!("Answer “{answer}”?"),
        meaning,
        button: format!("Answer “{answer}”"),
        fields: BTreeMap::from([("answer", answer.to_owned()), ("visit", number.to_string())]),
        reason: Some(reason),
        gives_up: decision == Some(GateDecision::Abort),
    })
}

/// A finding that is taken as a risk.
fn risk(look: &RunLook, asked: &Asked) -> Result<Words, AppError> {
    let (number, finding) = (visit(asked)?, finding(asked)?);
    let review = look.reviews.iter().find(|review| review.visit == number.0);
    let index = usize::try_from(finding).ok().and_then(|at| at.checked_sub(1));
    let found = review
        .zip(index)
        .and_then(|(review, at)| review.blocking.get(at))
        .ok_or_else(|| AppError::NotFound {
            what: format!("nothing with the number {finding} blocks at visit {number}"),
            hints: Vec::new(),
        })?;
    Ok(Words {
        heading: "Take this finding as a risk?".to_owned(),
        meaning: format!(
            "{} {}: {} It no longer blocks, and later reviewers are told not to report it again.",
            found.location, found.element, found.problem
        ),
        button: "Take it as a risk".to_owned(),
        fields: BTreeMap::from([("visit", number.to_string()), ("finding", finding.to_string())]),
        reason: Some(Reason::required("Why (required; kept with it)")),
        gives_up: false,
    })
}

fn rewind(look: &RunLook, asked: &Asked) -> Result<Words, AppError> {
    let run = &look.detail.summary.position.run;
    let visit = visit(asked)?;
    let step = look.visits.iter().find(|known| known.number == visit.0);
    let named = step.map_or(String::new(), |known| format!(", step {}", known.step));
    Ok(Words {
        heading: format!("Rewind {run} to visit {visit}?"),
        meaning: format!(
            "Visit {visit}{named} is made anew. What came after it no longer counts, but stays in the timeline."
        ),
        button: "Rewind it".to_owned(),
        fields: BTreeMap::from([("visit", visit.to_string())]),
        ..Words::default()
    })
}
