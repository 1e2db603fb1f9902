//! Rules about texts and their files.

use bugle_core::outcome::Outcome::{Iterate, Skip};
use bugle_core::shape::{Presence, Shape};
use bugle_core::validate::{Package, Rule};
use bugle_core::workflow::{Arg, Evidence, StepDef, StepText, WorkflowDef};
use bugle_testkit::spelling::skill_path;

use super::{Case, case, case_in, case_of, rules};
use crate::support::{Build, step};

rules! {
    a_text_is_not_there breaks MissingPrompt;
    a_resource_is_not_there breaks MissingResource;
    a_template_does_not_parse breaks BadTemplate;
    a_template_uses_a_name_it_cannot_know breaks UnknownName;
    a_template_names_an_unknown_param breaks UndeclaredParam;
    a_template_counts_on_a_result_that_may_not_be_there breaks ResultUnavailable;
    a_text_counts_steps breaks StepCountInText;
    nothing_uses_a_file breaks UnusedFile;
}

fn saying(id: &str, text: &str) -> StepDef {
    StepDef {
        action: StepText::Inline(text.to_owned()),
        ..step(id)
    }
}

fn reading(file: &str) -> StepDef {
    StepDef {
        action: StepText::File(skill_path(file)),
        ..step("a")
    }
}

fn folder(files: &[(&str, &str)]) -> Package {
    Package {
        texts: files
            .iter()
            .map(|(file, text)| (skill_path(file), (*text).to_owned()))
            .collect(),
        ..Package::default()
    }
}

fn file(rule: Rule, place: &'static str, step: StepDef, files: &[(&str, &str)]) -> Case {
    case_in(rule, place, WorkflowDef::new([step]), &folder(files))
}

fn text(rule: Rule, place: &'static str, text: &str) -> Case {
    let topic = Arg {
        presence: Presence::Optional,
        ..Arg::required("topic", Shape::text()).unwrap()
    };
    let definition = WorkflowDef::new([saying("a", text)]).param(topic);
    case_of(rule, place, definition)
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases = missing();
    cases.extend(names());
    cases.extend(results());
    cases.extend(counts());
    cases
}

fn missing() -> Vec<Case> {
    let with_resource = |resource: &str| StepDef {
        resources: vec![skill_path(resource)],
        ..step("a")
    };
    let place = "workflow.yaml steps.a.do";
    vec![
        file(
            Rule::MissingPrompt,
            place,
            reading("prompts/scn.md"),
            &[("prompts/scan.md", "Look")],
        ),
        file(Rule::MissingPrompt, place, reading("prompts/scan.md"), &[]),
        file(
            Rule::MissingPrompt,
            place,
            reading("prompts/scan.md"),
            &[("prompts/scan.md", "\n")],
        ),
        case(Rule::MissingPrompt, place, [saying("a", " ")]),
        case(
            Rule::MissingResource,
            "workflow.yaml steps.a.resources.0",
            [with_resource("resources/x.md")],
        ),
        file(
            Rule::UnusedFile,
            "prompts/old.md",
            step("a"),
            &[("prompts/old.md", "Look"), ("NOTES.md", "")],
        ),
        file(
            Rule::UnusedFile,
            "resources/old.md",
            with_resource("resources/new.md"),
            &[("resources/new.md", "x"), ("resources/old.md", "x")],
        ),
    ]
}

