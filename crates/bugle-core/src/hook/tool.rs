//! Decides whether a policy allows a tool call.

use super::paths::{AgentPaths, Protected};
use super::shell::{Access, Change, Reading, Shell, Write, WriteTarget, calls_only, changes, read};
use crate::tool::ToolPolicy;

/// An agent's tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolUse<'a> {
    /// The client's name for the tool.
    pub tool: &'a str,
    /// Whether the tool belongs to Bugle's own MCP server.
    pub is_bugles: bool,
    /// The shell command, if any.
    pub command: Option<&'a str>,
    /// The file, if any.
    pub file: Option<&'a str>,
    /// The patch, if any.
    pub patch: Option<&'a str>,
}

/// Why a tool call is denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Denied {
    /// The policy denies the tool.
    Tool(String),
    /// The command writes a file, and the policy denies writing.
    Writes(Write),
    /// The call would change this protected file.
    Protected(Protected, String),
    /// This Bugle command would remove Bugle from the client, or change the whole store.
    Setup(String),
    /// The command calls Bugle without the client's session.
    HidesSession,
}

/// Names of the same tool in different clients. Skills use the first one.
const SAME: [&[&str]; 12] = [
    &[
        "Bash",
        "exec_command",
        "shell",
        "local_shell",
        "shell_command",
        "run_shell_command",
        "bash",
    ],
    &["Agent", "Task", "spawn_agent", "task"],
    &["Read", "read_file", "read"],
    &["Write", "write_file", "write"],
    &["Edit", "MultiEdit", "replace", "edit", "multiedit"],
    &["NotebookEdit", "notebook_edit"],
    &["Glob", "glob"],
    &["Grep", "search_file_content", "grep_search", "grep"],
    &["LS", "list_directory", "list"],
    &["WebFetch", "web_fetch", "webfetch"],
    &["WebSearch", "google_web_search", "web_search", "websearch"],
    &["TodoWrite", "write_todos", "update_plan", "todowrite"],
];
/// Tools that apply a patch, and so can do what Write and Edit do.
const PATCHES: [&str; 2] = ["apply_patch", "patch"];
/// Tools that write a file.
const WRITERS: [&str; 3] = ["Write", "Edit", "NotebookEdit"];
/// Commands that change the whole store, or assign its data to another project.
pub const STORE_CHANGES: [(&str, &str); 2] = [("project", "move"), ("project", "merge")];

/// Checks a tool call against all policies. Returns the index of the first policy that denies it.
pub fn judge(
    policies: &[ToolPolicy],
    used: &ToolUse<'_>,
    paths: &AgentPaths,
    shell: &Shell<'_>,
) -> Result<(), (usize, Denied)> {
    // Bugle's own tools, Bugle commands and result files are always allowed.
    if used.is_bugles {
        return Ok(());
    }
    if used
        .command
        .is_some_and(|command| calls_only(command, shell.program))
    {
        return Ok(());
    }
    let reading = used
        .command
        .map_or_else(Reading::default, |command| read(command, shell));
    let patched = used.patch.map(changes).unwrap_or_default();
    let is_writer = WRITERS.iter().any(|writer| is_same(writer, used.tool));
    protects(used, &patched, is_writer, paths, &reading).map_err(|denied| (0, denied))?;
    for (number, policy) in policies.iter().enumerate() {
        allows(policy, used, &patched, is_writer, paths, &reading).map_err(|denied| (number, denied))?;
    }
    Ok(())
}

