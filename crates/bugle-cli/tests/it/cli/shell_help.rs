//! Completions and manual pages.

use std::fs;

use crate::support::sandbox::{Sandbox, answer};

#[test]
fn each_shell_has_completions() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = sandbox.run(&["completions", shell]).ok().out;
        for word in ["bugle", "start", "done", "preview", "params-file"] {
            assert!(
                script.contains(word),
                "{word} is not in the completions for {shell}"
            );
        }
    }
    let script = sandbox.run(&["completions", "bash"]).ok().out;
    let file = sandbox.root().join("completions.bash");
    sandbox.write(&file, script);
    let ask = format!(
        "set -eu; . '{}'; COMP_WORDS=(bugle skill gr); COMP_CWORD=2; _bugle bugle gr skill; echo \"${{COMPREPLY[*]}}\"",
        file.display()
    );
    let offered = answer(sandbox.command("bash", &sandbox.project()).args(["-c", &ask])).ok();
    assert_eq!(offered.out.trim(), "graph");
    sandbox.run(&["completions", "cmd"]).exits(2);
    assert!(!sandbox.bugle_home().exists());
}

#[test]
fn each_command_has_a_manual_page() {
    let sandbox = Sandbox::new();
    let folder = sandbox.root().join("pages/man1");
    sandbox.run(&["man", folder.to_str().unwrap()]).ok();
    for page in [
        "bugle",
        "bugle-start",
        "bugle-done",
        "bugle-skill-check",
        "bugle-store-verify",
    ] {
        let text = fs::read_to_string(folder.join(format!("{page}.1"))).unwrap();
        assert!(text.contains(".TH"), "{page}");
        assert!(text.contains(".SH SYNOPSIS"), "{page}");
    }
    sandbox.write(&sandbox.root().join("file"), "");
    let in_the_way = sandbox.root().join("file/man");
    sandbox
        .run(&["man", in_the_way.to_str().unwrap()])
        .fails(1, "cannot write to");
}
