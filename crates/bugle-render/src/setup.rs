//! The result of `bugle setup` as text.

use std::fmt::Write as _;

use bugle_core::count::counted;
use bugle_core::reply::{FileState, PluginView, SetupAction, SetupList, SetupNote, SetupView};
use similar::TextDiff;

use crate::text::printable;

/// Maximum number of files that a note names.
const MAX_NAMED_FILES: usize = 3;

/// A file's change as a unified diff.
pub fn diff(path: &str, before: Option<&str>, after: Option<&str>) -> String {
    let name = |side: &str, text: Option<&str>| match text {
        Some(_) => format!("{side}/{}", path.trim_start_matches('/')),
        None => "/dev/null".to_owned(),
    };
    TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default())
        .unified_diff()
        .context_radius(3)
        .header(&name("a", before), &name("b", after))
        .to_string()
}

/// The result for several clients.
pub fn list(list: &SetupList) -> String {
    let views: Vec<String> = list.clients.iter().map(view).collect();
    views.join("\n")
}

/// The changes that setup made to each file, or the state of each file.
pub fn view(view: &SetupView) -> String {
    let mut out = String::new();
    if view.dry_run {
        for diff in view.files.iter().filter_map(|file| file.diff.as_deref()) {
            out.push_str(diff);
        }
        if out.is_empty() {
            out.push_str("Nothing would change.\n");
        }
        return printable(&out);
    }
    let quiet = |state| {
        matches!(
            state,
            FileState::Unchanged | FileState::Present | FileState::Absent
        )
    };
    for file in view.files.iter().filter(|file| !quiet(file.state)) {
        let _ = writeln!(out, "{:<9} {}  ({})", file.state.as_str(), file.path, file.holds);
        for detail in &file.details {
            let _ = writeln!(out, "          {detail}");
        }
    }
    let quiet_all = out.is_empty();
    let has = |state| view.files.iter().any(|file| file.state == state);
    let explanations = [FileState::Shared, FileState::Kept].into_iter();
    let explanations = explanations.filter(|state| has(*state));
    let explanations: String = explanations
        .filter_map(|state| Some(format!("{}\n", explanation(state, view.action)?)))
        .collect();
    out.push_str(&explanations);
    let still = match view.action {
        SetupAction::Remove => {
            !has(FileState::Deleted) && !has(FileState::Changed) && !has(FileState::Shared)
        }
        SetupAction::Setup => {
            !has(FileState::Created) && !has(FileState::Changed) && !has(FileState::Deleted)
        }
        SetupAction::Check => quiet_all,
    };
    let scope = format!("{} ({})", view.client, view.scope);
    let _ = match view.action {
        SetupAction::Setup if still => writeln!(out, "Nothing changed: {scope} is already set up."),
        SetupAction::Remove if still => writeln!(out, "Nothing changed: {scope} is not set up."),
        SetupAction::Check if still => writeln!(out, "{scope} is set up."),
        SetupAction::Check if view.files.iter().all(|file| file.state.is_in_order()) => {
            writeln!(out, "Everything else is up to date: {scope} is set up.")
        }
        SetupAction::Remove => writeln!(out, "Removed {scope}. Your runs, plans and messages are kept."),
        SetupAction::Setup | SetupAction::Check => Ok(()),
    };
    for note in &view.notes {
        let _ = writeln!(out, "\n{}", self::note(note));
    }
    printable(&out)
}

/// The reason that a file is kept, and how the user can proceed.
fn explanation(state: FileState, action: SetupAction) -> Option<&'static str> {
    match (state, action) {
        (FileState::Shared, _) => Some("shared: another client uses the file, so Bugle keeps the file."),
        (FileState::Kept, SetupAction::Remove) => Some(
            "kept: you have edited the file since Bugle wrote it. Delete the file if you do not need it.",
        ),
        (FileState::Kept, SetupAction::Setup | SetupAction::Check) => Some(
            "kept: you have edited the file since Bugle wrote it, so setup does not change it. To get Bugle's version, \
             delete the file and run setup again.",
        ),
        _ => None,
    }
}

/// A note for the user.
pub fn note(note: &SetupNote) -> String {
    match note {
        SetupNote::InvalidSkill { skill, client, check } => {
            format!("The skill {skill} is invalid, so {client} does not list it. `{check}` lists its errors.")
        }
        SetupNote::OtherScope {
            client,
            is_user,
            remove,
        } => {
            let place = if *is_user {
                "for all your projects"
            } else {
                "in this project"
            };
            format!("{client} is set up {place}. To remove that setup: {remove}")
        }
        SetupNote::NotInstalled { program, client } => {
            format!("`{program}` was not found on the PATH. Install {client}, or add its folder to the PATH.")
        }
        SetupNote::Foreign { path } => format!("{path} does not belong to Bugle, so it was not changed."),
        SetupNote::NoStatusLine { client } => format!("{client} has no configurable status line."),
        SetupNote::OtherStatusLine => {
            "The status line does not belong to Bugle, so it was not changed.".to_owned()
        }
        SetupNote::Incomplete { setup } => format!("To complete the setup: {setup}"),
        SetupNote::Client { text } => text.clone(),
        SetupNote::GitExcluded => {
            "In this clone, git ignores these files, except those that it already tracks.".to_owned()
        }
        SetupNote::Commit {
            machine_files,
            exclude,
            remove,
            user,
        } => {
            let mut text = do_not_commit(machine_files);
            text.push_str(" Do commit your own skills in .bugle/skills.");
            if let Some(exclude) = exclude {
                let _ = write!(
                    text,
                    "\nTo make git ignore the setup's untracked files in this clone: {exclude}"
                );
            }
            let _ = write!(
                text,
                "\nTo set up all your projects without adding files to them: {remove} && {user}"
            );
            text
        }
        SetupNote::Check { doctor } => format!("To check the setup: {doctor}"),
    }
}

fn do_not_commit(machine_files: &[String]) -> String {
    match machine_files {
        [file] => format!("Don't commit {file}: it contains the path to bugle on this machine."),
        [first @ .., last] if first.len() < MAX_NAMED_FILES => format!(
            "Don't commit {} and {last}: they contain the path to bugle on this machine.",
            first.join(", ")
        ),
        _ => "Don't commit these files: they contain the path to bugle on this machine.".to_owned(),
    }
}

/// A plugin that was built, and how to install it.
pub fn plugin(view: &PluginView) -> String {
    let mut out = format!(
        "Built the plugin for {} in {}: {}.\n\nTo install it:\n",
        view.client,
        view.folder,
        counted(view.files.len(), "file")
    );
    for line in &view.install {
        let _ = writeln!(out, "    {line}");
    }
    printable(&out)
}
