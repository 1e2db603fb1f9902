//! Output about tasks.

use crate::support::sandbox::Sandbox;
use crate::support::tasks::{Authentication, add, id_of, neutral, task};

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
