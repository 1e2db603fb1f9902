//! Two machines whose clocks differ by a day.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use crate::support::agent_project::Place;
use crate::support::machines::Machines;
use crate::support::reply::Step;
use crate::support::sandbox::{Answer, Sandbox, answer, skip};
use crate::support::workflows::THREE;

/// A library that shifts the clock of the processes that load it.
const SHIM: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
int clock_gettime(clockid_t clock, struct timespec *time) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(clock, time);
  const char *seconds = getenv("CLOCK_SHIFT");
  if (clock == CLOCK_REALTIME && seconds) time->tv_sec += atol(seconds);
  return result;
}
"#;

/// A machine with a shifted clock.
struct Shifted<'a> {
    sandbox: &'a Sandbox,
    library: PathBuf,
    seconds: &'static str,
}

impl<'a> Shifted<'a> {
    /// Compiles the library; `None` if there is no C compiler.
    fn new(sandbox: &'a Sandbox, seconds: &'static str) -> Option<Self> {
        let source = sandbox.root().join("clock.c");
        let library = sandbox.root().join("clock.so");
        sandbox.write(&source, SHIM);
        let mut compiler = sandbox.command("cc", sandbox.root());
        compiler.args(["-shared", "-fPIC", "-o"]).arg(&library);
        let output = compiler.arg(&source).arg("-ldl").output();
        output.ok().filter(|output| output.status.success())?;
        Some(Self {
            sandbox,
            library,
            seconds,
        })
    }

    fn run(&self, arguments: &[&str]) -> Answer {
        let mut command = self.sandbox.bugle(arguments);
        command
            .env("LD_PRELOAD", &self.library)
            .env("CLOCK_SHIFT", self.seconds);
        answer(&mut command)
    }

    fn report(&self, step: &Step, word: &str) -> Answer {
        fs::write(step.result_file(), json!({ "word": word }).to_string()).unwrap();
        self.run(&["done", &step.visit])
    }
}

/// The texts of the messages to an agent, in order.
fn messages(sandbox: &Sandbox, agent: &str) -> Vec<String> {
    let list = sandbox.run(&["messages", "--for", agent, "--json"]).ok().json();
    let messages = list["data"]["messages"].as_array().unwrap();
    let text = |message: &serde_json::Value| message["text"].as_str().unwrap().to_owned();
    messages.iter().map(text).collect()
}

#[test]
fn machines_whose_clocks_differ_by_a_day_work_together() {
    for seconds in ["86400", "-86400"] {
        let Some(machines) = Machines::new() else { return };
        let one = &machines.one;
        let Some(other) = Shifted::new(&machines.other, seconds) else {
            return skip("there is no C compiler");
        };
        one.skill("three", THREE);
        for title in ["Count the stars", "Count the planets"] {
            one.run(&["task", "add", title]).ok();
        }
        // A run continues on the other machine, and then on the first one again.
        let first = one.start(&["three"]);
        let second = one.report(&first, &json!({ "word": "one" })).ok().step();
        let there = other.run(&["step", &second.run]).ok().step();
        let third = other.report(&there, "two").ok().step();
        let began = machines.sql("SELECT MAX(happened_at) - MIN(happened_at) FROM event");
        assert!(
            began.parse::<i64>().unwrap() > 80_000_000,
            "the clock is shifted: {began}"
        );
        let repeated = one.report(&second, &json!({ "word": "two" })).ok().step();
        assert_eq!(repeated.visit, third.visit);
        assert_eq!(one.run(&["step", &second.run]).ok().step().visit, third.visit);
        // Messages keep the order in which they were posted.
        other.run(&["say", "@star first", "--as", "sun"]).ok();
        one.run(&["say", "@star second", "--as", "sun"]).ok();
        assert_eq!(messages(one, "star"), ["@star first", "@star second"]);
        // Each task is claimed once.
        let claimed = |answer: Answer| answer.ok().json()["data"]["task"]["id"].clone();
        let here = claimed(one.run(&["--as", "sun", "task", "claim", "--json"]));
        let there = claimed(other.run(&["--as", "moon", "task", "claim", "--json"]));
        assert_ne!(here, there);
        one.verify();
        other.run(&["store", "verify"]).ok();
    }
}

#[test]
fn a_machine_with_a_wrong_clock_is_not_taken_for_gone() {
    let Some(machines) = Machines::new() else { return };
    let (one, place) = (machines.one, Place::of(machines.other));
    let Some(other) = Shifted::new(&place.sandbox, "-86400") else {
        return skip("there is no C compiler");
    };
    other.run(&["spawn", "claude", "a", "--name", "star"]).ok();
    other.run(&["up", "--once"]).ok();
    let listed = one.run(&["agent", "list"]).ok().out;
    assert!(
        listed.contains("  on ") && !listed.contains("not seen for"),
        "{listed}"
    );
}
