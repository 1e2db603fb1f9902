//! A run's state: a tree of visits, like commits, with the current visit as its head.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::also_found::FoundProblem;
use super::event::{Event, Origin, Recorded};
use super::evidence::EvidenceReport;
use super::status::RunStatus;
use super::task_record::{TaskRecord, records_of};
use super::task_ref::TaskRef;
use super::trail::{Trail, VisitSummary};
use super::visit::{Ending, Note, Visit};
use crate::id::{ContentHash, RunId, TaskId, Timestamp, VisitNumber, VisitToken};
use crate::name::{SkillAddress, StepId};
use crate::outcome::Outcome;
use crate::review::Finding;
use crate::task::TaskBrief;

/// A run, folded from its events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    /// The run's id.
    pub id: RunId,
    /// The run's skill.
    pub skill: SkillAddress,
    /// The hash of the skill's exact bytes.
    pub pin: ContentHash,
    /// The run's params.
    pub params: Map<String, Value>,
    /// The run's origin.
    pub origin: Origin,
    /// The run's status.
    pub status: RunStatus,
    /// The run's version: the number of its events.
    pub version: u64,
    /// When the run started.
    pub started_at: Timestamp,
    /// When the run last changed.
    pub changed_at: Timestamp,
    /// Whether an agent has resumed the run.
    pub(super) resumed: bool,
    /// Findings that a person accepted as risks.
    pub accepted: Vec<Finding>,
    /// Problems that agents noticed outside their steps, in order. A rewind does not remove them.
    #[serde(default)]
    pub also_found: Vec<FoundProblem>,
    /// The outcomes of the plan's tasks, in order.
    pub(super) records: Vec<TaskRecord>,
    /// A summary of every visit.
    pub(super) trail: Trail,
    /// The visits by number, including those that a rewind left behind. A condensed state keeps only those that later
    /// decisions can depend on.
    pub(super) visits: Vec<Visit>,
}

/// An invalid event sequence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("event {seq} of run {run} contradicts the events before it: {why}")]
pub struct CorruptHistory {
    /// The run.
    pub run: RunId,
    /// The event's number.
    pub seq: u64,
    /// Why the event is invalid.
    pub why: &'static str,
}

