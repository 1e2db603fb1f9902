//! Tests for the JSON of steps, ends of runs, refusals and errors.

use bugle_core::engine::{ChildState, Escalation};
use bugle_core::id::SessionId;
use bugle_core::interface::Interface;
use bugle_core::name::StepId;
use bugle_core::reply::{
    AgentLabel, AskView, Author, ChildView, Choice, DispatchView, EndView, ErrorView, FieldView, FindingView,
    FindingsView, MessageView, OrchestratorView, RefusalView, ReportProgress, ReportedWork, ResourceView,
    ResultView, RetryView, ReviewLoopView, Round, RunEnding, RunNotice, StepView, VariableView, VerdictView,
};
use bugle_core::review::{Finding, Severity};

use crate::support::{document, ended, position, texts};

#[test]
fn a_step_with_everything() {
    let view = StepView {
        position: position(),
        title: "Extract the structure".to_owned(),
        phase: Some("decomposition".to_owned()),
        role: "orchestrator".to_owned(),
        role_brief: Some("You lead a run.".to_owned()),
        task: Some(bugle_core::reply::TaskLabel {
            id: "t-7f3a1c2d".parse().unwrap(),
            number: "3".to_owned(),
            title: "Read the file".to_owned(),
        }),
        round: Some(Round { number: 2, limit: 5 }),
        verdict: Some(verdict()),
        review_loop: Some(ReviewLoopView::Rework {
            gate: "Completeness".to_owned(),
            iteration: 1,
            findings: vec![finding()],
            count: 1,
            command: Some("bugle run findings 'r-7f3a1c#1'".to_owned()),
        }),
        notices: vec![RunNotice::SkillChanged {
            skill: "decision-critic".parse().unwrap(),
            upgrade: "bugle run upgrade r-7f3a1c".to_owned(),
        }],
        action: "Take the decision apart.\n".to_owned(),
        resources: vec![ResourceView {
            name: "format.md".to_owned(),
            purpose: "reference for this step".to_owned(),
            content: "C1: ...".to_owned(),
        }],
        forbidden: texts(["Judging a claim"]),
        denied_tools: texts(["Edit"]),
        allowed_programs: Vec::new(),
        allowed_tools: texts(["Read"]),
        evidence: texts(["`cargo test` exits with code 0"]),
        result: Some(ResultView {
            file: "/home/ada/.bugle/work/r-7f3a1c/2.json".to_owned(),
            outline: "{\n  \"claims\": [<text>, ...]\n}".to_owned(),
            fields: vec![FieldView {
                name: "claims".to_owned(),
                expected: "a list of items, each text".to_owned(),
                required: true,
                help: Some("one statement each".to_owned()),
            }],
            checks: Vec::new(),
        }),
        dispatch: Some(DispatchView {
            role: "explore".to_owned(),
            model: Some("small".to_owned()),
            led_by_workflow: true,
            children: vec![ChildView {
                slot: 1,
                command: "bugle start --child 'r-7f3a1c#2/1'".to_owned(),
                context: vec![VariableView {
                    name: "target".to_owned(),
                    value: "src".to_owned(),
                }],
                run: Some("r-9c1d2e".parse().unwrap()),
                state: ChildState::Escalated(Escalation::Blocked, "no access".to_owned()),
                outdated: false,
                reported: true,
                retry: Some(RetryView {
                    answer_file: Some("/home/ada/.bugle/work/r-7f3a1c/2-1.txt".to_owned()),
                    command: "bugle run retry 'r-7f3a1c#2/1'".to_owned(),
                }),
            }],
            needed: 1,
            reported: 1,
            asking: 1,
            unanswered: Some("bugle done 'r-7f3a1c#2' --unanswered".to_owned()),
        }),
        ask: Some(AskView {
            in_person: false,
            question: "Which one?".to_owned(),
            choices: vec![Choice {
                answer: "the first".to_owned(),
                command: "bugle decide 'r-7f3a1c#2' 'the first'".to_owned(),
            }],
            file: Some("/home/ada/.bugle/work/r-7f3a1c/2.txt".to_owned()),
            reason_file: Some("/home/ada/.bugle/work/r-7f3a1c/2.txt".to_owned()),
        }),
        command: Some("bugle done 'r-7f3a1c#2'".to_owned()),
        failure_command: Some("bugle done 'r-7f3a1c#2' --fail".to_owned()),
        escalations: vec![Choice {
            answer: "blocked".to_owned(),
            command: "bugle done 'r-7f3a1c#2' --escalate blocked".to_owned(),
        }],
        failure_file: Some("/home/ada/.bugle/work/r-7f3a1c/2.txt".to_owned()),
        interface: Interface::Shell,
    };
    insta::assert_snapshot!(document(&view));
}

