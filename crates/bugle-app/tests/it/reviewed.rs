//! Runs of a skill that plans, builds with sub-agents, and reviews.

use bugle_app::{AppError, DoneRequest, Reply, RunSelector, StartRequest, Stop, runs};
use bugle_core::id::{ChildToken, VisitNumber, VisitToken};
use bugle_core::reply::{EndView, FindingView, OrchestratorView, ReviewLoopView, StepView};
use bugle_render::{author_text, timeline_text};
use serde_json::{Value, json};

use crate::project::Project;

pub(crate) const REVIEWED: &str = include_str!("../../../bugle-cli/tests/it/support/reviewed/workflow.yaml");
const REVIEWER: &str = include_str!("../../../bugle-cli/tests/it/support/reviewed/review.yaml");

/// A project with a skill whose reviewer is scripted.
pub(crate) struct Reviewed(pub(crate) Project);

pub(crate) fn finding(severity: &str, category: &str) -> Value {
    json!({
        "severity": severity, "category": category, "location": "src/lib.rs:7", "element": format!("the {category} of parse"),
        "problem": "it accepts anything", "action": "refuse what is not a number",
    })
}

pub(crate) fn review(findings: &[Value]) -> Value {
    json!({ "checks": ["errors", "naming"], "findings": findings })
}

pub(crate) fn visit(step: &StepView) -> VisitToken {
    step.position.visit.clone().unwrap()
}

pub(crate) fn name(step: &StepView) -> &str {
    step.position.step.as_deref().unwrap()
}

/// A request to end a visit without a result.
pub(crate) fn request(visit: VisitToken) -> DoneRequest {
    DoneRequest {
        visit,
        result: None,
        unanswered: false,
        stopped: None,
        note: None,
    }
}

/// A request to end a visit with this result in the command.
pub(crate) fn with_result(visit: VisitToken, result: &Value) -> DoneRequest {
    DoneRequest {
        result: Some(result.to_string()),
        ..request(visit)
    }
}

/// A request to end a visit without its result, for this reason.
pub(crate) fn stopped(visit: VisitToken, how: Stop, why: &str) -> DoneRequest {
    DoneRequest {
        stopped: Some((how, Some(why.to_owned()))),
        ..request(visit)
    }
}

/// The findings that the agent has to fix.
pub(crate) fn open_findings(step: &StepView) -> &[FindingView] {
    match &step.review_loop {
        Some(ReviewLoopView::Rework { findings, .. }) => findings,
        _ => &[],
    }
}

/// The number of a gate's review.
#[track_caller]
pub(crate) fn iteration(gate: &StepView) -> u32 {
    match &gate.review_loop {
        Some(ReviewLoopView::Gate { iteration, .. }) => *iteration,
        other => panic!("not a gate: {other:?}"),
    }
}

#[track_caller]
pub(crate) fn step(reply: Result<Reply, AppError>) -> StepView {
    match reply.unwrap() {
        Reply::Step(step) => *step,
        Reply::End(end) => panic!("the run has ended: {end:?}"),
    }
}

#[track_caller]
pub(crate) fn end(reply: Result<Reply, AppError>) -> EndView {
    match reply.unwrap() {
        Reply::End(end) => *end,
        Reply::Step(step) => panic!("the run goes on: {step:?}"),
    }
}

impl Reviewed {
    pub(crate) fn new() -> Self {
        Self::with(REVIEWED)
    }

    /// The project with another workflow for the skill.
    pub(crate) fn with(workflow: &str) -> Self {
        let project = Project::new();
        let folder = ".bugle/skills/reviewed";
        let skill = "---\nname: reviewed\ndescription: Build and review.\n---\n";
        project.write(&format!("{folder}/SKILL.md"), skill);
        project.write(&format!("{folder}/workflow.yaml"), workflow);
        project.write(&format!("{folder}/agents/review.yaml"), REVIEWER);
        Self(project)
    }

    #[track_caller]
    pub(crate) fn start(&mut self) -> StepView {
        let request = StartRequest {
            skill: "reviewed".to_owned(),
            params: Vec::new(),
            task: None,
        };
        step(runs::start(&mut self.0.app.store, &self.0.app.context, request))
    }

