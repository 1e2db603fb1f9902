//! Whether a tool may be used while a policy holds.

use super::shell::{Access, Change, Reading, Shell, Target, Write, calls_only, changes, read};
use super::territory::{Protected, Territory};
use crate::tool::ToolPolicy;

/// A tool that an agent is about to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolUse<'a> {
    /// The tool, as the client calls it.
    pub tool: &'a str,
    /// The command, if it runs one.
    pub command: Option<&'a str>,
    /// The file, if it is about one.
    pub file: Option<&'a str>,
    /// The patch, if it applies one.
    pub patch: Option<&'a str>,
}

/// Why a tool may not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Denied {
    /// The policy does not have it.
    Tool(String),
    /// It is a command that writes a file, and the policy lets none be written.
    Writes(Write),
    /// It would change what no agent changes while a step is open: this file.
    Protected(Protected, String),
    /// It would take Bugle out of the client, or change the store behind Bugle's back: this command of Bugle.
    Setup(String),
    /// It calls Bugle without the client's session.
    HidesSession,
}

/// Names of the same tool in different clients; the first is the one that skills use.
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
/// Tools that apply a patch: they do what Write and Edit do.
const PATCHES: [&str; 2] = ["apply_patch", "patch"];
/// Tools that write the file they name.
const WRITERS: [&str; 3] = ["Write", "Edit", "NotebookEdit"];
/// How clients name the tools of Bugle's MCP server.
const OWN_TOOLS: [&str; 3] = ["mcp__bugle__", "mcp_bugle_", "bugle_"];
/// Commands of `bugle store` that change or replace the store.
const STORE_CHANGES: [&str; 4] = ["restore", "import", "prune", "move"];

