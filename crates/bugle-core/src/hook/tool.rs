//! Whether a tool may be used while a policy holds.

use super::shell::{Write, calls_only, writes};
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
}

/// Why a tool may not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Denied {
    /// The policy does not have it.
    Tool(String),
    /// It is a command that writes a file, and the policy lets none be written.
    Writes(Write),
}

/// Tools that change files. Each client has its own; a policy that names one of them means what it does, whoever's it is.
const WRITERS: [&str; 8] = [
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "Write",
    "apply_patch",
    "write_file",
    "replace",
    "patch",
];

/// Names of the same tool in different clients; the first is the one that skills use.
const SAME: [&[&str]; 11] = [
    &["Bash", "exec_command", "shell", "run_shell_command", "bash"],
    &["Agent", "Task", "spawn_agent", "task"],
    &["Read", "read_file", "read"],
    &["Write", "write_file", "write", "apply_patch"],
    &[
        "Edit",
        "MultiEdit",
        "NotebookEdit",
        "replace",
        "edit",
        "apply_patch",
        "patch",
    ],
    &["Glob", "glob"],
    &["Grep", "search_file_content", "grep_search", "grep"],
    &["LS", "list_directory", "list"],
    &["WebFetch", "web_fetch", "webfetch"],
    &["WebSearch", "google_web_search", "web_search", "websearch"],
    &["TodoWrite", "write_todos", "update_plan", "todowrite"],
];

/// Whether a tool may be used. `own` says whether a file is one that Bugle asks the agent to write; `program` whether a
/// word calls Bugle.
pub fn judge(
    policy: &ToolPolicy,
    used: &ToolUse<'_>,
    own: &dyn Fn(&str) -> bool,
    program: &dyn Fn(&str) -> bool,
) -> Result<(), Denied> {
    if *policy == ToolPolicy::Unrestricted || used.tool.starts_with("mcp__bugle__") {
        return Ok(());
    }
    // What Bugle itself asks for is never forbidden: its commands, and the files in which results are handed in.
    if used.command.is_some_and(|command| calls_only(command, program)) {
        return Ok(());
    }
    if WRITERS.contains(&used.tool) && used.file.is_some_and(own) {
        return Ok(());
    }
    if !permits(policy, used.tool) {
        return Err(Denied::Tool(used.tool.to_owned()));
    }
    let Some(command) = used.command else {
        return Ok(());
    };
    if permits(policy, "Write") && permits(policy, "Edit") {
        return Ok(());
    }
    match writes(command)
        .into_iter()
        .find(|write| !write.file().is_some_and(own))
    {
        Some(write) => Err(Denied::Writes(write)),
        None => Ok(()),
    }
}

/// Whether a policy lets a tool be used, under any of its names.
fn permits(policy: &ToolPolicy, tool: &str) -> bool {
    let names = |name: &str| {
        let groups = SAME.iter().filter(|group| group.contains(&name));
        let mut names: Vec<&str> = groups.flat_map(|group| group.iter().copied()).collect();
        names.push(tool);
        names
    };
    let called: Vec<&str> = names(tool);
    match policy {
        ToolPolicy::Unrestricted => true,
        ToolPolicy::Deny(denied) => !denied.iter().any(|denied| called.contains(&denied.as_str())),
        ToolPolicy::Allow(allowed) => allowed.iter().any(|allowed| called.contains(&allowed.as_str())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ_ONLY: [&str; 4] = ["Edit", "Write", "MultiEdit", "NotebookEdit"];

    fn deny(tools: &[&str]) -> ToolPolicy {
        ToolPolicy::Deny(tools.iter().map(ToString::to_string).collect())
    }

    fn used<'a>(tool: &'a str, command: Option<&'a str>, file: Option<&'a str>) -> ToolUse<'a> {
        ToolUse { tool, command, file }
    }

    fn judged(policy: &ToolPolicy, used: &ToolUse<'_>) -> Result<(), Denied> {
        let own = |file: &str| file.starts_with("/bugle/work/");
        let program = |word: &str| word == "bugle" || word == "/opt/bugle";
        judge(policy, used, &own, &program)
    }

    #[test]
    fn what_is_denied_is_denied_in_every_client() {
        let policy = deny(&READ_ONLY);
        for tool in ["Edit", "Write", "apply_patch", "write_file", "replace"] {
            let refused = judged(&policy, &used(tool, None, Some("/project/a.rs")));
            assert_eq!(refused, Err(Denied::Tool(tool.to_owned())));
        }
        assert_eq!(
            judged(&policy, &used("Read", None, Some("/project/a.rs"))),
            Ok(())
        );
        let policy = deny(&["Task"]);
        assert!(judged(&policy, &used("Agent", None, None)).is_err());
    }

    #[test]
    fn a_shell_that_writes_is_denied_where_writing_is() {
        let policy = deny(&READ_ONLY);
        let refused = judged(&policy, &used("Bash", Some("echo x > src/a.rs"), None));
        assert!(matches!(refused, Err(Denied::Writes(_))), "{refused:?}");
        assert_eq!(
            judged(&policy, &used("Bash", Some("cargo test 2>/dev/null"), None)),
            Ok(())
        );
        assert_eq!(
            judged(
                &policy,
                &used("Bash", Some("cat a > /bugle/work/r-1/1.json"), None)
            ),
            Ok(())
        );
    }

    #[test]
    fn results_can_be_handed_in_and_bugle_called_whatever_holds() {
        let policy = ToolPolicy::Allow(vec!["Read".to_owned()]);
        assert_eq!(
            judged(&policy, &used("Write", None, Some("/bugle/work/r-1/1.json"))),
            Ok(())
        );
        assert_eq!(
            judged(&policy, &used("Bash", Some("bugle done 'r-1#1'"), None)),
            Ok(())
        );
        assert_eq!(
            judged(&policy, &used("mcp__bugle__finish_step", None, None)),
            Ok(())
        );
        let refused = judged(
            &policy,
            &used("Bash", Some("bugle done 'r-1#1'; rm -r src"), None),
        );
        assert_eq!(refused, Err(Denied::Tool("Bash".to_owned())));
        assert!(judged(&policy, &used("Write", None, Some("/project/a.rs"))).is_err());
    }

    #[test]
    fn where_nothing_holds_everything_goes() {
        assert_eq!(
            judged(&ToolPolicy::Unrestricted, &used("Bash", Some("rm x > y"), None)),
            Ok(())
        );
    }
}
