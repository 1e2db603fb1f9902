//! Text for an agent that replaces a lost agent: the unfinished work, the checks to make first, and the lost agent's
//! last actions.

use bugle_core::count::{count_phrase, counted};
use bugle_core::digest::Detail;
use bugle_core::reply::{
    ActivityView, LogView, RecoveryChecks, RecoveryView, UnfinishedItem, UnfinishedWork, WakeMessage,
};
use bugle_core::wake::{Offer, Part};

use super::history::activity_line;
use super::quote::{Program, clipped, code, fence, inline, items, mention, number, tags_remark};
use super::sizes;
use crate::command_text;

/// Maximum length of a line, in characters.
const MOST_OF_ONE: usize = 300;
/// Maximum length of a shortened message, in characters.
const MOST_OF_MESSAGE: usize = 200;
/// Maximum number of actions, log lines and changed files shown at the shortened size.
const FEW: usize = 5;

pub(super) fn offer(recovery: Option<&RecoveryView>, program: &Program) -> Offer {
    let Some(recovery) = recovery else {
        return sizes::nothing(Part::Recovery);
    };
    sizes::offer(
        Part::Recovery,
        vec![
            (Detail::Full, full(recovery, program)),
            (Detail::Digest, digest(recovery, program)),
            (Detail::Pointer, pointer(recovery)),
        ],
    )
}

fn full(recovery: &RecoveryView, program: &Program) -> Vec<String> {
    let mut blocks = head(recovery, program);
    blocks.push(checks(&recovery.checks, usize::MAX));
    if !recovery.did.is_empty() {
        blocks.push("**The agent's last recorded actions:**".to_owned());
        blocks.push(items(recovery.did.iter().map(action)));
        blocks.push(earlier(recovery, recovery.did_before));
    }
    for message in &recovery.said {
        blocks.push(message_title(message));
        blocks.push(fence(&message.text));
    }
    if let Some(log) = &recovery.log {
        blocks.extend(last_lines(log, usize::MAX));
    }
    blocks
}

fn digest(recovery: &RecoveryView, program: &Program) -> Vec<String> {
    let mut blocks = head(recovery, program);
    blocks.push(checks(&recovery.checks, FEW));
    let skipped = recovery.did.len().saturating_sub(FEW);
    if !recovery.did.is_empty() {
        blocks.push("**The agent's last recorded actions:**".to_owned());
        blocks.push(items(recovery.did[skipped..].iter().map(action)));
    }
    if let Some(last) = recovery.said.last() {
        blocks.push(message_title(last));
        blocks.push(fence(&clipped(&last.text, MOST_OF_MESSAGE)));
    }
    if let Some(log) = &recovery.log {
        blocks.extend(last_lines(log, FEW));
    }
    let before = recovery.did_before.saturating_add(number(skipped));
    let before = counted(before, "earlier event");
    blocks.push(rest(
        recovery,
        &format!("{before} and parts of the agent's messages and log are not shown:"),
    ));
    blocks
}

fn pointer(recovery: &RecoveryView) -> Vec<String> {
    let mut blocks = vec![heading(recovery)];
    let pieces = number(recovery.work.len()).saturating_add(recovery.more_work);
    let shown: Vec<String> = recovery
        .work
        .iter()
        .take(3)
        .map(|work| inline(&work.item.id()))
        .collect();
    blocks.push(match pieces {
        0 => "No unfinished work was found.".to_owned(),
        _ => format!(
            "{} unfinished ({}).",
            count_phrase(pieces, "item is", "items are"),
            shown.join(", ")
        ),
    });
    blocks.extend(recovery.work.iter().filter_map(advice).take(1));
    let to_check = recovery
        .checks
        .uncommitted
        .iter()
        .map(|found| found.command.as_str());
    let printed = recovery.log.iter().map(|log| log.command.as_str());
    let shown = recovery.commands.iter().map(|command| command.command.as_str());
    let commands: Vec<String> = shown.chain(to_check).chain(printed).map(code).collect();
    if !commands.is_empty() {
        blocks.push(format!(
            "To see the agent's last actions and what to check first, run: {}",
            commands.join(", ")
        ));
    }
    blocks
}

fn heading(recovery: &RecoveryView) -> String {
    format!("## Taking over from {}", mention(&recovery.agent))
}

/// The lost agent's name, its unfinished work, and how often that work has failed.
fn head(recovery: &RecoveryView, program: &Program) -> Vec<String> {
    let mut blocks = vec![heading(recovery)];
    if recovery.work.is_empty() {
        blocks.push("The agent has stopped. No unfinished work was found.".to_owned());
    } else {
        let lines = recovery.work.iter().map(|work| {
            format!(
                "{}; {}: {}",
                clipped(&description(&work.item), MOST_OF_ONE),
                inline(&command_text::purpose(&work.command.purpose)),
                code(&work.command.command)
            )
        });
        blocks.push(format!(
            "The agent stopped and left this work unfinished:\n{}",
            items(lines)
        ));
    }
    if recovery.more_work > 0 {
        let more = count_phrase(recovery.more_work, "more item is", "more items are");
        let (runs, tasks) = (
            program.command(&["run", "list", "--open"]),
            program.command(&["task", "list"]),
        );
        blocks.push(format!("{more} not shown: {}, {}", code(&runs), code(&tasks)));
    }
    let warnings = recovery
        .work
        .iter()
        .filter_map(|work| advice(work).or_else(|| failures(work)));
    blocks.extend(warnings);
    if recovery.unread > 0 {
        let unread = count_phrase(
            recovery.unread,
            "message for the agent is",
            "messages for the agent are",
        );
        blocks.push(format!("{unread} unread: {}", code(&recovery.unread_command)));
    }
    blocks
}

