//! The table of built-in skills in the README matches the workflows.

use std::fmt::Write as _;
use std::fs;

use crate::support::sandbox::Sandbox;

const BEGIN: &str = "<!-- the table of skills, from the workflows: BUGLE_WRITE_README=1 cargo test -p bugle-cli catalogue -->\n";
const END: &str = "<!-- end of the table of skills -->\n";

/// The table as the program and the skills' folders give it.
fn table() -> String {
    let sandbox = Sandbox::new();
    let list = sandbox.run(&["skill", "list", "--json"]).ok().json();
    let mut rows = String::from("| built in | when | steps | sub-agents' workflows |\n|---|---|---|---|\n");
    for entry in list["data"]["skills"].as_array().unwrap() {
        let name = entry["name"].as_str().unwrap();
        let description = entry["description"].as_str().unwrap();
        // An example may hold dots of its own; a sentence begins with a capital.
        let ends = |at: usize| {
            description[at + 2..].starts_with(char::is_uppercase) && !description[..at].ends_with('.')
        };
        let end = description
            .match_indices(". ")
            .map(|(at, _)| at)
            .find(|at| ends(*at));
        let sentence = end.map_or(description, |at| &description[..at]);
        let when = sentence.trim_end_matches('.').trim_start_matches("Use ");
        let detail = sandbox.run(&["skill", "show", name, "--json"]).ok().json();
        let steps = detail["data"]["steps"].as_array().unwrap().len();
        let agents = format!("{}/../../skills/{name}/agents", env!("CARGO_MANIFEST_DIR"));
        let agents = fs::read_dir(agents).map_or(0, Iterator::count);
        writeln!(rows, "| `{name}` | {when} | {steps} | {agents} |").unwrap();
    }
    rows
}

#[test]
fn the_readme_lists_the_skills_as_their_workflows_are() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let readme = fs::read_to_string(file).unwrap();
    let (before, rest) = readme
        .split_once(BEGIN)
        .expect("the README marks where the table begins");
    let (found, after) = rest
        .split_once(END)
        .expect("the README marks where the table ends");
    let table = table();
    if std::env::var_os("BUGLE_WRITE_README").is_some() {
        fs::write(file, format!("{before}{BEGIN}{table}{END}{after}")).unwrap();
        return;
    }
    assert_eq!(
        found, table,
        "the table differs from the skills; the comment above it says how to write it anew"
    );
}