    pub(crate) fn finish(&mut self, request: DoneRequest) -> Result<Reply, AppError> {
        self.0.finish(request)
    }

    /// Ends a visit without a result.
    pub(crate) fn done(&mut self, step: &StepView) -> Result<Reply, AppError> {
        self.finish(request(visit(step)))
    }

    /// Ends a visit with a result in its file.
    pub(crate) fn report(&mut self, step: &StepView, result: &Value) -> Result<Reply, AppError> {
        self.0.report(step, result)
    }

    /// Starts or resumes a sub-agent, and returns its step.
    #[track_caller]
    pub(crate) fn child(&mut self, parent: &StepView, slot: u32) -> StepView {
        let token = ChildToken {
            parent: visit(parent),
            slot,
        };
        step(runs::start_child(
            &mut self.0.app.store,
            &self.0.app.context,
            &token,
        ))
    }

    /// Plans this many parts, and continues to the build step.
    #[track_caller]
    pub(crate) fn plan(&mut self, planned: &StepView, parts: usize) -> StepView {
        let parts: Vec<String> = (1..=parts).map(|part| format!("part {part}")).collect();
        step(self.report(planned, &json!({ "parts": parts })))
    }

    /// Builds one part.
    #[track_caller]
    pub(crate) fn build_part(&mut self, building: &StepView, slot: u32) {
        let part = self.child(building, slot);
        end(self.report(&part, &json!({ "report": "built" })));
    }

    /// Builds every part, and continues to the review.
    #[track_caller]
    pub(crate) fn build(&mut self, building: &StepView) -> StepView {
        for child in &building.dispatch.as_ref().unwrap().children {
            self.build_part(building, child.slot);
        }
        let gate = step(self.done(building));
        assert_eq!(name(&gate), "review");
        gate
    }

    /// Plans and builds everything, up to the review.
    #[track_caller]
    pub(crate) fn up_to_review(&mut self, planned: &StepView) -> StepView {
        let building = self.plan(planned, 2);
        self.build(&building)
    }

    /// The step at which a gate's reviewer reports.
    #[track_caller]
    pub(crate) fn reviewer(&mut self, gate: &StepView) -> StepView {
        let first = self.child(gate, 1);
        step(self.done(&first))
    }

    /// Reports these findings as a gate's reviewer; returns the message to the orchestrator.
    #[track_caller]
    pub(crate) fn judge(&mut self, gate: &StepView, findings: &[Value]) -> OrchestratorView {
        let reviewer = self.reviewer(gate);
        let last = end(self.report(&reviewer, &review(findings)));
        last.orchestrator.unwrap()
    }

    /// Fails the gate until a person has to decide.
    #[track_caller]
    pub(crate) fn at_the_limit(&mut self) -> StepView {
        let mut at = self.start();
        for number in 1..=5 {
            let gate = self.up_to_review(&at);
            assert_eq!(iteration(&gate), number);
            self.judge(&gate, &[finding("must", "errors")]);
            at = step(self.done(&gate));
        }
        at
    }

    pub(crate) fn decide(&mut self, at: &str, answer: &str, why: Option<&str>) -> Result<Reply, AppError> {
        let selector = RunSelector::parse(Some(at)).unwrap();
        self.0.decide(&selector, Some(answer), why)
    }

    /// Decides at a gate's limit, with a reason in its file.
    pub(crate) fn choose(&mut self, waiting: &StepView, answer: &str) -> Result<Reply, AppError> {
        let reason_file = waiting.ask.as_ref().unwrap().reason_file.as_ref();
        std::fs::write(reason_file.unwrap(), "we ship on Friday").unwrap();
        let at = visit(waiting).to_string();
        self.decide(&at, answer, None)
    }

    pub(crate) fn rewind(&mut self, step: &StepView, to: u32) -> Result<Reply, AppError> {
        self.0.rewind(&VisitToken {
            run: step.position.run.clone(),
            visit: VisitNumber(to),
        })
    }

    /// The summaries of a run's timeline.
    pub(crate) fn timeline(&mut self, step: &StepView) -> Vec<(String, String)> {
        let entries = self.0.show_run(step).timeline.into_iter();
        entries
            .map(|entry| {
                (
                    author_text::author(&entry.by),
                    timeline_text::change(&entry.change),
                )
            })
            .collect()
    }
}
