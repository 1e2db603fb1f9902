//! Invalid arguments and invalid result files.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Stdio;

use bugle_testkit::broken_pipe::wait_until_broken;
use serde_json::json;

use super::three;
use crate::support::sandbox::{Sandbox, answer, answer_with_input, skip};
use crate::support::workflows::THREE;

const TAKING: &str = "
version: 1
params:
  topic: { type: string, required: true, min: 3, help: What it is about }
  count: { type: integer, min: 1, max: 9, default: 3 }
  fast: { type: boolean, default: false }
  mode: { type: enum, choices: [low, high], default: low }
  names: { type: array, items: string, required: false }
steps:
  go:
    title: Go
    do: '{{ params.topic }}, {{ params.count }}, {% if params.fast %}fast{% else %}slow{% endif %}, {{ params.mode }}{% if params.names is defined %}, {{ params.names | join(\"+\") }}{% endif %}'
    next: end
";

#[test]
fn params_are_parsed_by_type() {
    let sandbox = Sandbox::with_skill("taking", TAKING);
    let step = sandbox.start(&[
        "taking",
        "topic=a=b c",
        "count=7",
        "fast=true",
        "mode=high",
        "names=[\"x\", \"y\"]",
    ]);
    assert_eq!(step.action, "a=b c, 7, fast, high, x+y");
    assert_eq!(
        sandbox.start(&["taking", "topic=123"]).action,
        "123, 3, slow, low"
    );
    let file = sandbox.root().join("params.json");
    sandbox.write(&file, "{\"topic\": \"from a file\", \"count\": 2}");
    let file = file.to_str().unwrap();
    let step = sandbox.start(&["taking", "--params-file", file, "count=5"]);
    assert_eq!(step.action, "from a file, 5, slow, low", "the last value counts");
    let from_input = answer_with_input(
        &mut sandbox.bugle(&["start", "taking", "--params-file", "-"]),
        b"{\"topic\": \"from a pipe\"}",
    );
    assert_eq!(from_input.ok().step().action, "from a pipe, 3, slow, low");
}

#[test]
fn all_invalid_params_are_named() {
    let sandbox = Sandbox::with_skill("taking", TAKING);
    for (given, complaint) in [
        (vec![], "param `topic` is missing: What it is about"),
        (vec!["topic=x"], "param `topic`"),
        (
            vec!["topic=fine", "cuont=3"],
            "there is no param `cuont`; did you mean `count`?",
        ),
        (vec!["topic=fine", "count=three"], "param `count`"),
        (vec!["topic=fine", "count=10"], "param `count`"),
        (vec!["topic=fine", "count=1.5"], "param `count`"),
        (vec!["topic=fine", "fast=maybe"], "param `fast`"),
        (vec!["topic=fine", "mode=medium"], "param `mode`"),
        (vec!["topic=fine", "names=x"], "param `names`"),
        (vec!["topic=fine", "names=[1]"], "param `names`"),
    ] {
        let words: Vec<&str> = ["start", "taking"]
            .into_iter()
            .chain(given.iter().copied())
            .collect();
        let failed = sandbox.run(&words).fails(2, complaint);
        assert!(
            failed.err.contains("cannot start taking with these params"),
            "{}",
            failed.err
        );
        assert!(
            failed.err.contains("count: a whole number from 1 to 9"),
            "it says what is taken: {}",
            failed.err
        );
    }
    let failed = sandbox
        .run(&["start", "taking", "mode=x", "fast=x"])
        .fails(2, "param `mode`");
    assert!(
        failed.err.contains("param `fast`") && failed.err.contains("param `topic`"),
        "{}",
        failed.err
    );
    sandbox
        .run(&["start", "taking", "topic"])
        .fails(2, "invalid param `topic`: write params as name=value");
    let runs = sandbox.run(&["runs", "--json"]).ok().json();
    assert_eq!(runs["data"]["runs"], json!([]), "nothing was started");
}

#[test]
fn a_param_file_must_contain_a_json_object() {
    let sandbox = Sandbox::with_skill("taking", TAKING);
    let file = sandbox.root().join("params.json");
    let path = file.to_str().unwrap();
    let start = || sandbox.run(&["start", "taking", "--params-file", path]);
    start().fails(1, "cannot read");
    for text in ["", "{", "[]", "\"topic\"", "{\"topic\": }", "topic: x"] {
        sandbox.write(&file, text);
        start().fails(2, "is not a JSON object");
    }
    sandbox.write(&file, b"{\"topic\": \"\xff\"}");
    let failed = start();
    assert!(matches!(failed.code, Some(1 | 2)), "{failed:?}");
    sandbox.write(&file, format!("{{\"topic\": \"{}\"}}", "x".repeat(10_000_000)));
    let failed = start();
    assert!(matches!(failed.code, Some(1 | 2)), "{:?}", failed.code);
    assert!(failed.err.starts_with("bugle: "), "{}", failed.err);
}

