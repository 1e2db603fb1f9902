//! Tests a skill: walks every path of its workflows, including those of sub-agents, with sample results.

use std::collections::BTreeSet;

use bugle_core::engine::{
    Assignment, ChildOrigin, ChildWork, FailedCheck, GateBrief, Origin, ReworkBrief, RunState,
    StepContext as RunValues, Visit, context, iteration, walk,
};
use bugle_core::id::{ChildToken, RunId, VisitNumber, VisitToken};
use bugle_core::name::{SkillAddress, StepId};
use bugle_core::outcome::Outcome;
use bugle_core::path::SkillPath;
use bugle_core::reply::TestReport;
use bugle_core::review::{Finding, OpenFinding};
use bugle_core::workflow::{Dispatch, DispatchWork, StepDef, StepText, Workflow};
use bugle_render::template::Engine;

use crate::delegation::{Subagents, delegation, role_of};
use crate::preview::{sound_workflow, text_of};
use crate::skill_check::CheckedPackage;
use crate::view::{self, StepContext};
use crate::{AppError, Context, sample_values};
use serde_json::Value;

/// Walks every path of a skill with sample results, and renders each step in every situation.
pub fn test_skill(ctx: &Context, package: &CheckedPackage) -> Result<TestReport, AppError> {
    let workflow = sound_workflow(package, ctx)?;
    let skill =
        SkillAddress::new(package.found.address.as_str()).map_err(|bad| AppError::System(bad.to_string()))?;
    let mut test = SkillTest {
        ctx,
        package,
        skill,
        report: TestReport {
            name: package.found.address.clone(),
            situations: 0,
            endings: 0,
            cut: false,
            taken: Vec::new(),
            missed: Vec::new(),
            longest: 0,
            failures: Vec::new(),
        },
    };
    test.walk(workflow, None, &[Origin::Fresh]);
    for (file, child) in &package.children {
        test.walk(child, Some(file), &origins(package, file)?);
    }
    Ok(test.report)
}

/// The origins with which to test a sub-agent's workflow. For a gate, these are a first and a later review. For other
/// steps, these are plain work and rework.
fn origins(package: &CheckedPackage, file: &SkillPath) -> Result<Vec<Origin>, AppError> {
    let uses_file = |dispatch: &&Dispatch| dispatch.work == DispatchWork::Workflow(file.clone());
    let all = package.workflow.iter().chain(package.children.values());
    let steps = all.flat_map(Workflow::steps);
    let uses: Vec<(&StepDef, &Dispatch)> = steps
        .filter_map(|step| Some((step, step.dispatch.as_ref().filter(uses_file)?)))
        .collect();
    let mut found = Vec::new();
    for (step, dispatch) in uses {
        for assignment in assignments(step)? {
            let origin = ChildOrigin {
                token: ChildToken {
                    parent: VisitToken {
                        run: RunId::from_random(0),
                        visit: VisitNumber(1),
                    },
                    slot: 1,
                },
                attempt: 1,
                role: dispatch.role,
                work: ChildWork::Workflow(file.clone()),
                assignment,
                answered: None,
                task: None,
            };
            let origin = Origin::Child(origin);
            if !found.contains(&origin) {
                found.push(origin);
            }
        }
    }
    Ok(found)
}

fn assignments(step: &StepDef) -> Result<Vec<Assignment>, AppError> {
    let unreadable = |error: serde_json::Error| AppError::System(error.to_string());
    if let Some(gate) = &step.gate {
        let review = |iteration: u32, checks: Vec<String>| {
            Assignment::Review(GateBrief {
                name: gate.name.clone(),
                iteration,
                checks,
                accepted: Vec::new(),
                disputed: Vec::new(),
                deferred: Vec::new(),
            })
        };
        return Ok(vec![review(1, Vec::new()), review(2, vec!["example".to_owned()])]);
    }
    let finding: Finding = serde_json::from_value(sample_values::finding()).map_err(unreadable)?;
    Ok(vec![
        Assignment::Plain,
        Assignment::Rework(ReworkBrief {
            name: "example".to_owned(),
            visit: VisitNumber(1),
            iteration: 1,
            findings: vec![OpenFinding {
                number: 1,
                finding,
                seen: 1,
            }],
            wanted: None,
        }),
    ])
}

/// The failure for a check that no sample result passes.
fn unmet_text(step: &StepId, check: &FailedCheck) -> String {
    let FailedCheck { say, that, .. } = check;
    let failure =
        format!("no sample result of step `{step}` passes the check `{that}`, which requires: {say}");
    if that.contains("matches(") {
        format!("{failure}\n  help: give the field a `pattern`, so that the samples match")
    } else {
        failure
    }
}

/// A test in progress and its results so far.
struct SkillTest<'a> {
    ctx: &'a Context,
    package: &'a CheckedPackage,
    skill: SkillAddress,
    report: TestReport,
}

