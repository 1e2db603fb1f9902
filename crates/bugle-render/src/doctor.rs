//! The findings of `bugle doctor`, each with its fix.

use std::fmt::Write as _;

use bugle_core::count::counted;
use bugle_core::doctor::{Denial, EntryKind, Health, Seen, ShellFinds, StoreSeen, Trust};
use bugle_core::reply::{DoctorView, HealthFinding, HealthState};

use crate::text::printable;

/// The commands and paths that fixes refer to.
#[derive(Debug, Clone)]
pub struct Remedies {
    /// The command that sets the client up.
    pub setup: String,
    /// The command that undoes the setup.
    pub remove: String,
    /// The path of the program.
    pub program: String,
    /// The command that verifies the store.
    pub verify: String,
    /// The log file of hooks.
    pub log: String,
}

/// A finding as text, with its fix.
pub fn finding(seen: &Seen, remedies: &Remedies) -> HealthFinding {
    let (check, says, remedy) = words(seen, remedies);
    let state = match seen.health() {
        Health::Well => HealthState::Well,
        Health::Unsure => HealthState::Unsure,
        Health::Wrong => HealthState::Wrong,
    };
    HealthFinding {
        check: check.to_owned(),
        state,
        says,
        remedy: remedy.filter(|_| state != HealthState::Well),
    }
}

fn words(seen: &Seen, remedies: &Remedies) -> (&'static str, String, Option<String>) {
    let setup = || Some(remedies.setup.clone());
    match seen {
        Seen::Version(version) => ("version", version.clone(), None),
        Seen::NoProgram { name, is_set_up } => (
            "version",
            format!("`{name}` was not found on the PATH."),
            Some(if *is_set_up {
                format!(
                    "Install this client, or add its folder to the PATH. To undo its setup: {}",
                    remedies.remove
                )
            } else {
                "Install this client, or use another client.".to_owned()
            }),
        ),
        Seen::Settings(problem) => (
            "settings",
            problem.clone(),
            Some("Fix the file. Until then, Bugle ignores its settings and starts no agents.".to_owned()),
        ),
        Seen::NotSetUp { .. } => ("setup", "Not set up for Bugle.".to_owned(), setup()),
        Seen::Unreadable(why) => (
            "setup",
            why.clone(),
            Some("Fix this file. Bugle does not change files it cannot read.".to_owned()),
        ),
        Seen::Entries {
            kind,
            right,
            wrong,
            edited,
            foreign,
        } => (name(*kind), entries(*right, wrong, edited, *foreign), setup()),
        Seen::HooksOff(file) => (
            "enabled",
            format!("{file} sets `disableAllHooks`, so Claude Code does not run any hooks."),
            Some(format!("Remove `disableAllHooks` from {file}.")),
        ),
        Seen::Trust(trust) => {
            let remedy = "In codex, run /hooks, review Bugle's hooks and trust them.";
            ("trust", trust_words(*trust), Some(remedy.to_owned()))
        }
        Seen::ProjectTrust {
            is_trusted,
            client,
            start,
        } => (
            "project",
            match is_trusted {
                Some(true) => format!("{client} trusts this project."),
                Some(false) => {
                    format!("{client} does not trust this project, so it ignores the project's settings.")
                }
                None => format!("Bugle cannot tell whether {client} trusts this project."),
            },
            Some(format!("Run `{start}` in this folder, and trust the project.")),
        ),
        Seen::Answer(answer) => answered(answer, remedies),
        Seen::Denial(denial) => (
            "denial",
            match denial {
                Denial::Held => "Bugle denied a forbidden tool, as expected.".to_owned(),
                Denial::OnlyInTest => {
                    "Bugle denied a forbidden tool in a test session. In real sessions, Bugle cannot deny \
                     tools: this client does not pass a session id to its agents' commands."
                        .to_owned()
                }
                Denial::LetThrough => "Bugle did not deny a forbidden tool.".to_owned(),
                Denial::Untried(why) => {
                    format!("Bugle could not test whether forbidden tools are denied: {why}")
                }
            },
            setup().filter(|_| *denial != Denial::OnlyInTest),
        ),
        Seen::Server(Ok(tools)) => (
            "server",
            format!("The MCP server answers and has {tools} tools."),
            setup(),
        ),
        Seen::Server(Err(why)) => (
            "server",
            format!("The MCP server does not answer: {why}"),
            setup(),
        ),
        Seen::Store(store) => store_words(store, remedies),
        Seen::Connection { direct, pooled } => ("connection", connection_words(*direct, *pooled), None),
        Seen::Shell { finds, needed } => shell_words(finds, *needed, remedies),
        Seen::HookErrors { count, last } => (
            "errors",
            format!(
                "{} in the last day. Most recent: {last}",
                counted(*count, "hook error")
            ),
            Some(format!("Read {}", remedies.log)),
        ),
    }
}

fn name(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Hooks => "hooks",
        EntryKind::Server => "MCP entry",
        EntryKind::Skills => "skills",
        EntryKind::Agents => "agents",
        EntryKind::Sandbox => "sandbox",
    }
}

fn entries(right: usize, wrong: &[String], edited: &[String], foreign: usize) -> String {
    let mut text = match (right, wrong) {
        (_, []) if edited.is_empty() => "Up to date.".to_owned(),
        (_, []) => format!("{right} up to date."),
        (0, _) => format!("Needs setup: {}.", some(wrong)),
        _ => format!("{right} up to date. Needs setup: {}.", some(wrong)),
    };
    if !edited.is_empty() {
        let _ = write!(text, " Left unchanged (edited since setup): {}.", some(edited));
    }
    if foreign > 0 {
        let _ = write!(text, " Entries not written by Bugle, left unchanged: {foreign}.");
    }
    text
}

