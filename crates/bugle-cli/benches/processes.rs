//! What a command costs as a process, beside a bare process that opens the same `SQLite` file and reads one row.
//!
//! Everything is measured in one interleaved run, because the machine's speed changes from minute to minute and only
//! ratios taken at the same time mean anything. Numbers are printed, never asserted.

#![expect(
    clippy::expect_used,
    reason = "a bench that cannot run has nothing else to say"
)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 200;
const WARM_UP: usize = 10;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.get(1).map(String::as_str) == Some("--floor") {
        floor(Path::new(&arguments[2]));
        return;
    }
    measure();
}

/// The bare process: open, read one row, close the way Bugle closes.
fn floor(file: &Path) {
    let connection = rusqlite::Connection::open(file).expect("the file opens");
    connection
        .set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        .expect("the setting is known");
    let id: String = connection
        .query_row("SELECT id FROM run LIMIT 1", [], |row| row.get(0))
        .expect("there is a row");
    println!("{id}");
}

struct Subject {
    name: &'static str,
    times: Vec<Duration>,
}

fn measure() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let home = folder.path().join("home");
    let project = folder.path().join("project");
    std::fs::create_dir_all(&project).expect("a project");
    let bugle = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bugle"));
        command
            .args(words)
            .env("BUGLE_HOME", &home)
            .env("HOME", folder.path())
            .current_dir(&project)
            .stdin(Stdio::null());
        command
    };
    loop_skill(&project);
    let start = |words: &[&str]| {
        let output = bugle(words).output().expect("it starts");
        run_id(&String::from_utf8_lossy(&output.stdout))
    };
    let mut run = start(&["start", "looping", "--json"]);
    let database = home.join("bugle.db");
    let myself = std::env::current_exe().expect("a path");

    let names = ["true", "floor", "step", "done", "runs", "decision-critic step"];
    let mut subjects: Vec<Subject> = names
        .into_iter()
        .map(|name| Subject {
            name,
            times: Vec::new(),
        })
        .collect();
    let real_run = start(&[
        "start",
        "decision-critic",
        "decision=Move the queue to Postgres",
        "--json",
    ]);
    let mut visit = 1;
    for round in 0..ROUNDS + WARM_UP {
        for subject in &mut subjects {
            let token = format!("{run}#{visit}");
            let mut command = match subject.name {
                "true" => Command::new("/bin/true"),
                "floor" => {
                    let mut command = Command::new(&myself);
                    command.arg("--floor").arg(&database);
                    command
                }
                "step" => bugle(&["step", &run]),
                "done" => bugle(&["done", &token]),
                "runs" => bugle(&["runs"]),
                _ => bugle(&["step", &real_run]),
            };
            let begin = Instant::now();
            let output = command.output().expect("it runs");
            let elapsed = begin.elapsed();
            assert!(
                output.status.success(),
                "{}: {}",
                subject.name,
                String::from_utf8_lossy(&output.stdout)
            );
            if subject.name == "done" {
                visit += 1;
            }
            if round >= WARM_UP {
                subject.times.push(elapsed);
            }
        }
        // A run is folded from its events: a new one every twenty visits keeps the rounds alike.
        if visit == 20 {
            run = start(&["start", "looping", "--json"]);
            visit = 1;
        }
    }
    report(&mut subjects);
}

fn loop_skill(project: &Path) {
    let skill = project.join(".bugle/skills/looping");
    std::fs::create_dir_all(&skill).expect("a folder");
    let text = "---\nname: looping\ndescription: Use in the bench.\n---\n";
    std::fs::write(skill.join("SKILL.md"), text).expect("a file");
    let workflow = "version: 1\nsteps:\n  again:\n    title: Again\n    do: Do it again.\n    loop: { until: 'false', limit: 100 }\n    next: { ok: end, iterate: again }\n";
    std::fs::write(skill.join("workflow.yaml"), workflow).expect("a file");
}

fn run_id(json: &str) -> String {
    let at = json.find("\"run\": \"").expect("a run") + 8;
    json[at..].split('"').next().unwrap_or_default().to_owned()
}

fn report(subjects: &mut [Subject]) {
    let median = |times: &mut Vec<Duration>| {
        times.sort();
        times[times.len() / 2]
    };
    let floor = subjects
        .iter_mut()
        .find(|subject| subject.name == "floor")
        .map(|subject| median(&mut subject.times));
    let floor = floor.unwrap_or_default().as_secs_f64();
    println!(
        "{:<22} {:>10} {:>10} {:>10} {:>14}",
        "process", "median ms", "p95 ms", "min ms", "median/floor"
    );
    for subject in subjects {
        let middle = median(&mut subject.times).as_secs_f64();
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