#[test]
fn a_step_without_optional_fields() {
    let view = StepView {
        position: position(),
        title: "Present".to_owned(),
        phase: None,
        role: "orchestrator".to_owned(),
        role_brief: None,
        task: None,
        round: None,
        verdict: None,
        review_loop: None,
        notices: Vec::new(),
        action: "Present the verdict.".to_owned(),
        resources: Vec::new(),
        forbidden: Vec::new(),
        denied_tools: Vec::new(),
        allowed_programs: Vec::new(),
        allowed_tools: Vec::new(),
        evidence: Vec::new(),
        result: None,
        dispatch: None,
        ask: None,
        command: None,
        failure_command: None,
        escalations: Vec::new(),
        failure_file: None,
        interface: Interface::Shell,
    };
    insta::assert_snapshot!(document(&view));
}

#[test]
fn the_end_of_a_run() {
    let view = EndView {
        position: ended(),
        ending: RunEnding::Complete,
        notices: vec![RunNotice::LimitReached {
            step: StepId::new("investigate").unwrap(),
            rounds: 5,
        }],
        command: "bugle run show r-7f3a1c".to_owned(),
        orchestrator: Some(OrchestratorView {
            work: ReportedWork::Review(2),
            progress: ReportProgress::Complete,
            report: "bugle run show r-7f3a1c".to_owned(),
            command: "bugle done 'r-2b3c4d#5'".to_owned(),
            interface: Interface::Shell,
        }),
    };
    insta::assert_snapshot!(document(&view));
}

fn verdict() -> VerdictView {
    VerdictView {
        gate: "Completeness".to_owned(),
        passed: false,
        iteration: 1,
        limit: 5,
        blocking: 1,
        accepted: 0,
        noted: 0,
        decision: Some("continue".to_owned()),
        passed_on_by: Some(Author::Agent(AgentLabel::Session(SessionId(
            "session-one".to_owned(),
        )))),
        self_review: true,
        tree: Some("0123456789ab+cdef01234567".to_owned()),
        command: "bugle run findings 'r-7f3a1c#1'".to_owned(),
    }
}

fn finding() -> FindingView {
    FindingView {
        finding: Finding {
            severity: Severity::Must,
            category: "errors".to_owned(),
            location: "src/lib.rs:7".to_owned(),
            element: "parse".to_owned(),
            problem: "it accepts anything".to_owned(),
            action: "refuse what is not a number".to_owned(),
        },
        seen: 2,
        number: Some(1),
    }
}

#[test]
fn the_findings_of_a_gate() {
    let view = FindingsView {
        visit: "r-7f3a1c#1".parse().unwrap(),
        verdict: verdict(),
        person: None,
        accepted_by: Vec::new(),
        stale: true,
        blocking: vec![finding()],
        accepted: Vec::new(),
        noted: Vec::new(),
        checks: texts(["errors", "naming"]),
    };
    insta::assert_snapshot!(document(&view));
}

#[test]
fn a_refusal() {
    let full = RefusalView {
        code: "result-mismatch".to_owned(),
        message: "The result does not have the required shape.".to_owned(),
        details: texts(["claims: expected a list, found text"]),
        outline: Some("{\n  \"claims\": [<text>, ...]\n}".to_owned()),
        remedy: "Fix the result, then run the same command again.".to_owned(),
        position: Some(position()),
        command: Some("bugle done 'r-7f3a1c#2'".to_owned()),
    };
    let bare = RefusalView {
        details: Vec::new(),
        outline: None,
        position: None,
        command: None,
        ..full.clone()
    };
    insta::assert_snapshot!(format!("{}{}", document(&full), document(&bare)));
}

#[test]
fn an_error() {
    let view = ErrorView {
        message: "there is no skill `critic`".to_owned(),
        hints: texts(["`bugle skill list` lists the skills."]),
        exit: 4,
    };
    insta::assert_snapshot!(document(&view));
}

#[test]
fn a_message() {
    let view = MessageView {
        message: "Created .bugle/skills/critic.".to_owned(),
    };
    insta::assert_snapshot!(document(&view));
}
