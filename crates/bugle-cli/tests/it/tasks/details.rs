//! Output about tasks.

use serde_json::Value;

use crate::support::sandbox::Sandbox;
use crate::support::tasks::{Authentication, add, add_one, check, id_of, neutral, shown, task};

#[test]
fn show_prints_everything_about_a_task() {
    let sandbox = Sandbox::new();
    let tree = Authentication::new(&sandbox);
    task(&sandbox, &["note", &tree.task_two, "ask about the colours"]);
    task(
        &sandbox,
        &["depend", &id_of(&sandbox, "Task 3: Sessions"), &tree.task_two],
    );
    let full = task(&sandbox, &["show", &tree.task_two, "--full"]).out;
    insta::assert_snapshot!("show_in_full", neutral(&sandbox, &full));
    let brief = task(&sandbox, &["show", &tree.task_two]).out;
    insta::assert_snapshot!("show_in_brief", neutral(&sandbox, &brief));
    for line in full.lines().filter(|line| line.contains("    bugle task")) {
        let command = line.split("    ").last().unwrap();
        sandbox.printed(command).exits(0);
    }
}

#[test]
fn odd_titles_are_kept_and_do_no_harm() {
    let sandbox = Sandbox::new();
    let long = "long ".repeat(2_000);
    for title in [
        "say \"hello\" & 'bye' <now> `rm -rf /` $(id)",
        "🚀 emoji and ﷽ and \u{202e}turned",
        "日本語のタイトル",
    ] {
        let id = add_one(&sandbox, &[title]);
        assert_eq!(shown(&sandbox, &id)["task"]["title"], title);
        task(&sandbox, &["show", &id]);
        task(&sandbox, &["start", &id]);
        task(&sandbox, &["done", &id]);
    }
    let control = add_one(&sandbox, &["two\nlines\tand \u{1b}[31mred\u{7}"]);
    let shown_control = task(&sandbox, &["show", &control]).out;
    assert!(!shown_control.contains(['\u{1b}', '\u{7}']), "{shown_control:?}");
    let title: Value = shown(&sandbox, &control)["task"]["title"].clone();
    assert!(title.as_str().unwrap().starts_with("two lines and"), "{title}");
    sandbox
        .run(&["task", "add", &long])
        .fails(2, "longer than 500 characters");
    sandbox
        .run(&["task", "add", "good", " \n "])
        .fails(2, "the title is empty");
    sandbox.run(&["task", "add", "--version-two"]).exits(2);
    let dashed = add_one(&sandbox, &["--", "--under the hood"]);
    assert_eq!(shown(&sandbox, &dashed)["task"]["title"], "--under the hood");
    let note = "long ".repeat(5_000);
    sandbox.run(&["task", "note", &dashed, &note]).refused("too-long");
    let failed = sandbox
        .run(&["task", "add", "p", "--skill", "../../etc/passwd"])
        .exits(2);
    assert!(failed.err.contains("etc/passwd"), "{}", failed.err);
    check(&sandbox);
}

#[test]
fn every_change_is_reported() {
    let sandbox = Sandbox::new();
    let ids = add(&sandbox, &["Alpha", "Beta", "Gamma"]);
    let [alpha, beta, gamma] = [&ids[0], &ids[1], &ids[2]].map(String::as_str);
    let mut out = String::new();
    for arguments in [
        vec!["note", alpha, "mind the gap"],
        vec!["assign", alpha, "ann"],
        vec!["assign", alpha, "--unassign"],
        vec!["edit", alpha, "--title", "Alpha again", "--skill", "house-style"],
        vec!["edit", alpha, "--no-skill"],
        vec!["depend", alpha, beta],
        vec!["depend", alpha, beta, "--no-more"],
        vec!["move", gamma, "--under", beta],
        vec!["move", gamma, "--under", beta, "--first"],
        vec!["move", gamma, "--before", gamma],
        vec!["fail", alpha, "--why", "no luck"],
        vec!["block", alpha, "--why", "no key"],
        vec!["start", alpha],
        vec!["rm", alpha],
        vec!["show", alpha],
        vec!["skip", beta, "--why", "not now"],
        vec!["ready"],
        vec!["list"],
    ] {
        let words: Vec<&str> = ["task"].into_iter().chain(arguments).collect();
        out.push_str(&format!(
            "$ {}\n{}\n",
            words.join(" "),
            sandbox.run(&words).ok().out
        ));
    }
    insta::assert_snapshot!("what_was_done", neutral(&sandbox, &out));
}
