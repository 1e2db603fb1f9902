//! Tests for the JSON of skills.

use bugle_core::outcome::Outcome;
use bugle_core::reply::{
    CheckReport, CheckedSkill, ParamView, ProblemSeverity, ProblemView, SkillDetail, SkillEntry, SkillList,
    StepCheck, StepSummary, TestReport, TestReports, WayView,
};

use crate::support::{document, texts};

fn entry() -> SkillEntry {
    SkillEntry {
        name: "decision-critic".to_owned(),
        description: "Use it when a decision has to stand.".to_owned(),
        source: "project".to_owned(),
        path: Some("/home/ada/project/.bugle/skills/decision-critic".to_owned()),
        has_workflow: true,
        trusted: false,
        shadows: texts(["built-in"]),
        problem: None,
    }
}

fn broken() -> SkillEntry {
    SkillEntry {
        name: "broken".to_owned(),
        path: None,
        shadows: Vec::new(),
        problem: Some("the file does not start with front matter".to_owned()),
        ..entry()
    }
}

#[test]
fn a_list_of_skills() {
    let skills = vec![broken(), entry()];
    insta::assert_snapshot!(document(&SkillList { skills }));
}

#[test]
fn a_skill_in_detail() {
    let view = SkillDetail {
        entry: entry(),
        hash: "ab".repeat(32),
        license: Some("MIT".to_owned()),
        params: vec![
            ParamView {
                name: "decision".to_owned(),
                expected: "text of at least 1 characters".to_owned(),
                required: true,
                default: None,
                help: Some("The decision under examination".to_owned()),
            },
            ParamView {
                name: "mode".to_owned(),
                expected: "one of quick, full".to_owned(),
                required: false,
                default: Some("full".to_owned()),
                help: None,
            },
        ],
        steps: vec![StepSummary {
            id: "extract".to_owned(),
            title: "Extract the structure".to_owned(),
            phase: Some("decomposition".to_owned()),
            ways: vec![WayView {
                outcome: Outcome::Ok,
                to: "end".to_owned(),
            }],
            asks_user: true,
            checks: vec![StepCheck {
                say: "Every claim has an id.".to_owned(),
                that: "result.claims.all(c, has(c.id))".to_owned(),
            }],
        }],
        body: "# Decision critic\n".to_owned(),
        command: Some("bugle start decision-critic decision=...".to_owned()),
    };
    insta::assert_snapshot!(document(&view));
}

#[test]
fn a_check() {
    let problem = ProblemView {
        code: "unknown-target".to_owned(),
        severity: ProblemSeverity::Error,
        message: "there is no step `clasify`".to_owned(),
        fix: "did you mean `classify`?".to_owned(),
        file: "workflow.yaml".to_owned(),
        line: Some(12),
        column: Some(5),
        span: Some((201, 205)),
        snippet: "only people see this".to_owned(),
    };
    let whole_file = ProblemView {
        line: None,
        column: None,
        span: None,
        ..problem.clone()
    };
    let sound = CheckedSkill {
        name: "sound".to_owned(),
        path: None,
        problems: Vec::new(),
        trust: Some("bugle trust sound".to_owned()),
    };
    let wrong = CheckedSkill {
        name: "critic".to_owned(),
        path: Some("/home/ada/project/.bugle/skills/critic".to_owned()),
        problems: vec![problem, whole_file],
        trust: None,
    };
    let text = document(&CheckReport {
        skills: vec![sound, wrong],
        errors: 2,
        warnings: 0,
    });
    assert!(
        !text.contains("only people see this"),
        "the snippet is for people only"
    );
    insta::assert_snapshot!(text);
}

#[test]
fn a_test_of_every_path() {
    let view = TestReport {
        name: "decision-critic".to_owned(),
        situations: 9,
        endings: 1,
        taken: texts(["extract ok classify"]),
        missed: texts(["extract fail end"]),
        longest: 4321,
        failures: texts(["the text of extract cannot be filled in"]),
        cut: false,
    };
    insta::assert_snapshot!(document(&TestReports { tests: vec![view] }));
}
