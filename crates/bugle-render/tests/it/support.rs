//! Sample views, and a helper that renders a view in every format.

use std::fmt::Write as _;

use bugle_core::digest::{Stage, StageReason, StepKind, WorkStage};
use bugle_core::engine::RunStatus;
use bugle_core::interface::Interface;
use bugle_core::name::StepId;
use bugle_core::reply::{
    AskView, Author, Choice, EndView, FieldView, Position, RefusalView, ResourceView, ResultView, Round,
    RunEnding, RunNotice, StepView,
};
use bugle_core::wake::Offer;
use bugle_render::Format;
use bugle_testkit::fences::check;
use bugle_wire::Answer;

/// Every format that is rendered.
pub(crate) const FORMATS: [(&str, Format); 3] = [
    ("xml", Format::Xml),
    ("text", Format::Text),
    ("md", Format::Markdown),
];

/// The value whose string form is this word.
pub(crate) fn with_word<T: Copy + ToString>(values: &[T], word: &str) -> T {
    *values.iter().find(|value| value.to_string() == word).unwrap()
}

/// One view in every format and as JSON, each with the format's name.
pub(crate) fn forms(
    view: &impl Answer,
    render: impl Fn(Format) -> String,
) -> impl Iterator<Item = (&'static str, String)> {
    let rendered = FORMATS.map(|(name, format)| (name, render(format)));
    rendered.into_iter().chain([("json", view.to_json())])
}

/// One view in every format and as JSON, one below the other.
pub(crate) fn in_every_form(view: &impl Answer, render: impl Fn(Format) -> String) -> String {
    let mut page = String::new();
    for (name, text) in forms(view, render) {
        assert!(text.ends_with('\n'), "{name} must end with a newline");
        if name == "xml" {
            roxmltree::Document::parse(&text).unwrap();
        }
        let _ = writeln!(page, "=== {name}\n{text}");
    }
    page
}

pub(crate) fn position(step: &str) -> Position {
    Position {
        skill: "decision-critic".to_owned(),
        run: "r-7f3a1c".parse().unwrap(),
        status: RunStatus::Active,
        visit: Some("r-7f3a1c#2".parse().unwrap()),
        step: Some(step.to_owned()),
    }
}

/// A step with a title, a text and the command that ends it.
pub(crate) fn plain_step() -> StepView {
    StepView {
        position: position("extract"),
        title: "Extract the structure".to_owned(),
        phase: None,
        role: "orchestrator".to_owned(),
        role_brief: None,
        task: None,
        round: None,
        verdict: None,
        review_loop: None,
        notices: Vec::new(),
        action: "Take the decision apart.\n\n1. List what it claims.\n2. Keep every item to one line.\n"
            .to_owned(),
        resources: Vec::new(),
        forbidden: Vec::new(),
        denied_tools: Vec::new(),
        allowed_programs: Vec::new(),
        allowed_tools: Vec::new(),
        evidence: Vec::new(),
        result: None,
        dispatch: None,
        ask: None,
        command: Some("bugle done 'r-7f3a1c#2'".to_owned()),
        failure_command: None,
        escalations: Vec::new(),
        failure_file: None,
        interface: Interface::Shell,
    }
}

/// A step with every field set, except the fields for sub-agents.
pub(crate) fn rich_step() -> StepView {
    StepView {
        phase: Some("decomposition".to_owned()),
        notices: vec![
            noted("Read src/prices.py first: it loads the whole price list."),
            noted("Read the tests in tests/ first."),
        ],
        resources: vec![
            ResourceView {
                name: "format.md".to_owned(),
                purpose: "reference for this step".to_owned(),
                content: "# Format\n\nC1: a claim < 80 characters & no \"quotes\"\n".to_owned(),
            },
            ResourceView {
                name: "structural".to_owned(),
                purpose: "convention for this step".to_owned(),
                content: "One statement per item.".to_owned(),
            },
        ],
        forbidden: vec![
            "Judging a claim before all are listed.".to_owned(),
            "Editing files, because this step only reads.".to_owned(),
        ],
        denied_tools: vec!["Edit".to_owned(), "Write".to_owned()],
        evidence: vec![
            "a file that matches docs/*.md, created or changed in this step".to_owned(),
            "`cargo test && echo done` exits with code 0".to_owned(),
        ],
        result: Some(ResultView {
            file: "/home/ada/.bugle/work/r-7f3a1c/2.json".to_owned(),
            outline:
                "{\n  \"claims\": [<text>, ... at least 1], // one line each\n  \"sure\": <true or false>\n}"
                    .to_owned(),
            fields: vec![FieldView {
                name: "claims".to_owned(),
                expected: "a list of at least 1 items, each text".to_owned(),
                required: true,
                help: Some("one line each".to_owned()),
            }],
            checks: Vec::new(),
        }),
        failure_command: Some("bugle done 'r-7f3a1c#2' --fail".to_owned()),
        failure_file: Some("/home/ada/.bugle/work/r-7f3a1c/2.txt".to_owned()),
        ..plain_step()
    }
}

