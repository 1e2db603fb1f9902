//! Condenses a run to the visits that later decisions depend on. Snapshots store the condensed run.

use std::collections::BTreeSet;

use super::command::Command;
use super::deferred::has_findings;
use super::disputes::has_disputes;
use super::gate::has_verdict;
use super::state::RunState;
use super::visit::Visit;
use crate::id::VisitNumber;
use crate::name::StepId;

/// The number of most recent visits that are always kept, because a step can refer to the previous visit.
const RECENT: usize = 2;

impl RunState {
    /// Whether a command can be decided without the dropped visits.
    pub fn is_enough_for(&self, command: &Command<'_>) -> bool {
        let named = match command {
            Command::Rewind { .. } => return self.is_whole(),
            Command::Done { visit, .. } | Command::AcceptRisks { visit, .. } => Some(*visit),
            Command::Answer { visit, .. } => *visit,
            Command::LetGo
            | Command::Note(_)
            | Command::Pause { .. }
            | Command::Resume
            | Command::Cancel { .. }
            | Command::Upgrade { .. } => None,
        };
        self.is_whole() || named.is_none_or(|visit| self.visit(visit).is_some())
    }

    /// The same run with only the visits that later decisions can depend on. The condensed run behaves the same when
    /// applying events and when deciding any command that [`Self::is_enough_for`] accepts.
    #[must_use]
    pub fn condensed(&self) -> Self {
        let kept = self.needed();
        let mut state = self.clone();
        state.visits.retain(|visit| kept.contains(&visit.number));
        state
    }

    fn needed(&self) -> BTreeSet<VisitNumber> {
        let mut kept = BTreeSet::new();
        let Some(head) = self.head() else { return kept };
        let mut met = BTreeSet::new();
        let mut passing_by = true;
        for (index, visit) in self.lineage(head.number).enumerate() {
            let before = met.len();
            met.extend(brought(visit));
            let is_first = met.len() > before;
            if index < RECENT || passing_by || is_first || has_findings(visit) || has_disputes(visit) {
                kept.insert(visit.number);
            }
            // A repeated command gets the same answer only for the last visit that an agent or a person ended.
            passing_by = passing_by && (visit.ending.is_none() || visit.passed_by_itself());
        }
        kept
    }
}

/// A value that later decisions use until a later visit replaces it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Brought<'a> {
    Result(&'a StepId),
    Task,
    ClosedTask,
    Plan,
    Verdict,
}

fn brought(visit: &Visit) -> impl Iterator<Item = Brought<'_>> {
    let ending = visit.ending.as_ref();
    let has_result = ending.is_some_and(|ending| ending.result.is_some());
    let has_plan =
        ending.is_some_and(|ending| ending.evidence.iter().any(|report| report.plan_root().is_some()));
    [
        (has_result, Brought::Result(&visit.step)),
        (visit.took.is_some(), Brought::Task),
        (visit.closed.is_some(), Brought::ClosedTask),
        (has_plan, Brought::Plan),
        (has_verdict(visit), Brought::Verdict),
    ]
    .into_iter()
    .filter_map(|(brings, what)| brings.then_some(what))
}
