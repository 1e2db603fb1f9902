//! Snapshots of the dispatch elements.

use super::*;
use bugle_core::interface::Interface;

const START: &str = "bugle start --child r-9c1d";

fn explorer(slot: u32, start_command: &str) -> ParallelAgent<'_> {
    ParallelAgent { slot, start_command }
}

#[test]
fn subagent_dispatch_hands_over_the_start_command_alone() {
    let dispatch = SubagentDispatch {
        role: "quality-reviewer",
        model: Some("large"),
        start_command: START,
    };
    insta::assert_snapshot!(subagent_dispatch(&dispatch).render());
}

#[test]
fn parallel_dispatch_of_several_agents() {
    let dispatch = ParallelDispatch {
        role: "explore",
        model: Some("small"),
        agents: &[
            explorer(1, "bugle start --child r-9c1d"),
            explorer(2, "bugle start --child r-2b07"),
        ],
    };
    insta::assert_snapshot!(parallel_dispatch(&dispatch).render());
}

#[test]
fn parallel_dispatch_of_one_agent_and_of_none() {
    let one = [explorer(1, START)];
    let rendered = [one.as_slice(), &[]].map(|agents| {
        parallel_dispatch(&ParallelDispatch {
            role: "explore",
            model: None,
            agents,
        })
        .render()
    });
    insta::assert_snapshot!(rendered.join("\n\n"));
}

#[test]
fn orchestrator_constraint_leaves_no_work_to_the_orchestrator() {
    insta::assert_snapshot!(orchestrator_constraint().render());
}

#[test]
fn orchestrator_action_with_a_report() {
    let action = OrchestratorAction {
        verdict: "The review has 3 findings.",
        report: Some("bugle run findings r-9c1d"),
        command: "bugle done 'r-7f3a#9'",
        interface: Interface::Shell,
    };
    insta::assert_snapshot!(orchestrator_action(&action).render());
}

#[test]
fn orchestrator_action_without_a_report() {
    let action = OrchestratorAction {
        verdict: "The work is done, and the result is recorded.",
        report: None,
        command: "bugle step r-7f3a",
        interface: Interface::Shell,
    };
    insta::assert_snapshot!(orchestrator_action(&action).render());
}
