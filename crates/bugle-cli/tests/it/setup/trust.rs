//! `bugle doctor` finds projects and hooks that the client's user has not trusted.

use std::fs;

use super::clinic::{clinic, doctor, findings, trust_project, wrong};

#[test]
fn codex_passes_only_when_its_user_has_trusted_the_hooks() {
    let sandbox = clinic(&["codex"]);
    sandbox.run(&["setup", "codex"]).ok();
    let found = doctor(&sandbox, &["codex", "--json"]).exits(1);
    assert_eq!(wrong(&found), ["codex.project", "codex.trust"]);
    let trust = findings(&found)["codex.trust"].clone();
    assert!(
        trust.1.contains("Codex silently skips 10 of 10 hooks"),
        "{trust:?}"
    );
    assert!(trust.2.contains("/hooks"), "{trust:?}");
    // If the login shell does not find the program, agents cannot run the printed commands.
    fs::remove_file(sandbox.home().join(".profile")).unwrap();
    let found = doctor(&sandbox, &["codex", "--json"]).exits(1);
    assert_eq!(wrong(&found), ["PATH", "codex.project", "codex.trust"]);
    let path = findings(&found)["PATH"].clone();
    assert!(path.1.contains("so its agents cannot run bugle"), "{path:?}");
}

#[test]
fn a_client_that_ignores_an_untrusted_project_is_reported() {
    for (client, state, says, remedy) in [
        (
            "gemini",
            "unsure",
            "Bugle cannot tell whether Gemini CLI trusts this project.",
            "Run `gemini` in this folder",
        ),
        (
            "copilot",
            "wrong",
            "Copilot CLI does not trust this project",
            "Run `copilot` in this folder",
        ),
        (
            "grok",
            "wrong",
            "Grok Build does not trust this project",
            "Run `grok --trust` in this folder",
        ),
    ] {
        let sandbox = clinic(&[client]);
        sandbox.run(&["setup", client]).ok();
        let check = format!("{client}.project");
        let found = findings(&doctor(&sandbox, &[client, "--json"]));
        assert_eq!(found[&check].0, state, "{found:?}");
        assert!(found[&check].1.starts_with(says), "{found:?}");
        assert!(found[&check].2.starts_with(remedy), "{found:?}");
        trust_project(&sandbox, client);
        let found = findings(&doctor(&sandbox, &[client, "--json"]));
        assert_eq!(found[&check].0, "well", "{found:?}");
        // The user's own setup needs no trusted project.
        sandbox.run(&["setup", client, "--user"]).ok();
        let found = findings(&doctor(&sandbox, &[client, "--user", "--json"]));
        assert!(!found.contains_key(&check), "{found:?}");
    }
}
