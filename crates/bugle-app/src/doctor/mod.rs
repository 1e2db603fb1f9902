//! Looks whether Bugle and the clients get along: what setup wrote is there, and it works when it is called the way each
//! client calls it. Nothing of the user's is changed.

mod disabled;
mod foreign;
mod process;
mod scratch;

use std::path::{Path, PathBuf};
use std::time::Duration;

use bugle_core::doctor::{Denial, EntryKind, Seen, ShellFinds, StoreSeen, Trust, trust};
use bugle_render::doctor::{Remedies, finding};
use bugle_wire::hook::is_denial;
use bugle_wire::setup::{Call, Client, CodexConfig, Content, FileState, Presence, plugin_call};
use bugle_wire::{ClientHealth, DoctorView, HealthState};

use crate::files::content_hash;
use crate::hook::log_file;
use crate::place::{VariableSource, absolute_program};
use crate::setup::{Inspected, SetupRequest, codex_home, inspect};
use crate::{App, AppError, Place};
use process::{called, login_shell, plain, run, tools};
use scratch::{Scratch, before_tool, tool_call};

/// As long as setup lets a hook take.
const LONGEST_HOOK: Duration = Duration::from_secs(10);
/// A client that is slow to start is still one.
const LONGEST_START: Duration = Duration::from_secs(20);
/// How long a fault of a hook is worth telling, in milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1000;

/// What is to be looked at.
#[derive(Debug, Clone, Copy)]
pub struct DoctorRequest {
    /// One client, else every one that is found.
    pub client: Option<Client>,
    /// For whom it is set up.
    pub scope: DoctorScope,
}

/// For whom a client is set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DoctorScope {
    /// For this project or for the user, whichever is there.
    Any,
    /// For this project.
    Project,
    /// For the user.
    User,
}

/// Looks at the clients and at the store.
pub fn doctor(
    place: &Place,
    variables: VariableSource<'_>,
    request: &DoctorRequest,
) -> Result<DoctorView, AppError> {
    let program = absolute_program(variables)?;
    let scopes: &[bool] = match request.scope {
        DoctorScope::Any => &[false, true],
        DoctorScope::Project => &[false],
        DoctorScope::User => &[true],
    };
    let chosen = match &request.client {
        Some(client) => std::slice::from_ref(client),
        None => Client::ALL.as_slice(),
    };
    let remedies = |setup: String| Remedies {
        setup,
        program: program.clone(),
        verify: place.command(&["store", "verify"]),
        log: log_file(&place.bugle_home).display().to_string(),
    };
    let doctor = Doctor { place, variables };
    let mut clients = Vec::new();
    let mut set_up = Vec::new();
    for client in chosen.iter().copied() {
        let installed = on_path(variables, client.as_str());
        let mut seen_in = Vec::new();
        for user in scopes.iter().copied() {
            if let Some(seen) = doctor.look_at(client, user) {
                seen_in.push((user, seen));
            }
        }
        if seen_in.is_empty() {
            if installed.is_none() && request.client.is_none() {
                continue;
            }
            let asked_for = request.client.is_some();
            seen_in.push((scopes == [true], vec![Seen::NotSetUp { asked_for }]));
        } else {
            set_up.push(client);
        }
        let version = installed.map(|program| version(&program));
        for (user, seen) in seen_in {
            let mut words = vec!["setup", client.as_str()];
            words.extend(user.then_some("--user"));
            let remedies = remedies(place.command(&words));
            let seen = std::iter::once(Seen::Version(version.clone())).chain(seen);
            clients.push(ClientHealth {
                client: client.as_str().to_owned(),
                title: client.title().to_owned(),
                scope: if user { "user" } else { "project" }.to_owned(),
                findings: seen.map(|seen| finding(&seen, &remedies)).collect(),
            });
        }
    }
    let mut everywhere = vec![
        Seen::Store(doctor.store()),
        Seen::Shell {
            finds: doctor.shell(),
            // The other clients' shells have the PATH that the client has.
            needed: set_up.contains(&Client::Codex),
        },
    ];
    everywhere.extend(doctor.faults());
    let remedies = remedies(place.command(&["setup", "claude"]));
    let findings: Vec<_> = everywhere.iter().map(|seen| finding(seen, &remedies)).collect();
    let all = clients
        .iter()
        .flat_map(|client| &client.findings)
        .chain(&findings);
    let well = !set_up.is_empty() && all.into_iter().all(|finding| finding.state != HealthState::Wrong);
    Ok(DoctorView {
        well,
        clients,
        findings,
    })
}

