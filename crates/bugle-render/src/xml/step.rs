//! The frame of a step: the agent's position, the instructions, and the next command.
//!
//! The agent that reads a step may have lost all other context, so the frame is self-contained. It ends with the
//! command that reports the step.

use std::borrow::Cow;

use super::element::{Content, Element};

/// The agent's position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepHeader<'a> {
    /// The run's skill.
    pub skill: &'a str,
    /// The run, for example `r-7f3a`.
    pub run: &'a str,
    /// The visit that this output belongs to, for example `r-7f3a#12`.
    pub visit: Cow<'a, str>,
    /// The id of the step within the workflow.
    pub step: &'a str,
    /// The workflow phase that the step belongs to, if it names one.
    pub phase: Option<&'a str>,
    /// The title of the step.
    pub title: &'a str,
}

#[cfg(test)]
impl StepHeader<'_> {
    /// A header for tests.
    pub(crate) const EXAMPLE: Self = Self {
        skill: "decision-critic",
        run: "r-7f3a",
        visit: Cow::Borrowed("r-7f3a#2"),
        step: "extract",
        phase: Some("decomposition"),
        title: "Extract the structure",
    };
}

/// The command that the agent runs after a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextCommand {
    /// One command.
    Flat(String),
    /// One of two commands, depending on the step's result.
    Branch {
        /// The command if the work passed.
        if_pass: String,
        /// The command if the work did not pass.
        if_fail: String,
    },
    /// No command.
    None,
}

/// A step in full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepOutput<'a> {
    /// The agent's position.
    pub header: StepHeader<'a>,
    /// Whether to explain how to read the output. Once per conversation is enough.
    pub mandate: bool,
    /// The step's task, if it has one.
    pub task: Option<Element>,
    /// The verdict of the gate that led to this step, if any.
    pub gate_result: Option<Element>,
    /// The work: text and elements in reading order.
    pub action: Vec<Content>,
    /// The blocks that belong to the action: resources, limits, the expected output.
    pub blocks: Vec<Element>,
    /// The command that ends the step.
    pub next: NextCommand,
}

/// `<step_header>`: the agent's position.
///
/// The header comes first, because an agent orients itself by the first thing it reads after a compaction. The visit
/// id contains the run id. There are no step numbers or totals: workflows branch and loop, so a count would be wrong
/// on some path, and an agent that sees the end hurries towards it. There is no role: the role brief has its own
/// element.
pub fn step_header(header: &StepHeader<'_>) -> Element {
    Element::with_text("step_header", header.title)
        .attribute("skill", header.skill)
        .attribute("step", header.step)
        .attribute("visit", &header.visit)
}

/// `<task>`: the plan task that the step works on.
///
/// The task follows the header: after its position, an agent without memory needs to know its task. The plan's text
/// about the task is untrusted and is not repeated here.
pub fn task(id: &str, number: &str, title: &str) -> Element {
    Element::with_text("task", title)
        .attribute("id", id)
        .optional_attribute("number", (!number.is_empty()).then_some(number))
}

/// `<current_action>`: the work of this step, and nothing about later steps.
///
/// Agents that can see later steps merge them, skip to an interesting one or write later results in advance.
pub fn current_action<Part: Into<Content>>(parts: impl IntoIterator<Item = Part>) -> Element {
    Element::new("current_action").children(parts)
}

/// `<invoke_after>`: the command that reports the step; `None` if the step has no command.
///
/// The command is complete and alone in its element: an agent that must fill in a placeholder guesses, and an agent
/// that must remember a flag forgets it. The command comes last, where agents look for it, and only once, to save
/// space. If there are two commands, each is named after its result.
pub fn invoke_after(next: &NextCommand) -> Option<Element> {
    let element = Element::new("invoke_after");
    match next {
        NextCommand::Flat(command) => Some(element.text(command)),
        NextCommand::Branch { if_pass, if_fail } => Some(element.children(branches(if_pass, if_fail))),
        NextCommand::None => None,
    }
}

fn branches(if_pass: &str, if_fail: &str) -> [Element; 2] {
    [
        Element::with_text("if_pass", if_pass),
        Element::with_text("if_fail", if_fail),
    ]
}

