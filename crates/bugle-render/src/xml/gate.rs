//! The verdict on a piece of work, and where it leads.
//!
//! A gate never asks the agent for the verdict: it is computed from the
//! findings, and the elements here only state it. Each verdict carries its own
//! command, so that no text can announce one way and print another.

use std::fmt;

use super::element::{Content, Element};
use super::guidance::forbidden;
use super::step::{NextCommand, StepHeader, StepOutput, step_output};

/// Whether the work passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateStatus {
    /// Nothing that blocks was found.
    Pass,
    /// Something that blocks was found.
    Fail,
}

impl fmt::Display for GateStatus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
        })
    }
}

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Cannot be repaired later.
    Must,
    /// Will cost something later.
    Should,
    /// Can be repaired at any time.
    Could,
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Must => "must",
            Self::Should => "should",
            Self::Could => "could",
        })
    }
}

/// Who repairs what a review found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reworker<'a> {
    /// The agent that reads this.
    Orchestrator,
    /// A sub-agent that it starts.
    SubAgent {
        /// The role of the sub-agent.
        role: &'a str,
    },
}

/// What a person can decide when a review loop has reached its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HumanDecision {
    /// Rework and review once more.
    Continue,
    /// Go on with the work as it is.
    Accept,
    /// End the run.
    Abort,
}

impl fmt::Display for HumanDecision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Continue => "continue",
            Self::Accept => "accept",
            Self::Abort => "abort",
        })
    }
}

/// A decision with the command that records it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecisionChoice<'a> {
    /// The decision.
    pub decision: HumanDecision,
    /// The command that records it and goes on from there.
    pub command: &'a str,
}

/// Where the verdict leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateOutcome<'a> {
    /// The work passed.
    Passed {
        /// What the pass means, in the words of the skill.
        message: &'a str,
        /// The command that goes on; none if the workflow ends with this gate.
        command: Option<&'a str>,
    },
    /// The work goes back.
    Rework {
        /// The severities that block in this iteration.
        blocking: &'a [Severity],
        /// Who repairs it.
        reworker: Reworker<'a>,
        /// Where the findings can be read.
        findings: &'a str,
        /// The command that enters the rework.
        command: &'a str,
    },
    /// The work failed as often as the gate allows; a person decides.
    LimitReached {
        /// Where the findings can be read.
        findings: &'a str,
        /// The decisions on offer.
        choices: &'a [DecisionChoice<'a>],
    },
}

/// A gate that has come to a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate<'a> {
    /// What the gate is called.
    pub checkpoint: &'a str,
    /// The review that led here, counted from 1.
    pub iteration: u32,
    /// How many reviews the gate allows before a person decides.
    pub limit: u32,
    /// Where the verdict leads.
    pub outcome: GateOutcome<'a>,
}

/// `<gate_result>`: the verdict, first of all.
///
/// An agent that has to infer the verdict from the report argues with it. Here it
/// is a value in an attribute, with one sentence beside it.
pub fn gate_result(status: GateStatus, message: &str) -> Element {
    Element::with_text("gate_result", message).attribute("status", status)
}

/// `<post_qr_routing>`: what the agent does once the reviewer has returned.
///
/// Orchestrators that see findings start to repair them at once, without the
/// gate. So the way on is told before the review begins, and again by the
/// reviewer itself (`orchestrator_action`), since what was printed before a
/// sub-agent ran is seldom read again after it.
pub fn post_qr_routing(reworker: Reworker<'_>, command: &str) -> Element {
    let fail = match reworker {
        Reworker::Orchestrator => {
            "The command answers with the rework, which you carry out yourself in that step.".to_owned()
        }
        Reworker::SubAgent { role } => {
            format!("The command answers with the rework, which goes to a sub-agent in the role {role}.")
        }
    };
    let case =
        |status: GateStatus, text: String| Element::with_text("case", text).attribute("verdict", status);
    Element::new("post_qr_routing")
        .child(Element::with_text(
            "role",
            "When the reviewer has returned, you run the command below. Bugle computes the verdict \
             from the findings; both verdicts take the same command.",
        ))
        .child(
            Element::new("routing_table")
                .child(case(
                    GateStatus::Pass,
                    "The command answers with what follows the gate.".to_owned(),
                ))
                .child(case(GateStatus::Fail, fail)),
        )
        .child(Element::with_text("command", command))
        .child(forbidden(&[
            "Repairing a finding before the command has run",
            "Weighing, merging or dropping findings",
        ]))
}

