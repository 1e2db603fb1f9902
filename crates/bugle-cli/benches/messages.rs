//! Measures messages in three ways:
//!
//! - 64 processes that write at the same time, with the duration of each write;
//! - 64 agents that send and read messages at the same time, with the 99th percentile and the throughput;
//! - sending and reading in a store with a thousand messages and in a store with a million.
//!
//! Prints the durations without checking them. Asserts that no message is lost or read twice.

#![expect(
    clippy::expect_used,
    reason = "a bench that cannot run has nothing else to say"
)]

mod mailbox;
mod support;

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use bugle_core::id::{MessageId, Timestamp};
use bugle_core::message::{AgentAddress, Home, MessageKind};
use bugle_store::{Durability, NewMessage, Store};
use bugle_testkit::bench::{Place, report, report_growth, take_turns};
use mailbox::post;

const AT_ONCE: usize = 64;
const TURNS: usize = 20;
/// Number of writes by each writer.
const WRITES: usize = 50;
const ROUNDS: usize = 200;
const FEW: usize = 1_000;
const MANY: usize = 1_000_000;

fn main() {
    if !support::was_floor() && !was_writer() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        writers(folder.path());
        crowd(folder.path());
        growth(folder.path());
    }
}

/// A project that its store already knows.
fn new_place(folder: &Path, name: &str) -> Place {
    let place = Place::new(env!("CARGO_BIN_EXE_bugle"), folder, name);
    place.run("boss", &["say", "good morning"]);
    place
}

/// If this process was started as a writer, opens the store, waits until stdin closes, writes, and prints the duration
/// of each write.
fn was_writer() -> bool {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, flag, file, place, number] = arguments.as_slice() else {
        return false;
    };
    if flag != "--write" {
        return false;
    }
    let mut store = Store::open(Path::new(file), Durability::Full).expect("the store opens");
    let project = store
        .find_project(place)
        .expect("it can be looked for")
        .expect("there is one");
    let home = Home::new("project", None);
    let sender = AgentAddress::of_session("writer", &home).expect("an address");
    println!("ready");
    std::io::stdin().read_line(&mut String::new()).expect("the word");
    for turn in 0..WRITES {
        let begin = Instant::now();
        store
            .post(&NewMessage {
                id: &MessageId::parse(&format!("m-{number}0000{turn:03}")).expect("an id"),
                project: &project,
                sender: &sender,
                text: "your turn",
                at: Timestamp(1),
                kind: MessageKind::Say,
                answers: None,
                branch: home.branch(),
                to: &[],
            })
            .expect("it is kept");
        println!("{}", begin.elapsed().as_micros());
    }
    true
}

/// Many processes that write at the same time. Each has opened the store before the measurement starts.
fn writers(folder: &Path) {
    let place = new_place(folder, "writers");
    let (file, project) = (place.database(), place.known_as());
    let mut crowd: Vec<Child> = (0..AT_ONCE)
        .map(|number| {
            Command::new(std::env::current_exe().expect("a path"))
                .arg("--write")
                .arg(&file)
                .args([&project, &format!("{number:02}")])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .expect("it starts")
        })
        .collect();
    let mut answers: Vec<_> = crowd
        .iter_mut()
        .map(|writer| BufReader::new(writer.stdout.take().expect("a pipe")).lines())
        .collect();
    for lines in &mut answers {
        lines.next().expect("it is ready").expect("a line");
    }
    let begin = Instant::now();
    for writer in &mut crowd {
        drop(writer.stdin.take());
    }
    let mut times: Vec<Duration> = answers
        .into_iter()
        .flatten()
        .map(|line| Duration::from_micros(line.expect("a line").parse().expect("a number")))
        .collect();
    let whole = begin.elapsed();
    for mut writer in crowd {
        assert!(writer.wait().expect("it ends").success());
    }
    assert_eq!(times.len(), AT_ONCE * WRITES, "nothing is lost");
    tell("writers", &mut times, whole);
}

fn tell(who: &str, times: &mut [Duration], whole: Duration) {
    times.sort();
    let at = |part: usize| times[(times.len() * part / 100).min(times.len() - 1)].as_secs_f64() * 1000.0;
    println!(
        "{AT_ONCE} {who} at once: median {:.1} ms, p99 {:.1} ms, longest {:.1} ms, {:.0} a second\n",
        at(50),
        at(99),
        at(100),
        f64::from(u32::try_from(times.len()).unwrap_or(u32::MAX)) / whole.as_secs_f64()
    );
}

/// Many agents at the same time: each sends a message to the next agent and reads its own inbox.
fn crowd(folder: &Path) {
    let place = new_place(folder, "crowd");
    let begin = Instant::now();
    let mut times: Vec<Duration> = Vec::new();
    let mut read = 0;
    std::thread::scope(|scope| {
        let crowd: Vec<_> = (0..AT_ONCE)
            .map(|number| {
                let place = &place;
                scope.spawn(move || {
                    let own = format!("agent-{number}");
                    let text = format!("@agent-{} your turn", (number + 1) % AT_ONCE);
                    let mut times = Vec::new();
                    let mut read = 0;
                    for _ in 0..TURNS {
                        for words in [vec!["say", &text], vec!["inbox"]] {
                            let begin = Instant::now();
                            let out = place.run(&own, &words);
                            times.push(begin.elapsed());
                            read += out.matches("    @agent-").count();
                        }
                    }
                    (times, read)
                })
            })
            .collect();
        for one in crowd {
            let (own, count) = one.join().expect("no writer fails");
            times.extend(own);
            read += count;
        }
    });
    let whole = begin.elapsed();
    for number in 0..AT_ONCE {
        let left = place.run(&format!("agent-{number}"), &["inbox"]);
        read += left.matches("    @agent-").count();
    }
    assert_eq!(read, AT_ONCE * TURNS, "every message is read once");
    tell("commands", &mut times, whole);
}

/// The same commands with few messages and with many.
fn growth(folder: &Path) {
    let with_messages = |count: usize| {
        let place = new_place(folder, &count.to_string());
        let (mut store, project, reader) = post(&place, 0..count, "reader");
        // Mark all messages but the last as read.
        let read = count as u64 - 1;
        store
            .take(&project, &reader, read, Timestamp(2))
            .expect("they are taken");
        place
    };
    let (few, many) = (with_messages(FEW), with_messages(MANY));
    let names = [
        "floor, few",
        "floor, many",
        "inbox, few",
        "inbox, many",
        "last, few",
        "last, many",
        "say, few",
        "say, many",
    ];
    let command = |name: &str, _round: usize| {
        let place = if name.ends_with("many") { &many } else { &few };
        match name.split(',').next().unwrap_or_default() {
            "floor" => support::floor(&place.database(), "message"),
            "inbox" => place.bugle(Some("boss"), &["inbox", "--for", "reader"]),
            "last" => place.bugle(
                Some("boss"),
                &["inbox", "--for", "reader", "--all", "--last", "10"],
            ),
            _ => place.bugle(Some("boss"), &["say", "@other look"]),
        }
    };
    let subjects = take_turns(&names, ROUNDS, command, |_| {});
    report(&subjects, "floor, few");
    println!();
    let names = ["floor", "inbox", "last", "say"];
    report_growth(&subjects, &names, &format!("from {FEW} to {MANY} messages"));
}
