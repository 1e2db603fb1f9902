//! Sub-agents and reviews, in every format.

use bugle_core::engine::{ChildState, Escalation};
use bugle_core::interface::Interface;
use bugle_core::name::StepId;
use bugle_core::reply::{
    AskView, ChildView, Choice, DispatchView, DisputeView, EndView, FindingView, FindingsView,
    OrchestratorView, ReportProgress, ReportedWork, RetryView, ReviewLoopView, StepView, VariableView,
    VerdictView,
};
use bugle_core::review::{Finding, Severity};
use bugle_render::step;

use crate::support::{end, in_every_form, plain_step};

fn child(slot: u32, target: &str) -> ChildView {
    ChildView {
        slot,
        command: format!("bugle start --child 'r-7f3a1c#2/{slot}'"),
        context: vec![VariableView {
            name: "target".to_owned(),
            value: target.to_owned(),
        }],
        run: None,
        state: ChildState::NotStarted,
        outdated: false,
        reported: false,
        retry: None,
    }
}

fn dispatch(children: Vec<ChildView>) -> DispatchView {
    DispatchView {
        role: "explore".to_owned(),
        model: Some("small".to_owned()),
        led_by_workflow: true,
        needed: children.len(),
        reported: children.iter().filter(|child| child.reported).count(),
        asking: 0,
        unanswered: None,
        children,
    }
}

fn dispatching(dispatch: DispatchView) -> StepView {
    StepView {
        title: "Explore the targets".to_owned(),
        action: "Send one explorer to each part of the system.".to_owned(),
        dispatch: Some(dispatch),
        ..plain_step()
    }
}

fn verdict(passed: bool) -> VerdictView {
    VerdictView {
        gate: "Completeness".to_owned(),
        passed,
        iteration: 2,
        limit: 5,
        blocking: usize::from(!passed),
        accepted: 0,
        noted: 3,
        decision: None,
        passed_on_by: None,
        self_review: false,
        tree: Some("0123456789ab+cdef01234567".to_owned()),
        command: "bugle run findings 'r-7f3a1c#1'".to_owned(),
    }
}

fn finding(seen: u32) -> FindingView {
    FindingView {
        finding: Finding {
            severity: Severity::Must,
            category: "errors".to_owned(),
            location: "src/lib.rs:7".to_owned(),
            element: "parse <text>".to_owned(),
            problem: "it accepts \"anything\" & more".to_owned(),
            action: "refuse what is not a number".to_owned(),
        },
        seen,
        number: None,
    }
}

#[test]
fn one_sub_agent_to_start() {
    let view = dispatching(dispatch(vec![child(1, "src & tests")]));
    insta::assert_snapshot!(in_every_form(&view, |format| step::step(&view, format)));
}

#[test]
fn several_sub_agents_to_start() {
    let view = dispatching(dispatch(vec![
        child(1, "src"),
        child(2, "tests"),
        child(3, "docs"),
    ]));
    insta::assert_snapshot!(in_every_form(&view, |format| step::step(&view, format)));
}

#[test]
fn a_working_and_a_stopped_sub_agent_can_be_restarted() {
    let reported = ChildView {
        run: Some("r-aaaaaa".parse().unwrap()),
        state: ChildState::Finished(None),
        reported: true,
        ..child(1, "src")
    };
    let dead = ChildView {
        run: Some("r-bbbbbb".parse().unwrap()),
        state: ChildState::Working(StepId::new("look").unwrap()),
        ..child(2, "tests")
    };
    let stopped = ChildView {
        run: Some("r-cccccc".parse().unwrap()),
        state: ChildState::Escalated(Escalation::NeedsDecision, "which of the two?".to_owned()),
        reported: true,
        retry: Some(RetryView {
            answer_file: Some("/home/ada/.bugle/work/r-7f3a1c/2-3.txt".to_owned()),
            command: "bugle run retry 'r-7f3a1c#2/3'".to_owned(),
        }),
        ..child(3, "docs")
    };
    let view = dispatching(dispatch(vec![reported, dead, stopped]));
    insta::assert_snapshot!(in_every_form(&view, |format| step::step(&view, format)));
}

#[test]
fn no_sub_agent_to_start() {
    let view = dispatching(dispatch(Vec::new()));
    insta::assert_snapshot!(in_every_form(&view, |format| step::step(&view, format)));
}

