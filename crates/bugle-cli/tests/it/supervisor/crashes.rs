//! Killed agents and supervisors.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::support::agent_project::{Place, signal};
use crate::support::sandbox::answer;

#[test]
fn kill_ends_the_process_group_without_recovery() {
    let place = Place::new();
    for (name, force) in [("gentle", false), ("rude", true)] {
        let began = place.pipe(name);
        place.behave(&format!("sleep 600 & echo $! > \"$HOME/{name}\"; wait"));
        place.spawn(name, "a", &["--detach"]);
        let inner = fs::read_to_string(&began).unwrap().trim().to_owned();
        let mut words = vec!["kill", name];
        words.extend(force.then_some("--force"));
        place.sandbox.run(&words).ok();
        assert_eq!(place.status(name), "failed");
        let stat = fs::read_to_string(format!("/proc/{inner}/stat")).unwrap_or_default();
        assert!(stat.is_empty() || stat.contains(") Z "), "{stat}");
    }
    place.supervise_once();
    assert_eq!(place.calls().len(), 2);
    let again = place.sandbox.run(&["kill", "gentle"]);
    assert_eq!(again.code, Some(4), "{again:?}");
}

#[test]
fn an_interrupted_agent_is_idle_and_continues_in_its_session() {
    let place = Place::new();
    let began = place.pipe("began");
    place.behave("echo > \"$HOME/began\"; sleep 600");
    place.spawn("star", "a", &["--detach"]);
    fs::read(&began).unwrap();
    place.sandbox.run(&["interrupt", "star"]).ok();
    assert_eq!(place.status("star"), "idle");
    place.supervise_once();
    assert_eq!(place.calls().len(), 1);
    place.behave("");
    let session = place.session("star");
    let answer = place
        .sandbox
        .run(&["prompt", "star", "Go on with the moon."])
        .ok();
    assert_eq!(answer.out, "All done.\n");
    let calls = place.calls();
    assert!(
        calls[1].words.ends_with(&format!("--resume {session}")),
        "{calls:?}"
    );
    assert!(calls[1].prompt.contains("Go on with the moon."), "{calls:?}");
}

#[test]
fn a_crashing_agent_is_recovered_three_times_and_then_reported() {
    let place = Place::new();
    place.behave("kill -KILL $$");
    place.spawn("star", "Count the stars.", &["--detach"]);
    place.supervise_once();
    let calls = place.calls();
    assert_eq!(calls.len(), 4, "{calls:?}");
    for call in &calls[1..] {
        assert!(call.prompt.contains("Count the stars."), "{call:?}");
        assert!(call.words.contains("--session-id"), "{call:?}");
    }
    assert_eq!(place.status("star"), "failed");
    let told = place.told();
    let abandoned = told
        .iter()
        .filter(|text| text.contains("so Bugle will not restart it"));
    assert_eq!(abandoned.count(), 1, "{told:?}");
}

#[test]
fn a_lost_agents_replacement_finishes_its_work() {
    let place = Place::new();
    place.behave("rm \"$HOME/behaviour\"; kill -KILL $$");
    place.spawn("star", "Count the stars.", &["--detach"]);
    place.supervise_once();
    assert_eq!(place.calls().len(), 2);
    assert_eq!(place.sandbox.run(&["result", "star"]).ok().out, "All done.\n");
    assert_eq!(place.agent("star")["recoveries"], 1);
}

#[test]
fn one_supervisor_runs_at_a_time_and_ends_on_a_signal() {
    let place = Place::new();
    let began = place.pipe("began");
    let mut supervisor = place.supervisor();
    let second = place.sandbox.run(&["up"]);
    assert_eq!(second.code, Some(2), "{second:?}");
    let holder = format!("process {}", supervisor.id());
    assert!(second.err.contains(&holder), "{second:?}");
    // An agent that the supervisor woke ends with the supervisor and can be resumed.
    place.spawn("star", "a", &[]);
    place.behave("echo $$ > \"$HOME/began\"; sleep 600");
    place.say("lead", "@star go on");
    let client = fs::read_to_string(&began).unwrap().trim().to_owned();
    signal(&supervisor, "-TERM");
    assert!(supervisor.wait().unwrap().success());
    assert_eq!(place.status("star"), "idle");
    let stat = fs::read_to_string(format!("/proc/{client}/stat")).unwrap_or_default();
    assert!(stat.is_empty() || stat.contains(") Z "), "{stat}");
    place.supervise_once();
}

/// Counts how often each message occurs in the text.
fn count_words(text: &str, seen: &mut BTreeMap<String, usize>) {
    for word in text.split('<').skip(1) {
        let word = word.split('>').next().unwrap();
        if word.contains('-') {
            *seen.entry(word.to_owned()).or_default() += 1;
        }
    }
}

#[test]
fn a_repeatedly_killed_supervisor_loses_and_repeats_nothing() {
    const SPEAKERS: usize = 4;
    const EACH: usize = 500;
    let place = Place::new();
    let agents = ["sun", "moon", "star"];
    for agent in agents {
        place.spawn(agent, "a", &[]);
    }
    let speaking = AtomicUsize::new(SPEAKERS);
    thread::scope(|scope| {
        for speaker in 0..SPEAKERS {
            let (place, speaking) = (&place, &speaking);
            scope.spawn(move || {
                for number in 0..EACH {
                    let agent = agents[number % agents.len()];
                    let text = format!("@{agent} word <{agent}-{speaker}-{number}> of the exchange");
                    let name = format!("lead-{speaker}");
                    place.sandbox.run(&["say", &text, "--as", &name]).ok();
                }
                speaking.fetch_sub(1, Ordering::SeqCst);
            });
        }
        // Kill the supervisor at moments from before the first tick to after the last.
        let mut round = 0;
        while speaking.load(Ordering::SeqCst) > 0 {
            round += 1;
            let seconds = format!("0.{:04}", 50 + (round * 7919) % 3_000);
            let mut doomed = place.sandbox.command("timeout", &place.sandbox.project());
            answer(doomed.args(["--signal=KILL", &seconds, "bugle", "up"]));
        }
        assert!(round > 10, "it was killed only {round} times");
    });
    place.supervise_once();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for call in place.calls() {
        count_words(&call.prompt, &mut seen);
    }
    // Messages that did not fit into a prompt are in the inbox. Each call shows some of them.
    for agent in agents {
        while place.unread(agent) > 0 {
            let words = ["messages", "--for", agent, "--unread", "--take"];
            count_words(&place.sandbox.run(&words).ok().out, &mut seen);
        }
    }
    let mut wanted: BTreeMap<String, usize> = BTreeMap::new();
    for speaker in 0..SPEAKERS {
        for number in 0..EACH {
            let agent = agents[number % agents.len()];
            wanted.insert(format!("{agent}-{speaker}-{number}"), 1);
        }
    }
    assert_eq!(seen, wanted);
}