impl SkillTest<'_> {
    /// Walks one workflow. `file` is set only for a sub-agent's workflow.
    fn walk(&mut self, workflow: &Workflow, file: Option<&SkillPath>, origins: &[Origin]) {
        let children = &self.package.package.children;
        let mut taken = BTreeSet::new();
        let mut missed: Option<BTreeSet<(StepId, Outcome)>> = None;
        let mut reached = BTreeSet::new();
        let mut stuck = BTreeSet::new();
        for origin in origins {
            let skill = self.skill.clone();
            let child_result = |step: &StepDef| sample_values::child_result(step, children);
            let report = walk(&skill, workflow, origin, &child_result, |state| {
                reached.extend(state.current().map(|visit| visit.step.clone()));
                self.render(workflow, state);
            });
            if report.endings == 0 && report.unmet.is_empty() {
                self.fail(format!(
                    "no path in {} reaches an end",
                    file.map_or("workflow.yaml", SkillPath::as_str)
                ));
            }
            for (step, failed) in report.unmet {
                for check in failed {
                    self.fail(unmet_text(&step, &check));
                }
                stuck.insert(step);
            }
            self.report.situations += report.situations;
            self.report.endings += report.endings;
            self.report.cut |= report.cut;
            taken.extend(report.taken);
            missed = Some(match missed {
                None => report.missed,
                Some(before) => before.intersection(&report.missed).cloned().collect(),
            });
        }
        let edge = |(step, outcome): &(StepId, Outcome)| match file {
            None => format!("{step} {outcome}"),
            Some(file) => format!("{file}: {step} {outcome}"),
        };
        // If no sample passes a step's check, omit the missing transitions of that step and of all steps that were not
        // reached.
        let is_unexplained = |(step, _): &&(StepId, Outcome)| {
            stuck.is_empty() || (reached.contains(step) && !stuck.contains(step))
        };
        let missed = missed.iter().flatten().filter(is_unexplained);
        self.report.taken.extend(taken.iter().map(edge));
        self.report.missed.extend(missed.map(edge));
    }

    /// Renders a step and the briefs of its sub-agents.
    fn render(&mut self, workflow: &Workflow, state: &RunState) {
        let (Some(visit), Some(token)) = (state.current(), state.current_token()) else {
            return;
        };
        let Some(step) = workflow.step(&visit.step) else {
            return;
        };
        let context = context(state, workflow, visit.number);
        if context.is_again() {
            self.render_step(
                (workflow, state),
                (step, visit, &token),
                &context.clone().remembered().for_templates(),
            );
        }
        self.render_step((workflow, state), (step, visit, &token), &context.for_templates());
        self.render_briefs(step, visit, &context);
    }

    /// Renders a step with these template values.
    fn render_step(
        &mut self,
        (workflow, state): (&Workflow, &RunState),
        (step, visit, token): (&StepDef, &Visit, &VisitToken),
        values: &Value,
    ) {
        let (role, is_assigned) = role_of(Some(state), step);
        let step_context = StepContext {
            position: view::position(state),
            task: view::task(state),
            iteration: iteration(state, workflow, visit.number),
            token: token.clone(),
            context: values,
            notices: Vec::new(),
            role,
            role_definition: self.package.roles.get(&role).filter(|_| is_assigned),
            shows_role: visit.after.is_none(),
            delegation: delegation(self.ctx, state, workflow, step, visit, &Subagents::default()),
        };
        match view::step_view(self.ctx, step, step_context, &mut |path| {
            text_of(self.package, path)
        }) {
            Ok(view) => {
                let resources = view
                    .resources
                    .iter()
                    .map(|resource| resource.content.chars().count());
                let length = view.action.chars().count() + resources.sum::<usize>();
                self.report.longest = self.report.longest.max(length);
            }
            Err(error) => self.fail(error.to_string()),
        }
    }

    /// Renders the briefs of a step's sub-agents.
    fn render_briefs(&mut self, step: &StepDef, visit: &Visit, context: &RunValues) {
        let has_brief = step
            .dispatch
            .as_ref()
            .is_some_and(|dispatch| dispatch.work == DispatchWork::Brief);
        for plan in visit.children().iter().filter(|_| has_brief) {
            let text = match &step.action {
                StepText::Inline(text) | StepText::Literal(text) => Ok(text.clone()),
                StepText::File(path) => text_of(self.package, path),
            };
            let rendered = text.map_err(|error| error.to_string()).and_then(|text| {
                let values = context.for_brief(&plan.params);
                Engine::default()
                    .render(&text, &values)
                    .map_err(|error| format!("cannot render the brief for step `{}`: {error}", step.id))
            });
            match rendered {
                Ok(brief) => self.report.longest = self.report.longest.max(brief.chars().count()),
                Err(failure) => self.fail(failure),
            }
        }
    }

    fn fail(&mut self, failure: String) {
        if !self.report.failures.contains(&failure) {
            self.report.failures.push(failure);
        }
    }
}
