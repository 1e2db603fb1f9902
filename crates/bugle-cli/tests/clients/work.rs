//! Helpers: skills in a sandbox's project, the setup of its client, and Bugle's records afterwards.

use bugle_testkit::clients::{Client, Sandbox};
use bugle_testkit::model_server::Reply;
use serde_json::{Value, json};

/// A workflow whose only step asks the user.
pub(crate) const ASKING: &str = "version: 1
steps:
  choose:
    title: Choose
    do: Ask the user.
    ask: { question: Which way?, choices: [left, right] }
    next: end
";

/// A sandbox whose client was set up by `bugle setup`, with these skills in its project.
pub(crate) fn set_up(client: Client, skills: &[(&str, &str)]) -> Option<Sandbox> {
    let sandbox = crate::sandbox(client)?;
    for (name, workflow) in skills {
        add_skill(&sandbox, name, workflow);
    }
    sandbox.bugle(&["setup", client.as_str()]);
    Some(sandbox)
}

/// Adds a skill to the sandbox's project.
pub(crate) fn add_skill(sandbox: &Sandbox, name: &str, workflow: &str) {
    let folder = sandbox.project().join(".bugle/skills").join(name);
    let skill =
        format!("---\nname: {name}\ndescription: Use when this is tested.\n---\n\n    bugle start {name}\n");
    sandbox.write(&folder.join("SKILL.md"), &skill);
    sandbox.write(&folder.join("workflow.yaml"), workflow);
}

/// The data of `bugle --json`.
pub(crate) fn data(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let words = [arguments, &["--json"]].concat();
    let answer: Value = serde_json::from_str(&sandbox.bugle(&words)).unwrap();
    answer["data"].clone()
}

/// The skill, id and status of every run, newest first.
pub(crate) fn runs(sandbox: &Sandbox) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let answer = data(sandbox, &["runs", "--all"]);
    let runs = answer["runs"].as_array().unwrap().iter();
    runs.map(|run| &run["position"])
        .map(|at| (text(&at["skill"]), text(&at["run"]), text(&at["status"])))
        .collect()
}

/// The status of the newest run of a skill.
pub(crate) fn status(sandbox: &Sandbox, skill: &str) -> String {
    let found = runs(sandbox).into_iter().find(|(name, _, _)| name == skill);
    found.unwrap_or_else(|| panic!("no run of {skill}")).2
}

/// The events of a run, without ids and times.
pub(crate) fn trace(sandbox: &Sandbox, run: &str) -> Vec<String> {
    let shown = data(sandbox, &["show", run]);
    let timeline = shown["timeline"].as_array().unwrap().iter();
    timeline
        .map(|entry| {
            let by = entry["by"].as_str().unwrap().split(' ').next().unwrap();
            let line = format!(
                "{by} {} {} {}",
                entry["visit"], entry["summary"], entry["details"]
            );
            line.replace(run, "RUN")
        })
        .collect()
}

/// A reply that writes a new file of the project with the client's own tool.
pub(crate) fn write(client: Client, file: &str, content: &str) -> Reply {
    if client == Client::Codex {
        return Reply::shell(format!(
            "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: {file}\n+{content}\n*** End Patch\nEOF"
        ));
    }
    Reply::tool("Write", json!({ "file_path": file, "content": content }))
}

/// Part of the message that denies the tool used by [`write`].
pub(crate) fn denial(client: Client) -> &'static str {
    if client == Client::Codex {
        return "does not allow changes to files: `apply_patch` changes";
    }
    "does not allow the Write tool"
}
