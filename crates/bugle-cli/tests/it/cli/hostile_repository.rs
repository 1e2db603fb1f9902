//! A repository whose git settings name programs: no Bugle command runs any of them.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use crate::support::executable::write_executable;
use crate::support::review::{finding, judge, reviewed, up_to_review};
use crate::support::sandbox::{Sandbox, answer_with_input};

/// Settings that name a program.
const TRAPS: [&str; 16] = [
    "filter.x.clean",
    "filter.x.smudge",
    "core.fsmonitor",
    "core.pager",
    "core.editor",
    "core.sshCommand",
    "core.gitProxy",
    "core.askPass",
    "credential.helper",
    "diff.external",
    "diff.x.textconv",
    "diff.x.command",
    "merge.x.driver",
    "gpg.program",
    "pager.status",
    "sequence.editor",
];

/// A project in which git settings of every kind name a program that leaves a mark when it runs.
struct Trap {
    sandbox: Sandbox,
    mark: PathBuf,
}

impl Trap {
    fn set() -> Self {
        let sandbox = reviewed();
        let project = sandbox.project();
        let mark = sandbox.root().join("ran");
        let program = sandbox.root().join("evil");
        write_executable(
            &program,
            &format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat\n", mark.display()),
        );
        let git = |words: &[&str]| sandbox.tool(&project, "git", words).ok();
        sandbox.write(&project.join("src/lib.rs"), "fn parse() {}\n");
        git(&["add", "-A"]);
        git(&["commit", "--quiet", "--message", "second"]);
        let program = program.to_str().unwrap().to_owned();
        for hook in [
            "post-checkout",
            "post-index-change",
            "pre-commit",
            "fsmonitor-watchman",
        ] {
            write_executable(
                &project.join(".git/evil-hooks").join(hook),
                &format!("#!/bin/sh\nexec {program} {hook} </dev/null\n"),
            );
        }
        for name in ["status", "ls-files", "rev-parse", "worktree"] {
            git(&["config", &format!("alias.{name}"), &format!("!{program} alias")]);
        }
        git(&["config", "core.hooksPath", ".git/evil-hooks"]);
        // Write some of the settings to an included file.
        let included = project.join(".git/more");
        for (index, trap) in TRAPS.iter().enumerate() {
            let words = [*trap, program.as_str()];
            if index % 2 == 0 {
                git(&["config", words[0], words[1]]);
            } else {
                let file = included.to_str().unwrap();
                git(&["config", "--file", file, words[0], words[1]]);
            }
        }
        git(&["config", "includeIf.gitdir:/**.path", included.to_str().unwrap()]);
        sandbox.write(&project.join(".gitattributes"), "* filter=x diff=x merge=x\n");
        Self { sandbox, mark }
    }

    /// Changes a file without changing its size, so that only its content differs.
    fn edit(&self) {
        let file = self.sandbox.project().join("src/lib.rs");
        let text = fs::read_to_string(&file).unwrap();
        let other = if text.contains("parse") {
            "fn solve() {}\n"
        } else {
            "fn parse() {}\n"
        };
        fs::write(file, other).unwrap();
    }

    fn hook(&self, client: &str, event: &serde_json::Value) {
        let mut command = self.sandbox.bugle(&["hook", client]);
        answer_with_input(&mut command, event.to_string().as_bytes()).ok();
    }
}

#[test]
fn the_trap_would_catch_git_itself() {
    let trap = Trap::set();
    trap.edit();
    let status = trap
        .sandbox
        .command("git", &trap.sandbox.project())
        .arg("status")
        .output();
    assert!(status.unwrap().status.success());
    assert!(
        trap.mark.exists(),
        "a plain `git status` runs what the repository names"
    );
}

#[test]
fn no_command_runs_a_program_that_a_repository_names() {
    let trap = Trap::set();
    let sandbox = &trap.sandbox;
    let planned = sandbox.start(&["reviewed"]);
    trap.edit();
    let gate = up_to_review(sandbox, &planned);
    trap.edit();
    let word = judge(sandbox, &gate, &[finding("must", "errors")]);
    let again = sandbox.printed(&word.command).ok().step();
    sandbox.run(&["findings", &again.run]).ok();
    trap.edit();
    for words in [
        vec!["findings", &again.run],
        vec!["show", &again.run],
        vec!["step", &again.run],
        vec!["wake", "may", "--replaces", "june"],
        vec!["wake"],
        vec!["runs"],
        vec!["skill", "list"],
        vec!["task", "add", "Look at it"],
        vec!["task", "list"],
        vec!["plan", "list"],
    ] {
        sandbox.run(&words);
        assert!(
            !trap.mark.exists(),
            "{words:?}: {:?}",
            fs::read_to_string(&trap.mark)
        );
    }
    let event = |name: &str| {
        json!({
            "hook_event_name": name, "session_id": "s1", "cwd": sandbox.project(), "source": "startup",
            "tool_name": "Bash", "tool_input": { "command": "git status" }, "prompt": "go on",
        })
    };
    for name in [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "Stop",
    ] {
        trap.hook("claude", &event(name));
        assert!(!trap.mark.exists(), "{name}");
    }
    sandbox.run(&["doctor"]);
    assert!(
        !trap.mark.exists(),
        "doctor: {:?}",
        fs::read_to_string(&trap.mark)
    );
    let shown = sandbox.run(&["wake", "may", "--replaces", "june"]).ok().out;
    assert!(shown.contains("You are @may"), "{shown}");
}

#[test]
fn an_edit_that_the_index_ignores_makes_a_verdict_stale() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let sandbox = reviewed();
        let file = sandbox.project().join("lib.rs");
        sandbox.write(&file, "fn parse() {}\n");
        let git = |words: &[&str]| sandbox.tool(&sandbox.project(), "git", words).ok();
        git(&["add", "-A"]);
        git(&["commit", "--quiet", "--message", "second"]);
        let gate = up_to_review(&sandbox, &sandbox.start(&["reviewed"]));
        let word = judge(&sandbox, &gate, &[]);
        git(&["update-index", flag, "lib.rs"]);
        sandbox.write(&file, "fn solve() {}\n");
        sandbox.printed(&word.command).refused("review-stale");
    }
}
