//! Measures commands on Postgres, compared with a minimal process that connects in the same way and reads one row.
//! Connects directly with SCRAM and TLS, through a local `PgBouncer`, and over a slow network (a proxy that delays each
//! round trip). Repeats all measurements with a million messages.
//!
//! All measurements in a table are interleaved. Prints the durations and asserts nothing about them.

#![expect(
    clippy::expect_used,
    reason = "a bench that cannot run has nothing else to say"
)]

mod mailbox;
mod support;

use std::cell::RefCell;
use std::fs::{self, File};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use bugle_store::ServerProbe;
use bugle_testkit::bench::{Place, Subject, median, report, take_turns};
use bugle_testkit::pooler::{self, Pooler};
use bugle_testkit::postgres::{self, PASSWORD, Server, USER};
use bugle_testkit::slow_network;
use mailbox::post;

const ROUNDS: usize = 60;
const SESSION: &str = "bench";
const COMMANDS: [&str; 5] = ["floor", "hook", "step", "done", "wake"];
/// The number of visits after which a new run starts, so that every round takes about the same time.
const VISITS: u32 = 20;
const FEW: usize = 10_000;
const MANY: usize = 1_000_000;

fn main() {
    if support::was_floor() || was_server_floor() {
        return;
    }
    if postgres::is_available() && pooler::is_available() {
        measure();
    }
}

/// If this process was started as the minimal process, connects and reads one row.
fn was_server_floor() -> bool {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, flag, url] = arguments.as_slice() else {
        return false;
    };
    if flag != "--server-floor" {
        return false;
    }
    let probe = ServerProbe::new(url, &|_: &str| None).expect("a URL");
    probe.connect_and_read().expect("a row");
    true
}

/// A store, and a way to connect to it.
struct Way {
    name: &'static str,
    place: Place,
    /// The store's URL; `None` for a file.
    url: Option<String>,
    /// A hook's input.
    call: PathBuf,
    /// The run that `done` advances, and its visit.
    at: RefCell<(String, u32)>,
}

impl Way {
    fn new(folder: &Path, name: &'static str, url: Option<String>) -> Self {
        let place = Place::new(env!("CARGO_BIN_EXE_bugle"), folder, name);
        if let Some(url) = &url {
            let settings = place.database().with_file_name("config.yaml");
            fs::write(settings, format!("store: {url}\n")).expect("settings");
        }
        Self::in_place(place, folder, name, url)
    }

    fn in_place(place: Place, folder: &Path, name: &'static str, url: Option<String>) -> Self {
        loop_skill(&place.project);
        let start = ["start", "decision-critic", "decision=Move the queue", "--json"];
        place.run(SESSION, &start);
        let project = place.project.display();
        let call = folder.join(format!("{name}.json"));
        let text = format!(
            "{{\"session_id\":\"{SESSION}\",\"transcript_path\":\"/x\",\"cwd\":\"{project}\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Read\",\"tool_input\":{{\"file_path\":\"{project}/a.rs\"}}}}"
        );
        fs::write(&call, text).expect("a file");
        let at = RefCell::new((looping(&place), 1));
        Self {
            name,
            place,
            url,
            call,
            at,
        }
    }

    fn command(&self, name: &str) -> Command {
        let (run, visit) = &*self.at.borrow();
        match (name, &self.url) {
            ("floor", Some(url)) => {
                let mut command = Command::new(std::env::current_exe().expect("a path"));
                command.arg("--server-floor").arg(url);
                command
            }
            ("floor", None) => support::floor(&self.place.database(), "run"),
            ("hook", _) => {
                let words = ["hook", "PreToolUse", "--client", "claude"];
                let mut command = self.place.bugle(None, &words);
                command.stdin(File::open(&self.call).expect("a file"));
                command
            }
            ("done", _) => self.place.bugle(None, &["done", &format!("{run}#{visit}")]),
            ("wake", _) => self.place.bugle(Some(SESSION), &["wake"]),
            _ => self.place.bugle(None, &["step", run]),
        }
    }

    fn after(&self, name: &str) {
        let mut at = self.at.borrow_mut();
        if name == "done" {
            at.1 += 1;
        }
        if at.1 == VISITS {
            *at = (looping(&self.place), 1);
        }
    }
}

/// Measures every command over every connection, interleaved.
fn compare(title: &str, ways: &[Way]) -> Vec<Subject> {
    let names: Vec<&'static str> = ways
        .iter()
        .flat_map(|way| {
            COMMANDS.map(|name| {
                let name: &'static str = Box::leak(format!("{} {name}", way.name).into_boxed_str());
                name
            })
        })
        .collect();
    let split = |name: &'static str| {
        let (way, name) = name.split_once(' ').expect("a way and a command");
        let way = ways.iter().find(|known| known.name == way).expect("a way");
        (way, name)
    };
    let subjects = take_turns(
        &names,
        ROUNDS,
        |name, _| {
            let (way, name) = split(name);
            way.command(name)
        },
        |name| {
            let (way, name) = split(name);
            way.after(name);
        },
    );
    println!("\n{title}\n");
    report(&subjects, names[0]);
    for way in ways {
        let floor = median(&subjects, &format!("{} floor", way.name));
        let ratios = COMMANDS[1..].iter().map(|name| {
            let time = median(&subjects, &format!("{} {name}", way.name));
            format!("{name} {:.2}x", time / floor)
        });
        let ratios: Vec<String> = ratios.collect();
        println!("{}: {} its floor", way.name, ratios.join(", "));
    }
    subjects
}

