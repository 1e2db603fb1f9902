//! Tests for the text of skills.

use bugle_core::outcome::Outcome;
use bugle_core::path::SkillPath;
use bugle_core::reply::{
    CheckReport, CheckedSkill, ParamView, ProblemSeverity, ProblemView, SkillDetail, SkillEntry, SkillList,
    StepCheck, StepSummary, TestReport, WayView,
};
use bugle_core::validate::{Problem, ProblemLocation, Rule};
use bugle_render::{problem, skill};

fn entry() -> SkillEntry {
    SkillEntry {
        name: "decision-critic".to_owned(),
        description:
            "Use it when a decision has to stand, before anybody builds on it and while it can still be \
                      changed. It takes an hour."
                .to_owned(),
        source: "built-in".to_owned(),
        path: None,
        has_workflow: true,
        trusted: true,
        shadows: Vec::new(),
        problem: None,
    }
}

fn entries() -> Vec<SkillEntry> {
    vec![
        SkillEntry {
            name: "broken".to_owned(),
            source: "user".to_owned(),
            problem: Some("the file does not start with front matter".to_owned()),
            ..entry()
        },
        SkillEntry {
            source: "project".to_owned(),
            path: Some("/home/ada/project/.bugle/skills/decision-critic".to_owned()),
            trusted: false,
            shadows: vec![
                "user /home/ada/.bugle/skills/decision-critic".to_owned(),
                "built-in".to_owned(),
            ],
            ..entry()
        },
        SkillEntry {
            name: "superpowers:writing".to_owned(),
            description:
                "日本語の説明 with words of two columns that have to be counted when the lines are broken"
                    .to_owned(),
            source: "plugin".to_owned(),
            has_workflow: false,
            ..entry()
        },
    ]
}

#[test]
fn a_list() {
    let view = SkillList { skills: entries() };
    let wide = skill::list(&view, 100);
    let narrow = skill::list(&view, 40);
    let none = skill::list(&SkillList { skills: Vec::new() }, 100);
    insta::assert_snapshot!(format!(
        "=== wide\n{wide}\n=== narrow\n{narrow}\n=== none\n{none}"
    ));
}

fn way(outcome: Outcome, to: &str) -> WayView {
    WayView {
        outcome,
        to: to.to_owned(),
    }
}

fn step(id: &str, ways: Vec<WayView>) -> StepSummary {
    StepSummary {
        id: id.to_owned(),
        title: format!("The title of {id}"),
        phase: None,
        ways,
        asks_user: id == "investigate",
        checks: vec![StepCheck {
            say: format!("The result of {id} is not empty."),
            that: "size(result.items) > 0".to_owned(),
        }],
    }
}

#[test]
fn a_skill_in_detail() {
    let param = |name: &str, required, default: Option<&str>, help: Option<&str>| ParamView {
        name: name.to_owned(),
        expected: "text".to_owned(),
        required,
        default: default.map(str::to_owned),
        help: help.map(str::to_owned),
    };
    let driven = SkillDetail {
        entry: entries().remove(1),
        hash: "ab".repeat(32),
        license: Some("MIT".to_owned()),
        params: vec![
            param("decision", true, None, Some("The decision under examination")),
            param("mode", false, Some("full"), None),
            param("context_of_the_decision", false, None, Some("What it leaves out")),
        ],
        steps: vec![
            step(
                "extract",
                vec![way(Outcome::Ok, "investigate"), way(Outcome::Fail, "end")],
            ),
            step(
                "investigate",
                vec![way(Outcome::Ok, "end"), way(Outcome::Iterate, "investigate")],
            ),
        ],
        body: "# Decision critic\n".to_owned(),
        command: Some("bugle start decision-critic decision='...'".to_owned()),
    };
    let prose = SkillDetail {
        entry: entries().remove(2),
        hash: "short".to_owned(),
        license: None,
        params: Vec::new(),
        steps: Vec::new(),
        body: "\n# Writing\n\nWrite plainly.\n\n".to_owned(),
        command: None,
    };
    let driven = skill::detail(&driven);
    let prose = skill::detail(&prose);
    insta::assert_snapshot!(format!("=== driven\n{driven}\n=== prose\n{prose}"));
}

fn shown(
    rule: Rule,
    message: &str,
    fix: &str,
    source: Option<(&str, std::ops::Range<usize>)>,
) -> ProblemView {
    let broken = Problem {
        rule,
        place: ProblemLocation::File(SkillPath::new("workflow.yaml").unwrap()),
        message: message.to_owned(),
        fix: fix.to_owned(),
    };
    ProblemView {
        code: rule.code().to_owned(),
        severity: ProblemSeverity::Error,
        message: message.to_owned(),
        fix: fix.to_owned(),
        file: "workflow.yaml".to_owned(),
        line: None,
        column: None,
        span: None,
        snippet: problem::problem(&broken, "skills/critic/workflow.yaml", source, false),
    }
}

#[test]
fn a_check() {
    let text = "version: 1\nsteps:\n  extract:\n    next: clasify\n";
    let at = text.find("next").unwrap();
    let sound = CheckedSkill {
        name: "sound".to_owned(),
        path: None,
        problems: Vec::new(),
        trust: Some("bugle trust sound".to_owned()),
    };
    let wrong = CheckedSkill {
        name: "critic".to_owned(),
        path: None,
        problems: vec![
            shown(
                Rule::UnknownTarget,
                "there is no step `clasify`",
                "did you mean `classify`?",
                Some((text, at..at + 4)),
            ),
            shown(Rule::UnusedFile, "nothing uses the file", "remove it", None),
        ],
        trust: None,
    };
    let report = |skills: Vec<CheckedSkill>, errors, warnings| CheckReport {
        skills,
        errors,
        warnings,
    };
    let good = skill::check(&report(vec![sound.clone()], 0, 0));
    let bad = skill::check(&report(vec![sound, wrong], 1, 1));
    insta::assert_snapshot!(format!("=== sound\n{good}\n=== with problems\n{bad}"));
}

#[test]
fn a_test_of_every_path() {
    let view = TestReport {
        name: "decision-critic".to_owned(),
        situations: 9,
        endings: 1,
        taken: vec!["extract ok classify".to_owned()],
        missed: Vec::new(),
        longest: 4321,
        failures: Vec::new(),
        cut: false,
    };
    let good = skill::test(&view);
    let bad = skill::test(&TestReport {
        missed: vec!["extract fail end".to_owned()],
        failures: vec!["the text of extract cannot be filled in".to_owned()],
        ..view.clone()
    });
    let cut = skill::test(&TestReport { cut: true, ..view });
    insta::assert_snapshot!(format!("=== good\n{good}\n=== bad\n{bad}\n=== cut\n{cut}"));
}