/// Whoever looks, and from where.
struct Doctor<'a> {
    place: &'a Place,
    variables: VariableSource<'a>,
}

impl Doctor<'_> {
    /// What is seen of a client; nothing if it is not set up.
    fn look_at(&self, client: Client, user: bool) -> Option<Vec<Seen>> {
        let request = SetupRequest::check(client, user);
        let files = match inspect(self.place, self.variables, &request) {
            Ok(files) => files,
            Err(error) => return Some(vec![Seen::Unreadable(error.to_string())]),
        };
        let mut hooks = Group::new(EntryKind::Hooks);
        let mut server = Group::new(EntryKind::Server);
        let mut skills = Group::new(EntryKind::Skills);
        let mut agents = Group::new(EntryKind::Agents);
        for file in &files {
            match file.holds {
                "skill" => skills.file(file),
                "agent" => agents.file(file),
                "plugin" => hooks.file(file),
                "instructions" => {}
                _ => {
                    for entry in &file.entries {
                        let is_server = entry.name == "MCP server";
                        let group = if is_server { &mut server } else { &mut hooks };
                        group.entry(&entry.name, entry.presence);
                    }
                }
            }
        }
        if !hooks.any && !server.any {
            return None;
        }
        let mut seen = vec![hooks.seen()];
        if client == Client::Claude {
            seen.extend(disabled::hooks_off(self.place, self.variables));
        }
        if client == Client::Codex {
            seen.extend(self.trust(&files, user));
        }
        let event = before_tool(client);
        if let Some(call) = files.iter().find_map(|file| hook_call(file, event)) {
            seen.extend(self.hook(client, &call));
        }
        seen.push(server.seen());
        if let Some(call) = files.iter().find_map(server_call) {
            seen.push(Seen::Server(self.server(client, &call)));
        }
        seen.push(skills.seen());
        if agents.all > 0 {
            seen.push(agents.seen());
        }
        Some(seen)
    }

    /// A hook is called twice: for an agent of whom nothing is known, and for one who is forbidden what it does.
    fn hook(&self, client: Client, call: &Call) -> [Seen; 2] {
        if let Some(why) = foreign::refused(call, &self.place.root, &self.place.directory) {
            return [Seen::Answer(Err(why.clone())), Seen::Denial(Denial::Untried(why))];
        }
        let mut command = called(call, client, self.variables);
        command.current_dir(&self.place.directory);
        let facts = tool_call(client, "bugle-doctor-stranger", &self.place.directory);
        let answer = match run(command, facts.to_string().as_bytes(), LONGEST_HOOK) {
            Ok(ran) if ran.code != Some(0) => Err(match ran.code {
                Some(126 | 127) => "it cannot be started: a shell does not find the program".to_owned(),
                Some(code) => format!("it ends with the exit code {code}"),
                None => "it is ended by a signal".to_owned(),
            }),
            Ok(ran) if !ran.out.trim().is_empty() => {
                Err("it says something where it has nothing to say".to_owned())
            }
            Ok(ran) => Ok(u64::try_from(ran.took.as_millis()).unwrap_or(u64::MAX)),
            Err(why) => Err(why),
        };
        let denial = Scratch::new(self.variables)
            .map_err(|error| error.to_string())
            .and_then(|scratch| {
                let mut command = called(call, client, self.variables);
                command
                    .current_dir(scratch.project())
                    .env("BUGLE_HOME", scratch.home());
                let facts = scratch.forbidden(client).to_string();
                run(command, facts.as_bytes(), LONGEST_HOOK)
            });
        let denial = match denial {
            Ok(ran) if is_denial(client, &ran.out) => Denial::Held,
            Ok(_) => Denial::LetThrough,
            Err(why) => Denial::Untried(why),
        };
        [Seen::Answer(answer), Seen::Denial(denial)]
    }

    /// The server gets a store of its own, because it makes one where there is none.
    fn server(&self, client: Client, call: &Call) -> Result<usize, String> {
        if let Some(why) = foreign::refused(call, &self.place.root, &self.place.directory) {
            return Err(why);
        }
        let scratch = Scratch::new(self.variables).map_err(|error| error.to_string())?;
        let mut command = called(call, client, self.variables);
        command
            .current_dir(scratch.project())
            .env("BUGLE_HOME", scratch.home());
        tools(command, LONGEST_START)
    }

    /// Whether Codex reads the settings, and runs the hooks in them.
    fn trust(&self, files: &[Inspected], user: bool) -> Vec<Seen> {
        let config = codex_home(self.place, self.variables).join("config.toml");
        let config = match std::fs::read_to_string(config) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(_) => return vec![Seen::Trust(Trust::Unknown)],
        };
        let mut seen = Vec::new();
        if !user {
            let root = self.place.root.to_string_lossy();
            seen.push(Seen::ProjectTrusted(CodexConfig::trusts_project(&config, &root)));
        }
        let Some(trusted) = CodexConfig::trusted_hooks(&config) else {
            seen.push(Seen::Trust(Trust::Unknown));
            return seen;
        };
        let mut hooks = Vec::new();
        for file in files {
            let (Some(Content::Settings(settings)), Some(text)) = (&file.content, &file.text) else {
                continue;
            };
            let path = file.path.canonicalize().unwrap_or_else(|_| file.path.clone());
            for hook in settings.codex_hooks(text) {
                let hash = hook
                    .hashed
                    .map(|text| format!("sha256:{}", content_hash(text.as_bytes())));
                hooks.push((format!("{}:{}", path.display(), hook.place), hash));
            }
        }
        let same_file = |key: &str| same_hook(&trusted, key);
        seen.push(Seen::Trust(trust(&hooks, same_file)));
        seen
    }

    fn store(&self) -> StoreSeen {
        let check = App::open_for_hook(self.place.clone()).and_then(|app| match app {
            Some(mut app) => app.verify().map(Some),
            None => Ok(None),
        });
        match check {
            Ok(None) => StoreSeen::Absent,
            Ok(Some(check)) => match check.faults.first() {
                Some(first) => StoreSeen::Faulty {
                    first: first.clone(),
                    count: check.faults.len(),
                },
                None => StoreSeen::Sound {
                    runs: check.runs,
                    tasks: check.tasks,
                },
            },
            Err(error) => StoreSeen::Unusable(error.to_string()),
        }
    }

    /// What a login shell calls `bugle`.
    fn shell(&self) -> ShellFinds {
        let command = login_shell("command -v bugle", self.variables);
        let ran = match run(command, b"", LONGEST_HOOK) {
            Ok(ran) => ran,
            Err(why) => return ShellFinds::Unknown(why),
        };
        // A profile may have something to say of its own.
        let Some(found) = ran.out.lines().rev().find(|line| !line.trim().is_empty()) else {
            return ShellFinds::Nothing;
        };
        let canonical = Path::new(found.trim()).canonicalize();
        match (canonical, std::env::current_exe()) {
            _ if ran.code != Some(0) => ShellFinds::Nothing,
            (Ok(found), Ok(running)) if running.canonicalize().is_ok_and(|running| running == found) => {
                ShellFinds::This
            }
            _ => ShellFinds::Other(found.trim().to_owned()),
        }
    }

    /// What went wrong in hooks lately.
    fn faults(&self) -> Option<Seen> {
        let log = std::fs::read(log_file(&self.place.bugle_home)).ok()?;
        let log = String::from_utf8_lossy(&log);
        let since = crate::now().0 - DAY;
        let lately = log.lines().filter_map(|line| {
            let (at, fault) = line.split_once(' ')?;
            (at.parse::<i64>().ok()? >= since).then_some(fault)
        });
        let lately: Vec<&str> = lately.collect();
        lately.last().map(|last| Seen::Faults {
            count: lately.len(),
            last: (*last).to_owned(),
        })
    }
}

