//! Golden outputs of the dispatch elements.

use super::*;

const REQUEST: ContextVariable<'_> = ContextVariable {
    name: "request",
    value: "Replace the queue & keep the API <stable>",
};

const START: &str = "bugle start --child r-9c1d";

fn explorer<'a>(id: &'a str, start_command: &'a str) -> ParallelAgent<'a> {
    ParallelAgent {
        id,
        context: &[ContextVariable {
            name: "target",
            value: "crates/bugle-store",
        }],
        start_command,
    }
}

#[test]
fn subagent_dispatch_by_workflow() {
    let dispatch = SubagentDispatch {
        role: "quality-reviewer",
        model: Some("large"),
        mode: DispatchMode::Script,
        context: &[REQUEST],
        findings: None,
        start_command: START,
    };
    insta::assert_snapshot!(subagent_dispatch(&dispatch).render());
}

#[test]
fn subagent_dispatch_by_task_for_rework() {
    let dispatch = SubagentDispatch {
        role: "developer",
        model: None,
        mode: DispatchMode::FreeForm {
            task: "Repair each finding in the plan.\nTouch nothing else.",
        },
        context: &[],
        findings: Some("bugle findings r-9c1d"),
        start_command: START,
    };
    insta::assert_snapshot!(subagent_dispatch(&dispatch).render());
}

#[test]
fn model_selection_with_an_exception() {
    let selection = ModelSelection {
        default: "haiku",
        rationale: "Reading and listing files.",
        overrides: &[ModelOverride {
            agent: "architecture",
            model: "opus",
        }],
    };
    insta::assert_snapshot!(model_selection(&selection).render());
}

#[test]
fn parallel_dispatch_of_several_agents() {
    let dispatch = ParallelDispatch {
        role: "explore",
        models: Some(ModelSelection {
            default: "haiku",
            rationale: "Reading and listing files.",
            overrides: &[],
        }),
        shared_context: &[REQUEST],
        agents: &[
            explorer("naming", "bugle start --child r-9c1d"),
            explorer("errors", "bugle start --child r-2b07"),
        ],
    };
    insta::assert_snapshot!(parallel_dispatch(&dispatch).render());
}

#[test]
fn parallel_dispatch_of_one_agent_and_of_none() {
    let one = [explorer("naming", START)];
    let rendered = [one.as_slice(), &[]].map(|agents| {
        parallel_dispatch(&ParallelDispatch {
            role: "explore",
            models: None,
            shared_context: &[],
            agents,
        })
        .render()
    });
    insta::assert_snapshot!(rendered.join("\n\n"));
}

#[test]
fn conditional_dispatch_writes_out_both_branches() {
    let dispatch = subagent_dispatch(&SubagentDispatch {
        role: "debugger",
        model: Some("large"),
        mode: DispatchMode::Script,
        context: &[],
        findings: None,
        start_command: START,
    });
    let element = conditional_dispatch("a test fails with 'timeout'", dispatch, "Start nothing.");
    insta::assert_snapshot!(element.render());
}

#[test]
fn orchestrator_constraint_names_the_refused_tools() {
    insta::assert_snapshot!(orchestrator_constraint(&["Edit", "Write"]).render());
}

#[test]
fn orchestrator_constraint_without_refused_tools() {
    let none: [&str; 0] = [];
    assert!(!orchestrator_constraint(&none).render().contains("denied_tools"));
}

#[test]
fn orchestrator_action_with_a_report() {
    let action = OrchestratorAction {
        verdict: "The review has 3 findings.",
        report: Some("bugle findings r-9c1d"),
        command: "bugle done 'r-7f3a#9'",
    };
    insta::assert_snapshot!(orchestrator_action(&action).render());
}

#[test]
fn orchestrator_action_without_a_report() {
    let action = OrchestratorAction {
        verdict: "The work is done and its result is recorded.",
        report: None,
        command: "bugle step r-7f3a",
    };
    insta::assert_snapshot!(orchestrator_action(&action).render());
}
