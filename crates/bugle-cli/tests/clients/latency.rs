//! The time that hooks take, as Claude Code logs it, beside `/bin/true` in the same session. The full matrix prints the
//! medians; times depend on the machine, so no test checks them.

use std::fs;

use bugle_testkit::clients::Client;
use bugle_testkit::model_server::{Reply, turns};
use serde_json::{Value, json};

use crate::agent::between;
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

/// The times in milliseconds of the hooks that run this program.
fn times(log: &str, program: &str) -> Vec<u64> {
    let time = |line: &str| {
        let command = between(line, " [", "] finished with status ")?;
        let time = between(line, "] finished with status ", "ms)")?;
        let (_, time) = time.split_once('(')?;
        command.contains(program).then(|| time.parse().ok())?
    };
    log.lines().filter_map(time).collect()
}

fn median(mut times: Vec<u64>) -> u64 {
    times.sort_unstable();
    times[times.len() / 2]
}

#[test]
fn claude_logs_the_time_of_each_hook() {
    if !crate::is_full_matrix() {
        return;
    }
    let Some(sandbox) = set_up(Client::Claude, &[("laundry", LAUNDRY)]) else {
        return;
    };
    let file = sandbox.project().join(".claude/settings.json");
    let settings = fs::read_to_string(&file).unwrap();
    sandbox.write(&file, &with_true(&settings));
    let calls = (0..CALLS).map(|number| Reply::shell(format!("echo {number}")));
    let model = turns("", [Reply::shell("bugle start laundry")].into_iter().chain(calls));
    let log = sandbox.project().join("debug.log");
    let launch = sandbox.launch("Do the laundry.");
    let launch = launch.arguments(&["--debug-file", log.to_str().unwrap()]);
    let finished = launch.run(model).ok();
    let log = fs::read_to_string(log).unwrap();
    for program in ["bugle hook", TRUE] {
        let times = times(&log, program);
        assert!(times.len() > 2 * CALLS, "{finished}");
        println!("{program}: {} hooks, median {} ms", times.len(), median(times));
    }
}
