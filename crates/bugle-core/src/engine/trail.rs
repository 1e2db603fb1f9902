//! A run's trail: the step, predecessor and outcome of every visit. It stays complete when old visits are dropped, so
//! that rounds can be counted in a run of any length.

use serde::{Deserialize, Serialize};

use crate::id::VisitNumber;
use crate::name::StepId;
use crate::outcome::Outcome;

/// Summaries of all visits; visit n is at index n - 1.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "StoredTrail", into = "StoredTrail")]
pub(super) struct Trail {
    steps: Vec<StepId>,
    marks: Vec<Mark>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    step: u32,
    outcome: Option<Outcome>,
    after: Option<VisitNumber>,
}

/// A summary of one visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VisitSummary<'a> {
    /// The visit's number.
    pub number: VisitNumber,
    /// The step.
    pub step: &'a StepId,
    /// The visit's outcome, if it has ended.
    pub outcome: Option<Outcome>,
    after: Option<VisitNumber>,
}

impl Trail {
    pub(super) fn len(&self) -> usize {
        self.marks.len()
    }

    /// The number of the next visit.
    pub(super) fn next(&self) -> VisitNumber {
        VisitNumber(u32::try_from(self.marks.len()).unwrap_or(u32::MAX)).following()
    }

    pub(super) fn enter(&mut self, step: &StepId, after: Option<VisitNumber>) {
        let known = self.steps.iter().position(|known| known == step);
        let index = known.unwrap_or_else(|| {
            self.steps.push(step.clone());
            self.steps.len() - 1
        });
        self.marks.push(Mark {
            step: u32::try_from(index).unwrap_or(u32::MAX),
            outcome: None,
            after,
        });
    }

    pub(super) fn end(&mut self, number: VisitNumber, outcome: Outcome) {
        if let Some(mark) = place(number).and_then(|index| self.marks.get_mut(index)) {
            mark.outcome = Some(outcome);
        }
    }

    pub(super) fn get(&self, number: VisitNumber) -> Option<VisitSummary<'_>> {
        let mark = self.marks.get(place(number)?)?;
        Some(VisitSummary {
            number,
            step: self.steps.get(mark.step as usize)?,
            outcome: mark.outcome,
            after: mark.after,
        })
    }

    /// A visit followed by all its ancestors.
    pub(super) fn back_from(&self, number: VisitNumber) -> impl Iterator<Item = VisitSummary<'_>> {
        // A visit always follows an earlier visit, so the iteration terminates.
        std::iter::successors(self.get(number), |passed| self.get(passed.after?))
    }

    /// All visits, in order.
    pub(super) fn all(&self) -> impl Iterator<Item = VisitSummary<'_>> {
        (1..=u32::try_from(self.marks.len()).unwrap_or(u32::MAX))
            .filter_map(|number| self.get(VisitNumber(number)))
    }
}

fn place(number: VisitNumber) -> Option<usize> {
    (number.0 as usize).checked_sub(1)
}

/// The stored form: one number per visit. A visit's predecessor is stored only if its number is not one less than the
/// visit's own.
#[derive(Serialize, Deserialize)]
struct StoredTrail {
    steps: Vec<StepId>,
    /// For each visit: the step index times five, plus 0 for an open visit or 1 to 4 for the outcome.
    visits: Vec<u32>,
    /// A visit and its predecessor; 0 means none.
    branches: Vec<(u32, u32)>,
}

/// The number of states of a visit: open, or one of four outcomes.
const KINDS: u32 = 5;

impl From<Trail> for StoredTrail {
    fn from(trail: Trail) -> Self {
        let kind = |outcome: Option<Outcome>| {
            let index = outcome.and_then(|outcome| Outcome::ALL.iter().position(|other| *other == outcome));
            index.map_or(0, |index| u32::try_from(index).unwrap_or(0) + 1)
        };
        let number = |visit: Option<VisitNumber>| visit.map_or(0, |visit| visit.0);
        Self {
            visits: trail
                .marks
                .iter()
                .map(|mark| mark.step * KINDS + kind(mark.outcome))
                .collect(),
            branches: trail
                .all()
                .filter(|passed| number(passed.after) + 1 != passed.number.0)
                .map(|passed| (passed.number.0, number(passed.after)))
                .collect(),
            steps: trail.steps,
        }
    }
}

impl TryFrom<StoredTrail> for Trail {
    type Error = &'static str;

    fn try_from(stored: StoredTrail) -> Result<Self, Self::Error> {
        let outcome = |packed: u32| {
            let index = (packed % KINDS).checked_sub(1)?;
            Outcome::ALL.get(index as usize).copied()
        };
        let mut marks: Vec<Mark> = (0_u32..)
            .zip(&stored.visits)
            .map(|(before, packed)| Mark {
                step: packed / KINDS,
                outcome: outcome(*packed),
                after: (before > 0).then_some(VisitNumber(before)),
            })
            .collect();
        if marks.iter().any(|mark| mark.step as usize >= stored.steps.len()) {
            return Err("a visit has an unknown step");
        }
        for (number, after) in stored.branches {
            let mark = place(VisitNumber(number)).and_then(|index| marks.get_mut(index));
            match mark {
                Some(mark) if after < number => mark.after = (after > 0).then_some(VisitNumber(after)),
                _ => return Err("a visit's previous visit does not exist"),
            }
        }
        Ok(Self {
            steps: stored.steps,
            marks,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn trails() -> impl Strategy<Value = Trail> {
        let visit = (
            0_usize..4,
            0_usize..5,
            any::<prop::sample::Index>(),
            prop::bool::weighted(0.2),
        );
        prop::collection::vec(visit, 0..40).prop_map(|visits| {
            let mut trail = Trail::default();
            for (step, ending, back, branches) in visits {
                let step = StepId::new(["a", "b", "c", "d"][step]).unwrap();
                let entered = trail.next();
                let before = if branches {
                    u32::try_from(back.index(entered.0 as usize)).unwrap()
                } else {
                    entered.0 - 1
                };
                trail.enter(&step, (before > 0).then_some(VisitNumber(before)));
                if let Some(outcome) = ending.checked_sub(1).map(|index| Outcome::ALL[index]) {
                    trail.end(entered, outcome);
                }
            }
            trail
        })
    }

    proptest! {
        #[test]
        fn a_stored_trail_reads_back(trail in trails()) {
            let text = serde_json::to_string(&trail).unwrap();
            prop_assert_eq!(serde_json::from_str::<Trail>(&text).unwrap(), trail);
        }
    }

    #[test]
    fn an_invalid_trail_is_refused() {
        for text in [
            r#"{"steps":[],"visits":[0],"branches":[]}"#,
            r#"{"steps":["a"],"visits":[0],"branches":[[1,1]]}"#,
            r#"{"steps":["a"],"visits":[0],"branches":[[2,1]]}"#,
        ] {
            assert!(serde_json::from_str::<Trail>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn every_outcome_has_a_number() {
        assert_eq!(KINDS as usize, 1 + Outcome::ALL.len());
    }

    #[test]
    fn a_visit_in_a_long_run_takes_only_a_few_bytes() {
        let mut trail = Trail::default();
        for number in 1..=5_000 {
            trail.enter(
                &StepId::new("again").unwrap(),
                (number > 1).then(|| VisitNumber(number - 1)),
            );
            trail.end(VisitNumber(number), Outcome::Iterate);
        }
        assert!(serde_json::to_string(&trail).unwrap().len() < 5_000 * 4);
    }
}
