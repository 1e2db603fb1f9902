//! Only `bugle-client` contains client-specific facts. The code of other crates names no client and none of its
//! variables, folders and tools. Comments and texts for users may name them. The names that skills use for tools are
//! in one file of `bugle-core`, and all other code uses the `Tool` of that file.

use crate::tree::{TextFile, assert_no_faults, texts};

/// The crates whose code may name clients.
const KNOWING: [&str; 2] = ["crates/bugle-client/", "crates/bugle-testkit/"];

/// The demo simulates one client from beginning to end.
const DEMO: &str = "crates/bugle-cli/src/demo/";
const VARIANTS: [&str; 7] = [
    "Client::Claude",
    "Client::Codex",
    "Client::Gemini",
    "Client::Opencode",
    "Client::Qwen",
    "Client::Copilot",
    "Client::Grok",
];

/// Prefixes of clients' variables, folders and tools, and where these belong.
const MARKS: [(&str, &str); 17] = [
    ("CLAUDE_", "`Recognition` in the client's file"),
    ("CLAUDECODE", "`Recognition` in the client's file"),
    ("CODEX_", "`Recognition` in the client's file"),
    ("GEMINI_", "`Recognition` in the client's file"),
    ("OPENCODE", "`Recognition` in the client's file"),
    ("QWEN_", "`Recognition` in the client's file"),
    ("COPILOT_", "`Recognition` in the client's file"),
    ("GROK_", "`Recognition` in the client's file"),
    ("CURSOR_", "`Recognition` in others.rs"),
    (
        ".claude",
        "`SettingsFiles` or `SkillFolders` in the client's file",
    ),
    (".codex", "`SettingsFiles` or `SkillFolders` in the client's file"),
    (
        ".gemini",
        "`SettingsFiles` or `SkillFolders` in the client's file",
    ),
    (
        ".opencode",
        "`SettingsFiles` or `SkillFolders` in the client's file",
    ),
    (".qwen", "`SettingsFiles` in the client's file"),
    (".agents/", "`SHARED_SKILLS` in setup/files.rs"),
    ("mcp__bugle", "`ToolNames` in the client's file; ask `bugle_tool`"),
    ("mcp_bugle", "`ToolNames` in the client's file; ask `bugle_tool`"),
];

/// The file with the names that skills use for tools.
const SKILL_NAMES: &str = "crates/bugle-core/src/tool.rs";

/// Tool names that have no other meaning. Short names such as `edit` or `task` are also words of Bugle's own commands.
const TOOLS: [&str; 23] = [
    "AskUserQuestion",
    "Bash",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "TaskCreate",
    "TaskUpdate",
    "TodoWrite",
    "WebFetch",
    "WebSearch",
    "Write",
    "exec_command",
    "google_web_search",
    "list_directory",
    "local_shell",
    "notebook_edit",
    "read_file",
    "request_user_input",
    "run_shell_command",
    "search_file_content",
    "spawn_agent",
    "update_plan",
    "write_todos",
];

fn faults(file: &TextFile) -> Vec<String> {
    let is_source = file.has_extension("rs") && file.path.contains("/src/") && !file.is_test();
    if !is_source || KNOWING.iter().any(|krate| file.path.starts_with(krate)) {
        return Vec::new();
    }
    let is_demo = file.path.starts_with(DEMO);
    let variants = VARIANTS.iter().filter(|_| !is_demo);
    let variants = variants.map(|name| (*name, "ask the client for the fact instead"));
    let marks: Vec<(&str, &str)> = MARKS.iter().copied().chain(variants).collect();
    let tools: &[&str] = if is_demo || file.path == SKILL_NAMES {
        &[]
    } else {
        &TOOLS
    };
    let code = file.code();
    let lines = code.lines().enumerate();
    lines
        .flat_map(|(index, line)| {
            let place = format!("{}:{}", file.path, index + 1);
            let tool_place = place.clone();
            let named = marks.iter().filter(move |(mark, _)| line.contains(mark));
            let named =
                named.map(move |(mark, home)| format!("{place}: `{mark}` belongs in bugle-client: {home}"));
            let tools = tools
                .iter()
                .filter(move |tool| line.contains(&format!("\"{tool}\"")));
            let tools = tools.map(move |tool| {
                format!("{tool_place}: `{tool}` is a client's name for a tool: use `bugle_core::tool::Tool`")
            });
            named.chain(tools)
        })
        .collect()
}

#[test]
fn a_client_that_is_named_outside_its_crate_is_a_fault() {
    let found = |path: &str, text: &str| faults(&TextFile::new(path, text)).len();
    for (mark, _) in MARKS {
        let line = format!("const NAME: &str = \"{mark}x\";\n");
        assert_eq!(found("crates/bugle-app/src/a.rs", &line), 1, "{mark}");
        assert_eq!(found("crates/bugle-client/src/a.rs", &line), 0, "{mark}");
        assert_eq!(found("crates/bugle-app/tests/it/a.rs", &line), 0, "{mark}");
    }
    for tool in TOOLS {
        let line = format!("if used == \"{tool}\" {{\n");
        assert_eq!(found("crates/bugle-core/src/hook/tool.rs", &line), 1, "{tool}");
        assert_eq!(found("crates/bugle-client/src/a.rs", &line), 0, "{tool}");
        assert_eq!(found(SKILL_NAMES, &line), 0, "{tool}");
        let longer = format!("say(\"{tool} it\");\n");
        assert_eq!(found("crates/bugle-app/src/a.rs", &longer), 0, "{tool}");
    }
    let branch = "if client == Client::Codex {\n";
    assert_eq!(found("crates/bugle-daemon/src/a.rs", branch), 1);
    assert_eq!(found("crates/bugle-cli/src/demo/stage.rs", branch), 0);
    assert_eq!(found("crates/bugle-app/src/a.rs", "// As with CODEX_HOME.\n"), 0);
}

#[test]
fn only_the_client_crate_knows_what_differs_by_client() {
    assert_no_faults(&texts().iter().flat_map(faults).collect::<Vec<_>>());
}
