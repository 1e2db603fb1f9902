//! Codex with its own sandbox on: Bugle's commands and tools work, and nothing else leaves the sandbox.

use std::path::Path;

use bugle_testkit::clients::{Client, Finished, Sandbox};
use bugle_testkit::model_server::{Call, Reply, Request, turns};
use serde_json::{Value, json};

use crate::agent::{Seen, Sight, between, finish, printed_visit, sight};
use crate::work::{add_skill, set_up, status};

const COUNT: &str = "version: 1
steps:
  count:
    title: Count the birds
    do: Count them.
    tools: { deny: [Edit, Write] }
    result:
      birds: { type: integer, min: 1 }
    next: check
  check:
    title: Count them again
    do: Count them again.
    result:
      birds: { type: integer, min: 1 }
    next: end
";

const PROMPT: &str = "Count the birds.";

/// A call to one of Bugle's MCP tools.
fn tool(name: &str, input: Value) -> Reply {
    Reply::text("").and(Call::Tool {
        namespace: Some("mcp__bugle".to_owned()),
        name: name.to_owned(),
        input,
    })
}

/// The visit that a step's command ends.
fn visit(seen: &Seen) -> String {
    between(&seen.command, "done '", "'").unwrap().to_owned()
}

/// Writes into the user's home, which no sandbox allows.
const ESCAPE: &str = "touch \"$HOME/escaped\" && echo escaped; bugle status | head -n 1";

fn is_shut_in(sandbox: &Sandbox, finished: &Finished) {
    assert!(!sandbox.home().join("escaped").exists(), "{finished}");
    let told = finished.requests()[1].last_tool_result().unwrap();
    assert!(told.contains("Read-only file system"), "{finished}");
    assert!(told.contains("project on "), "{finished}");
}

/// The result files are outside the project, and results arrive through redirects.
#[test]
fn codex_completes_a_run_with_write_access_to_its_workspace_only() {
    let Some(sandbox) = set_up(Client::Codex, &[("count", COUNT)]) else {
        return;
    };
    let model = |request: &Request| match sight(request) {
        _ if request.number == 1 => Reply::shell(ESCAPE),
        Sight::Nothing => Reply::shell("bugle start count"),
        Sight::Step(seen) => finish(&seen, &json!({ "birds": 7 })),
        Sight::Complete => Reply::text("Seven."),
    };
    let finished = sandbox
        .launch(PROMPT)
        .sandboxed("workspace-write")
        .run(model)
        .ok();
    is_shut_in(&sandbox, &finished);
    assert_eq!(finished.answer(), "Seven.", "{finished}");
    assert_eq!(status(&sandbox, "count"), "completed", "{finished}");
}

/// The client's patch tool writes the result file although the step forbids edits.
#[test]
fn codex_patches_its_result_file_but_nothing_else() {
    let Some(sandbox) = set_up(Client::Codex, &[("count", COUNT)]) else {
        return;
    };
    let patch = |file: &str| {
        let patch = format!("*** Begin Patch\n*** Add File: {file}\n+{{\"birds\": 7}}\n*** End Patch");
        Reply::script(format!("text(await tools.apply_patch({}));", json!(patch)))
    };
    let shell = |command: &str| {
        let input = json!({ "cmd": command });
        Reply::script(format!(
            "const r = await tools.exec_command({input}); text(r.output);"
        ))
    };
    let model = move |request: &Request| match sight(request) {
        Sight::Nothing => shell("bugle start count"),
        Sight::Complete => Reply::text("Seven."),
        Sight::Step(seen) if !request.shown().contains("does not allow the apply_patch tool") => {
            assert_eq!(seen.step, "count");
            patch("notes.json")
        }
        Sight::Step(seen) => match &seen.file {
            Some(file) if !Path::new(file).exists() => patch(file),
            _ => shell(&seen.command),
        },
    };
    let launch = sandbox.launch(PROMPT).sandboxed("workspace-write");
    let finished = launch.arguments(&["-m", "gpt-6-sol"]).run(model).ok();
    assert_eq!(finished.answer(), "Seven.", "{finished}");
    assert!(!sandbox.project().join("notes.json").exists(), "{finished}");
    assert_eq!(status(&sandbox, "count"), "completed", "{finished}");
}