fn description(item: &UnfinishedItem) -> String {
    match item {
        UnfinishedItem::Run { visit, skill, step } => {
            format!("run {} of {skill}, at the step \"{step}\" ({visit})", visit.run)
        }
        UnfinishedItem::Task { name, status } => {
            format!("{} ({}), {}", name.inline_label(), name.id, status.as_str())
        }
    }
}

/// How often an item has failed, if more than once.
fn failures(work: &UnfinishedWork) -> Option<String> {
    let all = work.failed.saturating_add(work.died);
    (all > 1).then(|| {
        let mut ways = Vec::new();
        if work.failed > 0 {
            ways.push(format!("it failed {}", times(work.failed)));
        }
        if work.died > 0 {
            ways.push(format!("its agent crashed {}", times(work.died)));
        }
        format!(
            "{} was tried {} and is still unfinished: {}.",
            inline(&work.item.id()),
            times(all),
            ways.join(", ")
        )
    })
}

fn times(number: u32) -> String {
    counted(u64::from(number), "time")
}

/// The advice to split an item that has failed too often.
fn advice(work: &UnfinishedWork) -> Option<String> {
    let command = work.split.as_ref()?;
    Some(format!(
        "**{} has failed {}.** It is probably too large. Before you try again, split it into smaller subtasks ({} explains \
         how).",
        inline(&work.item.id()),
        times(work.failed.saturating_add(work.died)),
        code(command)
    ))
}

/// The checks to make first, in order.
fn checks(checks: &RecoveryChecks, most: usize) -> String {
    let mut lines = Vec::new();
    if let Some(uncommitted) = &checks.uncommitted {
        let command = code(&uncommitted.command);
        let all = number(uncommitted.files.len()).saturating_add(uncommitted.more);
        lines.push(if all == 0 {
            format!("The worktree has no uncommitted changes ({command}).")
        } else {
            let shown = &uncommitted.files[..uncommitted.files.len().min(most)];
            let more = all.saturating_sub(number(shown.len()));
            let mut names: Vec<String> = shown.iter().map(|file| code(file.trim_start())).collect();
            if more > 0 {
                names.push(format!("{more} more"));
            }
            let files = count_phrase(all, "file has", "files have");
            format!("{files} uncommitted changes ({command}): {}", names.join(", "))
        });
    }
    if let Some(file) = &checks.result {
        lines.push(format!(
            "The open step's result is written but not submitted: {}",
            code(file)
        ));
    }
    let open = checks.evidence.iter();
    lines.extend(open.map(|line| format!("The open step requires {}", clipped(line, MOST_OF_ONE))));
    if !checks.files.is_empty() {
        let shown = &checks.files[..checks.files.len().min(most)];
        let more = number(checks.files.len() - shown.len()).saturating_add(checks.more_files);
        let mut names: Vec<String> = shown
            .iter()
            .map(|file| {
                let is = if file.exists { "exists" } else { "is missing" };
                format!("{} {is}", code(&file.path))
            })
            .collect();
        if more > 0 {
            names.push(format!("{more} more"));
        }
        lines.push(format!("Task files: {}", names.join(", ")));
    }
    if lines.is_empty() {
        return String::new();
    }
    format!("**Check first:**\n\n{}", items(lines))
}

fn action(event: &ActivityView) -> String {
    activity_line(event, MOST_OF_ONE)
}

fn earlier(recovery: &RecoveryView, before: u64) -> String {
    if before == 0 {
        return String::new();
    }
    let before = count_phrase(before, "earlier event is", "earlier events are");
    rest(recovery, &format!("{before} not shown:"))
}

fn message_title(message: &WakeMessage) -> String {
    let at = message.at.as_ref();
    let at = at.map_or(String::new(), |at| format!(" at {}", clipped(at, 40)));
    format!("**Message from the agent**{at}{}:", tags_remark(&message.text))
}

fn last_lines(log: &LogView, most: usize) -> Vec<String> {
    let file = code(&log.file);
    if let Some(trouble) = &log.trouble {
        return vec![format!(
            "Bugle could not read the agent's log {file}: {}.",
            inline(trouble)
        )];
    }
    if log.lines.is_empty() {
        return vec![format!("The agent's log {file} is empty.")];
    }
    let skipped = log.lines.len().saturating_sub(most);
    let lines = log.lines[skipped..].join("\n");
    let mut blocks = vec![
        format!(
            "**Last lines of the agent's log** ({file}){}:",
            tags_remark(&lines)
        ),
        fence(&lines),
    ];
    if log.is_cut || skipped > 0 {
        blocks.push(format!("More of the log: {}", code(&log.command)));
    }
    blocks
}

/// The commands that show the rest.
fn rest(recovery: &RecoveryView, says: &str) -> String {
    let commands: Vec<String> = recovery
        .commands
        .iter()
        .map(|command| code(&command.command))
        .collect();
    if commands.is_empty() {
        return String::new();
    }
    format!("{says} {}", commands.join(", "))
}
