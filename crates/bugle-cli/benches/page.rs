//! Measures the dashboard: the time to the first byte of every view, with an almost empty store and with a thousand
//! runs, a hundred thousand tasks and a million messages.
//!
//! Alternates between two servers, over real HTTP. Prints the durations and asserts nothing about them.

#![expect(
    clippy::expect_used,
    reason = "a bench that cannot run has nothing else to say"
)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use bugle_testkit::bench::Place;

const ROUNDS: usize = 60;
const WARM_UP: usize = 5;
const RUNS: usize = 1_000;
const TASKS: usize = 100_000;
const MESSAGES: usize = 1_000_000;
/// The number of tasks in a group.
const GROUP: usize = 500;

const VIEWS: [&str; 9] = [
    "/",
    "/runs",
    "/runs/RUN",
    "/plan",
    "/channels",
    "/agents",
    "/wakeups",
    "/skills",
    "/skill?name=planner",
];

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let few = World::new(folder.path(), "few");
    let many = World::new(folder.path(), "many");
    many.fill();
    let (few, many) = (Page::open(few), Page::open(many));
    println!(
        "{:<22} {:>12} {:>12} {:>8}   first byte, median ms; {RUNS} runs, {TASKS} tasks, {MESSAGES} messages",
        "view", "empty", "full", "ratio"
    );
    for view in VIEWS {
        let mut times: [Vec<Duration>; 2] = [Vec::new(), Vec::new()];
        for round in 0..ROUNDS + WARM_UP {
            for (page, times) in [&few, &many].into_iter().zip(&mut times) {
                let taken = page.first_byte(view);
                if round >= WARM_UP {
                    times.push(taken);
                }
            }
        }
        let [empty, full] = times.map(|mut times| {
            times.sort();
            times[times.len() / 2].as_secs_f64() * 1000.0
        });
        println!("{view:<22} {empty:>12.2} {full:>12.2} {:>8.2}", full / empty);
    }
}

/// The agent that runs the commands in the project.
const AGENT: &str = "backend";

/// A project with one run, one message, one task and one wake-up.
struct World {
    place: Place,
    run: String,
}

impl World {
    fn new(folder: &Path, name: &str) -> Self {
        let place = Place::new(env!("CARGO_BIN_EXE_bugle"), folder, name);
        let start = ["start", "planner", "task=Let people pay by invoice", "--json"];
        let started: serde_json::Value = serde_json::from_str(&place.run(AGENT, &start)).expect("JSON");
        let run = started["data"]["position"]["run"]
            .as_str()
            .expect("a run")
            .to_owned();
        place.run(AGENT, &["say", "good morning"]);
        place.run(AGENT, &["task", "add", "The first task"]);
        place.run(AGENT, &["wake", "--reason", "compact"]);
        Self { place, run }
    }

    /// Adds many copies of the existing rows. Writes them directly to the database, because other benchmarks measure
    /// the commands.
    fn fill(&self) {
        let connection = rusqlite::Connection::open(self.place.database()).expect("the file opens");
        let statements = format!(
            "PRAGMA foreign_keys = OFF;
             BEGIN;
             CREATE TEMP TABLE number (n INTEGER PRIMARY KEY);
             WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < {MESSAGES})
               INSERT INTO number SELECT n FROM counted;
             INSERT INTO run (id, project_id, directory, session, skill, pin, status, step, visit, version, started_at, changed_at)
               SELECT printf('r-%06d', n), project_id, directory, 's-' || n, skill, pin,
                      CASE n % 4 WHEN 0 THEN 'completed' WHEN 1 THEN 'paused' ELSE 'active' END,
                      step, visit, version, started_at - n, changed_at - n
               FROM run, number WHERE run.id = '{run}' AND n <= {RUNS};
             INSERT INTO event (run_id, seq, happened_at, actor, body)
               SELECT printf('r-%06d', n), seq, happened_at, actor, body
               FROM event, number WHERE run_id = '{run}' AND n <= {RUNS};
             INSERT INTO task (id, project_id, root_id, parent_id, path, rank, title, standing, retries, version, is_open,
                               children, open_children, blockers)
               SELECT printf('t-%08d', n), (SELECT id FROM project), printf('t-%08d', n - n % {GROUP}),
                      CASE WHEN n % {GROUP} > 0 THEN printf('t-%08d', n - n % {GROUP}) END,
                      CASE WHEN n % {GROUP} > 0 THEN printf('%010x%010x', 65536 + n - n % {GROUP}, n)
                           ELSE printf('%010x', 65536 + n) END,
                      n, 'Look after number ' || n, 'pending', 0, 1, 1,
                      CASE WHEN n % {GROUP} > 0 THEN 0 ELSE {GROUP} - 1 END,
                      CASE WHEN n % {GROUP} > 0 THEN 0 ELSE {GROUP} - 1 END, 0
               FROM number WHERE n BETWEEN {GROUP} AND {TASKS};
             INSERT INTO message (id, project_id, seq, sender, body, said_at, kind, branch)
               SELECT printf('m-%08d', n), project_id, message.seq + n, sender,
                      'The review is done, and two findings are left: names, and an error that is not handled.', n, 'say',
                      'feature/' || (n % 20)
               FROM message, number;
             COMMIT;",
            run = self.run
        );
        connection
            .execute_batch(&statements)
            .expect("the rows are written");
    }
}

/// A running `bugle ui`, killed on drop.
struct Page {
    process: Child,
    run: String,
    port: u16,
    token: String,
}

impl Page {
    fn open(world: World) -> Self {
        let words = ["ui", "--port", "0", "--no-open"];
        let mut command = world.place.bugle(None, &words);
        let mut process = command.stdout(Stdio::piped()).spawn().expect("it runs");
        let out = process.stdout.take().expect("an output");
        let line = BufReader::new(out).lines().next().expect("a line").expect("text");
        let address = line.split_once("127.0.0.1:").expect("an address").1;
        let (port, token) = address.split_once("/?token=").expect("a token");
        let port: u16 = port.parse().expect("a port");
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
        let request =
            format!("GET /?token={token} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("text");
        let cookie = answer.split_once(&format!("bugle-{port}=")).expect("a cookie").1;
        Self {
            process,
            run: world.run,
            port,
            token: cookie.split(';').next().expect("a value").to_owned(),
        }
    }

    /// The time to the first byte of a view.
    fn first_byte(&self, view: &str) -> Duration {
        let (port, token) = (self.port, &self.token);
        let path = view.replace("RUN", &self.run);
        let begin = Instant::now();
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: bugle-{port}={token}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).expect("a request");
        let mut first = [0];
        stream.read_exact(&mut first).expect("an answer");
        let spent = begin.elapsed();
        let mut rest = String::new();
        stream.read_to_string(&mut rest).expect("text");
        assert!(rest.starts_with("TTP/1.1 200"), "{path}: {rest}");
        spent
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // Ignore errors: the process may have already exited.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