fn names() -> Vec<Case> {
    let naming = |place, source| text(Rule::UnknownName, place, source);
    let mut asking = step("a").asks(&[]);
    if let Some(ask) = &mut asking.ask {
        "Is it {{ this }}?".clone_into(&mut ask.question);
    }
    let mut expecting = step("a");
    expecting.expect.push(Evidence::Artifact {
        pattern: "docs/{{ params.nmae }}.md".to_owned(),
        existing: false,
    });
    vec![
        text(
            Rule::BadTemplate,
            "workflow.yaml steps.a.do +5",
            "Look {{ at this",
        ),
        file(
            Rule::BadTemplate,
            "prompts/scan.md [5..15]",
            reading("prompts/scan.md"),
            &[("prompts/scan.md", "Look {{ at this")],
        ),
        naming("workflow.yaml steps.a.do +11", "Look at {{ target }}"),
        naming("workflow.yaml steps.a.do +3", "{{ result.claims }}"),
        naming("workflow.yaml steps.a.do +3", "{{ visit.count }}"),
        naming("workflow.yaml steps.a.do +3", "{{ run.name }}"),
        naming("workflow.yaml steps.a.do +3", "{{ state.nobody.claims }}"),
        naming("workflow.yaml steps.a.do +3", "{{ state.a.claims }}"),
        naming("workflow.yaml steps.a.do +3", "{{ params.topic }}"),
        case(
            Rule::UnknownName,
            "workflow.yaml steps.a.ask.question +9",
            [asking],
        ),
        text(
            Rule::UndeclaredParam,
            "workflow.yaml steps.a.do +3",
            "{{ params.topc }}",
        ),
        case(
            Rule::UndeclaredParam,
            "workflow.yaml steps.a.expect.0.artifact +8",
            [expecting],
        ),
    ]
}

fn results() -> Vec<Case> {
    let place = "workflow.yaml steps.c.do +3";
    let noted = || {
        step("b")
            .to("c")
            .returns("sure", Shape::Boolean)
            .may_bring("note", Shape::text())
    };
    let around = || step("a").when("visit.number > 1", Skip).to("b").on(Skip, "c");
    let late = step("a")
        .until("visit.iteration > 1", 2)
        .on(Iterate, "a")
        .returns("claims", Shape::text());
    vec![
        case(
            Rule::ResultUnavailable,
            place,
            [around(), noted(), saying("c", "{{ state.b.sure }}")],
        ),
        case(
            Rule::ResultUnavailable,
            place,
            [
                step("a").to("b"),
                noted(),
                saying("c", "{{ state.b.note | quote }}"),
            ],
        ),
        case(
            Rule::ResultUnavailable,
            "workflow.yaml steps.a.do +3",
            [saying("a", "{{ state.b.sure }}").to("b"), noted().to("end")],
        ),
        case(
            Rule::ResultUnavailable,
            "workflow.yaml steps.a.do +3",
            [StepDef {
                action: StepText::Inline("{{ state.a.claims }}".to_owned()),
                ..late
            }],
        ),
    ]
}

fn counts() -> Vec<Case> {
    let titled = StepDef {
        title: "Step 2: look".to_owned(),
        ..step("a")
    };
    vec![
        text(
            Rule::StepCountInText,
            "workflow.yaml steps.a.do +9",
            "Go on as step 3 says",
        ),
        text(
            Rule::StepCountInText,
            "workflow.yaml steps.a.do +7",
            "Repeat steps 2 to 4",
        ),
        file(
            Rule::StepCountInText,
            "prompts/scan.md [4..11]",
            reading("prompts/scan.md"),
            &[("prompts/scan.md", "See Step #2/7")],
        ),
        case(Rule::StepCountInText, "workflow.yaml steps.a.title", [titled]),
    ]
}

#[test]
fn a_text_may_test_for_a_value() {
    let sources = [
        "{% if state.b is defined %}{{ state.b.sure }}{% endif %}",
        "{% if state.b.sure is defined %}{{ state.b.sure }}{% endif %}",
        "{{ visit.iteration }} {{ run.id }} {{ run.skill }} {{ visit.step }} {{ visit.number }}",
    ];
    for source in sources {
        let around = step("a").when("visit.number > 1", Skip).to("b").on(Skip, "c");
        let flag = step("b").to("c").returns("sure", Shape::Boolean);
        let found = case(Rule::ResultUnavailable, "", [around, flag, saying("c", source)]);
        assert!(found.problems.is_empty(), "{source}: {:?}", found.problems);
    }
}

#[test]
fn a_text_may_mention_steps_without_counting_them() {
    for source in [
        "The next step",
        "stepping 3 times",
        "footstep 4",
        "steps",
        "step-3 is a branch",
        "a.step 2",
    ] {
        let found = text(Rule::StepCountInText, "", source);
        assert!(found.problems.is_empty(), "{source}: {:?}", found.problems);
    }
}
