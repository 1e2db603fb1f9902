//! Measures Bugle's hooks in a real client, compared with `/bin/true` as a hook for the same events in the same
//! session. Uses the durations in Claude Code's log; Codex logs none.
//!
//! Prints the durations and asserts nothing about them.

#![expect(
    clippy::expect_used,
    reason = "a bench that cannot run has nothing else to say"
)]

use std::collections::BTreeMap;
use std::fs;

use bugle_testkit::clients::{Client, Sandbox, Tests, run_inside};
use bugle_testkit::model_server::{Reply, turns};

const TESTS: Tests = Tests {
    inside: "inside_the_namespace",
    bugle: env!("CARGO_BIN_EXE_bugle"),
};

/// The number of tool calls by the model. The hooks run before and after each call.
const CALLS: usize = 60;

/// A step that denies some tools, so that the hook checks every command.
const WORKFLOW: &str = "version: 1
steps:
  look:
    title: Look only
    do: Look around.
    tools: { deny: [Edit, Write] }
    next: end
";

fn main() {
    // Inside a namespace, this call runs the client and does not return.
    run_inside();
    let Some(sandbox) = Sandbox::for_client(Client::Claude, TESTS) else {
        return;
    };
    let skill = sandbox.project().join(".bugle/skills/look");
    sandbox.write(
        &skill.join("SKILL.md"),
        "---\nname: look\ndescription: Use when something is measured.\n---\n\n    bugle start look\n",
    );
    sandbox.write(&skill.join("workflow.yaml"), WORKFLOW);
    let bare = r#"[{"hooks": [{"type": "command", "command": "/bin/true", "args": []}]}]"#;
    let settings = format!(r#"{{"hooks": {{"PreToolUse": {bare}, "PostToolUse": {bare}}}}}"#);
    sandbox.write(&sandbox.project().join(".claude/settings.json"), &settings);
    sandbox.bugle(&["setup", "claude"]);
    let log = sandbox.home().join("debug.log");
    let calls = (0..CALLS).map(|_| Reply::shell("true"));
    let replies = std::iter::once(Reply::shell("bugle start look")).chain(calls);
    let launch = sandbox.launch("Look around.");
    let debug = ["--debug-file", log.to_str().expect("a path that is text")];
    let finished = launch.arguments(&debug).run(turns("", replies)).ok();
    assert!(finished.requests().len() > CALLS, "{finished}");
    let text = fs::read_to_string(log).expect("the client's log");
    println!(
        "{:24} {:>6} {:>6} {:>6} {:>6}",
        "milliseconds", "calls", "least", "median", "most"
    );
    for (name, mut times) in durations(&text) {
        times.sort_unstable();
        let (least, median, most) = (times[0], times[times.len() / 2], times[times.len() - 1]);
        println!("{name:24} {:>6} {least:>6} {median:>6} {most:>6}", times.len());
    }
}

/// The durations of each hook, from lines such as `Hooks: Stop [/bin/true] finished with status 0 (34ms)`.
fn durations(log: &str) -> BTreeMap<String, Vec<u32>> {
    let mut found: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for line in log.lines() {
        let Some((event, rest)) = line
            .split_once("Hooks: ")
            .and_then(|(_, line)| line.split_once(" ["))
        else {
            continue;
        };
        let time = rest
            .rsplit_once('(')
            .and_then(|(_, time)| time.strip_suffix("ms)"));
        let Some(time) = time.and_then(|time| time.parse().ok()) else {
            continue;
        };
        let event = event.split(':').next().unwrap_or(event);
        let program = if rest.starts_with("/bin/true") {
            "/bin/true"
        } else {
            "bugle"
        };
        found.entry(format!("{event} {program}")).or_default().push(time);
    }
    found
}
