//! The findings of `bugle doctor`, each with its fix.

use std::fmt::Write as _;

use bugle_core::doctor::{Denial, EntryKind, Health, Seen, ShellFinds, StoreSeen, Trust};
use bugle_wire::{DoctorView, HealthFinding, HealthState};

use crate::text::printable;

/// What remedies are made of.
#[derive(Debug, Clone)]
pub struct Remedies {
    /// The command that sets the client up.
    pub setup: String,
    /// The path of the program.
    pub program: String,
    /// The command that verifies the store.
    pub verify: String,
    /// The file of the log of hooks.
    pub log: String,
}

/// A finding in words, with its fix.
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
        Seen::Version(Some(version)) => ("version", version.clone(), None),
        Seen::Version(None) => (
            "version",
            "It is not on the PATH.".to_owned(),
            Some("Install it, or go on with the clients that you have.".to_owned()),
        ),
        Seen::NotSetUp { .. } => ("setup", "It is not set up for Bugle.".to_owned(), setup()),
        Seen::Unreadable(why) => (
            "setup",
            why.clone(),
            Some("Fix the file there. Bugle does not change files it cannot read.".to_owned()),
        ),
        Seen::Entries {
            kind,
            right,
            wrong,
            foreign,
        } => (name(*kind), entries(*right, wrong, *foreign), setup()),
        Seen::HooksOff(file) => (
            "enabled",
            format!("{file} has `disableAllHooks`: Claude Code runs no hooks."),
            Some(format!("Remove `disableAllHooks` from {file}.")),
        ),
        Seen::Trust(trust) => {
            let remedy = "In codex, run /hooks, look through Bugle's hooks and trust them.";
            ("trust", trust_words(*trust), Some(remedy.to_owned()))
        }
        Seen::ProjectTrusted(trusted) => (
            "project",
            match trusted {
                Some(true) => "Codex has this project as trusted.",
                Some(false) => "Codex does not trust this project, so it does not read the settings in it.",
                None => "Whether Codex trusts this project cannot be told.",
            }
            .to_owned(),
            Some("Start codex here, and say that you trust the project.".to_owned()),
        ),
        Seen::Answer(answer) => answered(answer, remedies),
        Seen::Denial(denial) => (
            "denial",
            match denial {
                Denial::Held => "A tool that a step forbids was denied.".to_owned(),
                Denial::LetThrough => "A tool that a step forbids was not denied.".to_owned(),
                Denial::Untried(why) => format!("A denial could not be tried: {why}"),
            },
            setup(),
        ),
        Seen::Server(Ok(tools)) => (
            "server",
            format!("The MCP server answers; it has {tools} tools."),
            setup(),
        ),
        Seen::Server(Err(why)) => (
            "server",
            format!("The MCP server does not answer: {why}"),
            setup(),
        ),
        Seen::Store(store) => store_words(store, remedies),
        Seen::Shell { finds, .. } => shell_words(finds, remedies),
        Seen::Faults { count, last } => (
            "faults",
            format!(
                "{count} {} in hooks in the last day. The last: {last}",
                if *count == 1 { "fault" } else { "faults" }
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
    }
}

fn entries(right: usize, wrong: &[String], foreign: usize) -> String {
    let mut said = match (right, wrong) {
        (_, []) => "In place and up to date.".to_owned(),
        (0, _) => format!("Not in order: {}.", some(wrong)),
        _ => format!("{right} in order; not in order: {}.", some(wrong)),
    };
    if foreign > 0 {
        let _ = write!(
            said,
            " {foreign} of the same name are not Bugle's, and are left alone."
        );
    }
    said
}

/// The first few of a list.
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
            format!("Not trusted: Codex skips {skipped} of {all} hooks, and says nothing.")
        }
        Trust::Unknown => "Whether Codex trusts the hooks cannot be told from its files.".to_owned(),
    }
}

fn answered(answer: &Result<u64, String>, remedies: &Remedies) -> (&'static str, String, Option<String>) {
    match answer {
        Ok(milliseconds) => (
            "answer",
            format!("A hook answers in {milliseconds} ms."),
            Some(
                "That is slow enough to be felt. See whether the machine is busy, and look again.".to_owned(),
            ),
        ),
        Err(why) => (
            "answer",
            format!("A hook, called as the client calls it, does not answer: {why}"),
            Some(remedies.setup.clone()),
        ),
    }
}

fn store_words(store: &StoreSeen, remedies: &Remedies) -> (&'static str, String, Option<String>) {
    let verify = Some(remedies.verify.clone());
    match store {
        StoreSeen::Absent => (
            "store",
            "There is none yet; the first run makes it.".to_owned(),
            None,
        ),
        StoreSeen::Sound { runs, tasks } => {
            let plural = |count: u64| if count == 1 { "" } else { "s" };
            let (of_runs, of_tasks) = (plural(*runs), plural(*tasks));
            (
                "store",
                format!("Sound: {runs} run{of_runs}, {tasks} task{of_tasks}."),
                None,
            )
        }
        StoreSeen::Faulty { first, count } => {
            ("store", format!("{count} faults. The first: {first}"), verify)
        }
        StoreSeen::Unusable(why) => ("store", why.clone(), verify),
    }
}

fn shell_words(found: &ShellFinds, remedies: &Remedies) -> (&'static str, String, Option<String>) {
    let program = &remedies.program;
    let (says, remedy) = match found {
        ShellFinds::This => ("A login shell finds this program.".to_owned(), None),
        ShellFinds::Other(other) => (
            format!("A login shell finds another program, {other}, and not {program}."),
            Some("Put the folder of the one that you want first in the PATH of your shell.".to_owned()),
        ),
        ShellFinds::Nothing => (
            "A login shell does not find bugle, and that is how agents call it.".to_owned(),
            Some(format!(
                "Put the folder of {program} into the PATH that your shell's profile sets."
            )),
        ),
        ShellFinds::Unknown(why) => (format!("A login shell could not be asked: {why}"), None),
    };
    ("PATH", says, remedy)
}

/// Everything that was found.
pub fn view(view: &DoctorView) -> String {
    let mut out = String::new();
    for client in &view.clients {
        let _ = writeln!(out, "{} ({})", client.title, client.scope);
        client.findings.iter().for_each(|finding| line(&mut out, finding));
        out.push('\n');
    }
    out.push_str("Everywhere\n");
    view.findings.iter().for_each(|finding| line(&mut out, finding));
    let all = view
        .clients
        .iter()
        .flat_map(|client| &client.findings)
        .chain(&view.findings);
    let count = |state: HealthState| all.clone().filter(|finding| finding.state == state).count();
    let (wrong, unsure) = (count(HealthState::Wrong), count(HealthState::Unsure));
    let _ = match wrong {
        0 if view.well && unsure == 0 => writeln!(out, "\nAll is well."),
        0 if view.well => writeln!(
            out,
            "\nNothing is wrong; what is marked `{}` is worth a look.",
            HealthState::Unsure.as_str()
        ),
        0 => writeln!(out, "\nNo client is set up."),
        1 => writeln!(out, "\nOne thing is to be mended."),
        _ => writeln!(out, "\n{wrong} things are to be mended."),
    };
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
