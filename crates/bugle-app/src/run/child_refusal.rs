//! Refusals that are about sub-agents, with the commands that go on from there.

use bugle_core::engine::{ChildState, Refusal};
use bugle_core::id::ChildToken;
use bugle_render::words;

use super::OpenRun;
use crate::{App, view};

impl App {
    /// The details of a refusal that is about sub-agents, with the commands that start them, answer them or have them
    /// review again.
    pub(super) fn details_about_children(
        &self,
        run: &OpenRun,
        refusal: &Refusal,
        details: Vec<String>,
    ) -> Vec<String> {
        let command = |slot: u32, word: &[&str]| {
            let parent = run.state.current_token()?;
            let child = ChildToken { parent, slot }.to_string();
            let words: Vec<&str> = word.iter().copied().chain([child.as_str()]).collect();
            Some(self.place.command(&words))
        };
        match refusal {
            Refusal::ChildrenMissing { missing, .. } => {
                let slots = missing.iter().map(|(slot, _)| *slot);
                let commands = slots.filter_map(|slot| command(slot, &["start", "--child"]));
                let lines = details.iter().zip(commands);
                lines
                    .map(|(detail, command)| format!("{detail}; it starts, or goes on, with: {command}"))
                    .collect()
            }
            Refusal::ChildrenAsking(asking) => self.answers_for(run, asking),
            Refusal::SelfReview { child, .. } => {
                let start = self.place.command(&["start", "--child", &child.to_string()]);
                vec![format!(
                    "the sub-agent that reviews starts, or goes on, with: {start}"
                )]
            }
            Refusal::ReportWithoutFindings(slots) | Refusal::ReviewStale(slots) => {
                let commands = slots.iter().filter_map(|slot| command(*slot, &["retry"]));
                to_review_again(&details, commands)
            }
            Refusal::ReviewIncomplete(reports) => {
                let slots = reports.iter().map(|(slot, _)| *slot);
                to_review_again(&details, slots.filter_map(|slot| command(slot, &["retry"])))
            }
            _ => details,
        }
    }

    /// The open questions of sub-agents, each with the command that answers it; then the command that records them as not
    /// done. A gate has no such command: it needs every review.
    fn answers_for(&self, run: &OpenRun, asking: &[(u32, ChildState)]) -> Vec<String> {
        let Some(parent) = run.state.current_token() else {
            return Vec::new();
        };
        let answer = |(slot, asks): &(u32, ChildState)| {
            let child = ChildToken {
                parent: parent.clone(),
                slot: *slot,
            };
            let asked = words::child_state(asks);
            let token = child.to_string();
            if let ChildState::Escalated(..) = asks {
                let file = view::answer_file(&self.place, &child);
                let retry = self.place.command(&["retry", &token]);
                format!(
                    "sub-agent {slot} {asked}; to answer and restart it, write the answer to {} and run: {retry}",
                    file.display()
                )
            } else {
                let show = self.place.command(&["start", "--child", &token]);
                format!(
                    "sub-agent {slot} {asked}; to see the question and the commands that answer it: {show}"
                )
            }
        };
        let mut lines: Vec<String> = asking.iter().map(answer).collect();
        let visit = run.state.current();
        let step = visit.and_then(|visit| run.workflow.step(&visit.step));
        if step.is_some_and(|step| step.gate.is_none()) {
            let go_on = self.place.command(&["done", &parent.to_string(), "--unanswered"]);
            lines.push(format!("to record them as not done and end the step: {go_on}"));
        }
        lines
    }
}

/// Each reviewer that must review again, with the command that starts it again.
fn to_review_again(details: &[String], commands: impl Iterator<Item = String>) -> Vec<String> {
    let with_command = |(detail, command)| format!("{detail}; to start it again: {command}");
    details.iter().zip(commands).map(with_command).collect()
}
