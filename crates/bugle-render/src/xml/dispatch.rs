//! Work for sub-agents, and their final message to the orchestrator. A sub-agent gets its brief from its start command.
//! The orchestrator acts on the final message, so that message must contain the next command.

use bugle_core::interface::Interface;

use super::element::Element;
use super::guidance::forbidden;

/// One sub-agent to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubagentDispatch<'a> {
    /// The sub-agent's role.
    pub role: &'a str,
    /// The required model size, if any.
    pub model: Option<&'a str>,
    /// The sub-agent's first command.
    pub start_command: &'a str,
}

/// One of several sub-agents that are started together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParallelAgent<'a> {
    /// The sub-agent's number within the dispatch, starting at 1.
    pub slot: u32,
    /// The sub-agent's first command.
    pub start_command: &'a str,
}

/// Several sub-agents to start together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParallelDispatch<'a> {
    /// The sub-agents' role.
    pub role: &'a str,
    /// The required model size, if any.
    pub model: Option<&'a str>,
    /// The sub-agents, each with its own command.
    pub agents: &'a [ParallelAgent<'a>],
}

/// A sub-agent's final message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrchestratorAction<'a> {
    /// The sub-agent's result, on one line.
    pub verdict: &'a str,
    /// The command that prints the sub-agent's report, if there is one.
    pub report: Option<&'a str>,
    /// The command that the orchestrator runs next.
    pub command: &'a str,
    /// The interface of the command.
    pub interface: Interface,
}

/// `<subagent_dispatch>`: one sub-agent and its start command.
///
/// The start command binds the sub-agent to its own run, prints the complete brief and says how to report. The
/// orchestrator passes on nothing else, because its own summary would drift from the task.
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

/// Names the agent definition that the client should start.
fn agent_of(role: &str) -> String {
    format!("bugle-{role} if your client has that agent")
}

/// `<parallel_dispatch>`: several sub-agents that run at the same time.
///
/// One message starts all sub-agents: agents started one after the other take longer, and the first answer influences
/// the later answers. The count is the length of the list, so count and list cannot disagree. The text tells the
/// orchestrator to wait, because an orchestrator that continues with some of the answers never asks for the rest.
pub fn parallel_dispatch(dispatch: &ParallelDispatch<'_>) -> Element {
    let count = dispatch.agents.len();
    let agent = agent_of(dispatch.role);
    let instruction = match count {
        0 => "No sub-agent is needed. Continue.".to_owned(),
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

/// `<orchestrator_constraint>`: the orchestrator delegates.
///
/// Orchestrators drift from delegating into doing the work: after a small fix here and a reinterpreted finding there,
/// the review no longer covers the changes.
pub fn orchestrator_constraint() -> Element {
    Element::with_text(
        "orchestrator_constraint",
        "Delegate everything in this step, even small fixes.",
    )
}

/// `<orchestrator_action>`: a sub-agent's final message to its orchestrator.
///
/// After a sub-agent returns, the orchestrator reads only this text: its instructions were in an earlier turn. So the
/// verdict is one line, the command is complete, and the report is a reference. The report's text would fill the
/// orchestrator's context and tempt it to fix things itself.
pub fn orchestrator_action(action: &OrchestratorAction<'_>) -> Element {
    let element = Element::new("orchestrator_action")
        .child(Element::with_text(
            "handover",
            "You are done. Make this element your final message, unchanged. The command is for the agent that started you.",
        ))
        .child(Element::with_text("verdict", action.verdict));
    let command = Element::with_text("command", action.command);
    let (what, returns, before) = if action.interface.is_mcp() {
        ("Make this call", "returns", "making the call")
    } else {
        ("Run this command", "prints", "running the command")
    };
    match action.report {
        None => element
            .child(Element::with_text("instruction", format!("{what} next:")))
            .child(command),
        Some(reference) => element
            .child(Element::with_text("report", reference))
            .child(Element::with_text(
                "instruction",
                format!("{what} next. It {returns} which agent reads the report:"),
            ))
            .child(command)
            .child(forbidden(&[&format!("Acting on the report before {before}")])),
    }
}

#[cfg(test)]
#[path = "dispatch_tests.rs"]
mod tests;
