//! Work handed to sub-agents, and their last word to the orchestrator.
//!
//! A sub-agent knows nothing but its brief, so a dispatch passes values, never
//! names of things to remember. And when it returns, the orchestrator acts on
//! what the sub-agent printed, not on what it read before: between the two turns
//! nothing can be injected, so the sub-agent's own output must carry the way on.

use super::element::{Content, Element};
use super::gate::findings;
use super::guidance::forbidden;

/// A value that a sub-agent needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextVariable<'a> {
    /// What the value is.
    pub name: &'a str,
    /// The value itself.
    pub value: &'a str,
}

/// How a sub-agent is led.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DispatchMode<'a> {
    /// By a workflow, step by step.
    Script,
    /// By a task in prose; the way is its own.
    FreeForm {
        /// The task.
        task: &'a str,
    },
}

/// One sub-agent to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubagentDispatch<'a> {
    /// The role it takes.
    pub role: &'a str,
    /// How able a model has to be, if it matters.
    pub model: Option<&'a str>,
    /// How it is led.
    pub mode: DispatchMode<'a>,
    /// What it needs to know.
    pub context: &'a [ContextVariable<'a>],
    /// Where the findings are that it is to repair, if it is started for rework.
    pub findings: Option<&'a str>,
    /// The command with which it starts.
    pub start_command: &'a str,
}

/// A model for one agent that differs from the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelOverride<'a> {
    /// The agent's id within the dispatch.
    pub agent: &'a str,
    /// The model.
    pub model: &'a str,
}

/// Which models the sub-agents run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelSelection<'a> {
    /// The model for every agent without one of its own.
    pub default: &'a str,
    /// Why it is this one.
    pub rationale: &'a str,
    /// The exceptions.
    pub overrides: &'a [ModelOverride<'a>],
}

/// One of several sub-agents that are started together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParallelAgent<'a> {
    /// Its id within the dispatch.
    pub id: &'a str,
    /// What distinguishes it from the others.
    pub context: &'a [ContextVariable<'a>],
    /// The command with which it starts.
    pub start_command: &'a str,
}

/// Several sub-agents to start together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParallelDispatch<'a> {
    /// The role they all take.
    pub role: &'a str,
    /// Their models, unless the client's choice is left alone.
    pub models: Option<ModelSelection<'a>>,
    /// What all of them need to know.
    pub shared_context: &'a [ContextVariable<'a>],
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

/// `<subagent_dispatch>`: one sub-agent, with everything it must be given.
///
/// Values stand here in full, since the sub-agent shares no memory with its
/// orchestrator, and a brief in the orchestrator's own words drifts from the
/// task. The start command binds the sub-agent to its own run, which is where
/// its report goes. For rework, the findings travel by reference, whole.
pub fn subagent_dispatch(dispatch: &SubagentDispatch<'_>) -> Element {
    let (mode, task, handoff) = match dispatch.mode {
        DispatchMode::Script => (
            "script",
            None,
            "Its first act is the start command, which prints its first step; each step names \
             the next.",
        ),
        DispatchMode::FreeForm { task } => (
            "free-form",
            Some(Element::with_text("task", task)),
            "Its first act is the start command, which prints its brief. How it carries that out is \
             its own choice.",
        ),
    };
    let given: Vec<Element> = variables("context", dispatch.context)
        .into_iter()
        .chain(dispatch.findings.map(findings))
        .chain(task)
        .chain([Element::with_text("start", dispatch.start_command)])
        .collect();
    let names: Vec<_> = given.iter().map(Element::name).collect();
    Element::new("subagent_dispatch")
        .attribute("role", dispatch.role)
        .attribute("mode", mode)
        .optional_attribute("model", dispatch.model)
        .children(given)
        .child(
            Element::new("handoff_instruction")
                .text(format!(
                    "Start one sub-agent (your client's bugle-{}, if it has one) and give it these elements word \
                     for word: {}.",
                    dispatch.role,
                    names.join(", ")
                ))
                .text(handoff)
                .children(dispatch.findings.map(|_| "It reads the findings itself, whole."))
                .text("It reports to Bugle; its last words hold the command with which you go on."),
        )
}

/// `<model_selection>`: which model each sub-agent runs on.
///
/// The reason stands beside the choice, because an unexplained model name is
/// replaced by whatever seems better at the moment.
pub fn model_selection(selection: &ModelSelection<'_>) -> Element {
    Element::new("model_selection")
        .attribute("default", selection.default)
        .child(Element::with_text("rationale", selection.rationale))
        .children(selection.overrides.iter().map(|exception| {
            Element::new("override")
                .attribute("agent", exception.agent)
                .attribute("model", exception.model)
        }))
}

