//! Consistency of the facts about clients.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bugle_client::Client;
use bugle_client::hook::{HookCall, HookEvent, HookReply, is_denial};
use bugle_client::launch::{BugleAccess, LaunchOptions, Session};
use bugle_client::recognition::{
    command_marks, hook_marks, is_client_program, own_variables, session_variables,
};
use bugle_client::setup::{Roots, Scope};
use bugle_core::agent::Access;
use bugle_core::tool::Tool;

#[test]
fn every_client_is_found_by_its_name_and_its_program() {
    for client in Client::ALL {
        assert_eq!(Client::named(client.as_str()), Some(client));
        assert!(is_client_program(client.as_str()), "{client:?}");
    }
    assert_eq!(Client::named("Claude"), None);
    assert!(is_client_program("qwen"));
    assert!(!is_client_program("bugle"));
}

#[test]
fn an_edit_is_reported_in_a_form_that_can_be_denied() {
    let (directory, file) = (Path::new("/work"), Path::new("/work/a.txt"));
    for client in Client::ALL {
        let report = client.edit_call("s-1", directory, file).to_string();
        let call = HookCall::read(client, client.before_tool_event(), &report).unwrap();
        assert_eq!(call.event, HookEvent::PreToolUse, "{client:?}");
        assert!(!call.tool.name.is_empty(), "{client:?}");
        let reply = HookReply {
            deny: Some("no".to_owned()),
            ..HookReply::default()
        };
        assert!(is_denial(client, &reply.render(&call).unwrap()), "{client:?}");
    }
}

/// The tool that the client reports under this name.
fn tool(client: Client, name: &str) -> Tool {
    let report = serde_json::json!({ "tool_name": name }).to_string();
    let call = HookCall::read(client, client.before_tool_event(), &report).unwrap();
    call.tool.tool()
}

#[test]
fn tools_are_known_by_every_clients_names() {
    let names: [(Tool, &[&str]); 16] = [
        (
            Tool::Shell,
            &[
                "Bash",
                "exec_command",
                "shell",
                "local_shell",
                "shell_command",
                "run_shell_command",
                "bash",
                "run_terminal_command",
            ],
        ),
        (Tool::Agent, &["Agent", "Task", "spawn_agent", "task"]),
        (
            Tool::AskUser,
            &["AskUserQuestion", "request_user_input", "ask_user", "question"],
        ),
        (Tool::Read, &["Read", "read_file", "read"]),
        (Tool::Write, &["Write", "write_file", "write"]),
        (Tool::Edit, &["Edit", "MultiEdit", "replace", "edit", "multiedit"]),
        (Tool::NotebookEdit, &["NotebookEdit", "notebook_edit"]),
        (Tool::Patch, &["apply_patch", "patch"]),
        (Tool::Glob, &["Glob", "glob"]),
        (
            Tool::Grep,
            &["Grep", "search_file_content", "grep_search", "grep"],
        ),
        (Tool::List, &["LS", "list_directory", "list"]),
        (Tool::WebFetch, &["WebFetch", "web_fetch", "webfetch"]),
        (
            Tool::WebSearch,
            &["WebSearch", "google_web_search", "web_search", "websearch"],
        ),
        (
            Tool::Todo,
            &["TodoWrite", "write_todos", "update_plan", "todowrite"],
        ),
        (Tool::Mcp, &["mcp__files__write", "mcp_files_write"]),
        (Tool::Other, &["", "Skill", "write_stdin", "shells", "mcp"]),
    ];
    for (expected, names) in names {
        for name in names {
            // A client can call hooks that were written for another client.
            for client in Client::ALL {
                assert_eq!(tool(client, name), expected, "{name} in {client:?}");
            }
        }
    }
    for name in ["mcp__bugle__step", "mcp_bugle_step", "bugle_step"] {
        assert_eq!(tool(Client::Claude, name), Tool::Bugle, "{name}");
    }
}

#[test]
fn skills_and_clients_agree_on_the_names_that_they_share() {
    for name in bugle_core::tool::known_names() {
        let expected = Tool::named(name).unwrap_or(Tool::Other);
        assert_eq!(tool(Client::Claude, name), expected, "{name}");
    }
}

#[test]
fn variables_have_one_purpose() {
    let sessions: Vec<&str> = session_variables().collect();
    assert_eq!(
        sessions,
        [
            "BUGLE_SESSION",
            "CLAUDE_CODE_SESSION_ID",
            "CODEX_THREAD_ID",
            "QWEN_CODE_SESSION_ID",
            "COPILOT_AGENT_SESSION_ID",
            "GROK_SESSION_ID",
        ]
    );
    for session in sessions {
        assert!(own_variables().any(|own| own == session), "{session}");
        assert!(hook_marks().all(|mark| mark != session), "{session}");
    }
    for mark in ["CLAUDECODE", "GEMINI_CLI", "OPENCODE", "QWEN_CODE", "COPILOT_CLI"] {
        assert!(command_marks().any(|known| known == mark), "{mark}");
    }
}