/// The hash of the hook with this key. Codex may know the file by another path to it.
fn same_hook<'a>(trusted: &'a std::collections::BTreeMap<String, String>, key: &str) -> Option<&'a str> {
    let found = trusted.get(key).or_else(|| {
        let (path, place) = split_key(key)?;
        let same = trusted.iter().find(|(other, _)| {
            split_key(other).is_some_and(|(other, at)| {
                at == place
                    && Path::new(other)
                        .canonicalize()
                        .is_ok_and(|other| other == Path::new(path))
            })
        });
        same.map(|(_, hash)| hash)
    });
    found.map(String::as_str)
}

/// `/x/hooks.json:stop:0:0` as the file and the place in it.
fn split_key(key: &str) -> Option<(&str, &str)> {
    let (at, _) = key.rmatch_indices(':').nth(2)?;
    Some((&key[..at], &key[at + 1..]))
}

fn hook_call(file: &Inspected, event: &str) -> Option<Call> {
    let text = file.text.as_deref()?;
    match &file.content {
        Some(Content::Settings(settings)) => settings.hook_call(text, event),
        None if file.holds == "plugin" => plugin_call(text, event),
        _ => None,
    }
}

fn server_call(file: &Inspected) -> Option<Call> {
    let text = file.text.as_deref()?;
    match &file.content {
        Some(Content::Settings(settings)) => settings.server_call(text),
        Some(Content::Config(_)) => CodexConfig::server_call(text),
        _ => None,
    }
}