/// A step in its third round.
pub(crate) fn loop_step() -> StepView {
    StepView {
        position: position("investigate"),
        title: "Investigate".to_owned(),
        round: Some(Round { number: 3, limit: 5 }),
        allowed_programs: Vec::new(),
        allowed_tools: vec!["Read".to_owned(), "Grep".to_owned()],
        ..plain_step()
    }
}

fn question(question: &str) -> StepView {
    let position = Position {
        status: RunStatus::Waiting,
        ..position("clarify")
    };
    StepView {
        position,
        title: "Clarify the goal".to_owned(),
        action: "Ask the user this question.".to_owned(),
        ask: Some(AskView {
            in_person: false,
            question: question.to_owned(),
            choices: Vec::new(),
            file: None,
            reason_file: None,
        }),
        ..plain_step()
    }
}

/// A step that asks with choices.
pub(crate) fn choice_step() -> StepView {
    let choice = |answer: &str, command: &str| Choice {
        answer: answer.to_owned(),
        command: command.to_owned(),
    };
    let mut view = question("Which option should it be?\n\n> The plan is ambiguous.");
    view.command = None;
    if let Some(ask) = &mut view.ask {
        ask.choices = vec![
            choice("the \"safe\" one", "bugle decide 'r-7f3a1c#2' 'the \"safe\" one'"),
            choice("it's fast", "bugle decide 'r-7f3a1c#2' 'it'\\''s fast'"),
        ];
    }
    view
}

/// A step that asks for an answer in the user's own words.
pub(crate) fn free_step() -> StepView {
    let mut view = question("What is the budget?");
    view.command = Some("bugle decide 'r-7f3a1c#2'".to_owned());
    if let Some(ask) = &mut view.ask {
        ask.file = Some("/home/ada/.bugle/work/r-7f3a1c/2.txt".to_owned());
    }
    view
}

fn noted(text: &str) -> RunNotice {
    RunNotice::Noted {
        by: Author::Person(Some("@june".to_owned())),
        text: text.to_owned(),
    }
}

pub(crate) fn end() -> EndView {
    let position = Position {
        status: RunStatus::Completed,
        visit: None,
        step: None,
        ..position("present")
    };
    EndView {
        position,
        ending: RunEnding::Complete,
        notices: vec![RunNotice::LimitReached {
            step: StepId::new("investigate").unwrap(),
            rounds: 5,
        }],
        command: "bugle run show r-7f3a1c".to_owned(),
        orchestrator: None,
    }
}

/// A refusal with every field.
pub(crate) fn full_refusal() -> RefusalView {
    RefusalView {
        code: "evidence-unmet".to_owned(),
        message: "The evidence that this step requires is missing.".to_owned(),
        details: vec!["`cargo test` exits with code 0: the command exited with code 101".to_owned()],
        outline: Some("{\n  \"claims\": [<text>, ...]\n}".to_owned()),
        remedy: "Finish the work, then run the same command again.".to_owned(),
        position: Some(position("extract")),
        command: Some("bugle done 'r-7f3a1c#2'".to_owned()),
    }
}

/// Every size of these parts, one below the other.
pub(crate) fn every_size(offers: &[Offer]) -> String {
    let mut page = String::new();
    for offer in offers {
        for sized in &offer.sizes {
            check(&sized.text).unwrap();
            let (part, detail) = (offer.part.as_str(), sized.detail);
            let _ = writeln!(page, "=== {part} {detail:?}\n{}\n", sized.text);
        }
    }
    page
}

/// A review, followed by fixes.
pub(crate) fn review_stage() -> WorkStage {
    WorkStage {
        now: Stage::Review,
        next: vec![Stage::Fix],
        reason: StageReason::Step {
            step: StepKind::Reviews,
        },
    }
}
