//! Decides whether a policy allows a tool call.

use super::paths::{AgentPaths, Protected};
use super::shell::{Access, Change, Reading, Shell, Write, WriteTarget, calls_only, changes, read};
use crate::tool::{Tool, ToolPolicy};

/// An agent's tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolUse<'a> {
    /// The tool.
    pub tool: Tool,
    /// The client's name for the tool.
    pub name: &'a str,
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
    /// The policy denies the tool, which the client calls by this name.
    Tool(Tool, String),
    /// The command writes a file, and the policy denies writing.
    Writes(Write),
    /// The call would change this protected file.
    Protected(Protected, String),
    /// This Bugle command would remove Bugle from the client, or change the whole store.
    Setup(String),
    /// The command calls Bugle without the client's session.
    HidesSession,
}

/// Commands that change the whole store, or assign its data to another project.
pub const STORE_CHANGES: [(&str, &str); 7] = [
    ("project", "join"),
    ("project", "move"),
    ("project", "merge"),
    ("store", "init"),
    ("store", "move"),
    ("team", "add"),
    ("team", "remove"),
];

/// Checks a tool call against all policies. Returns the index of the first policy that denies it.
pub fn judge(
    policies: &[ToolPolicy],
    used: &ToolUse<'_>,
    paths: &AgentPaths,
    shell: &Shell<'_>,
) -> Result<(), (usize, Denied)> {
    // Bugle's own tools, Bugle commands and result files are always allowed.
    if used.tool == Tool::Bugle {
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
    protects(used, &patched, paths, &reading).map_err(|denied| (0, denied))?;
    for (number, policy) in policies.iter().enumerate() {
        allows(policy, used, &patched, paths, &reading).map_err(|denied| (number, denied))?;
    }
    Ok(())
}

/// Checks a tool call against one policy.
fn allows(
    policy: &ToolPolicy,
    used: &ToolUse<'_>,
    patched: &[Change<'_>],
    paths: &AgentPaths,
    reading: &Reading,
) -> Result<(), Denied> {
    if *policy == ToolPolicy::Unrestricted {
        return Ok(());
    }
    let is_own = |file: &str| paths.is_own(file);
    if used.tool == Tool::Patch {
        return patch(policy, used.name, patched, &is_own);
    }
    if used.tool.writes_file() && used.file.is_some_and(is_own) {
        return Ok(());
    }
    if !policy.permits_as(used.tool, used.name) {
        return Err(Denied::Tool(used.tool, used.name.to_owned()));
    }
    if policy.permits(Tool::Write) || policy.permits(Tool::Edit) {
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

/// Checks that the call leaves protected data unchanged: the store, the clients' settings and Bugle's own setup. This
/// applies under every policy.
fn protects(
    used: &ToolUse<'_>,
    patched: &[Change<'_>],
    paths: &AgentPaths,
    reading: &Reading,
) -> Result<(), Denied> {
    let is_protected = |file: &str, access: Access, shown: &str| match paths.protects(file, access) {
        Some(protected) => Err(Denied::Protected(protected, shown.to_owned())),
        None => Ok(()),
    };
    // A tool from another server may change the file in its input.
    let named = used
        .file
        .filter(|_| used.tool.writes_file() || used.tool == Tool::Mcp);
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

/// Checks a patch. It may create files and edit others, so it may need permission for both tools. If the policy names
/// the client's patch tool, only that entry decides.
fn patch(
    policy: &ToolPolicy,
    name: &str,
    patched: &[Change<'_>],
    is_own: &dyn Fn(&str) -> bool,
) -> Result<(), Denied> {
    let may = |change: &Change<'_>| {
        let tool = match change {
            Change::Add(_) => Tool::Write,
            Change::Update(_) => Tool::Edit,
        };
        policy.permits(tool) || is_own(change.file())
    };
    let is_named = policy.named().iter().any(|named| named == name);
    let is_permitted = match patched {
        _ if is_named => policy.permits_as(Tool::Patch, name),
        // A patch that cannot be parsed may create and edit files.
        [] => policy.permits(Tool::Write) && policy.permits(Tool::Edit),
        patched => patched.iter().all(may),
    };
    if is_permitted {
        Ok(())
    } else {
        Err(Denied::Tool(Tool::Patch, name.to_owned()))
    }
}

#[cfg(test)]
#[path = "tool_tests.rs"]
mod tests;