/// What is seen of one kind of entries.
struct Group {
    kind: EntryKind,
    all: usize,
    right: usize,
    wrong: Vec<String>,
    foreign: usize,
    /// Whether anything of it is there.
    any: bool,
}

impl Group {
    fn new(kind: EntryKind) -> Self {
        Self {
            kind,
            all: 0,
            right: 0,
            wrong: Vec::new(),
            foreign: 0,
            any: false,
        }
    }

    fn entry(&mut self, name: &str, presence: Presence) {
        self.all += 1;
        self.any |= presence != Presence::Missing;
        match presence {
            Presence::Present => self.right += 1,
            Presence::Outdated => self.wrong.push(format!("{name} is outdated")),
            Presence::Missing => self.wrong.push(format!("{name} is missing")),
        }
    }

    fn file(&mut self, file: &Inspected) {
        self.all += 1;
        self.any |= !matches!(file.state, FileState::Missing | FileState::Foreign);
        let name = file.path.display();
        match file.state {
            FileState::Foreign => self.foreign += 1,
            state if state.is_in_order() => self.right += 1,
            state => self.wrong.push(format!("{name} is {}", state.as_str())),
        }
    }

    fn seen(self) -> Seen {
        Seen::Entries {
            kind: self.kind,
            right: self.right,
            wrong: self.wrong,
            foreign: self.foreign,
        }
    }
}

/// The first program of a name on the `PATH`.
fn on_path(variables: VariableSource<'_>, name: &str) -> Option<PathBuf> {
    let path = variables("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// What a client says that its version is.
fn version(program: &Path) -> String {
    let ran = run(
        plain(&program.to_string_lossy(), &["--version"]),
        b"",
        LONGEST_START,
    );
    match ran {
        Ok(ran) => ran.out.lines().next().unwrap_or_default().trim().to_owned(),
        Err(why) => format!("unknown: {why}"),
    }
}
