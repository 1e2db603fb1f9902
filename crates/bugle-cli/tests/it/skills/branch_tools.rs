//! Steps of built-in skills that change branches can do so under hooks.

use serde_json::json;

use crate::support::hook_client::Client;
use crate::support::sandbox::Sandbox;

const DEVELOP: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../skills/develop/workflow.yaml"
));

/// The `tools` of a step, as the workflow has them.
fn tools(step: &str) -> &'static str {
    let (_, body) = DEVELOP.split_once(&format!("\n  {step}:\n")).unwrap();
    let line = body.lines().find(|line| line.starts_with("    tools: ")).unwrap();
    line.trim()
}

#[test]
fn develop_can_merge_set_aside_discard_and_clean_up_but_not_edit() {
    for step in ["set_aside", "finish", "discard", "cleanup"] {
        let workflow = format!(
            "version: 1\nsteps:\n  {step}:\n    title: Work on the branch\n    do: Go on.\n    {}\n    next: end\n",
            tools(step)
        );
        let sandbox = Sandbox::with_skill("branch", &workflow);
        let client = Client::claude(&sandbox);
        client.start(&["branch"]);
        for command in [
            "git merge --no-ff list-by-tag",
            "git checkout main",
            "git switch main",
            "git pull --ff-only",
            "git worktree remove .worktrees/list-by-tag",
            "git branch -d list-by-tag",
        ] {
            let why = client.denied("Bash", &json!({ "command": command }));
            assert_eq!(why, "", "{step}: {command}");
        }
        for command in ["echo x > notes/cli.py", "git merge topic && rm notes/cli.py"] {
            let why = client.denied("Bash", &json!({ "command": command }));
            assert!(
                why.contains("does not allow changes to files"),
                "{step}: {command}: {why}"
            );
        }
        assert_ne!(
            client.denied("Edit", &json!({ "file_path": "notes/cli.py" })),
            "",
            "{step}"
        );
    }
}
