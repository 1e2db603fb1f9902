//! `bugle demo` runs to completion and leaves no files behind.

use crate::support::sandbox::{Sandbox, answer_with_input};

/// The demo's output when it waits for Enter.
const PAUSE: &str = "(Press Enter to continue";

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
        "Three agents make this change: `builder` writes the code,\n`expert` knows the data, and `reviewer` ",
        "The skill `ship` belongs to this demo.",
        "a file that matches src/*.py, created or changed in this step",
        "(wrote src/prices.py)",
        "Refused: The result does not have the required shape.",
        "Soundness: did not pass review 1.",
        "? builder  blocked",
        ":expert: woken",
        "A semicolon, because prices contain commas.",
        "Soundness: passed review 2.",
        "is complete.",
        "o builder  complete",
        "You saw one refusal",
        "one compaction that the builder survived",
    ] {
        assert!(told.out.contains(words), "{words}\n{}", told.out);
    }
    assert!(!told.out.contains(PAUSE), "{}", told.out);
    let compacted = told
        .out
        .split("\n== ")
        .find(|scene| scene.starts_with("Now the client compacts"));
    assert!(
        !compacted.unwrap().contains("bugle start ship"),
        "the run is already open: {compacted:?}"
    );
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    assert!(
        !sandbox.bugle_home().exists(),
        "the user's own store is not touched"
    );
}

#[test]
fn the_demo_pauses_after_each_scene_until_its_input_ends() {
    let sandbox = Sandbox::new();
    let played = answer_with_input(&mut sandbox.bugle(&["demo", "--pause"]), b"\n\n")
        .ok()
        .out;
    let pauses = played.matches(PAUSE).count();
    assert_eq!(pauses, 3, "two lines and the end of the input: {played}");
    let before = played.split(PAUSE).nth(1).unwrap();
    assert_eq!(
        before.matches("\n== ").count(),
        1,
        "one scene between pauses: {played}"
    );
    assert!(played.contains("You saw one refusal"), "{played}");
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
    let read = |file: &str| std::fs::read_to_string(kept.join("shop").join(file)).unwrap();
    let (code, prices) = (read("src/prices.py"), read("data/prices.csv"));
    assert!(code.contains("SEPARATOR = \";\""), "{code}");
    assert!(prices.lines().all(|line| line.contains(';')), "{prices}");
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
    // Signal both processes, as Ctrl-C does.
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