/// With read access, an agent cannot write result files. It passes one result in the command, the other to the MCP tool.
#[test]
fn codex_completes_a_run_with_read_access_only() {
    let Some(sandbox) = set_up(Client::Codex, &[("count", COUNT)]) else {
        return;
    };
    let model = |request: &Request| match sight(request) {
        _ if request.number == 1 => Reply::shell(ESCAPE),
        Sight::Nothing if request.number == 2 => Reply::shell("bugle start count | cat"),
        Sight::Nothing => Reply::shell("bugle start count"),
        Sight::Step(seen) if seen.step == "count" => {
            if request.news().contains("add --result 'JSON' to the command") {
                Reply::shell(format!("{} --result '{{\"birds\": 7}}'", seen.command))
            } else if request.news().contains("Read-only file system") {
                Reply::shell(seen.command)
            } else {
                finish(&seen, &json!({ "birds": 7 }))
            }
        }
        Sight::Step(seen) => tool(
            "finish_step",
            json!({ "visit": visit(&seen), "result": { "birds": 7 } }),
        ),
        Sight::Complete => Reply::text("Seven."),
    };
    let finished = sandbox.launch(PROMPT).sandboxed("read-only").run(model).ok();
    is_shut_in(&sandbox, &finished);
    let refused = finished.requests()[2].last_tool_result().unwrap();
    assert!(
        refused.contains("Codex's sandbox keeps this command from using Bugle's store"),
        "{refused}"
    );
    assert_eq!(finished.answer(), "Seven.", "{finished}");
    assert_eq!(status(&sandbox, "count"), "completed", "{finished}");
}

/// A project's list of writable folders replaces the user's list, so setup repeats the user's folders.
#[test]
fn the_users_writable_folders_stay_writable_in_a_project_that_is_set_up() {
    let Some(sandbox) = crate::sandbox(Client::Codex) else {
        return;
    };
    let notes = sandbox.home().join("notes");
    std::fs::create_dir(&notes).unwrap();
    let config = sandbox.home().join(".codex/config.toml");
    let before = std::fs::read_to_string(&config).unwrap();
    let own = format!(
        "\n[sandbox_workspace_write]\nwritable_roots = [\"{}\"]\n",
        notes.display()
    );
    sandbox.write(&config, &(before + &own));
    sandbox.bugle(&["setup", "codex"]);
    let commands = ["touch \"$HOME/notes/one\"", "touch \"$HOME/two\""];
    let finished = sandbox
        .launch("Take notes.")
        .sandboxed("workspace-write")
        .run(turns("", commands.map(Reply::shell)))
        .ok();
    assert!(notes.join("one").exists(), "{finished}");
    assert!(!sandbox.home().join("two").exists(), "{finished}");
}

/// A login shell's profile resets the `PATH`. The agent learns where the program is after its first command.
#[test]
fn codex_finds_bugle_although_its_login_shell_does_not() {
    let Some(sandbox) = set_up(Client::Codex, &[("count", COUNT)]) else {
        return;
    };
    std::fs::remove_file(sandbox.home().join(".profile")).unwrap();
    let model = |request: &Request| {
        let shown = request.shown();
        let program = between(&shown, "In every bugle command, write ", " instead of bugle.");
        let typed = |command: &str| Reply::shell(command.replacen("bugle", program.unwrap(), 1));
        match sight(request) {
            _ if request.number == 1 => Reply::shell("bugle start count"),
            Sight::Nothing => typed("bugle start count"),
            Sight::Step(seen) => Reply::shell(format!("{} --result '{{\"birds\": 7}}'", seen.command)),
            Sight::Complete => Reply::text("Seven."),
        }
    };
    let finished = sandbox.launch(PROMPT).sandboxed("read-only").run(model).ok();
    let missing = finished.requests()[1].last_tool_result().unwrap();
    assert!(missing.contains("command not found"), "{missing}");
    assert_eq!(finished.answer(), "Seven.", "{finished}");
    assert_eq!(status(&sandbox, "count"), "completed", "{finished}");
}

/// A spawned agent completes a run although Codex is not set up. `act` starts the run and ends its steps.
fn spawned(access: &str, act: fn(&Request, Option<&Seen>) -> Reply) {
    let Some(sandbox) = crate::sandbox(Client::Codex).and_then(Sandbox::with_all_clients) else {
        return;
    };
    add_skill(&sandbox, "count", COUNT);
    let script = format!(
        "bugle agent spawn codex '{PROMPT}' --name counter --sandbox {access} -- \
         -c sandbox_workspace_write.exclude_slash_tmp=true -c sandbox_workspace_write.exclude_tmpdir_env_var=true"
    );
    let model = move |request: &Request| match sight(request) {
        _ if request.number == 1 => Reply::shell(ESCAPE),
        Sight::Nothing => act(request, None),
        Sight::Step(seen) => act(request, Some(&seen)),
        Sight::Complete => Reply::text("Seven."),
    };
    let finished = sandbox.script(&script).run(model).ok();
    is_shut_in(&sandbox, &finished);
    assert_eq!(status(&sandbox, "count"), "completed", "{finished}");
}

#[test]
fn a_spawned_codex_agent_with_write_access_uses_bugles_commands() {
    spawned("write", |_, seen| match seen {
        None => Reply::shell("bugle start count"),
        Some(seen) => finish(seen, &json!({ "birds": 7 })),
    });
}

#[test]
fn a_spawned_codex_agent_with_read_access_uses_bugles_tools() {
    spawned("read", |request, seen| match seen {
        None => tool("start_run", json!({ "skill": "count" })),
        Some(_) => tool(
            "finish_step",
            json!({ "visit": printed_visit(&request.shown()), "result": { "birds": 7 } }),
        ),
    });
}
