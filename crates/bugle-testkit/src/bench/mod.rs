//! Shared benchmark code: a project to run commands in, interleaved measurements, and reports.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a benchmark that cannot run must fail"
)]

mod place;

use std::process::Command;
use std::time::{Duration, Instant};

pub use place::Place;

/// Warm-up rounds, which are not counted.
const WARM_UP: usize = 10;

/// A measured subject.
#[derive(Debug)]
pub struct Subject {
    name: &'static str,
    /// Sorted in ascending order.
    times: Vec<Duration>,
}

/// Measures every subject once per round, so that a slowdown of the machine affects all of them.
pub fn take_turns(
    names: &[&'static str],
    rounds: usize,
    mut command: impl FnMut(&'static str, usize) -> Command,
    mut after: impl FnMut(&'static str),
) -> Vec<Subject> {
    let mut subjects: Vec<Subject> = names
        .iter()
        .map(|name| Subject {
            name,
            times: Vec::new(),
        })
        .collect();
    for round in 0..rounds + WARM_UP {
        for subject in &mut subjects {
            let mut command = command(subject.name, round);
            let begin = Instant::now();
            let output = command.output().expect("the command runs");
            let elapsed = begin.elapsed();
            place::printed(subject.name, &output);
            after(subject.name);
            if round >= WARM_UP {
                subject.times.push(elapsed);
            }
        }
    }
    for subject in &mut subjects {
        subject.times.sort();
    }
    subjects
}

/// A subject's median, in seconds.
pub fn median(subjects: &[Subject], name: &str) -> f64 {
    let found = subjects.iter().find(|subject| subject.name == name);
    found.map_or(0.0, |subject| {
        subject.times[subject.times.len() / 2].as_secs_f64()
    })
}

/// Prints every subject's times and its ratio to the `floor` subject.
pub fn report(subjects: &[Subject], floor: &str) {
    let floor = median(subjects, floor);
    println!(
        "{:<22} {:>10} {:>10} {:>10} {:>14}",
        "process", "median ms", "p95 ms", "min ms", "median/floor"
    );
    for subject in subjects {
        let middle = median(subjects, subject.name);
        let p95 = subject.times[subject.times.len() * 95 / 100].as_secs_f64();
        let least = subject.times[0].as_secs_f64();
        println!(
            "{:<22} {:>10.2} {:>10.2} {:>10.2} {:>14.2}",
            subject.name,
            middle * 1000.0,
            p95 * 1000.0,
            least * 1000.0,
            middle / floor
        );
    }
}

/// Prints how much slower each command is with a large store than with a small one. The subjects are named `NAME, few`
/// and `NAME, many`.
pub fn report_growth(subjects: &[Subject], names: &[&str], from_few_to_many: &str) {
    for name in names {
        let growth = median(subjects, &format!("{name}, many")) / median(subjects, &format!("{name}, few"));
        println!("{name}: {growth:.2}x {from_few_to_many}");
    }
}