#[test]
fn a_gate_says_what_blocks() {
    let view = StepView {
        review_loop: Some(ReviewLoopView::Gate {
            gate: "Completeness".to_owned(),
            iteration: 4,
            limit: 5,
            blocking: vec![Severity::Must, Severity::Should],
        }),
        ..dispatching(dispatch(vec![child(1, "the plan")]))
    };
    insta::assert_snapshot!(in_every_form(&view, |format| step::step(&view, format)));
}

#[test]
fn a_reviewer_gets_the_checks_and_no_open_findings() {
    let view = StepView {
        role: "quality-reviewer".to_owned(),
        role_brief: Some("You review the work of another agent.".to_owned()),
        review_loop: Some(ReviewLoopView::Review {
            gate: "Completeness".to_owned(),
            iteration: 2,
            checks: vec!["errors".to_owned(), "naming".to_owned()],
            accepted: vec![finding(1)],
            disputed: vec![DisputeView {
                finding: finding(1),
                evidence: "src/lib.rs:9 refuses <text>\nand the test `refuses_text` shows it".to_owned(),
            }],
            deferred: vec![finding(1)],
        }),
        escalations: vec![Choice {
            answer: "blocked".to_owned(),
            command: "bugle done 'r-7f3a1c#2' --escalate blocked".to_owned(),
        }],
        failure_file: Some("/home/ada/.bugle/work/r-7f3a1c/2.txt".to_owned()),
        ..plain_step()
    };
    insta::assert_snapshot!(in_every_form(&view, |format| step::step(&view, format)));
}

#[test]
fn the_fixer_gets_all_findings() {
    let view = StepView {
        verdict: Some(verdict(false)),
        review_loop: Some(ReviewLoopView::Rework {
            gate: "Completeness".to_owned(),
            iteration: 2,
            findings: vec![finding(2), finding(1)],
            count: 2,
            command: Some("bugle run findings 'r-7f3a1c#1'".to_owned()),
        }),
        ..plain_step()
    };
    insta::assert_snapshot!(in_every_form(&view, |format| step::step(&view, format)));
}

#[test]
fn an_orchestrator_gets_the_number_of_findings() {
    let view = StepView {
        verdict: Some(verdict(false)),
        review_loop: Some(ReviewLoopView::Rework {
            gate: "Completeness".to_owned(),
            iteration: 2,
            findings: Vec::new(),
            count: 2,
            command: None,
        }),
        ..dispatching(dispatch(vec![child(1, "the plan")]))
    };
    insta::assert_snapshot!(in_every_form(&view, |format| step::step(&view, format)));
}

#[test]
fn a_gate_at_its_limit_asks_a_person() {
    let choice = |answer: &str| Choice {
        answer: answer.to_owned(),
        command: format!("bugle decide 'r-7f3a1c#2' {answer}"),
    };
    let view = StepView {
        action: String::new(),
        verdict: Some(verdict(false)),
        ask: Some(AskView {
            in_person: false,
            question: "How should the run continue?".to_owned(),
            choices: ["continue", "accept", "abort"].map(choice).to_vec(),
            file: None,
            reason_file: Some("/home/ada/.bugle/work/r-7f3a1c/2.txt".to_owned()),
        }),
        command: None,
        ..plain_step()
    };
    insta::assert_snapshot!(in_every_form(&view, |format| step::step(&view, format)));
}

#[test]
fn the_final_message_of_a_sub_agent() {
    let view = EndView {
        orchestrator: Some(OrchestratorView {
            work: ReportedWork::Review(3),
            progress: ReportProgress::Complete,
            report: "bugle run show r-9c1d2e".to_owned(),
            command: "bugle done 'r-7f3a1c#2'".to_owned(),
            interface: Interface::Shell,
        }),
        ..end()
    };
    insta::assert_snapshot!(in_every_form(&view, |format| step::end(&view, format)));
}

#[test]
fn the_findings_of_a_gate() {
    let view = FindingsView {
        visit: "r-7f3a1c#1".parse().unwrap(),
        verdict: verdict(false),
        person: Some("Ada".to_owned()),
        accepted_by: vec!["Grace".to_owned()],
        stale: true,
        blocking: vec![FindingView {
            number: Some(2),
            ..finding(3)
        }],
        accepted: vec![FindingView {
            number: Some(1),
            ..finding(1)
        }],
        noted: vec![finding(1)],
        checks: vec!["errors".to_owned(), "naming".to_owned()],
    };
    insta::assert_snapshot!(in_every_form(&view, |format| bugle_render::findings(
        &view, format
    )));
}