/// What a gate asks for, after its result.
///
/// A pass names what was reached. A fail says which severities block in this
/// iteration (fewer as iterations go by, so that a loop converges), who repairs,
/// and where the findings are: by reference, because a summary loses the
/// details that the repair needs. At the limit the decision belongs to a person,
/// and an agent that could take it would always continue or always accept.
pub fn gate_actions(gate: &Gate<'_>) -> Vec<Element> {
    match gate.outcome {
        GateOutcome::Passed { message, command } => {
            let unchanged = command.map(|_| {
                forbidden(&[
                    "Changing the reviewed work before going on: the verdict holds for the work \
                     as it was judged",
                ])
            });
            let message = Element::with_text("pass_message", message);
            [message].into_iter().chain(unchanged).collect()
        }
        GateOutcome::Rework {
            blocking,
            reworker,
            findings: reference,
            ..
        } => vec![
            severity_filter(gate.iteration, blocking),
            findings(reference),
            rework(reworker),
            forbidden(&[
                "Repairing anything before the rework step has been entered",
                "Leaving out a finding, or restating it in other words",
            ]),
        ],
        GateOutcome::LimitReached {
            findings: reference,
            choices,
        } => vec![
            Element::with_text(
                "iteration_limit_reached",
                "The review has failed as often as the gate allows. The run waits for a decision \
                 of the user.",
            )
            .attribute("iteration", gate.iteration)
            .attribute("limit", gate.limit),
            findings(reference),
            human_decision(choices),
            Element::with_text(
                "human_override_recording",
                "The decision is recorded in the run, together with who took it. Nothing has to \
                 be written into the work.",
            ),
            forbidden(&["Taking the decision for the user"]),
        ],
    }
}

/// A complete gate: `<workflow>` with the verdict, what it asks for, and the way on.
///
/// The gate only routes. It does no work of its own, so an agent that arrives
/// here has exactly one thing to do.
pub fn gate_step(header: &StepHeader<'_>, gate: &Gate<'_>) -> Element {
    let status = match gate.outcome {
        GateOutcome::Passed { .. } => GateStatus::Pass,
        GateOutcome::Rework { .. } | GateOutcome::LimitReached { .. } => GateStatus::Fail,
    };
    let verdict = match status {
        GateStatus::Pass => "passed",
        GateStatus::Fail => "not passed",
    };
    let message = format!(
        "{}: {verdict} in iteration {}; the limit is {}.",
        gate.checkpoint, gate.iteration, gate.limit
    );
    let next = match gate.outcome {
        GateOutcome::Passed {
            command: Some(command),
            ..
        }
        | GateOutcome::Rework { command, .. } => NextCommand::Flat(command.to_owned()),
        GateOutcome::Passed { command: None, .. } | GateOutcome::LimitReached { .. } => NextCommand::None,
    };
    step_output(&StepOutput {
        header: *header,
        mandate: false,
        task: None,
        gate_result: Some(gate_result(status, &message)),
        action: gate_actions(gate).into_iter().map(Content::from).collect(),
        blocks: Vec::new(),
        next,
    })
}

/// `<findings>`: where they can be read.
fn findings(reference: &str) -> Element {
    Element::with_text("findings", reference)
}

fn rework(reworker: Reworker<'_>) -> Element {
    let text = match reworker {
        Reworker::Orchestrator => {
            "You repair the work in the step that the command enters, from the whole findings.".to_owned()
        }
        Reworker::SubAgent { role } => format!(
            "A sub-agent in the role {role} repairs the work. It reads the findings itself, \
             whole; you pass on where they are."
        ),
    };
    Element::with_text("rework", text)
}

fn severity_filter(iteration: u32, blocking: &[Severity]) -> Element {
    let of = |severity: &Severity| blocking.contains(severity);
    let all = [Severity::Must, Severity::Should, Severity::Could];
    let text = if all.iter().all(of) {
        "Findings of every severity block in this iteration."
    } else {
        "Findings of the severities named here block in this iteration. The others are recorded \
         and do not block."
    };
    let names: Vec<_> = all
        .iter()
        .filter(|severity| of(severity))
        .map(Severity::to_string)
        .collect();
    Element::with_text("severity_filter", text)
        .attribute("iteration", iteration)
        .attribute("blocking", names.join(" "))
}

fn human_decision(choices: &[DecisionChoice<'_>]) -> Element {
    Element::new("human_decision")
        .child(Element::with_text(
            "instruction",
            "Show the user the findings and these choices, and wait for the answer. Then run the \
             command of the choice that was made.",
        ))
        .children(choices.iter().map(|choice| {
            Element::with_text("choice", choice.command).attribute("decision", choice.decision)
        }))
}

#[cfg(test)]
#[path = "gate_tests.rs"]
mod tests;
