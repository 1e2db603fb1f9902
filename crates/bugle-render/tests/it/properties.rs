//! For any text in a view, the XML is well-formed and contains the text. Output for people has no control characters.

use bugle_core::engine::{Event, Origin, RunStatus, TaskRef};
use bugle_core::id::{RunId, Timestamp, VisitNumber, VisitToken};
use bugle_core::outcome::Outcome;
use bugle_core::path::SkillPath;
use bugle_core::reply::{
    AskView, Author, Change, CheckReport, CheckedSkill, Choice, EndView, FinalResult, ParamView, Position,
    RefusalView, ResourceView, ResultView, RunChange, RunDetail, RunEnding, RunList, RunNotice, RunSummary,
    SkillDetail, SkillEntry, SkillList, StepCheck, StepSummary, StepView, StoreCheck, TestReport,
    TimelineEntry, WayView,
};
use bugle_core::validate::{Problem, ProblemLocation, Rule};
use bugle_render::xml::escape::replace_forbidden;
use bugle_render::{Format, notice_text, problem, run, skill, step};
use bugle_wire::Answer as _;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::Config;
use roxmltree::{Document, Node};
use serde_json::{Map, Value};

use crate::support::{plain_step, position};

fn failed(reason: String) -> RunEnding {
    RunEnding::Failed {
        step: "extract".parse().unwrap(),
        reason: Some(reason),
    }
}

