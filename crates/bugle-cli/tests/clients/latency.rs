//! The time that hooks take, as Claude Code logs it, beside `/bin/true` in the same session. Prints the medians:
//!
//! ```sh
//! cargo test -p bugle-cli --test clients latency -- --ignored --nocapture
//! ```

use std::fs;
use std::path::Path;

use bugle_testkit::clients::Client;
use bugle_testkit::model_server::{Reply, turns};
use serde_json::{Value, json};

use crate::work::set_up;
use crate::workflows::LAUNDRY;

const TRUE: &str = "/bin/true";
const CALLS: usize = 30;

/// The settings, with another hook for each event.
fn with_true(settings: &str) -> String {
    let mut settings: Value = serde_json::from_str(settings).unwrap();
    for groups in settings["hooks"].as_object_mut().unwrap().values_mut() {
        let group = json!({ "hooks": [{ "type": "command", "command": TRUE }] });
        groups.as_array_mut().unwrap().push(group);
    }
    settings.to_string()
}

/// The commands and times of the hooks in a JSON value.
fn collect(value: &Value, hooks: &mut Vec<(String, u64)>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, hooks)),
        Value::Object(fields) => {
            if let (Some(command), Some(time)) = (value["command"].as_str(), value["durationMs"].as_u64()) {
                hooks.push((command.to_owned(), time));
            }
            fields.values().for_each(|field| collect(field, hooks));
        }
        _ => {}
    }
}

/// The hooks in the client's logs.
fn logged(folder: &Path, hooks: &mut Vec<(String, u64)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            logged(&path, hooks);
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            let text = fs::read_to_string(&path).unwrap();
            let lines = text.lines().filter_map(|line| serde_json::from_str(line).ok());
            lines.for_each(|line: Value| collect(&line, hooks));
        }
    }
}

fn median(mut times: Vec<u64>) -> Option<u64> {
    times.sort_unstable();
    times.get(times.len() / 2).copied()
}

#[test]
#[ignore = "prints times, which depend on the machine"]
fn hooks_of_bugle_beside_true() {
    let Some(sandbox) = set_up(Client::Claude, &[("laundry", LAUNDRY)]) else {
        return;
    };
    let file = sandbox.project().join(".claude/settings.json");
    let settings = fs::read_to_string(&file).unwrap();
    sandbox.write(&file, &with_true(&settings));
    let calls = (0..CALLS).map(|number| Reply::shell(format!("echo {number}")));
    let model = turns("", [Reply::shell("bugle start laundry")].into_iter().chain(calls));
    let _finished = sandbox.launch("Do the laundry.").run(model).ok();
    let mut hooks = Vec::new();
    logged(&sandbox.home().join(".claude/projects"), &mut hooks);
    for program in ["bugle", TRUE] {
        let own = hooks.iter().filter(|(command, _)| command.contains(program));
        let times: Vec<u64> = own.map(|(_, time)| *time).collect();
        println!("{program}: {} hooks, median {:?} ms", times.len(), median(times));
    }
    assert!(!hooks.is_empty());
}