/// `<xml_format_mandate>`: how to read a step's output.
///
/// Agents that get a workflow as free prose improvise: they explore first, skip steps that look unnecessary, and
/// rewrite commands. This text explains which part is work, which part is a command, and why working ahead is
/// pointless. It mentions only elements that the step has.
pub fn format_mandate(next: &NextCommand) -> Element {
    const NOTHING_AHEAD: &str = "Do nothing else: the next step depends on this step's result, and work done ahead does \
                                 not count.";
    let ending: &[&str] = match next {
        NextCommand::Flat(_) => &[
            "When you are done, run the command in invoke_after, as printed, from any folder. The command prints the next step.",
            NOTHING_AHEAD,
        ],
        NextCommand::Branch { .. } => &[
            "When you are done, run one of the two commands in invoke_after, as printed, from any folder: if_pass or \
             if_fail, depending on the result. The command prints the next step.",
            NOTHING_AHEAD,
        ],
        NextCommand::None => &["No command follows."],
    };
    Element::new("xml_format_mandate")
        .text("This is one step of a workflow. Bugle keeps the workflow's state.")
        .text("Do what current_action says.")
        .children(ending.iter().copied())
}

/// `<workflow>`: a complete step under one root element, so that a parser accepts it.
///
/// The elements are in order of use: the position, how to read the step, the verdict, the work and its resources, and
/// the command.
pub fn step_output(output: &StepOutput<'_>) -> Element {
    Element::new("workflow")
        .child(step_header(&output.header))
        .children(output.task.clone())
        .children(output.mandate.then(|| format_mandate(&output.next)))
        .children(output.gate_result.clone())
        .child(current_action(output.action.iter().cloned()))
        .children(output.blocks.iter().cloned())
        .children(invoke_after(&output.next))
}

#[cfg(test)]
mod tests {
    use super::super::guidance::{Resource, forbidden, resource};
    use super::*;

    fn flat() -> NextCommand {
        NextCommand::Flat("bugle done 'r-7f3a#2'".to_owned())
    }

    fn branch() -> NextCommand {
        NextCommand::Branch {
            if_pass: "bugle done 'r-7f3a#2' --outcome ok".to_owned(),
            if_fail: "bugle done 'r-7f3a#2' --outcome fail".to_owned(),
        }
    }

    #[test]
    fn step_header_names_the_visit() {
        insta::assert_snapshot!(step_header(&StepHeader::EXAMPLE).render());
    }

    #[test]
    fn current_action_mixes_prose_and_elements() {
        let parts = [
            Content::from("List every claim.\n\n> We move the queue to Redis & drop Kafka."),
            Content::from(forbidden(&["Judging a claim before all are listed"])),
            Content::from("Return the list as `items`."),
        ];
        insta::assert_snapshot!(current_action(parts).render());
    }

    #[test]
    fn invoke_after_holds_one_command() {
        insta::assert_snapshot!(invoke_after(&flat()).unwrap().render());
    }

    #[test]
    fn invoke_after_holds_a_command_for_each_result() {
        insta::assert_snapshot!(invoke_after(&branch()).unwrap().render());
    }

    #[test]
    fn mandate_describes_its_step() {
        let all = [flat(), branch(), NextCommand::None].map(|next| format_mandate(&next).render());
        insta::assert_snapshot!(all.join("\n\n"));
    }

    fn output(next: NextCommand) -> StepOutput<'static> {
        StepOutput {
            header: StepHeader::EXAMPLE,
            mandate: true,
            task: None,
            gate_result: None,
            action: vec!["Take the decision apart.\n\nSplit what joins two statements.".into()],
            blocks: vec![resource(&Resource {
                name: "format.md",
                content: "C1: ...\nA1: ...",
            })],
            next,
        }
    }

    #[test]
    fn step_output_is_one_document() {
        insta::assert_snapshot!(step_output(&output(flat())).render());
    }

    #[test]
    fn the_command_that_ends_a_step_appears_once() {
        let rendered = step_output(&output(flat())).render();
        assert_eq!(rendered.matches("bugle done 'r-7f3a#2'").count(), 1, "{rendered}");
    }

    #[test]
    fn a_last_step_promises_no_command() {
        let rendered = step_output(&output(NextCommand::None)).render();
        assert!(!rendered.contains("invoke_after"));
    }
}
