//! A link to a file outside the project is refused, and the file's content is never shown.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::support::sandbox::Sandbox;

const SECRET: &str = "the-secret-words";

/// A project with a link at this path to an outside file, which contains a secret in the expected format.
fn linked(path: &str, form: &str) -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new();
    let secret = sandbox.root().join("outside/secret");
    sandbox.write(&secret, form.replace("SECRET", SECRET));
    let link = sandbox.project().join(path);
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    symlink(&secret, &link).unwrap();
    (sandbox, link)
}

fn assert_outside_link(text: &str, link: &Path) {
    assert!(!text.contains(SECRET), "{text}");
    assert!(text.contains("the link points outside the project"), "{text}");
    assert!(
        text.contains(link.file_name().unwrap().to_str().unwrap()),
        "{text}"
    );
}

/// Asserts that the skill `proof` cannot start, and that the check named in the refusal says why.
fn cannot_start(sandbox: &Sandbox, link: &Path) {
    let refused = sandbox.run(&["start", "proof"]);
    assert_ne!(refused.code, Some(0), "{refused:?}");
    assert!(refused.err.contains("is invalid; errors: 1"), "{refused:?}");
    let command = refused
        .err
        .split('`')
        .find(|part| part.contains("skill check proof"));
    let checked = sandbox.printed(command.unwrap());
    assert_outside_link(&format!("{}{}", checked.out, checked.err), link);
}

#[test]
fn a_linked_convention_is_refused() {
    let (sandbox, link) = linked(
        ".bugle/conventions/house.md",
        "---\nname: house\ndescription: SECRET\n---\n# House\n\nSECRET\n",
    );
    let workflow = "version: 1\nsteps:\n  work:\n    title: Work\n    do: Work.\n    conventions: [house]\n    next: end\n";
    sandbox.skill("proof", workflow);
    cannot_start(&sandbox, &link);
    let shown = sandbox.run(&["convention", "show", "house"]);
    assert_ne!(shown.code, Some(0), "{shown:?}");
    assert_outside_link(&shown.err, &link);
    let listed = sandbox.run(&["convention", "list"]).ok();
    assert!(!listed.out.contains(SECRET), "{listed:?}");
}

#[test]
fn a_linked_role_is_refused() {
    let (sandbox, link) = linked(
        ".bugle/roles/developer.md",
        "---\nname: developer\ndescription: SECRET\n---\n\nSECRET\n",
    );
    let shown = sandbox.run(&["role", "show", "developer"]);
    assert_ne!(shown.code, Some(0), "{shown:?}");
    assert_outside_link(&shown.err, &link);
    let workflow =
        "version: 1\nsteps:\n  work:\n    title: Work\n    role: developer\n    do: Work.\n    next: end\n";
    sandbox.skill("proof", workflow);
    cannot_start(&sandbox, &link);
}

#[test]
fn a_linked_wake_up_template_is_refused() {
    let (sandbox, link) = linked(".bugle/wake/orchestrator.md", "SECRET\n\n{{ identity }}\n");
    sandbox.run(&["task", "add", "Something to do"]).ok();
    let woken = sandbox.run(&["wake", "may", "--explain"]).ok();
    assert_outside_link(&format!("{}{}", woken.out, woken.err), &link);
}

#[test]
fn linked_rules_for_skills_are_refused() {
    let (sandbox, link) = linked(".bugle/skill-rules.yaml", "SECRET: [\n");
    let added = sandbox
        .run(&["task", "add", "Write the parser", "--json"])
        .ok()
        .json();
    let task = added["data"]["tasks"][0]["id"]
        .as_str()
        .unwrap_or_else(|| panic!("{added}"));
    let told = sandbox.run(&["task", "skill", task]);
    assert_outside_link(&format!("{}{}", told.out, told.err), &link);
}

#[test]
fn a_linked_skill_folder_is_refused() {
    let sandbox = Sandbox::new();
    let outside = sandbox.root().join("outside/proof");
    let workflow =
        format!("version: 1\nsteps:\n  work:\n    title: Work\n    do: {SECRET}.\n    next: end\n");
    sandbox.skill_at(&outside, "proof", &workflow);
    let link = sandbox.project().join(".bugle/skills/proof");
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    symlink(&outside, &link).unwrap();
    cannot_start(&sandbox, &link);
    // The user's own folder may be linked from anywhere.
    fs::remove_file(&link).unwrap();
    let own = sandbox.bugle_home().join("skills/proof");
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    symlink(&outside, &own).unwrap();
    assert_eq!(sandbox.start(&["proof"]).action, format!("{SECRET}."));
}

#[test]
fn a_linked_plan_is_refused() {
    let (sandbox, link) = linked("plan.md", "# SECRET\n\n## Task 1: SECRET\n\nBuild it.\n");
    let refused = sandbox.run(&["plan", "import", "plan.md"]);
    assert_ne!(refused.code, Some(0), "{refused:?}");
    assert_outside_link(&refused.err, &link);
    // An explicit path outside the project is allowed: the user asked for it.
    sandbox.run(&["plan", "import", "../outside/secret"]).ok();
}
