//! Work for sub-agents, and their last message to the orchestrator. A sub-agent gets its brief from its start command. When
//! it returns, the orchestrator acts on its output, so that output must hold the next command.

use super::element::Element;
use super::guidance::forbidden;

/// One sub-agent to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubagentDispatch<'a> {
    /// The role it takes.
    pub role: &'a str,
    /// How able a model has to be, if it matters.
    pub model: Option<&'a str>,
    /// The command that it runs first.
    pub start_command: &'a str,
}

/// One of several sub-agents that are started together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParallelAgent<'a> {
    /// Its number within the dispatch, from 1.
    pub slot: u32,
    /// The command that it runs first.
    pub start_command: &'a str,
}

/// Several sub-agents to start together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParallelDispatch<'a> {
    /// The role they all take.
    pub role: &'a str,
    /// How able a model has to be, if it matters.
    pub model: Option<&'a str>,
    /// The agents, each with its own command.
    pub agents: &'a [ParallelAgent<'a>],
}

/// The last word of a sub-agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrchestratorAction<'a> {
    /// How its work ended, in a line.
    pub verdict: &'a str,
    /// Where its report can be read, if it left one.
    pub report: Option<&'a str>,
    /// The command that the orchestrator runs next.
    pub command: &'a str,
}

/// `<subagent_dispatch>`: one sub-agent and the command that it runs first.
///
/// The command binds the sub-agent to its own run: it prints the brief with every
/// value, and takes the report. A brief in the orchestrator's own words would drift
/// from the task, so the orchestrator passes on nothing else.
pub fn subagent_dispatch(dispatch: &SubagentDispatch<'_>) -> Element {
    Element::new("subagent_dispatch")
        .attribute("role", dispatch.role)
        .optional_attribute("model", dispatch.model)
        .child(Element::with_text("start", dispatch.start_command))
        .child(Element::with_text(
            "instruction",
            format!(
                "Start one sub-agent ({}) with the start command as its prompt.",
                agent_of(dispatch.role)
            ),
        ))
}

/// Which of the client's agents to start.
fn agent_of(role: &str) -> String {
    format!("bugle-{role}, if your client has it")
}

/// `<parallel_dispatch>`: several sub-agents that run at the same time.
///
/// Agents started one after the other cost the sum of their times, and the later ones
/// are coloured by what the first returned, so one message starts all. The count is
/// taken from the list, so the two cannot disagree. An orchestrator that continues with
/// some of the answers never asks for the rest, so the text says to wait.
pub fn parallel_dispatch(dispatch: &ParallelDispatch<'_>) -> Element {
    let count = dispatch.agents.len();
    let agent = agent_of(dispatch.role);
    let instruction = match count {
        0 => "No sub-agent is needed here. Continue.".to_owned(),
        1 => format!(
            "Start one sub-agent ({agent}) with the start command as its prompt. Wait for it, then continue."
        ),
        _ => format!(
            "Start {count} sub-agents ({agent}) in one message, each with its own start command as its prompt. Wait for \
             all {count}, then continue."
        ),
    };
    Element::new("parallel_dispatch")
        .attribute("role", dispatch.role)
        .attribute("count", count)
        .optional_attribute("model", dispatch.model.filter(|_| count > 0))
        .child(Element::with_text("instruction", instruction))
        .children(
            dispatch
                .agents
                .iter()
                .map(|agent| Element::with_text("start", agent.start_command).attribute("slot", agent.slot)),
        )
}

/// `<orchestrator_constraint>`: who does the work of this step.
///
/// Orchestrators slip from routing into doing: a small fix here, a finding
/// interpreted there, and the review no longer covers what was changed.
pub fn orchestrator_constraint() -> Element {
    Element::with_text(
        "orchestrator_constraint",
        "Delegate everything in this step, even small fixes.",
    )
}

/// `<orchestrator_action>`: a sub-agent's last word, addressed to its orchestrator.
///
/// This is the only point at which the orchestrator can be reached after a
/// sub-agent returns: its earlier instructions are a turn back and are not read
/// again. So the verdict is one line, the report a reference (its text would
/// fill the orchestrator's context and tempt it to repair), and the command is
/// there to be run.
pub fn orchestrator_action(action: &OrchestratorAction<'_>) -> Element {
    let element = Element::new("orchestrator_action")
        .child(Element::with_text(
            "handover",
            "You are done. Make this element your final message, unchanged. The command is for the agent that started you.",
        ))
        .child(Element::with_text("verdict", action.verdict));
    let command = Element::with_text("command", action.command);
    match action.report {
        None => element
            .child(Element::with_text("instruction", "Run this command next:"))
            .child(command),
        Some(reference) => element
            .child(Element::with_text("report", reference))
            .child(Element::with_text(
                "instruction",
                "Run this command next. Its answer says who reads the report:",
            ))
            .child(command)
            .child(forbidden(&["Acting on the report before the command has run"])),
    }
}

#[cfg(test)]
#[path = "dispatch_tests.rs"]
mod tests;