fn measure() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let server = Server::start_with_tls();
    let url = |port: u16, database: &str| {
        format!("postgres://{USER}:{PASSWORD}@127.0.0.1:{port}/{database}?sslmode=require")
    };
    let near = |name: &'static str, pooler: Option<&PoolerAt>| {
        let database = server.create_database();
        let url = pooler.map_or_else(|| url(server.port(), &database), |pooler| pooler.url(&database));
        Way::new(folder.path(), name, Some(url))
    };
    let at_home = PoolerAt::start(server.port());
    let ways = [
        near("direct", None),
        near("pooled", Some(&at_home)),
        Way::new(folder.path(), "sqlite", None),
    ];
    let subjects = compare("Postgres on this machine, SCRAM and TLS", &ways);
    let hook = median(&subjects, "pooled hook") / median(&subjects, "sqlite hook");
    println!("hook through PgBouncer: {hook:.2}x the hook on SQLite");
    for (milliseconds, names) in [
        (1, ["direct-1ms", "pooled-1ms"]),
        (20, ["direct-20ms", "pooled-20ms"]),
    ] {
        let server_address = SocketAddr::from(([127, 0, 0, 1], server.port()));
        let port = slow_network::delayed(server_address, Duration::from_millis(milliseconds));
        let far = PoolerAt::start(port);
        let database = server.create_database();
        let ways = [
            Way::new(folder.path(), names[0], Some(url(port, &database))),
            Way::new(folder.path(), names[1], Some(far.url(&server.create_database()))),
        ];
        compare(&format!("A server {milliseconds} ms away"), &ways);
    }
    measure_growth(folder.path(), &server, &at_home);
}

/// Moves two stores to Postgres, with few and with many messages, and compares commands on both.
fn measure_growth(folder: &Path, server: &Server, pooler: &PoolerAt) {
    let ways = [("few", FEW), ("many", MANY)].map(|(name, messages)| {
        let place = Place::new(env!("CARGO_BIN_EXE_bugle"), folder, name);
        place.run(SESSION, &["task", "add", "First"]);
        post(&place, 0..messages, "other");
        let url = server.url(&server.create_database());
        let begin = Instant::now();
        let moved = place
            .bugle(None, &["store", "move", &url])
            .output()
            .expect("it runs");
        assert!(moved.status.success(), "{moved:?}");
        println!(
            "moved {messages} messages to Postgres in {:.1} s",
            begin.elapsed().as_secs_f64()
        );
        let settings = place.database().with_file_name("config.yaml");
        let database = url.rsplit_once("@/").expect("a database").1;
        let database = database.split('?').next().expect("a database");
        let url = pooler.url(database);
        fs::write(settings, format!("store: {url}\n")).expect("settings");
        Way::in_place(place, folder, name, Some(url))
    });
    let subjects = compare("Growth, through PgBouncer", &ways);
    for name in COMMANDS {
        let growth = median(&subjects, &format!("many {name}")) / median(&subjects, &format!("few {name}"));
        println!("{name}: {growth:.2}x from {FEW} to {MANY} messages");
    }
}

/// A running pooler, and the folder of its socket.
struct PoolerAt {
    folder: tempfile::TempDir,
    _pooler: Pooler,
}

impl PoolerAt {
    /// Starts a pooler in front of the server at this port, with SCRAM and TLS between them.
    fn start(port: u16) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().display();
        let config = format!(
            "[databases]\n* = host=127.0.0.1 port={port}\n\n[pgbouncer]\nlisten_port = 6432\nunix_socket_dir = {path}\n\
             auth_type = trust\nauth_file = {path}/users.txt\npool_mode = transaction\nmax_client_conn = 400\n\
             default_pool_size = 10\nmin_pool_size = 1\nserver_tls_sslmode = require\nlog_connections = 0\n\
             log_disconnections = 0\nignore_startup_parameters = extra_float_digits\n"
        );
        fs::write(folder.path().join("pgbouncer.ini"), config).expect("a file");
        let users = format!("\"{USER}\" \"{PASSWORD}\"\n");
        fs::write(folder.path().join("users.txt"), users).expect("a file");
        pooler::hand_over(folder.path());
        Self {
            _pooler: Pooler::start(&folder.path().join("pgbouncer.ini")),
            folder,
        }
    }

    fn url(&self, database: &str) -> String {
        format!(
            "postgres://{USER}@/{database}?host={}&port=6432",
            self.folder.path().display()
        )
    }
}

/// Starts a run of the looping workflow; returns its id.
fn looping(place: &Place) -> String {
    let output = place.bugle(None, &["start", "looping", "--json"]).output();
    let json = String::from_utf8_lossy(&output.expect("it starts").stdout).into_owned();
    let at = json.find("\"run\": \"").expect("a run") + 8;
    json[at..].split('"').next().unwrap_or_default().to_owned()
}

fn loop_skill(project: &Path) {
    let skill = project.join(".bugle/skills/looping");
    fs::create_dir_all(&skill).expect("a folder");
    let text = "---\nname: looping\ndescription: Use in the bench.\n---\n";
    fs::write(skill.join("SKILL.md"), text).expect("a file");
    let workflow = "version: 1\nsteps:\n  again:\n    title: Again\n    do: Do it again.\n    loop: { until: 'false', limit: 100 }\n    next: { ok: end, iterate: again }\n";
    fs::write(skill.join("workflow.yaml"), workflow).expect("a file");
}
