//! Steps and ends of runs, in every format.

use bugle_core::reply::{RunNotice, StepView, TaskLabel};
use bugle_render::{Format, step};

use crate::support::{
    FORMATS, choice_step, end, forms, free_step, in_every_form, loop_step, plain_step, rich_step,
};

#[test]
fn a_plain_step() {
    insta::assert_snapshot!(in_every_form(&plain_step(), |format| step::step(
        &plain_step(),
        format
    )));
}

#[test]
fn a_step_with_everything() {
    insta::assert_snapshot!(in_every_form(&rich_step(), |format| step::step(
        &rich_step(),
        format
    )));
}

#[test]
fn a_step_in_a_loop() {
    insta::assert_snapshot!(in_every_form(&loop_step(), |format| step::step(
        &loop_step(),
        format
    )));
}

#[test]
fn a_step_about_a_task() {
    let about = |number: &str, title: &str| StepView {
        task: Some(TaskLabel {
            id: "t-7f3a1c2d".parse().unwrap(),
            number: number.to_owned(),
            title: title.to_owned(),
        }),
        ..plain_step()
    };
    let numbered = about("3.1", "Read <config> & \"defaults\"");
    insta::assert_snapshot!(in_every_form(&numbered, |format| step::step(&numbered, format)));
    let without_number = step::step(&about("", "Tidy up"), Format::Text);
    assert!(
        without_number.contains("\n\nTask Tidy up (t-7f3a1c2d)\n\n"),
        "{without_number}"
    );
}

#[test]
fn a_question_with_choices() {
    insta::assert_snapshot!(in_every_form(&choice_step(), |format| step::step(
        &choice_step(),
        format
    )));
}

#[test]
fn a_question_with_a_free_answer() {
    insta::assert_snapshot!(in_every_form(&free_step(), |format| step::step(
        &free_step(),
        format
    )));
}

#[test]
fn the_end_of_a_run() {
    insta::assert_snapshot!(in_every_form(&end(), |format| step::end(&end(), format)));
}

#[test]
fn every_format_has_all_content() {
    let view = rich_step();
    let result = view.result.as_ref().unwrap();
    let mut contents = vec![view.title.as_str(), &result.file];
    contents.extend(view.notices.iter().map(|notice| match notice {
        RunNotice::Noted { text, .. } => text.as_str(),
        other => panic!("{other:?}"),
    }));
    contents.extend(view.forbidden.iter().map(String::as_str));
    contents.extend(view.denied_tools.iter().map(String::as_str));
    contents.extend(view.resources.iter().map(|resource| resource.name.as_str()));
    contents.extend([
        "1. List what it claims.",
        "One statement per item.",
        "bugle done 'r-7f3a1c#2'",
        "bugle done 'r-7f3a1c#2' --fail",
        "/home/ada/.bugle/work/r-7f3a1c/2.txt",
        "docs/*.md",
        "at least 1",
    ]);
    for (name, text) in forms(&view, |format| step::step(&view, format)) {
        for content in &contents {
            assert!(text.contains(content), "{name} lacks {content:?}:\n{text}");
        }
    }
}

#[test]
fn every_format_of_a_question_has_each_command_in_full() {
    let view = choice_step();
    // JSON escapes quotes, so this test does not cover JSON. A snapshot does.
    for (name, format) in FORMATS {
        let text = step::step(&view, format);
        for choice in &view.ask.as_ref().unwrap().choices {
            assert!(text.contains(&choice.command), "{name}:\n{text}");
        }
    }
}

#[test]
fn a_command_is_on_its_own_line_in_text() {
    for view in [plain_step(), rich_step(), loop_step(), free_step()] {
        let text = step::step(&view, Format::Text);
        let command = view.command.unwrap();
        assert!(text.lines().any(|line| line.trim() == command), "{text}");
    }
}
