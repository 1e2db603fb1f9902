//! Tests of tool policies.

use super::*;
use crate::tool::Program;

const READ_ONLY: [&str; 2] = ["Edit", "Write"];

fn deny(tools: &[&str]) -> ToolPolicy {
    ToolPolicy::Deny(tools.iter().map(ToString::to_string).collect())
}

/// A call to the tool with this name in skills.
fn used<'a>(name: &'a str, command: Option<&'a str>, file: Option<&'a str>) -> ToolUse<'a> {
    ToolUse {
        tool: Tool::named(name).unwrap_or(Tool::Other),
        name,
        command,
        file,
        patch: None,
    }
}

fn patching(patch: &str) -> ToolUse<'_> {
    ToolUse {
        tool: Tool::Patch,
        patch: Some(patch),
        ..used("patcher", None, None)
    }
}

fn paths() -> AgentPaths {
    AgentPaths {
        directory: "/project".to_owned(),
        root: "/project".to_owned(),
        store: "/bugle".to_owned(),
        results: vec!["/bugle/work/r-1".to_owned(), "/bugle/work/r-2".to_owned()],
        scratch: "/tmp".to_owned(),
        settings: vec!["/project/.claude/settings.json".to_owned()],
        program: vec!["/opt/bugle".to_owned()],
    }
}

fn shell() -> Shell<'static> {
    Shell {
        program: &|word| word == "bugle" || word == "/opt/bugle",
        variable: &|_| None,
        session_variables: &[],
    }
}

fn judged(policy: &ToolPolicy, used: &ToolUse<'_>) -> Result<(), Denied> {
    let policies = std::slice::from_ref(policy);
    judge(policies, used, &paths(), &shell()).map_err(|(_, denied)| denied)
}

#[test]
fn a_denied_tool_is_denied_under_every_name() {
    let policy = deny(&READ_ONLY);
    for (tool, name) in [
        (Tool::Edit, "Edit"),
        (Tool::Edit, "replace"),
        (Tool::Write, "write_file"),
        (Tool::Patch, "patcher"),
    ] {
        let call = ToolUse {
            tool,
            ..used(name, None, Some("/project/a.rs"))
        };
        assert_eq!(judged(&policy, &call), Err(Denied::Tool(tool, name.to_owned())));
    }
    for tool in ["Read", "NotebookEdit"] {
        assert_eq!(judged(&policy, &used(tool, None, Some("/project/a.rs"))), Ok(()));
    }
    let policy = deny(&["Task"]);
    assert!(judged(&policy, &used("Agent", None, None)).is_err());
}

#[test]
fn a_policy_can_use_a_clients_own_name() {
    let shell = ToolUse {
        tool: Tool::Shell,
        ..used("exec", None, None)
    };
    let policy = deny(&["exec"]);
    assert!(judged(&policy, &shell).is_err());
    assert_eq!(judged(&policy, &used("Bash", None, None)), Ok(()));
    let patch = "*** Begin Patch\n*** Add File: a.md\n+x\n*** End Patch";
    assert!(judged(&deny(&["patcher"]), &patching(patch)).is_err());
    let only = ToolPolicy::Allow(vec!["patcher".to_owned()]);
    assert_eq!(judged(&only, &patching(patch)), Ok(()));
}

#[test]
fn edit_write_and_notebooks_are_denied_separately() {
    let add = "*** Begin Patch\n*** Add File: docs/plan.md\n+x\n*** End Patch";
    let update = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-x\n+y\n*** End Patch";
    for (denied, refused) in [
        ("NotebookEdit", ["NotebookEdit"].as_slice()),
        ("Edit", &["Edit", "MultiEdit", "update"]),
        ("Write", &["Write", "add"]),
    ] {
        let policy = deny(&[denied]);
        for tool in ["Edit", "Write", "NotebookEdit", "MultiEdit"] {
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
fn a_shell_command_that_writes_is_denied_with_edit_and_write() {
    let policy = deny(&READ_ONLY);
    let refused = judged(&policy, &used("Bash", Some("echo x > src/a.rs"), None));
    assert!(matches!(refused, Err(Denied::Writes(_))), "{refused:?}");
    for command in ["cargo test 2>/dev/null", "cat a > /bugle/work/r-1/1.json"] {
        assert_eq!(judged(&policy, &used("Bash", Some(command), None)), Ok(()));
    }
}

#[test]
fn one_denying_policy_is_enough() {
    let paths = paths();
    let shell = shell();
    let free = ToolPolicy::Unrestricted;
    let git = ToolPolicy::DenyExcept {
        tools: READ_ONLY.map(str::to_owned).to_vec(),
        programs: vec![Program::Git],
    };
    let closed = deny(&READ_ONLY);
    let edit = used("Edit", None, Some("/project/a.rs"));
    let merge = used("Bash", Some("git merge feature"), None);
    let result = used("Write", None, Some("/bugle/work/r-2/1.json"));
    for (policies, edits, merges) in [
        (vec![free.clone(), free.clone()], None, None),
        (vec![free.clone(), closed.clone()], Some(1), Some(1)),
        (vec![closed.clone(), free.clone()], Some(0), Some(0)),
        (vec![free.clone(), git.clone(), closed.clone()], Some(1), Some(2)),
        (vec![free, git], Some(1), None),
    ] {
        let by = |used: &ToolUse<'_>| {
            let judged = judge(&policies, used, &paths, &shell);
            judged.err().map(|(number, _)| number)
        };
        assert_eq!(by(&edit), edits, "{policies:?}");
        assert_eq!(by(&merge), merges, "{policies:?}");
        assert_eq!(by(&result), None, "{policies:?}");
    }
}

#[test]
fn an_allowed_git_command_may_change_files() {
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
fn result_files_and_bugle_are_always_allowed() {
    let policy = ToolPolicy::Allow(vec!["Read".to_owned()]);
    for tool in ["Write", "Edit", "MultiEdit", "NotebookEdit"] {
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
    let own_tool = ToolUse {
        tool: Tool::Bugle,
        ..used("finish_step", None, None)
    };
    assert_eq!(judged(&policy, &own_tool), Ok(()));
    let refused = judged(
        &policy,
        &used("Bash", Some("bugle done 'r-1#1'; rm -r src"), None),
    );
    assert_eq!(refused, Err(Denied::Tool(Tool::Shell, "Bash".to_owned())));
    assert!(judged(&policy, &used("Write", None, Some("/project/a.rs"))).is_err());
}

#[test]
fn without_a_policy_only_changes_to_protected_files_are_denied() {
    let free = ToolPolicy::Unrestricted;
    assert_eq!(judged(&free, &used("Bash", Some("rm x > y"), None)), Ok(()));
    assert_eq!(judged(&free, &used("Write", None, Some("a.rs"))), Ok(()));
    assert_eq!(
        judged(&free, &used("Read", None, Some("/bugle/bugle.db"))),
        Ok(())
    );
    for tool in [Tool::Edit, Tool::Write, Tool::Mcp] {
        for file in [".claude/settings.json", "/bugle/bugle.db"] {
            let call = ToolUse {
                tool,
                ..used("name", None, Some(file))
            };
            let judged = judged(&free, &call);
            assert!(
                matches!(judged, Err(Denied::Protected(..))),
                "{tool:?} {file}: {judged:?}"
            );
        }
    }
    let patch = "*** Begin Patch\n*** Update File: .claude/settings.json\n*** End Patch";
    assert!(matches!(
        judged(&free, &patching(patch)),
        Err(Denied::Protected(..))
    ));
}
