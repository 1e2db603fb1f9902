//! Rules about a plan's tasks.

use bugle_core::outcome::Outcome::{Fail, Iterate, Ok, Skip};
use bugle_core::role::AgentRole;
use bugle_core::shape::Shape;
use bugle_core::validate::{Package, Problem, Rule, validate};
use bugle_core::workflow::{
    Dispatch, DispatchWork, Evidence, FanOut, GateConfig, StepDef, StepText, TaskUse, WorkflowDef,
};
use bugle_testkit::spelling::{field_name, skill_path};

use super::{Braces, Case, case, rules};
use crate::support::{Build, errors, step};

rules! {
    tasks_without_a_plan breaks PlanUnavailable;
    closing_without_a_task breaks TaskUnavailable;
    a_sub_agent_takes_tasks breaks TasksOfSubAgent;
    parts_that_tasks_exclude breaks ConflictingParts;
    an_empty_plan_is_no_evidence breaks BadEvidence;
    names_that_texts_cannot_know breaks UnknownName;
    evidence_counts_on_what_may_be_absent breaks ResultUnavailable;
}

fn planning(file: &str) -> StepDef {
    let mut step = step("a")
        .returns("file", Shape::text())
        .may_bring("note", Shape::text())
        .to("b");
    step.expect = vec![Evidence::Plan {
        file: file.to_owned(),
    }];
    step
}

fn plan() -> StepDef {
    planning("{{ result.file }}")
}

fn taking() -> StepDef {
    step("b").using([TaskUse::Take])
}

fn over_tasks(id: &str) -> StepDef {
    let mut step = step(id);
    step.dispatch = Some(Dispatch {
        fan_out: FanOut::Tasks {
            item: field_name("task"),
            limit: 8,
        },
        ..Dispatch::new(AgentRole::Developer, DispatchWork::Brief)
    });
    step
}

fn gated(mut step: StepDef) -> StepDef {
    step.gate = Some(GateConfig {
        name: "Quality".to_owned(),
        rework: step.id.clone(),
        limit: 3,
        blocks: bugle_core::review::Severity::default(),
    });
    let again = step.id.to_string();
    step.on(Fail, &again)
}

fn saying(mut step: StepDef, text: &str) -> StepDef {
    step.action = StepText::Inline(text.to_owned());
    step
}

/// A sub-agent's workflow that breaks a rule.
fn of_sub_agent(place: &'static str, steps: impl IntoIterator<Item = StepDef>) -> Case {
    let file = skill_path("agents/work.yaml");
    let verdict = validate(&file, WorkflowDef::new(steps), &Package::default(), &Braces);
    Case {
        rule: Rule::TasksOfSubAgent,
        place,
        problems: verdict
            .problems
            .into_iter()
            .filter(|problem: &Problem| problem.rule == Rule::TasksOfSubAgent)
            .collect(),
    }
}

pub(super) fn cases() -> Vec<Case> {
    let no_plan = |place, steps: Vec<StepDef>| case(Rule::PlanUnavailable, place, steps);
    let no_task = |place, steps: Vec<StepDef>| case(Rule::TaskUnavailable, place, steps);
    let excluded = |place, steps: Vec<StepDef>| case(Rule::ConflictingParts, place, steps);
    let unknown = |place, steps: Vec<StepDef>| case(Rule::UnknownName, place, steps);
    vec![
        no_plan("workflow.yaml steps.b.task", vec![step("a").to("b"), taking()]),
        no_plan(
            "workflow.yaml steps.b.dispatch.for_each",
            vec![step("a").to("b"), over_tasks("b")],
        ),
        // The step that imports the plan can fail.
        no_plan(
            "workflow.yaml steps.b.task",
            vec![plan().failing_to("b"), taking()],
        ),
        // One path skips the import.
        no_plan(
            "workflow.yaml steps.b.route.0.when +0",
            vec![
                step("z").when("visit.number > 1", Skip).to("a").on(Skip, "b"),
                plan(),
                step("b").when("plan.open == 0", Ok),
            ],
        ),
        no_task(
            "workflow.yaml steps.b.task",
            vec![plan(), step("b").using([TaskUse::Done])],
        ),
        // The task is already closed.
        no_task(
            "workflow.yaml steps.c.task",
            vec![
                plan(),
                step("b").using([TaskUse::Take, TaskUse::Done]).to("c"),
                step("c").using([TaskUse::Skip]),
            ],
        ),
        no_task(
            "workflow.yaml steps.b.route.0.when +0",
            vec![plan(), taking().when("task.number == '1'", Ok)],
        ),
        no_task(
            "workflow.yaml steps.b.do +3",
            vec![plan(), saying(taking(), "{{ task.title }}")],
        ),
        of_sub_agent("agents/work.yaml steps.b.task", [plan(), taking()]),
        of_sub_agent("agents/work.yaml steps.a.expect", [plan(), taking()]),
        of_sub_agent("agents/work.yaml steps.b.dispatch.for_each", [over_tasks("b")]),
        excluded(
            "workflow.yaml steps.b.task",
            vec![
                plan(),
                step("b").using([TaskUse::Take, TaskUse::Done, TaskUse::Skip]),
            ],
        ),
        excluded(
            "workflow.yaml steps.b.task",
            vec![plan(), over_tasks("b").using([TaskUse::Take])],
        ),
        excluded("workflow.yaml steps.b.gate", vec![plan(), gated(over_tasks("b"))]),
        excluded(
            "workflow.yaml steps.a.expect",
            vec![StepDef {
                expect: plan().expect,
                ..gated(over_tasks("a"))
            }],
        ),
        case(
            Rule::BadEvidence,
            "workflow.yaml steps.a.expect.0",
            [planning(" "), step("b")],
        ),
        unknown(
            "workflow.yaml steps.a.expect.0.plan +3",
            vec![planning("{{ result.flie }}"), step("b")],
        ),
        unknown(
            "workflow.yaml steps.c.do +3",
            vec![plan(), taking().to("c"), saying(step("c"), "{{ task.name }}")],
        ),
        unknown(
            "workflow.yaml steps.b.do +3",
            vec![plan(), saying(step("b"), "{{ plan.open }}")],
        ),
        case(
            Rule::ResultUnavailable,
            "workflow.yaml steps.a.expect.0.plan +3",
            [planning("{{ result.note }}"), step("b")],
        ),
    ]
}

#[test]
fn a_loop_over_tasks_needs_only_its_limit() {
    let picking = || taking().to("end").on(Iterate, "c");
    let closing = || step("c").using([TaskUse::Done]).to("b");
    let bounded = [plan(), picking().until("!has(task.id)", 30), closing()];
    assert_eq!(errors(WorkflowDef::new(bounded)), []);
    let unbounded = [plan(), taking().to("c"), closing()];
    let found = errors(WorkflowDef::new(unbounded));
    assert!(
        found.iter().any(|problem| problem.rule == Rule::UnboundedCycle),
        "{found:#?}"
    );
}
