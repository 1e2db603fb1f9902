//! What the benches share: a bare process to compare with, times of subjects that take turns, and a table of ratios.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Rounds that are run and not counted.
const WARM_UP: usize = 10;

/// If this process was started as the bare one, does what that does: open, read one row, close the way Bugle closes.
pub(crate) fn was_floor() -> bool {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, flag, file, table] = arguments.as_slice() else {
        return false;
    };
    if flag != "--floor" {
        return false;
    }
    let connection = rusqlite::Connection::open(file).expect("the file opens");
    connection
        .set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        .expect("the setting is known");
    let id: String = connection
        .query_row(&format!("SELECT id FROM {table} LIMIT 1"), [], |row| row.get(0))
        .expect("there is a row");
    println!("{id}");
    true
}

/// The bare process that reads one row of a table.
pub(crate) fn floor(database: &Path, table: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a path"));
    command.arg("--floor").arg(database).arg(table);
    command
}

/// Something that is measured.
pub(crate) struct Subject {
    pub name: &'static str,
    pub times: Vec<Duration>,
}

/// Has every subject take its turn in every round, so that a machine that gets slower slows all of them.
pub(crate) fn take_turns(
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
            let output = command.output().expect("it runs");
            let elapsed = begin.elapsed();
            assert!(
                output.status.success(),
                "{}: {}{}",
                subject.name,
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
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

/// The median of a subject, in seconds.
pub(crate) fn median(subjects: &[Subject], name: &str) -> f64 {
    let found = subjects.iter().find(|subject| subject.name == name);
    found.map_or(0.0, |subject| {
        subject.times[subject.times.len() / 2].as_secs_f64()
    })
}

/// Prints every subject beside the bare process.
pub(crate) fn report(subjects: &[Subject], floor: &str) {
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