/// Checks a tool call against one policy.
fn allows(
    policy: &ToolPolicy,
    used: &ToolUse<'_>,
    patched: &[Change<'_>],
    is_writer: bool,
    paths: &AgentPaths,
    reading: &Reading,
) -> Result<(), Denied> {
    if *policy == ToolPolicy::Unrestricted {
        return Ok(());
    }
    let is_own = |file: &str| paths.is_own(file);
    if PATCHES.contains(&used.tool) {
        return patch(policy, used.tool, patched, &is_own);
    }
    if is_writer && used.file.is_some_and(is_own) {
        return Ok(());
    }
    if !permits(policy, used.tool) {
        return Err(Denied::Tool(used.tool.to_owned()));
    }
    if permits(policy, "Write") || permits(policy, "Edit") {
        return Ok(());
    }
    let forbidden = reading.writes.iter().find(|write| {
        let is_allowed = write
            .program
            .as_deref()
            .is_some_and(|program| policy.allows_program(program));
        let is_own = match &write.target {
            WriteTarget::File {
                paths, is_certain, ..
            } => *is_certain && paths.iter().all(|path| is_own(path)),
            WriteTarget::Unknown(_) => false,
        };
        write.access != Access::Open && !is_own && !is_allowed
    });
    forbidden.map_or(Ok(()), |write| Err(Denied::Writes(write.clone())))
}

/// Checks what is protected under every policy: the store, the clients' settings and Bugle's own setup.
fn protects(
    used: &ToolUse<'_>,
    patched: &[Change<'_>],
    is_writer: bool,
    paths: &AgentPaths,
    reading: &Reading,
) -> Result<(), Denied> {
    let is_protected = |file: &str, access: Access, shown: &str| match paths.protects(file, access) {
        Some(protected) => Err(Denied::Protected(protected, shown.to_owned())),
        None => Ok(()),
    };
    // A tool from another server may do anything to the file that it names.
    let named = used.file.filter(|_| is_writer || used.tool.starts_with("mcp_"));
    for file in named
        .into_iter()
        .chain(patched.iter().map(|change| change.file()))
    {
        is_protected(file, Access::Write, file)?;
    }
    for write in &reading.writes {
        if let WriteTarget::File { shown, paths, .. } = &write.target {
            for path in paths {
                is_protected(path, write.access, shown)?;
            }
        }
    }
    for call in &reading.calls {
        // Options between the words, such as `-C DIR`, do not change which command runs.
        let has = |first: &str, then: &str| {
            // Bugle accepts command name prefixes.
            let is_short_for =
                |word: &String, name: &str| !word.is_empty() && name.starts_with(word.as_str());
            let mut words = call.words.iter();
            words.any(|word| is_short_for(word, first)) && words.any(|word| is_short_for(word, then))
        };
        let changes_store = STORE_CHANGES.iter().any(|(first, then)| has(first, then));
        if changes_store || has("setup", "--remove") {
            return Err(Denied::Setup(call.words.join(" ")));
        }
        if call.hides_session {
            return Err(Denied::HidesSession);
        }
    }
    Ok(())
}

/// A patch may create files and edit others, so it may need permission for both tools.
fn patch(
    policy: &ToolPolicy,
    tool: &str,
    patched: &[Change<'_>],
    is_own: &dyn Fn(&str) -> bool,
) -> Result<(), Denied> {
    let may = |change: &Change<'_>| {
        let tool = match change {
            Change::Add(_) => "Write",
            Change::Update(_) => "Edit",
        };
        permits(policy, tool) || is_own(change.file())
    };
    let may_all = match patched {
        // A patch that cannot be parsed may create and edit files.
        [] => permits(policy, "Write") && permits(policy, "Edit"),
        patched => patched.iter().all(may),
    };
    let is_named = policy.named().iter().any(|named| named == tool);
    let is_denied = is_named && !policy.permits(tool);
    if may_all && !is_denied || is_named && policy.permits(tool) {
        Ok(())
    } else {
        Err(Denied::Tool(tool.to_owned()))
    }
}

/// Whether two names refer to the same tool.
fn is_same(one: &str, other: &str) -> bool {
    one == other
        || SAME
            .iter()
            .any(|group| group.contains(&one) && group.contains(&other))
}

/// Whether a policy allows a tool under any of the tool's names.
fn permits(policy: &ToolPolicy, tool: &str) -> bool {
    let is_named = |named: &String| is_same(named, tool);
    match policy {
        ToolPolicy::Unrestricted => true,
        ToolPolicy::Deny(denied) | ToolPolicy::DenyExcept { tools: denied, .. } => {
            !denied.iter().any(is_named)
        }
        ToolPolicy::Allow(allowed) => allowed.iter().any(is_named),
    }
}

#[cfg(test)]
#[path = "tool_tests.rs"]
mod tests;