/// The first few items of a list.
fn some(items: &[String]) -> String {
    const MOST: usize = 3;
    let mut text = items.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    if items.len() > MOST {
        let _ = write!(text, " and {} more", items.len() - MOST);
    }
    text
}

fn trust_words(trust: Trust) -> String {
    match trust {
        Trust::Trusted => "Trusted: Codex runs the hooks.".to_owned(),
        Trust::Untrusted { skipped, all } => {
            format!("Not trusted: Codex silently skips {skipped} of {all} hooks.")
        }
        Trust::Unknown => "Bugle cannot tell whether Codex trusts the hooks.".to_owned(),
    }
}

fn answered(answer: &Result<u64, String>, remedies: &Remedies) -> (&'static str, String, Option<String>) {
    match answer {
        Ok(milliseconds) => (
            "answer",
            format!("A hook answers in {milliseconds} ms."),
            Some(
                "Hooks this slow delay the client. Check whether the machine is busy, then run `bugle doctor` again."
                    .to_owned(),
            ),
        ),
        Err(why) => (
            "answer",
            format!("A hook fails when Bugle runs it the way the client does: {why}"),
            Some(remedies.setup.clone()),
        ),
    }
}

fn store_words(store: &StoreSeen, remedies: &Remedies) -> (&'static str, String, Option<String>) {
    let verify = Some(remedies.verify.clone());
    match store {
        StoreSeen::Absent => (
            "store",
            "There is no store yet; the first run creates the store.".to_owned(),
            None,
        ),
        StoreSeen::Sound { runs, tasks } => {
            let (runs, tasks) = (counted(*runs, "run"), counted(*tasks, "task"));
            ("store", format!("No errors: {runs}, {tasks}."), None)
        }
        StoreSeen::Faulty { first, count } => {
            let faults = counted(*count, "error");
            ("store", format!("{faults}. First error: {first}"), verify)
        }
        StoreSeen::Unusable { why, remedy } => ("store", why.clone(), remedy.clone().or(verify)),
    }
}

fn connection_words(direct: Option<u64>, pooled: Option<u64>) -> String {
    let milliseconds = |micros: u64| format!("{}.{} ms", micros / 1000, micros / 100 % 10);
    match (direct, pooled) {
        (Some(direct), Some(pooled)) => format!(
            "Connecting and reading one row takes {} through the pooler, and {} directly.",
            milliseconds(pooled),
            milliseconds(direct)
        ),
        (None, Some(pooled)) => format!(
            "Connecting and reading one row takes {} through the pooler.",
            milliseconds(pooled)
        ),
        (Some(direct), None) => format!(
            "Connecting and reading one row takes {}. A local pooler saves most of this time: see `bugle store pooler`.",
            milliseconds(direct)
        ),
        (None, None) => "The server does not answer.".to_owned(),
    }
}

fn shell_words(
    found: &ShellFinds,
    needed: bool,
    remedies: &Remedies,
) -> (&'static str, String, Option<String>) {
    let program = &remedies.program;
    let (says, remedy) = match found {
        ShellFinds::This => ("A login shell finds this bugle.".to_owned(), None),
        ShellFinds::Other(other) => (
            format!("A login shell finds {other}, not {program}."),
            Some("Reorder your shell's PATH: the folder of the bugle that you want to use must come first.".to_owned()),
        ),
        ShellFinds::Nothing => (
            if needed {
                "A login shell does not find bugle. Codex runs commands in a login shell, so its agents cannot run bugle."
            } else {
                "A login shell does not find bugle. Clients that run commands in a login shell, such as Codex, would not find \
                 bugle either."
            }
            .to_owned(),
            Some(format!(
                "Add the folder of {program} to the PATH in your shell's profile."
            )),
        ),
        ShellFinds::Unknown(why) => (format!("Bugle could not run a login shell: {why}"), None),
    };
    ("PATH", says, remedy)
}

/// How to set up a client: the command, and the clients' names.
pub fn no_client(setup: &str, clients: &[&str]) -> String {
    format!(
        "To set up a client, run `{setup}`. The clients are {}.",
        clients.join(", ")
    )
}

/// All findings.
pub fn view(view: &DoctorView) -> String {
    let mut out = String::new();
    for client in &view.clients {
        let _ = writeln!(out, "{} ({})", client.title, client.scope);
        client.findings.iter().for_each(|finding| line(&mut out, finding));
        out.push('\n');
    }
    out.push_str("General\n");
    view.findings.iter().for_each(|finding| line(&mut out, finding));
    let all = view
        .clients
        .iter()
        .flat_map(|client| &client.findings)
        .chain(&view.findings);
    let count = |state: HealthState| all.clone().filter(|finding| finding.state == state).count();
    let (wrong, unsure) = (count(HealthState::Wrong), count(HealthState::Unsure));
    let _ = match wrong {
        0 if view.well && unsure == 0 => writeln!(out, "\nNo problems found."),
        0 if view.well => writeln!(
            out,
            "\nNo problems found. Check the lines marked `{}`.",
            HealthState::Unsure.as_str()
        ),
        0 => writeln!(out, "\nNo client is set up."),
        1 => writeln!(out, "\n1 problem to fix."),
        _ => writeln!(out, "\n{wrong} problems to fix."),
    };
    if let Some(remedy) = &view.remedy {
        let _ = writeln!(out, "{remedy}");
    }
    printable(&out)
}

fn line(out: &mut String, finding: &HealthFinding) {
    let _ = writeln!(
        out,
        "  {:<5} {:<9} {}",
        finding.state.as_str(),
        finding.check,
        finding.says
    );
    if let Some(remedy) = &finding.remedy {
        let _ = writeln!(out, "        {:<9} {remedy}", "");
    }
}
