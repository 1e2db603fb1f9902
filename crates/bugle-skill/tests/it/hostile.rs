//! Unusual input: other alphabets, other line endings, input that is too large, and exponential aliases.

use bugle_core::validate::Rule;
use bugle_render::problem::line_and_column;
use bugle_skill::MAX_FILE_BYTES;

use crate::support::{case, step_with, workflow_problems, workflows};

#[test]
fn columns_count_characters_in_every_alphabet() {
    let cases = [
        case(
            "umlauts and a trumpet before an unknown key",
            step_with("loop: { until: \"'größe 🎺' == ''\", limits: 3 }"),
            &[Rule::UnknownKey],
        ),
        case(
            "umlauts and a trumpet before a broken expression",
            step_with("{ \"phase\": \"日本 🎺\", \"loop\": { \"limit\": 3, \"until\": \"'é🎺' ==\" } }")
                .replace("    title: Ask\n    do: Ask the user.\n", "")
                .replace("    { ", "    { title: Ask, do: Ask., ")
                .replace("    next: end\n", ""),
            &[Rule::BadExpression],
        ),
        case(
            "right-to-left text before an unknown key",
            step_with("tools: { deny: [\"שלום\"], forbid: [] }"),
            &[Rule::UnknownKey],
        ),
    ];
    let page = workflows(&cases);
    let text = &cases[0].text;
    let (_, span) = workflow_problems(text).remove(0);
    let start = span.unwrap().start;
    assert_eq!(&text[start..start + 6], "limits");
    let column = text.lines().nth(5).unwrap().find("limits").unwrap();
    let in_characters = text.lines().nth(5).unwrap()[..column].chars().count() + 1;
    assert_eq!(line_and_column(text, start), (6, in_characters));
    insta::assert_snapshot!(page);
}

#[test]
fn problems_with_crlf_line_endings() {
    let lines = |text: String| text.replace('\n', "\r\n");
    let cases = [
        case(
            "an unknown key at the end of a line",
            lines(step_with("titel: Ask again")),
            &[Rule::UnknownKey],
        ),
        case(
            "a value of the wrong kind at the end of a line",
            lines("version: one\nsteps: {}\n".to_owned()),
            &[Rule::BadYaml],
        ),
        case(
            "a broken expression at the end of a line",
            lines(step_with(
                "route:\n  - when: params.mode ==\n    outcome: skip\nnext: { ok: end, skip: end }",
            )),
            &[Rule::BadExpression],
        ),
        case(
            "a quote that is never closed",
            lines(step_with("phase: \"first")),
            &[Rule::BadYaml],
        ),
    ];
    insta::assert_snapshot!(workflows(&cases));
}

#[test]
fn no_location_includes_a_line_break() {
    for text in ["version: one\r\nsteps: {}\r\n", "version: 1\r\nsteps: later\r\n"] {
        let (_, span) = workflow_problems(text).remove(0);
        let marked = &text[span.unwrap()];
        assert_eq!(marked, marked.trim_end());
    }
}

#[test]
fn line_endings_and_a_byte_order_mark_do_not_matter() {
    let text = step_with("result:\n  answer: string\nforbid:\n  - Guessing");
    let plain = bugle_skill::parse_workflow(&crate::support::path("workflow.yaml"), &text);
    for other in [text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
        let read = bugle_skill::parse_workflow(&crate::support::path("workflow.yaml"), &other);
        assert_eq!(read.2, []);
        assert_eq!(read.0, plain.0);
    }
}

#[test]
fn a_byte_order_mark_does_not_shift_locations() {
    let text = format!("\u{feff}{}", step_with("titel: Ask again"));
    let page = workflows(&[case(
        "an unknown key after a byte order mark",
        &text,
        &[Rule::UnknownKey],
    )]);
    let (_, span) = workflow_problems(&text).remove(0);
    assert_eq!(&text[span.unwrap()], "titel");
    insta::assert_snapshot!(page);
}

#[test]
fn an_alias_is_expanded() {
    let text = step_with(
        "loop: { until: 'true', limit: &limit 3 }\ngate: { name: Review, rework: ask, limit: *limit }",
    );
    assert!(workflow_problems(&text).is_empty());
}

#[test]
fn exponential_aliases_are_refused() {
    let mut bomb = String::from(
        "version: 1\nsteps:\n  ask:\n    title: Ask\n    do: Ask.\n    next: end\n    forbid:\n",
    );
    bomb.push_str("      - &a0 lol\n");
    let mut nested = String::from(
        "version: 1\nparams:\n  list0: { type: string, default: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol] }\n",
    );
    for level in 1..10 {
        let before = format!("*a{}", level - 1);
        let list = vec![before; 9].join(", ");
        nested.push_str(&format!(
            "  list{level}: {{ type: string, default: &a{level} [{list}] }}\n"
        ));
    }
    nested.push_str("steps: {}\n");
    for _ in 0..200_000 {
        bomb.push_str("      - *a0\n");
    }
    let page = workflows(&[
        case("nested lists of aliases", nested, &[Rule::BadYaml]),
        case("a file larger than the limit", bomb, &[Rule::UnreadableFile]),
    ]);
    insta::assert_snapshot!(page);
}

#[test]
fn a_file_of_two_megabytes_is_not_read() {
    let remarks = format!("# {}\n", "x".repeat(78)).repeat(2 * 1024 * 1024 / 81);
    let text = format!("version: 1\n{remarks}steps:\n  ask: {{ title: Ask, do: Ask., next: end }}\n");
    insta::assert_snapshot!(workflows(&[case(
        "two megabytes of comments",
        text,
        &[Rule::UnreadableFile]
    )]));
}

#[test]
fn a_file_at_the_size_limit_is_read() {
    let mut text = step_with("");
    let remark = format!("#{}\n", "x".repeat(MAX_FILE_BYTES - text.len() - 2));
    text.push_str(&remark);
    assert_eq!(text.len(), MAX_FILE_BYTES);
    assert!(workflow_problems(&text).is_empty());
    text.push('\n');
    assert_eq!(workflow_problems(&text)[0].0.rule, Rule::UnreadableFile);
}

#[test]
fn deep_nesting_is_refused() {
    for deep in [
        "[".repeat(5_000),
        format!("version: {}1", "[".repeat(5_000)),
        "{a: ".repeat(5_000),
        "- ".repeat(5_000),
        "? ".repeat(5_000),
        format!(
            "version: 1\nparams:\n  a: {}",
            "{type: array, items: ".repeat(3_000)
        ),
    ] {
        let problems = workflow_problems(&deep);
        assert_eq!(problems[0].0.rule, Rule::BadYaml, "{deep:.40}");
    }
}

#[test]
fn a_long_list_below_long_keys_does_not_exhaust_memory() {
    let key = "k".repeat(1000);
    let open = format!("{{{key}: ").repeat(200);
    let text = format!(
        "version: 1\nx: {open}[{}]{}\n",
        "a,".repeat(100_000),
        "}".repeat(200)
    );
    let (problem, span) = workflow_problems(&text).remove(0);
    assert_eq!(problem.rule, Rule::UnknownKey);
    assert_eq!(&text[span.unwrap()], "x");
}
