//! A run with what lies around it: its graph, its step, its reviews, its sub-agents.

use bugle_core::engine::{ChildReport, ChildState, RunState, Status, verdict_of};
use bugle_core::review::Finding;
use bugle_render::graph::Graph;
use bugle_render::picture::picture_of_run;
use bugle_store::{AgentStore as _, LookStore as _, RunRow};
use bugle_wire::{AskView, ChildLook, ReviewLook, RunLook, VisitLook};

use crate::delegation::{GATE_QUESTION, finding, is_stale, open_finding, verdict};
use crate::needs::works_on;
use crate::run::{OpenRun, RunSelector, summary};
use crate::{App, AppError, Reply};

/// How many events are shown at a time.
const EVENTS_ON_A_PAGE: usize = 100;
/// How many sub-agents are shown.
const MOST_CHILDREN: u32 = 100;
/// How many reviews are shown.
const MOST_REVIEWS: usize = 10;
/// How many visits a rewind can choose from.
const MOST_VISITS: usize = 60;

/// A run, and its workflow as far as it has come.
#[derive(Debug)]
pub struct RunPicture {
    /// The run.
    pub look: RunLook,
    /// Its workflow, with where it stands and how often each way was taken.
    pub graph: Graph,
}

impl App {
    /// A run with what lies around it; of its events the last, or the last before one of them.
    pub fn look_at_run(
        &mut self,
        selector: &RunSelector,
        before: Option<u64>,
    ) -> Result<RunPicture, AppError> {
        let row = self.select(selector)?;
        let selector = RunSelector::Run(row.id.clone());
        let run = self.read_whole(&row.id)?;
        let mut detail = self.show(&selector)?;
        // The sub-agents are shown by themselves.
        detail.notices.retain(|notice| !notice.starts_with("Sub-agent "));
        let last = detail.timeline.len();
        if let Some(before) = before {
            detail.timeline.retain(|entry| entry.seq < before);
        }
        let later = detail.timeline.len() < last;
        let surplus = detail.timeline.len().saturating_sub(EVENTS_ON_A_PAGE);
        detail.timeline.drain(..surplus);
        let earlier = detail
            .timeline
            .first()
            .filter(|_| surplus > 0)
            .map(|entry| entry.seq);
        let (step, trouble) = match self.reply(&run) {
            Ok(Reply::Step(view)) => (Some(*view), None),
            Ok(Reply::End(_)) | Err(AppError::Refused(_)) => (None, None),
            Err(error) => (None, Some(error.to_string())),
        };
        let mut agents = Vec::new();
        for agent in self
            .store
            .agents(None)?
            .iter()
            .filter(|agent| works_on(agent, &row))
        {
            agents.push(self.summary(agent)?);
        }
        let children = self.store.all_children(&row.id, MOST_CHILDREN)?;
        let title = row.skill.clone();
        let graph = picture_of_run(&title, run.workflow.definition(), &run.state)
            .map_err(|error| AppError::System(error.to_string()))?;
        let judged = run.state.current().is_some_and(|visit| visit.judged.is_some());
        let look = RunLook {
            project: self.all_projects()?.get(&row.project),
            at_gate: judged,
            ask: step
                .as_ref()
                .and_then(|step| step.ask.clone())
                .map(|ask| asked_here(ask, judged)),
            step,
            trouble,
            visit: run.state.current().map(|visit| visit.number.0),
            reviews: self.reviews(&run),
            children: self.child_looks(&children)?,
            parent: row.child.as_ref().map(|child| child.parent.run.to_string()),
            agents,
            visits: visits(&run.state),
            detail,
            earlier,
            later,
        };
        Ok(RunPicture { look, graph })
    }

    fn child_looks(&mut self, rows: &[RunRow]) -> Result<Vec<ChildLook>, AppError> {
        let mut children = Vec::new();
        for row in rows {
            let Some(token) = &row.child else { continue };
            let report = match row.status {
                Status::Completed => ChildReport::of(&self.state_of(&row.id)?),
                _ => None,
            };
            let (status, trouble) = match report.map(|report| report.state) {
                Some(ChildState::Failed(reason)) => ("failed".to_owned(), Some(reason)),
                Some(ChildState::Escalated(kind, reason)) => (kind.as_str().to_owned(), Some(reason)),
                _ => (row.status.to_string(), None),
            };
            children.push(ChildLook {
                run: summary(row),
                visit: token.parent.visit.0,
                slot: token.slot,
                status,
                trouble,
                about: self.about_run(&row.id)?,
            });
        }
        Ok(children)
    }

    fn reviews(&self, run: &OpenRun) -> Vec<ReviewLook> {
        let visits = run.state.visits().iter().rev();
        let mut is_latest = true;
        let is_accepted = |finding: &Finding| run.state.accepted.iter().any(|risk| risk.is_same(finding));
        visits
            .filter_map(|visit| {
                let (full, view) =
                    verdict_of(visit).zip(verdict(&self.place, &run.state, &run.workflow, visit))?;
                // Git looks at every file, so only the verdict that counts is compared.
                let counts = std::mem::take(&mut is_latest) && view.passed;
                let stale = counts && is_stale(view.tree.as_ref(), &run.directory);
                Some(ReviewLook {
                    visit: visit.number.0,
                    stale,
                    verdict: view,
                    accepted: (1..)
                        .zip(&full.blocking)
                        .filter(|(_, open)| is_accepted(&open.finding))
                        .map(|(number, _)| number)
                        .collect(),
                    blocking: full.blocking.iter().map(open_finding).collect(),
                    noted: full.noted.iter().map(|noted| finding(noted, 1)).collect(),
                })
            })
            .take(MOST_REVIEWS)
            .collect()
    }
}

/// A question as it is put where the findings and what can be decided stand beside it.
fn asked_here(ask: AskView, judged: bool) -> AskView {
    if judged {
        let question = GATE_QUESTION.to_owned();
        return AskView { question, ..ask };
    }
    ask
}

/// The visits of the history that the run continues, the latest first.
fn visits(state: &RunState) -> Vec<VisitLook> {
    let Some(head) = state.head() else {
        return Vec::new();
    };
    state
        .lineage(head.number)
        .take(MOST_VISITS)
        .map(|visit| VisitLook {
            number: visit.number.0,
            step: visit.step.to_string(),
            outcome: visit.ending.as_ref().map(|ending| ending.outcome.to_string()),
        })
        .collect()
}