#[test]
fn each_client_has_its_own_arguments_for_access() {
    let bugle = BugleAccess {
        program: "bugle",
        home: Path::new("/h/u/.bugle"),
    };
    for client in Client::ALL {
        let words = Access::ALL.map(|access| client.access_arguments(access, &bugle));
        assert!(words.iter().all(|words| !words.is_empty()), "{words:?}");
        assert!(words.windows(2).all(|pair| pair[0] != pair[1]), "{words:?}");
    }
}

#[test]
fn opencode_gets_access_in_a_variable() {
    let home = Path::new("/h/u/.bugle");
    let program = "bugle";
    let arguments = Client::Opencode.access_arguments(Access::Read, &BugleAccess { program, home });
    let options = LaunchOptions {
        session: Session::New,
        model: None,
        arguments: &arguments,
    };
    let command = Client::Opencode.run_command(&options);
    assert_eq!(command, ["opencode", "run", "--format", "json"]);
    let environment = Client::Opencode.run_environment(&options);
    let [(name, rules)] = environment.as_slice() else {
        panic!("{environment:?}")
    };
    assert_eq!(name, "OPENCODE_PERMISSION");
    let rules: serde_json::Value = serde_json::from_str(rules).unwrap();
    assert_eq!(rules["edit"]["*"], "deny");
    assert_eq!(rules["edit"]["../*.bugle/work/*"], "allow");
    assert_eq!(rules["bash"]["*"], "deny");
    assert_eq!(rules["bash"]["bugle *"], "allow");
}

#[test]
fn a_settings_folder_that_a_variable_names_is_used() {
    let none = |_: &str| None;
    let moved = |name: &str| {
        let folder = PathBuf::from(format!("/moved/{name}"));
        Some(folder).filter(|_| name != "HOME")
    };
    let folders = |client: Client, variable: &dyn Fn(&str) -> Option<PathBuf>| {
        let roots = Roots {
            root: Path::new("/work"),
            home: Path::new("/home/ada"),
            variable,
            exists: &|_| false,
        };
        client.folders(&roots, Scope::User).own
    };
    let expected = BTreeMap::from([
        (Client::Claude, ("/home/ada/.claude", "/moved/CLAUDE_CONFIG_DIR")),
        (Client::Codex, ("/home/ada/.codex", "/moved/CODEX_HOME")),
        (Client::Gemini, ("/home/ada/.gemini", "/home/ada/.gemini")),
        (
            Client::Opencode,
            ("/home/ada/.config/opencode", "/moved/XDG_CONFIG_HOME/opencode"),
        ),
        (Client::Qwen, ("/home/ada/.qwen", "/moved/QWEN_HOME")),
        (Client::Copilot, ("/home/ada/.copilot", "/moved/COPILOT_HOME")),
        (Client::Grok, ("/home/ada/.grok", "/moved/GROK_HOME")),
    ]);
    for (client, (usual, elsewhere)) in expected {
        assert_eq!(folders(client, &none), Path::new(usual));
        assert_eq!(folders(client, &moved), Path::new(elsewhere));
    }
}

#[test]
fn a_project_is_trusted_if_the_client_lists_it_or_a_parent() {
    let trusts = |client: Client, text: &str, folder: &str| {
        let rules = client.project_trust().expect("the client asks");
        (rules.trusts)(text, Path::new(folder))
    };
    let gemini = r#"{ "/p": "TRUST_FOLDER", "/p/no": "DO_NOT_TRUST", "/q/x": "TRUST_PARENT" }"#;
    let copilot = r#"{ "trustedFolders": ["/p"], "model": "m" }"#;
    let grok = "[folders.\"/p\"]\ntrusted = true\n[folders.\"/n\"]\ntrusted = false\n";
    for (client, text, folder, expected) in [
        (Client::Gemini, gemini, "/p/in", Some(true)),
        (Client::Gemini, gemini, "/p/no", Some(false)),
        (Client::Gemini, gemini, "/q/y", Some(true)),
        (Client::Gemini, gemini, "/other", None),
        (Client::Gemini, "", "/p", None),
        (Client::Copilot, copilot, "/p/in", Some(true)),
        (Client::Copilot, copilot, "/px", Some(false)),
        (Client::Copilot, "", "/p", Some(false)),
        (Client::Copilot, "{", "/p", None),
        (Client::Grok, grok, "/p/in", Some(true)),
        (Client::Grok, grok, "/n", Some(false)),
        (Client::Grok, "", "/p", Some(false)),
        (Client::Grok, "[[", "/p", None),
    ] {
        assert_eq!(
            trusts(client, text, folder),
            expected,
            "{client:?} {folder} {text}"
        );
    }
}