/// Whether a tool may be used.
pub fn judge(
    policy: &ToolPolicy,
    used: &ToolUse<'_>,
    territory: &Territory,
    shell: &Shell<'_>,
) -> Result<(), Denied> {
    // What Bugle itself asks for is never forbidden: its tools, its commands, and the files in which results are handed
    // in.
    if OWN_TOOLS.iter().any(|prefix| used.tool.starts_with(prefix)) {
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
    protects(used, &patched, is_writer, territory, &reading)?;
    if *policy == ToolPolicy::Unrestricted {
        return Ok(());
    }
    let is_own = |file: &str| territory.is_own(file);
    if PATCHES.contains(&used.tool) {
        return patch(policy, used.tool, &patched, &is_own);
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
    let forbidden = reading.writes.into_iter().find(|write| {
        let is_allowed = write
            .program
            .as_deref()
            .is_some_and(|program| policy.allows_program(program));
        let is_own = match &write.target {
            Target::File {
                paths, is_certain, ..
            } => *is_certain && paths.iter().all(|path| is_own(path)),
            Target::Unknown(_) => false,
        };
        write.access != Access::Open && !is_own && !is_allowed
    });
    forbidden.map_or(Ok(()), |write| Err(Denied::Writes(write)))
}

/// What holds whatever the policy says: the store, the clients' settings and Bugle's own setup.
fn protects(
    used: &ToolUse<'_>,
    patched: &[Change<'_>],
    is_writer: bool,
    territory: &Territory,
    reading: &Reading,
) -> Result<(), Denied> {
    let is_protected = |file: &str, access: Access, shown: &str| match territory.protects(file, access) {
        Some(protected) => Err(Denied::Protected(protected, shown.to_owned())),
        None => Ok(()),
    };
    // Tools of other servers may do anything to the file they name.
    let named = used.file.filter(|_| is_writer || used.tool.starts_with("mcp_"));
    for file in named
        .into_iter()
        .chain(patched.iter().map(|change| change.file()))
    {
        is_protected(file, Access::Write, file)?;
    }
    for write in &reading.writes {
        if let Target::File { shown, paths, .. } = &write.target {
            for path in paths {
                is_protected(path, write.access, shown)?;
            }
        }
    }
    for call in &reading.calls {
        let mut words = call.words.iter().map(String::as_str);
        let has = |option: &str| call.words.iter().any(|word| word == option);
        // Options before the command, such as `-C DIR`, change nothing about it.
        let command = words.find(|word| matches!(*word, "setup" | "store"));
        let changes_store = words.any(|word| STORE_CHANGES.contains(&word));
        let is_setup = match command {
            Some("setup") => has("--remove"),
            Some("store") => changes_store,
            _ => false,
        };
        if is_setup {
            return Err(Denied::Setup(call.words.join(" ")));
        }
        if call.hides_session {
            return Err(Denied::HidesSession);
        }
    }
    Ok(())
}

/// A patch writes new files and edits others; it may do what both tools may.
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
        // A patch that cannot be read may do both.
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

/// Whether two names are the same tool.
fn is_same(one: &str, other: &str) -> bool {
    one == other
        || SAME
            .iter()
            .any(|group| group.contains(&one) && group.contains(&other))
}

/// Whether a policy lets a tool be used, under any of its names.
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
mod tests {
    use super::*;
    use crate::tool::Program;

    const READ_ONLY: [&str; 2] = ["Edit", "Write"];

    fn deny(tools: &[&str]) -> ToolPolicy {
        ToolPolicy::Deny(tools.iter().map(ToString::to_string).collect())
    }

    fn used<'a>(tool: &'a str, command: Option<&'a str>, file: Option<&'a str>) -> ToolUse<'a> {
        ToolUse {
            tool,
            command,
            file,
            patch: None,
        }
    }

    fn patching(patch: &str) -> ToolUse<'_> {
        ToolUse {
            patch: Some(patch),
            ..used("apply_patch", None, None)
        }
    }

    fn judged(policy: &ToolPolicy, used: &ToolUse<'_>) -> Result<(), Denied> {
        let territory = Territory {
            directory: "/project".to_owned(),
            root: "/project".to_owned(),
            store: "/bugle".to_owned(),
            results: "/bugle/work/r-1".to_owned(),
            scratch: "/tmp".to_owned(),
            settings: vec!["/project/.claude/settings.json".to_owned()],
        };
        let shell = Shell {
            program: &|word| word == "bugle" || word == "/opt/bugle",
            variable: &|_| None,
        };
        judge(policy, used, &territory, &shell)
    }

    #[test]
    fn what_is_denied_is_denied_in_every_client() {
        let policy = deny(&READ_ONLY);
        for tool in [
            "Edit",
            "Write",
            "MultiEdit",
            "apply_patch",
            "write_file",
            "replace",
            "edit",
            "write",
        ] {
            let refused = judged(&policy, &used(tool, None, Some("/project/a.rs")));
            assert_eq!(refused, Err(Denied::Tool(tool.to_owned())));
        }
        for tool in ["Read", "NotebookEdit"] {
            assert_eq!(judged(&policy, &used(tool, None, Some("/project/a.rs"))), Ok(()));
        }
        let policy = deny(&["Task"]);
        assert!(judged(&policy, &used("Agent", None, None)).is_err());
    }

    #[test]
    fn edit_write_and_notebooks_are_denied_one_by_one() {
        let add = "*** Begin Patch\n*** Add File: docs/plan.md\n+x\n*** End Patch";
        let update = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-x\n+y\n*** End Patch";
        for (denied, refused) in [
            ("NotebookEdit", ["NotebookEdit"].as_slice()),
            ("Edit", &["Edit", "replace", "update"]),
            ("Write", &["Write", "write_file", "add"]),
        ] {
            let policy = deny(&[denied]);
            for tool in ["Edit", "Write", "NotebookEdit", "replace", "write_file"] {
                let judged = judged(&policy, &used(tool, None, Some("/project/a.rs")));
                assert_eq!(
                    judged.is_err(),
                    refused.contains(&tool),
                    "{tool} where {denied} is denied"
                );
            }
            for (name, patch) in [("add", add), ("update", update)] {
                let judged = judged(&policy, &patching(patch));
                assert_eq!(
                    judged.is_err(),
                    refused.contains(&name),
                    "{name} where {denied} is denied"
                );
            }
            let shell = used("Bash", Some("echo x > src/a.rs"), None);
            assert_eq!(judged(&policy, &shell), Ok(()), "{denied}");
        }
    }

    #[test]
    fn a_shell_that_writes_is_denied_where_edit_and_write_are() {
        let policy = deny(&READ_ONLY);
        let refused = judged(&policy, &used("Bash", Some("echo x > src/a.rs"), None));
        assert!(matches!(refused, Err(Denied::Writes(_))), "{refused:?}");
        for command in ["cargo test 2>/dev/null", "cat a > /bugle/work/r-1/1.json"] {
            assert_eq!(judged(&policy, &used("Bash", Some(command), None)), Ok(()));
        }
    }

    #[test]
    fn git_may_change_files_where_it_is_allowed() {
        let policy = ToolPolicy::DenyExcept {
            tools: READ_ONLY.map(str::to_owned).to_vec(),
            programs: vec![Program::Git],
        };
        for command in ["git merge feature", "cd sub && git checkout main && git pull"] {
            assert_eq!(
                judged(&policy, &used("Bash", Some(command), None)),
                Ok(()),
                "{command}"
            );
            assert!(judged(&deny(&READ_ONLY), &used("Bash", Some(command), None)).is_err());
        }
        for command in [
            "git merge feature && sed -i s/a/b/ a.rs",
            "git show HEAD:a.rs > b.rs",
            "git -c alias.x='!cp a b' x",
            "git bisect run cp a b",
            "git rebase -x 'cp a b' main",
            "GIT_EDITOR='cp a b' git commit",
        ] {
            let judged = judged(&policy, &used("Bash", Some(command), None));
            assert!(matches!(judged, Err(Denied::Writes(_))), "{command}: {judged:?}");
        }
        assert!(judged(&policy, &used("Edit", None, Some("a.rs"))).is_err());
    }

    #[test]
    fn results_can_be_handed_in_and_bugle_called_whatever_holds() {
        let policy = ToolPolicy::Allow(vec!["Read".to_owned()]);
        for tool in ["Write", "Edit", "write", "write_file"] {
            let judged = judged(&policy, &used(tool, None, Some("/bugle/work/r-1/1.json")));
            assert_eq!(judged, Ok(()), "{tool}");
        }
        let patch = "*** Begin Patch\n*** Add File: /bugle/work/r-1/1.json\n+{}\n*** End Patch";
        assert_eq!(judged(&policy, &patching(patch)), Ok(()));
        let other = patch.replace("*** End", "*** Add File: a.rs\n+x\n*** End");
        assert!(judged(&policy, &patching(&other)).is_err());
        assert_eq!(
            judged(&policy, &used("Bash", Some("bugle done 'r-1#1'"), None)),
            Ok(())
        );
        for tool in [
            "mcp__bugle__finish_step",
            "mcp_bugle_finish_step",
            "bugle_finish_step",
        ] {
            assert_eq!(judged(&policy, &used(tool, None, None)), Ok(()));
        }
        let refused = judged(
            &policy,
            &used("Bash", Some("bugle done 'r-1#1'; rm -r src"), None),
        );
        assert_eq!(refused, Err(Denied::Tool("Bash".to_owned())));
        assert!(judged(&policy, &used("Write", None, Some("/project/a.rs"))).is_err());
    }

    #[test]
    fn where_nothing_holds_everything_goes_but_what_is_protected() {
        let free = ToolPolicy::Unrestricted;
        assert_eq!(judged(&free, &used("Bash", Some("rm x > y"), None)), Ok(()));
        assert_eq!(judged(&free, &used("Write", None, Some("a.rs"))), Ok(()));
        assert_eq!(
            judged(&free, &used("Read", None, Some("/bugle/bugle.db"))),
            Ok(())
        );
        for tool in ["Edit", "Write", "write_file", "mcp__files__write"] {
            for file in [".claude/settings.json", "/bugle/bugle.db"] {
                let judged = judged(&free, &used(tool, None, Some(file)));
                assert!(
                    matches!(judged, Err(Denied::Protected(..))),
                    "{tool} {file}: {judged:?}"
                );
            }
        }
        let patch = "*** Begin Patch\n*** Update File: .claude/settings.json\n*** End Patch";
        assert!(matches!(
            judged(&free, &patching(patch)),
            Err(Denied::Protected(..))
        ));
    }
}