#[test]
fn a_result_that_is_not_json_is_refused_and_can_be_fixed() {
    let (sandbox, first) = three();
    for text in [
        "",
        "word: one",
        "{\"word\": \"one\"",
        "{\"word\": \"one\"} trailing",
        "{'word': 'one'}",
    ] {
        fs::write(first.result_file(), text).unwrap();
        let refused = sandbox.printed(first.command()).refused("result-unreadable");
        assert!(refused.message.contains("Cannot read the result"), "{refused:?}");
        assert_eq!(refused.command(), first.command());
        assert_eq!(
            fs::read_to_string(first.result_file()).unwrap(),
            text,
            "the result file is unchanged"
        );
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    fs::write(first.result_file(), deep).unwrap();
    sandbox.printed(first.command()).refused("result-unreadable");
    fs::write(first.result_file(), b"{\"word\": \"Gr\xfc\xdfe\"}").unwrap();
    sandbox.printed(first.command()).refused("result-unreadable");
    for (given, reason) in [("{word}", "result-unreadable"), ("{}", "result-mismatch")] {
        let answer = sandbox.run(&["done", &first.visit, "--result", given]);
        assert!(
            answer.out.contains("Fix the result in the command"),
            "{}",
            answer.out
        );
        let refused = answer.refused(reason);
        assert_eq!(refused.command(), format!("{} --result JSON", first.command()));
    }
    fs::write(first.result_file(), "\u{feff}{\"word\": \"Grüße\"}\r\n").unwrap();
    let second = sandbox.printed(first.command()).ok().step();
    assert_eq!(second.action, "The first thing was Grüße.");
}

#[test]
fn a_result_of_the_wrong_shape_is_refused_with_the_field_and_the_shape() {
    let (sandbox, first) = three();
    for (result, field) in [
        (json!([]), "an object"),
        (json!("one"), "an object"),
        (json!(null), "an object"),
        (json!({}), "word"),
        (json!({ "word": 1 }), "word"),
        (json!({ "word": "" }), "word"),
        (json!({ "word": "one", "aside": [] }), "aside"),
        (json!({ "word": "one", "more": 1 }), "more"),
    ] {
        let refused = sandbox.report(&first, &result).refused("result-mismatch");
        assert!(
            refused.details.iter().any(|detail| detail.contains(field)),
            "{result}: {:?}",
            refused.details
        );
        assert!(refused.outline.unwrap().contains("\"word\""));
    }
    assert_eq!(sandbox.events(&first.run), 2, "nothing happened");
}

#[test]
fn a_result_of_ten_megabytes_is_refused_however_it_is_submitted() {
    let (sandbox, first) = three();
    let large = json!({ "word": "x".repeat(10_000_000) }).to_string();
    fs::write(first.result_file(), &large).unwrap();
    let by_file = sandbox.printed(first.command());
    let elsewhere = sandbox.root().join("large.json");
    sandbox.write(&elsewhere, &large);
    let at_file = format!("@{}", elsewhere.display());
    let by_path = sandbox.run(&["done", &first.visit, "--result", &at_file]);
    let by_pipe = answer_with_input(
        &mut sandbox.bugle(&["done", &first.visit, "--result", "-"]),
        large.as_bytes(),
    );
    for answer in [by_file, by_path, by_pipe] {
        let text = format!("{}{}", answer.out, answer.err);
        assert!(matches!(answer.code, Some(1..=3)), "{:?}", answer.code);
        assert!(text.contains("4194304"), "the message states the limit: {text}");
    }
    assert_eq!(sandbox.events(&first.run), 2, "nothing happened");
    sandbox
        .report(&first, &json!({ "word": "x".repeat(1_000_000) }))
        .ok();
    sandbox.verify();
}

#[test]
fn things_that_are_not_files_are_not_results() {
    let (sandbox, first) = three();
    fs::create_dir(first.result_file()).unwrap();
    let answer = sandbox.printed(first.command());
    assert!(matches!(answer.code, Some(1 | 3)), "{answer:?}");
    fs::remove_dir(first.result_file()).unwrap();
    let folder = first.result_file().parent().unwrap();
    sandbox.tool(folder, "mkfifo", &["1.json"]);
    let mut command = sandbox.command("timeout", &sandbox.elsewhere());
    let answer = self::answer(command.args(["--signal=KILL", "20", "sh", "-c", first.command()]));
    assert!(matches!(answer.code, Some(1 | 3)), "{answer:?}");
    fs::remove_file(first.result_file()).unwrap();
    sandbox
        .run(&["done", &first.visit, "--result", "@no-such-file"])
        .fails(1, "cannot read");
    sandbox.report(&first, &json!({ "word": "one" })).ok();
}

#[test]
fn wrong_usage_and_failure_have_different_exit_codes() {
    let sandbox = Sandbox::new();
    for words in [
        vec!["frobnicate"],
        vec!["start"],
        vec!["done"],
        vec!["step", "--format", "pdf"],
        vec!["skill", "graph", "deepthink", "--format", "png"],
        vec!["done", "r-abc234#1", "--result", "{}", "--fail", "x"],
        vec!["--frobnicate"],
    ] {
        let failed = sandbox.run(&words).exits(2);
        assert!(
            failed.err.contains("Usage") || failed.err.contains("error:"),
            "{words:?}: {}",
            failed.err
        );
        assert_eq!(failed.out, "");
    }
    let help = sandbox.run(&["help", "all"]).ok().out;
    for command in [
        "start",
        "done",
        "step",
        "decide",
        "run list",
        "run rewind",
        "run fork",
        "run upgrade",
        "skill check",
    ] {
        assert!(help.contains(command), "{command} is not in the help");
    }
    assert!(sandbox.run(&["--version"]).ok().out.starts_with("bugle "));
    let odd = OsStr::from_bytes(b"decision=\xff");
    answer(sandbox.bugle(&["start", "decision-critic"]).arg(odd)).exits(2);
    assert!(!sandbox.bugle_home().join("work").exists());
}

#[test]
fn a_closed_output_pipe_is_not_an_error() {
    let (sandbox, first) = three();
    for words in [
        vec!["skill", "list"],
        vec!["skill", "schema"],
        vec!["step"],
        vec!["show", "--json"],
        vec!["completions", "bash"],
        vec!["done", first.visit.as_str(), "--result", "{\"word\": \"one\"}"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        wait_until_broken(&writer).unwrap();
        let mut command = sandbox.bugle(&words);
        let child = command.stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        // The command still has the other end of the pipe open.
        drop(command);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{words:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{words:?}");
    }
    assert_eq!(
        sandbox.run(&["step"]).ok().step().step,
        "second",
        "the step ended anyway"
    );
}

#[test]
fn output_that_cannot_be_written_is_a_failure() {
    let (sandbox, first) = three();
    for words in [
        vec!["skill", "list"],
        vec!["step"],
        vec!["skill", "schema"],
        vec!["store", "verify"],
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = sandbox.bugle(&words).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("cannot write to stdout"), "{words:?}: {said}");
    }
    assert_eq!(sandbox.run(&["step"]).ok().step(), first);
}

#[test]
fn colours_are_printed_only_to_terminals_that_allow_them() {
    let sandbox = Sandbox::with_skill("three", &THREE.replace("next: third", "next: fourth"));
    let on_terminal = |words: &str, variable: Option<&str>| {
        let mut command = sandbox.command("script", &sandbox.project());
        command.env("TERM", "xterm-256color").env("COLUMNS", "100");
        command.envs(variable.map(|value| ("NO_COLOR", value)));
        let line = format!("bugle {words}");
        answer(command.args(["--quiet", "--return", "--command", &line, "/dev/null"]))
    };
    if sandbox
        .command("script", sandbox.root())
        .arg("--version")
        .output()
        .is_err()
    {
        return skip("there is no `script` to make a terminal with");
    }
    let check = "skill check three";
    let coloured = on_terminal(check, None).exits(3);
    assert!(coloured.out.contains("\u{1b}["), "{:?}", coloured.out);
    let plain = on_terminal(check, Some("1")).exits(3);
    assert!(!plain.out.contains('\u{1b}'), "NO_COLOR is not honoured");
    let empty = on_terminal(check, Some("")).exits(3);
    assert!(empty.out.contains("\u{1b}["), "an empty NO_COLOR has no effect");
    let piped = answer(sandbox.bugle(&["skill", "check", "three"]).env("TERM", "xterm")).exits(3);
    assert!(!piped.out.contains('\u{1b}'), "a pipe is not a terminal");
    // A person at a terminal reads text, not XML.
    let step = on_terminal("start decision-critic decision=x", None).exits(0);
    assert!(step.out.starts_with("Break down the decision"), "{}", step.out);
}

#[test]
fn untrusted_control_characters_do_not_reach_the_terminal() {
    let red = "\u{1b}[31mred\u{7}\u{9b}31m";
    let (sandbox, first) = three();
    sandbox.run(&["note", red]).ok();
    sandbox.run(&["pause", "--why", red]).ok();
    sandbox.run(&["resume", "--format", "text"]).ok();
    sandbox.report(&first, &json!({ "word": red })).ok();
    let folder = sandbox.project().join(".bugle/skills/red");
    sandbox.write(
        &folder.join("SKILL.md"),
        "---\nname: red\ndescription: \"Use when \\e[31mred\\a.\"\n---\n\nBody \u{1b}[31mred.\n",
    );
    for words in [
        vec!["show"],
        vec!["step", "--format", "text"],
        vec!["step", "--format", "md"],
        vec!["skill", "list"],
        vec!["skill", "show", "red"],
        vec!["skill", "check", "red"],
        vec!["start", red],
        vec!["step", red],
        vec!["done", red],
        vec!["skill", "new", red],
        vec!["-C", red, "runs"],
    ] {
        let answer = sandbox.run(&words);
        for text in [&answer.out, &answer.err] {
            let steering = text.chars().find(|c| c.is_control() && *c != '\n' && *c != '\t');
            assert_eq!(steering, None, "{words:?} lets it through:\n{text:?}");
        }
    }
}