/// Text full of sequences that break naive writers.
fn text() -> impl Strategy<Value = String> {
    const TROUBLE: [&str; 20] = [
        "]]>",
        "<",
        "&",
        "&#0;",
        "<!--",
        "</workflow>",
        "\"",
        "'",
        "\r\n",
        "\r",
        "\n",
        "\t",
        "\u{1b}[31m",
        "\u{7}",
        "\u{85}",
        "\u{9b}31m",
        "\u{202e}",
        "🎺",
        "\u{fffe}",
        "\u{2028}",
    ];
    let piece = prop_oneof![
        3 => select(&TROUBLE[..]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        2 => "[ a-z]{1,8}",
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(text(), 0..3)
}

/// Notices that contain any text unchanged.
fn notices() -> impl Strategy<Value = Vec<RunNotice>> {
    let notice = text().prop_map(|doctor| RunNotice::HooksSilent { doctor });
    prop::collection::vec(notice, 0..3)
}

fn shown(notices: &[RunNotice]) -> Vec<String> {
    notices.iter().map(notice_text::run).collect()
}

fn place() -> impl Strategy<Value = Position> {
    let visit = (any::<u64>(), 1_u32..100).prop_map(|(random, number)| VisitToken {
        run: RunId::from_random(random),
        visit: VisitNumber(number),
    });
    (text(), visit, text(), select(&RunStatus::ALL[..])).prop_map(|(skill, visit, step, status)| Position {
        skill,
        run: visit.run.clone(),
        status,
        visit: Some(visit),
        step: Some(step),
    })
}

prop_compose! {
    fn any_step()(
        position in place(), [title, phase, action, file, outline] in [text(), text(), text(), text(), text()],
        [question, answer, command, failure, reason] in [text(), text(), text(), text(), text()],
        [name, purpose, content] in [text(), text(), text()],
        notices in notices(), forbidden in texts(), denied_tools in texts(), allowed_tools in texts(),
        evidence in texts(), asks in any::<bool>(), has_result in any::<bool>(),
    ) -> StepView {
        let choices = vec![Choice { answer, command: command.clone() }];
        StepView {
            position,
            title,
            phase: Some(phase),
            notices,
            action,
            resources: vec![ResourceView { name, purpose, content }],
            forbidden,
            denied_tools,
            allowed_tools,
            evidence,
            result: has_result.then(|| ResultView { file: file.clone(), outline, fields: Vec::new(), checks: Vec::new() }),
            ask: asks.then_some(AskView { question, in_person: false, choices, file: Some(file), reason_file: None }),
            command: Some(command),
            failure_command: Some(failure),
            failure_file: Some(reason),
            ..plain_step()
        }
    }
}

prop_compose! {
    fn any_refusal()(
        position in place(), [code, message, outline, remedy, command] in [text(), text(), text(), text(), text()],
        details in texts(),
    ) -> RefusalView {
        RefusalView {
            code,
            message,
            details,
            outline: Some(outline),
            remedy,
            position: Some(position),
            command: Some(command),
        }
    }
}

/// A value as a parser reads it back, with characters that XML cannot express replaced.
fn kept(value: &str) -> String {
    replace_forbidden(value).into_owned()
}

/// The text of an element, without the line feeds that the writer adds around it.
fn content(node: Node<'_, '_>) -> String {
    let text = node.text().unwrap_or_default();
    let alone = text.strip_prefix('\n').and_then(|text| text.strip_suffix('\n'));
    alone.unwrap_or(text).to_owned()
}

/// The texts of all elements with this name, in order.
fn all(document: &Document<'_>, name: &str) -> Vec<String> {
    let nodes = document.descendants().filter(|node| node.has_tag_name(name));
    nodes.map(content).collect()
}

fn attribute(document: &Document<'_>, name: &str, attribute: &str) -> Option<String> {
    let mut nodes = document.descendants().filter(|node| node.has_tag_name(name));
    nodes.next()?.attribute(attribute).map(str::to_owned)
}

fn control_character(text: &str) -> Option<char> {
    text.chars().find(|c| c.is_control() && *c != '\n' && *c != '\t')
}

fn kept_all(values: &[String]) -> Vec<String> {
    values.iter().map(|value| kept(value)).collect()
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::default() })]

    #[test]
    fn the_xml_of_a_step_contains_the_step(view in any_step()) {
        let text = step::step(&view, Format::Xml);
        let document = Document::parse(&text);
        prop_assert!(document.is_ok(), "{:?}\n{text}", document.err());
        let document = document.unwrap();
        prop_assert_eq!(all(&document, "step_header"), [kept(&view.title)]);
        prop_assert_eq!(attribute(&document, "step_header", "step"), view.position.step.as_deref().map(kept));
        prop_assert_eq!(attribute(&document, "step_header", "visit"), view.position.visit.as_ref().map(VisitToken::to_string));
        prop_assert_eq!(all(&document, "current_action"), [kept(view.action.trim_end())]);
        prop_assert_eq!(all(&document, "notice"), kept_all(&shown(&view.notices)));
        let forbidden: Vec<String> = view.forbidden.iter().map(|line| format!("- {}", line.replace('\n', "\n  "))).collect();
        let forbidden = (!forbidden.is_empty()).then(|| kept(&forbidden.join("\n")));
        prop_assert_eq!(all(&document, "forbidden"), forbidden.into_iter().collect::<Vec<_>>());
        prop_assert_eq!(all(&document, "check"), kept_all(&view.evidence));
        prop_assert_eq!(all(&document, "resource"), [kept(&view.resources[0].content)]);
        prop_assert_eq!(attribute(&document, "resource", "name"), Some(kept(&view.resources[0].name)));
        prop_assert_eq!(all(&document, "invoke_after"), [kept(view.command.as_deref().unwrap())]);
        prop_assert_eq!(all(&document, "if_impossible"), [kept(view.failure_command.as_deref().unwrap())]);
        if let Some(result) = &view.result {
            prop_assert_eq!(all(&document, "expected_output"), [kept(&result.outline)]);
            prop_assert_eq!(attribute(&document, "expected_output", "write_json_to"), Some(kept(&result.file)));
        }
        if let Some(ask) = &view.ask {
            prop_assert_eq!(all(&document, "question"), [kept(&ask.question)]);
            prop_assert_eq!(all(&document, "choice"), [kept(&ask.choices[0].command)]);
            prop_assert_eq!(attribute(&document, "choice", "answer"), Some(kept(&ask.choices[0].answer)));
        }
    }

    #[test]
    fn the_xml_of_a_refusal_contains_the_refusal(view in any_refusal()) {
        let text = step::refusal(&view, Format::Xml);
        let document = Document::parse(&text);
        prop_assert!(document.is_ok(), "{:?}\n{text}", document.err());
        let document = document.unwrap();
        prop_assert_eq!(all(&document, "message"), [kept(&view.message)]);
        prop_assert_eq!(all(&document, "detail"), kept_all(&view.details));
        prop_assert_eq!(all(&document, "remedy"), [kept(&view.remedy)]);
        prop_assert_eq!(all(&document, "expected_output"), [kept(view.outline.as_deref().unwrap())]);
        prop_assert_eq!(all(&document, "invoke_after"), [kept(view.command.as_deref().unwrap())]);
        prop_assert_eq!(attribute(&document, "refused", "reason"), Some(kept(&view.code)));
    }

    #[test]
    fn the_xml_of_an_end_contains_the_end(position in place(), reason in text(), notices in notices(), command in text()) {
        let view = EndView { position, ending: failed(reason), notices, command, orchestrator: None };
        let text = step::end(&view, Format::Xml);
        let document = Document::parse(&text);
        prop_assert!(document.is_ok(), "{:?}\n{text}", document.err());
        let document = document.unwrap();
        prop_assert_eq!(all(&document, "run_complete"), [kept(&step::ending(&view))]);
        prop_assert_eq!(all(&document, "notice"), kept_all(&shown(&view.notices)));
        prop_assert_eq!(all(&document, "findings_command"), [kept(&view.command)]);
    }

    #[test]
    fn no_step_controls_a_terminal(view in any_step()) {
        let text = step::step(&view, Format::Text);
        prop_assert_eq!(control_character(&text), None, "{:?}", text);
    }

    #[test]
    fn no_end_controls_a_terminal(position in place(), reason in text(), notices in notices(), command in text()) {
        let text = step::end(&EndView { position, ending: failed(reason), notices, command, orchestrator: None }, Format::Text);
        prop_assert_eq!(control_character(&text), None, "{:?}", text);
    }

    #[test]
    fn no_refusal_controls_a_terminal(view in any_refusal()) {
        let text = step::refusal(&view, Format::Text);
        prop_assert_eq!(control_character(&text), None, "{:?}", text);
    }

    #[test]
    fn no_run_controls_a_terminal(text in text(), value in text(), position in place()) {
        let summary = RunSummary { position, directory: text.clone(), person: Some(text.clone()), agent: Some(text.clone()), about: Some(text.clone()), started_at: Timestamp(1), changed_at: Timestamp(2) };
        let entry = TimelineEntry {
            seq: 1,
            at: Timestamp(1),
            by: Author::Person(Some(text.clone())),
            person: Some(text.clone()),
            change: Change::Run(Box::new(RunChange {
                answer: Some(text.clone()),
                ..RunChange::from(Event::Ended {
                    visit: VisitNumber(1),
                    outcome: Outcome::Ok,
                    result: Some(Value::String(value.clone())),
                    reason: Some(text.clone()),
                    evidence: Vec::new(),
                    merged: None,
                    also_found: Vec::new(),
                    no_progress: false,
                    exhausted: false,
                    tree: Some(text.clone()),
                })
            })),
            left_behind: false,
        };
        let detail = RunDetail {
            summary: summary.clone(),
            pin: "pin".to_owned(),
            params: Map::from_iter([("a".to_owned(), Value::String(value.clone()))]),
            origin: Origin::Task(TaskRef { id: "t-aaaaaa".parse().unwrap(), number: text.clone(), title: text.clone() }),
            result: Some(FinalResult { step: text.clone(), value: Value::String(value) }),
            timeline: vec![entry],
            notices: vec![RunNotice::HooksSilent { doctor: text.clone() }],
            command: Some(text.clone()),
        };
        let clock = |time: Timestamp| time.0.to_string();
        let faults = vec![text.clone()];
        let page = run::detail(&detail, &clock)
            + &run::list(&RunList { everywhere: true, runs: vec![summary], more: 1 }, &clock)
            + &run::store_check(&StoreCheck {
                file: text,
                schema: 1,
                runs: 1,
                events: 1,
                tasks: 1,
                task_events: 1,
                blobs: 1,
                only_own_projects: true,
                faults,
            });
        prop_assert_eq!(control_character(&page), None, "{:?}", page);
    }

    #[test]
    fn no_skill_controls_a_terminal(text in text()) {
        let entry = SkillEntry {
            name: text.clone(), description: text.clone(), source: text.clone(), path: Some(text.clone()),
            has_workflow: true, trusted: false, shadows: vec![text.clone()], problem: None,
        };
        let broken = SkillEntry { problem: Some(text.clone()), ..entry.clone() };
        let way = WayView { outcome: Outcome::Fail, to: text.clone() };
        let detail = SkillDetail {
            entry: entry.clone(),
            hash: "hash".to_owned(),
            license: None,
            params: vec![ParamView {
                name: text.clone(), expected: text.clone(), required: false, default: Some(text.clone()),
                help: Some(text.clone()),
            }],
            steps: vec![StepSummary { id: text.clone(), title: text.clone(), phase: None, ways: vec![way], asks_user: true, checks: vec![StepCheck { say: text.clone(), that: text.clone() }] }],
            body: text.clone(),
            command: None,
        };
        let check = CheckReport {
            skills: vec![CheckedSkill { name: text.clone(), path: None, problems: Vec::new(), trust: Some(text.clone()) }],
            errors: 0,
            warnings: 0,
        };
        let test = TestReport {
            name: text.clone(), situations: 1, endings: 1, taken: Vec::new(), missed: vec![text.clone()],
            longest: 1, failures: vec![text.clone()], cut: false,
        };
        let page = skill::list(&SkillList { skills: vec![entry, broken] }, 80)
            + &skill::detail(&detail)
            + &skill::check(&check)
            + &skill::test(&test);
        prop_assert_eq!(control_character(&page), None, "{:?}", page);
    }

    #[test]
    fn no_problem_controls_a_terminal(
        source in text(), [message, fix, file] in [text(), text(), text()], start in 0usize..40, length in 0usize..20,
    ) {
        let broken = Problem {
            rule: Rule::BadName,
            place: ProblemLocation::File(SkillPath::new("workflow.yaml").unwrap()),
            message,
            fix,
        };
        let span = start..start + length;
        for source in [None, Some((source.as_str(), span))] {
            let text = problem::problem(&broken, &file, source, false);
            prop_assert_eq!(control_character(&text), None, "{:?}", text);
        }
    }

    #[test]
    fn json_contains_the_step(view in any_step()) {
        let read: Value = serde_json::from_str(&view.to_json()).unwrap();
        prop_assert_eq!(read["data"]["title"].as_str(), Some(view.title.as_str()));
        prop_assert_eq!(read["data"]["action"].as_str(), Some(view.action.as_str()));
        prop_assert_eq!(read["data"]["command"].as_str(), view.command.as_deref());
    }
}

#[test]
fn a_position_without_a_visit_names_none() {
    let mut at = position("extract");
    at.visit = None;
    at.step = None;
    assert_eq!(
        step::position_sentence(&at),
        "Run r-7f3a1c of decision-critic: active."
    );
}
