//! `bugle demo` runs to its end and leaves nothing behind.

use crate::support::sandbox::Sandbox;

/// The headings and commands, without anything that differs between runs.
fn outline(told: &str) -> String {
    let lines = told
        .lines()
        .filter(|line| line.starts_with("== ") || line.contains("$ bugle"));
    let mut names: Vec<String> = Vec::new();
    let mut out = String::new();
    for line in lines {
        let words = line.split(' ').map(|word| {
            let bare = word.trim_matches('\'');
            let id = bare.split('#').next().unwrap();
            let kind = match id.get(..2) {
                Some("r-") => "RUN",
                Some("t-") => "TASK",
                _ => return word.to_owned(),
            };
            let at = names.iter().position(|name| name == id).unwrap_or_else(|| {
                names.push(id.to_owned());
                names.len() - 1
            });
            word.replace(id, &format!("{kind}-{at}"))
        });
        let line: Vec<String> = words.collect();
        out.push_str(&line.join(" "));
        out.push('\n');
    }
    out
}

#[test]
fn the_story_holds() {
    let sandbox = Sandbox::new();
    let folder = sandbox.root().join("scratch");
    std::fs::create_dir(&folder).unwrap();
    let mut command = sandbox.bugle(&["demo"]);
    let told = crate::support::sandbox::answer(command.env("TMPDIR", &folder)).ok();
    insta::assert_snapshot!(outline(&told.out));
    for words in [
        "Refused: The result does not have the required shape.",
        "Soundness: not passed in review 1.",
        "? builder  blocked",
        ":expert: woken",
        "A semicolon, because prices contain commas.",
        "Soundness: passed in review 2.",
        "is complete.",
        "o builder  complete",
    ] {
        assert!(told.out.contains(words), "{words}\n{}", told.out);
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    assert!(
        !sandbox.bugle_home().exists(),
        "the user's own store is not touched"
    );
}

#[test]
fn the_demo_project_can_be_kept() {
    let sandbox = Sandbox::new();
    let kept = sandbox.root().join("kept");
    let words = ["demo", "--keep", kept.to_str().unwrap()];
    sandbox.run(&words).ok();
    let mut runs = sandbox.bugle(&["runs", "--all"]);
    let listed = crate::support::sandbox::answer(runs.env("BUGLE_HOME", kept.join("bugle-home"))).ok();
    assert!(listed.out.contains("ship"), "{}", listed.out);
    let again = sandbox.run(&words).exits(1);
    assert!(again.err.contains("cannot create"), "{}", again.err);
}

#[test]
fn the_dashboard_is_served_until_interrupted() {
    use std::io::{BufRead as _, BufReader};
    let sandbox = Sandbox::new();
    let folder = sandbox.root().join("scratch");
    std::fs::create_dir(&folder).unwrap();
    let mut child = sandbox
        .bugle(&["demo", "--page"])
        .env("TMPDIR", &folder)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let page = lines
        .map(Result::unwrap)
        .find(|line| line.starts_with("The dashboard is at http://127.0.0.1:"));
    assert!(page.is_some());
    // Like Ctrl-C: both processes get the signal.
    let inner = std::process::Command::new("pgrep")
        .args(["-P", &child.id().to_string()])
        .output()
        .unwrap();
    for pid in [String::from_utf8(inner.stdout).unwrap(), child.id().to_string()] {
        std::process::Command::new("kill")
            .args(["-INT", pid.trim()])
            .status()
            .unwrap();
    }
    assert!(child.wait().unwrap().success());
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}
