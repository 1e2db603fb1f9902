//! The reference of built-in skills is generated from their workflows.

use std::fmt::Write as _;
use std::fs;

use crate::support::sandbox::Sandbox;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/skills.md");

const BEFORE: &str = "\
# Built-in skills

<!-- Generated from the skills: BUGLE_WRITE_REFERENCE=1 cargo test -p bugle-cli reference -->

`bugle start NAME` starts a skill, `bugle skill show NAME` describes it, and `bugle skill graph NAME` draws it. The last
column is the number of sub-agent workflows.

";

const AFTER: &str = "
`bugle skill list` lists the built-in skills and all other skills that are available in the current folder: the
project's skills (`.bugle/skills`, `.claude/skills`, `.agents/skills`), your own (the same folders in your home folder),
and those from installed plugins. If several skills have the same name, the project's skill takes precedence, then
yours, then a built-in workflow, then a plugin's skill, then a built-in skill without a workflow. Below a skill,
`bugle skill list` shows the skills of the same name that it hides.

A skill without a workflow has no steps: setup adds its whole text to the client's list of skills, unless a plugin has a
skill of the same purpose.
";

/// Builds the table of built-in skills from the program's output and the skill folders.
fn table() -> String {
    let sandbox = Sandbox::new();
    let list = sandbox.run(&["skill", "list", "--json"]).ok().json();
    let mut rows = String::from("| skill | use it | steps | sub-agents |\n|---|---|---|---|\n");
    for entry in list["data"]["skills"].as_array().unwrap() {
        let name = entry["name"].as_str().unwrap();
        let description = entry["description"].as_str().unwrap();
        // An example may contain full stops; a new sentence begins with a capital letter.
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
        let steps = detail["data"]["steps"].as_array().map_or(0, Vec::len);
        let agents = format!("{}/../../skills/{name}/agents", env!("CARGO_MANIFEST_DIR"));
        let agents = fs::read_dir(agents).map_or(0, Iterator::count);
        writeln!(rows, "| `{name}` | {when} | {steps} | {agents} |").unwrap();
    }
    rows
}

#[test]
fn the_reference_lists_the_skills_with_their_steps() {
    let reference = format!("{BEFORE}{}{AFTER}", table());
    if std::env::var_os("BUGLE_WRITE_REFERENCE").is_some() {
        fs::write(FILE, reference).unwrap();
        return;
    }
    assert_eq!(
        fs::read_to_string(FILE).unwrap_or_default(),
        reference,
        "docs/reference/skills.md is out of date; a comment in it has the command that writes it"
    );
}