impl RunState {
    /// Folds a run's events. The first event must start the run.
    pub fn replay<'a>(
        id: &RunId,
        events: impl IntoIterator<Item = &'a Recorded>,
    ) -> Result<Self, CorruptHistory> {
        let corrupt = |seq, why| CorruptHistory {
            run: id.clone(),
            seq,
            why,
        };
        let mut events = events.into_iter();
        let first = events.next().ok_or_else(|| corrupt(0, "there are no events"))?;
        let Event::Started {
            skill,
            pin,
            params,
            origin,
            ..
        } = &first.event
        else {
            return Err(corrupt(1, "the first event does not start the run"));
        };
        let mut state = Self {
            id: id.clone(),
            skill: skill.clone(),
            pin: pin.clone(),
            params: params.clone(),
            origin: origin.clone(),
            status: RunStatus::Active,
            version: 1,
            started_at: first.at,
            changed_at: first.at,
            resumed: false,
            accepted: Vec::new(),
            also_found: Vec::new(),
            records: Vec::new(),
            trail: Trail::default(),
            visits: Vec::new(),
        };
        for recorded in events {
            state.apply(recorded)?;
        }
        Ok(state)
    }

    /// Applies the next event.
    pub fn apply(&mut self, recorded: &Recorded) -> Result<(), CorruptHistory> {
        let seq = self.version + 1;
        let run = self.id.clone();
        let corrupt = |why| CorruptHistory { run, seq, why };
        match &recorded.event {
            Event::Started { .. } => return Err(corrupt("the run has already started")),
            Event::Entered {
                visit,
                step,
                after,
                files,
            } => {
                if *visit != self.trail.next() {
                    return Err(corrupt("the visit number is out of sequence"));
                }
                if after.is_some_and(|after| self.trail.get(after).is_none()) {
                    return Err(corrupt("the previous visit does not exist"));
                }
                self.trail.enter(step, *after);
                let mut entered = Visit::new(*visit, step.clone(), recorded.at);
                entered.after = *after;
                entered.files.clone_from(files);
                self.visits.push(entered);
                self.status = RunStatus::Active;
            }
            Event::Asked { visit } => {
                let asking = self.open_visit(*visit);
                let asking = asking.ok_or_else(|| corrupt("the visit with the question is not open"))?;
                asking.asked = Some(recorded.at);
                self.status = RunStatus::Waiting;
            }
            Event::LetGo { .. }
            | Event::Dispatched { .. }
            | Event::Took { .. }
            | Event::Closed { .. }
            | Event::Judged { .. }
            | Event::Escalated { .. } => {
                self.apply_to_open(&recorded.event)
                    .ok_or_else(|| corrupt("the visit is not open"))?;
            }
            Event::RisksAccepted { findings, .. } => self.accepted.extend(findings.iter().cloned()),
            Event::Noted { visit, text } => {
                let noted = self
                    .visit_mut(*visit)
                    .ok_or_else(|| corrupt("the note's visit does not exist"))?;
                noted.notes.push(Note {
                    at: recorded.at,
                    by: recorded.by.clone(),
                    text: text.clone(),
                });
            }
            Event::Ended {
                visit,
                outcome,
                also_found,
                ..
            } => {
                let found = also_found.iter().cloned();
                self.also_found.extend(found.map(|problem| FoundProblem {
                    visit: *visit,
                    problem,
                }));
                let open = self
                    .open_visit(*visit)
                    .ok_or_else(|| corrupt("the visit is not open"))?;
                open.ending = Ending::of(recorded);
                self.trail.end(*visit, *outcome);
                self.status = RunStatus::Active;
            }
            Event::Completed => self.status = self.final_status(),
            Event::Paused { .. } => self.status = RunStatus::Paused,
            Event::Resumed => {
                self.resumed = true;
                let asking = self.current().is_some_and(|visit| visit.asked.is_some());
                self.status = if asking {
                    RunStatus::Waiting
                } else {
                    RunStatus::Active
                };
            }
            Event::Cancelled { .. } => self.status = RunStatus::Cancelled,
            Event::Rewound { .. } if !self.is_whole() => {
                return Err(corrupt("a condensed run cannot be rewound"));
            }
            Event::Rewound { .. } => {}
            Event::Upgraded { pin, params, .. } => self.upgrade(pin, params),
        }
        let records = records_of(&recorded.event, |visit| self.lineage(visit));
        self.records.extend(records);
        self.version = seq;
        self.changed_at = recorded.at;
        Ok(())
    }

    fn upgrade(&mut self, pin: &ContentHash, params: &Map<String, Value>) {
        self.pin = pin.clone();
        self.params.extend(params.clone());
    }

    /// The status of a run that has ended with its last visit.
    fn final_status(&self) -> RunStatus {
        let ending = self.head().and_then(|visit| visit.ending.as_ref());
        match ending.map(|ending| ending.outcome) {
            Some(Outcome::Fail) => RunStatus::Failed,
            _ => RunStatus::Completed,
        }
    }

    /// Whether a person accepted this finding as a risk.
    pub fn has_accepted(&self, finding: &Finding) -> bool {
        self.accepted.iter().any(|risk| risk.is_same(finding))
    }

    /// Whether the run is waiting only because its agent stopped, so that any agent may resume it.
    pub fn is_released(&self) -> bool {
        self.status == RunStatus::Waiting && self.current().is_some_and(|visit| visit.asked.is_none())
    }

    /// Applies an event about sub-agents, tasks or reviews to its visit; `None` if that visit is not open.
    fn apply_to_open(&mut self, event: &Event) -> Option<()> {
        match event {
            Event::LetGo { visit } => {
                self.open_visit(*visit)?;
                self.status = RunStatus::Waiting;
            }
            Event::Dispatched { visit, children } => {
                self.open_visit(*visit)?.dispatched = Some(children.clone());
            }
            Event::Took { visit, task } => self.open_visit(*visit)?.took = Some(task.clone()),
            Event::Closed { visit, task, skipped } => {
                self.open_visit(*visit)?.closed = Some((task.clone(), skipped.clone()));
            }
            Event::Judged { visit, result, tree } => {
                let open = self.open_visit(*visit)?;
                open.judged = Some(result.clone());
                open.tree.clone_from(tree);
            }
            Event::Escalated { visit, kind, reason } => {
                self.open_visit(*visit)?.escalation = Some((*kind, reason.clone()));
            }
            _ => {}
        }
        Some(())
    }

    /// All visits in order. A condensed state has only the remaining visits.
    pub fn visits(&self) -> &[Visit] {
        &self.visits
    }

    /// Whether the state still has all visits.
    pub fn is_whole(&self) -> bool {
        self.visits.len() == self.trail.len()
    }

    /// The visit with this number, if it was not dropped.
    pub fn visit(&self, number: VisitNumber) -> Option<&Visit> {
        let index = self.index_of(number)?;
        self.visits.get(index)
    }

    fn visit_mut(&mut self, number: VisitNumber) -> Option<&mut Visit> {
        let index = self.index_of(number)?;
        self.visits.get_mut(index)
    }

    fn index_of(&self, number: VisitNumber) -> Option<usize> {
        self.visits
            .binary_search_by_key(&number, |visit| visit.number)
            .ok()
    }

    fn open_visit(&mut self, number: VisitNumber) -> Option<&mut Visit> {
        self.visits
            .last_mut()
            .filter(|visit| visit.number == number && visit.ending.is_none())
    }

    /// The latest visit in the history: the open visit, or the last visit of a finished run.
    pub fn head(&self) -> Option<&Visit> {
        self.visits.last()
    }

    /// The open visit.
    pub fn current(&self) -> Option<&Visit> {
        self.head()
            .filter(|visit| visit.ending.is_none() && self.status.is_open())
    }

    /// The open visit's token.
    pub fn current_token(&self) -> Option<VisitToken> {
        self.current().map(|visit| VisitToken {
            run: self.id.clone(),
            visit: visit.number,
        })
    }

    /// A visit followed by its ancestors. A condensed state has only the remaining ancestors.
    pub fn lineage(&self, from: VisitNumber) -> impl Iterator<Item = &Visit> {
        self.passed(from).filter_map(|passed| self.visit(passed.number))
    }

    /// Summaries of a visit followed by all its ancestors. Complete even in a condensed state.
    pub fn passed(&self, from: VisitNumber) -> impl Iterator<Item = VisitSummary<'_>> {
        self.trail.back_from(from)
    }

    /// A visit's step, if the visit exists.
    pub fn step_of(&self, number: VisitNumber) -> Option<&StepId> {
        self.trail.get(number).map(|passed| passed.step)
    }

    /// The number of times that a step ended with this outcome, including visits that a rewind left behind.
    pub fn count_endings(&self, step: &StepId, outcome: Outcome) -> usize {
        let wanted = |passed: &VisitSummary<'_>| passed.step == step && passed.outcome == Some(outcome);
        self.trail.all().filter(wanted).count()
    }

    /// Whether a visit is an ancestor of the head.
    pub fn is_in_history(&self, number: VisitNumber) -> bool {
        self.head()
            .is_some_and(|head| self.passed(head.number).any(|passed| passed.number == number))
    }

    /// The number of rounds in each active loop or review at a visit, by the step that last ended with `iterate` or
    /// `fail`.
    pub fn loops_at(&self, number: VisitNumber) -> BTreeMap<&StepId, u32> {
        let mut rounds: BTreeMap<&StepId, u32> = BTreeMap::new();
        let mut over: BTreeSet<&StepId> = BTreeSet::new();
        for passed in self.passed(number).skip(1) {
            let goes_round = matches!(passed.outcome, Some(Outcome::Iterate | Outcome::Fail));
            if !goes_round {
                over.insert(passed.step);
            } else if !over.contains(passed.step) {
                *rounds.entry(passed.step).or_default() += 1;
            }
        }
        rounds
    }

    /// The root task of the run's plan at a visit.
    pub fn plan_root(&self, at: VisitNumber) -> Option<&TaskId> {
        self.lineage(at)
            .filter_map(|visit| visit.ending.as_ref())
            .find_map(|ending| ending.evidence.iter().find_map(EvidenceReport::plan_root))
    }

    /// The run's task at a visit: the last task that the run took, unless that task was closed.
    pub fn task(&self, at: VisitNumber) -> Option<&TaskBrief> {
        self.lineage(at)
            .find_map(|visit| match (&visit.closed, &visit.took) {
                (Some(_), _) => Some(None),
                (None, Some(task)) => Some(Some(task)),
                (None, None) => None,
            })
            .flatten()
    }

    /// A visit's task: the task that the run took, or else the task that the run was started or dispatched for.
    pub fn current_task(&self, at: VisitNumber) -> Option<TaskRef> {
        let given = match &self.origin {
            Origin::Child(origin) => origin.task.as_deref().cloned(),
            other => other.task().cloned(),
        };
        self.task(at).map(TaskRef::from).or(given)
    }

    /// Each step's latest result before a visit, along the visit's history.
    pub fn results_before(&self, number: VisitNumber) -> Map<String, Value> {
        let mut results = Map::new();
        for visit in self.lineage(number).skip(1) {
            if let Some(result) = visit.ending.as_ref().and_then(|ending| ending.result.as_ref()) {
                results
                    .entry(visit.step.as_str())
                    .or_insert_with(|| result.clone());
            }
        }
        results
    }
}
