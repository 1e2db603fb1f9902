//! Sandboxes for `bugle doctor`, and its findings.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::executable::write_executable;
use crate::support::sandbox::{Answer, Sandbox, answer};

/// A sandbox whose login shell finds the program, with fake clients that only print their version.
pub(super) fn clinic(clients: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    let bin = sandbox.root().join("bin");
    sandbox.write(
        &sandbox.home().join(".profile"),
        format!("PATH={}:$PATH\n", bin.display()),
    );
    for client in clients {
        program(&sandbox, client, "echo 9.9.9");
    }
    sandbox
}

/// Installs a program on the `PATH`.
pub(super) fn program(sandbox: &Sandbox, name: &str, script: &str) {
    let file = sandbox.root().join("bin").join(name);
    write_executable(&file, &format!("#!/bin/sh\n{script}\n"));
}

pub(super) fn doctor(sandbox: &Sandbox, words: &[&str]) -> Answer {
    let words: Vec<&str> = ["doctor"].into_iter().chain(words.iter().copied()).collect();
    answer(sandbox.bugle(&words).env("SHELL", "/bin/sh"))
}

/// The findings by name, such as `claude.hooks`, for one client in one scope.
pub(super) fn findings(answer: &Answer) -> BTreeMap<String, (String, String, String)> {
    let document = answer.json();
    let data = &document["data"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut found = BTreeMap::new();
    let mut add = |name: String, findings: &Value| {
        for finding in findings.as_array().unwrap() {
            found.insert(
                format!("{name}{}", text(&finding["check"])),
                (
                    text(&finding["state"]),
                    text(&finding["says"]),
                    text(&finding["remedy"]),
                ),
            );
        }
    };
    for client in data["clients"].as_array().unwrap() {
        add(format!("{}.", text(&client["client"])), &client["findings"]);
    }
    add(String::new(), &data["findings"]);
    found
}

pub(super) fn wrong(answer: &Answer) -> Vec<String> {
    let found = findings(answer).into_iter();
    found
        .filter(|(_, (state, _, _))| state == "wrong")
        .map(|(name, _)| name)
        .collect()
}

/// Trusts the project, as the client's user does, for clients that ask.
pub(super) fn trust_project(sandbox: &Sandbox, client: &str) {
    let project = sandbox.project();
    let project = project.display();
    let (file, text) = match client {
        "gemini" => (
            ".gemini/trustedFolders.json",
            format!("{{ \"{project}\": \"TRUST_FOLDER\" }}"),
        ),
        "copilot" => (
            ".copilot/config.json",
            format!("{{ \"trustedFolders\": [\"{project}\"] }}"),
        ),
        "grok" => (
            ".grok/trusted_folders.toml",
            format!("[folders.\"{project}\"]\ntrusted = true\n"),
        ),
        _ => return,
    };
    sandbox.write(&sandbox.home().join(file), text);
}
