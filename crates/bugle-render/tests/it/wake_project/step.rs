//! The steps of the project, as an agent sees them.

use bugle_core::engine::RunStatus;
use bugle_core::engine::{ChildState, Origin, children, required_reports};
use bugle_core::id::{ChildToken, RunId};
use bugle_core::reply::{
    AskView, ChildView, Choice, DispatchView, FieldView, Position, ResourceView, ResultView, RetryView,
    StepView,
};
use bugle_core::shape::Shape;
use bugle_render::outline;

use super::Project;
use super::commands::{answer_file, decide, result_file, words_file};
use crate::support::{plain_step, with_word};

impl Project {
    /// The current step of a run, as an agent sees it.
    pub(crate) fn step(&self, run: &RunId) -> Option<StepView> {
        let state = self.world.state(run);
        let workflow = self.world.workflow(run);
        let visit = state.current()?;
        let step = workflow.step(&visit.step)?;
        let token = state.current_token()?;
        let is_child = matches!(state.origin, Origin::Child(_));
        let ask = if visit.judged.is_some() {
            let choice = |word: &str| decide(&token, word);
            Some(AskView {
                in_person: false,
                question: "How should the run continue?".to_owned(),
                choices: ["continue", "accept", "abort"].map(choice).to_vec(),
                file: None,
                reason_file: Some(words_file(&token)),
            })
        } else {
            step.ask.as_ref().map(|ask| AskView {
                in_person: false,
                question: "Which way?".to_owned(),
                choices: ask.choices.iter().map(|answer| decide(&token, answer)).collect(),
                file: ask.choices.is_empty().then(|| words_file(&token)),
                reason_file: None,
            })
        };
        let dispatch = self.dispatch(run).filter(|_| visit.judged.is_none());
        let has_result = !step.result.is_empty() && step.dispatch.is_none() && ask.is_none();
        let result = has_result.then(|| ResultView {
            file: result_file(&token),
            outline: outline(&Shape::Object(step.result.clone())),
            fields: step
                .result
                .iter()
                .map(|field| FieldView {
                    name: field.name.to_string(),
                    expected: field.shape.to_string(),
                    required: true,
                    help: None,
                })
                .collect(),
            checks: Vec::new(),
        });
        let command = match &ask {
            None => Some(format!("bugle done '{token}'")),
            Some(ask) if ask.choices.is_empty() => Some(format!("bugle decide '{token}'")),
            Some(_) => None,
        };
        let escalations = if is_child && ask.is_none() {
            vec![Choice {
                answer: "needs_decision".to_owned(),
                command: format!("bugle done '{token}' --escalate needs_decision"),
            }]
        } else {
            Vec::new()
        };
        Some(StepView {
            position: Position {
                skill: state.skill.to_string(),
                run: run.clone(),
                status: with_word(&RunStatus::ALL, state.status.as_str()),
                visit: Some(token.clone()),
                step: Some(step.id.to_string()),
            },
            title: step.title.clone(),
            action: "Do what the title says.\n\nDo it well.".to_owned(),
            resources: vec![ResourceView {
                name: "notes.md".to_owned(),
                purpose: "reference for this step".to_owned(),
                content: self.around.document.clone(),
            }],
            result,
            dispatch,
            ask,
            command,
            failure_file: (!escalations.is_empty()).then(|| words_file(&token)),
            escalations,
            ..plain_step()
        })
    }

    /// The sub-agents of a run's current step.
    fn dispatch(&self, run: &RunId) -> Option<DispatchView> {
        let state = self.world.state(run);
        let workflow = self.world.workflow(run);
        let (visit, token) = (state.current()?, state.current_token()?);
        let step = workflow.step(&visit.step)?;
        let dispatch = step.dispatch.as_ref()?;
        let reports = self.world.reports(run);
        let views: Vec<ChildView> = children(visit, &reports)
            .into_iter()
            .map(|(slot, _, report)| {
                let child = ChildToken {
                    parent: token.clone(),
                    slot,
                };
                let state = report.map_or(&ChildState::NotStarted, |report| &report.state);
                ChildView {
                    slot,
                    command: format!("bugle start --child '{child}'"),
                    context: Vec::new(),
                    run: report.map(|report| report.run.clone()),
                    state: state.clone(),
                    outdated: false,
                    reported: state.has_reported(),
                    retry: matches!(state, ChildState::Escalated(..)).then(|| RetryView {
                        answer_file: Some(answer_file(&child)),
                        command: format!("bugle run retry '{child}'"),
                    }),
                }
            })
            .collect();
        Some(DispatchView {
            role: dispatch.role.to_string(),
            model: None,
            led_by_workflow: true,
            needed: required_reports(step, visit),
            reported: views.iter().filter(|view| view.reported).count(),
            asking: views.iter().filter(|view| view.retry.is_some()).count(),
            unanswered: (views.iter().any(|view| view.retry.is_some()))
                .then(|| format!("bugle done '{token}' --unanswered")),
            children: views,
        })
    }
}