/// `<parallel_dispatch>`: several sub-agents that run at the same time.
///
/// Agents started one after the other cost the sum of their times, and the later
/// ones are coloured by what the first returned; hence one message for all. The
/// count is taken from the list, so the two cannot disagree. An orchestrator
/// that goes on with some of the answers never asks for the rest; hence the wait.
pub fn parallel_dispatch(dispatch: &ParallelDispatch<'_>) -> Element {
    let count = dispatch.agents.len();
    let (instruction, wait) = match count {
        0 => ("This step calls for no agent here. Go on.".to_owned(), None),
        1 => (
            "One agent is started.".to_owned(),
            Some("Wait until it has returned; then go on with this step.".to_owned()),
        ),
        _ => (
            format!(
                "The {count} agents (your client's bugle-{}, if it has one) are started in one message, so that \
                 they run side by side.",
                dispatch.role
            ),
            Some(format!(
                "Wait until each of the {count} has returned; then go on with this step."
            )),
        ),
    };
    let given = match (dispatch.agents, dispatch.shared_context) {
        ([], _) => "",
        (_, []) => {
            "Each is given its own agent element, word for word. Its first act is its start \
             command; it reports to Bugle."
        }
        _ => {
            "Each is given shared_context and its own agent element, word for word. Its first \
             act is its start command; it reports to Bugle."
        }
    };
    let agents = dispatch.agents.iter().map(|agent| {
        Element::new("agent")
            .attribute("id", agent.id)
            .children(variables("context", agent.context))
            .child(Element::with_text("start", agent.start_command))
    });
    Element::new("parallel_dispatch")
        .attribute("role", dispatch.role)
        .attribute("count", count)
        .child(Element::with_text("instruction", instruction).text(given))
        .children(dispatch.models.as_ref().map(model_selection))
        .children(variables("shared_context", dispatch.shared_context))
        .child(Element::new("agents").children(agents))
        .children(wait.map(|text| Element::with_text("wait", text)))
}

/// `<conditional_dispatch>`: work that depends on something only the agent can see.
///
/// Conditions that Bugle can compute are routes of the workflow and never get
/// here. For the others both branches are written out, so that doing nothing is
/// an explicit answer and not an omission.
pub fn conditional_dispatch(
    condition: &str,
    if_true: impl Into<Content>,
    if_false: impl Into<Content>,
) -> Element {
    Element::new("conditional_dispatch")
        .attribute("condition", condition)
        .child(Element::new("if_true").child(if_true))
        .child(Element::new("if_false").child(if_false))
}

/// `<orchestrator_constraint>`: who does the work of this step.
///
/// Orchestrators slip from routing into doing: a small fix here, a finding
/// interpreted there, and the review no longer covers what was changed. The
/// tools that the hooks refuse are named, so that a refusal comes as no surprise.
pub fn orchestrator_constraint<Tool: AsRef<str>>(denied_tools: &[Tool]) -> Element {
    let tools = (!denied_tools.is_empty()).then(|| {
        let items = denied_tools
            .iter()
            .map(|tool| Element::with_text("tool", tool.as_ref()));
        Element::new("denied_tools").children(items)
    });
    Element::new("orchestrator_constraint")
        .child(Element::with_text(
            "role",
            "The work of this step is done by sub-agents, small repairs included. You start them, \
             wait for them and run the printed command.",
        ))
        .children(tools)
}

/// `<orchestrator_action>`: a sub-agent's last word, addressed to its orchestrator.
///
/// This is the only point at which the orchestrator can be reached after a
/// sub-agent returns: its earlier instructions lie a turn back and are not read
/// again. So the verdict is one line, the report a reference (its text would
/// fill the orchestrator's context and tempt it to repair), and the command is
/// there to be run.
pub fn orchestrator_action(action: &OrchestratorAction<'_>) -> Element {
    let element = Element::new("orchestrator_action")
        .child(Element::with_text(
            "handover",
            "Your work is over: end with this element as it stands. The command is for whoever started you.",
        ))
        .child(Element::with_text("verdict", action.verdict));
    let command = Element::with_text("command", action.command);
    match action.report {
        None => element
            .child(Element::with_text("instruction", "This command comes next:"))
            .child(command),
        Some(reference) => element
            .child(Element::with_text("report", reference))
            .child(Element::with_text(
                "instruction",
                "This command comes next; its answer says who reads the report:",
            ))
            .child(command)
            .child(forbidden(&["Acting on the report before the command has run"])),
    }
}

fn variables(name: &'static str, variables: &[ContextVariable<'_>]) -> Option<Element> {
    (!variables.is_empty()).then(|| {
        Element::new(name).children(
            variables
                .iter()
                .map(|variable| Element::with_text("var", variable.value).attribute("name", variable.name)),
        )
    })
}

#[cfg(test)]
#[path = "dispatch_tests.rs"]
mod tests;
