//! Grok Build.
//!
//! Grok Build also reads Claude Code's hooks, of the user and of a trusted project. The agent sees no text from hooks
//! at the start of a session or with a prompt. Each sub-agent has its own session.

use std::path::Path;

use bugle_core::agent::Access;
use bugle_core::reply::TranscriptItem;
use bugle_core::tool::Tool;
use bugle_core::wake::Budget;
use serde_json::{Value, json};
use toml_edit::{Document, Item};

use crate::Client;
use crate::agents::{AgentDefinition, AgentFormat};
use crate::claude;
use crate::facts::{
    Facts, HookFacts, HookGaps, OwnHooks, Recognition, SkillFolders, StartReply, ToolMark, ToolNames,
};
use crate::hook::{DenialShape, HookEvent};
use crate::inactive_hooks::ProjectTrust;
use crate::launch::{AccessArguments, BugleAccess, CommandLine};
use crate::setup::{
    ClientSetup, CodexConfig, Content, Folders, Holds, Part, Roots, Scope, SettingsFiles, Target,
    TargetContent, command_server,
};
use crate::transcript::Transcript;

const HOME: &str = "GROK_HOME";
const SESSION: &str = "GROK_SESSION_ID";
const HOOKS: &str = "hooks/bugle.json";

pub(crate) const FACTS: Facts = Facts {
    name: "grok",
    title: "Grok Build",
    recognition: Recognition {
        program: Some("grok"),
        command_session: Some(SESSION),
        command_marks: &["GROK_AGENT"],
        own_variables: &["GROK_AGENT", SESSION],
        path_variables: &[HOME],
        tool_mark: ToolMark::With("GROK_AGENT"),
        own_hooks: Some(OwnHooks {
            // Grok Build runs the same command only once.
            called_from: None,
            user: (HOME, ".grok", HOOKS),
            project: ("GROK_WORKSPACE_ROOT", ".grok/hooks/bugle.json"),
        }),
        ..Recognition::NONE
    },
    command_line: CommandLine {
        run: &[
            "--output-format",
            "streaming-messages-json",
            // Grok Build does not read the prompt from stdin by itself.
            "--prompt-file",
            "/dev/stdin",
        ],
        new_session: Some("--session-id"),
        resume: "--resume",
        last: &[],
        access: AccessArguments {
            own: [
                &["--permission-mode", "default"],
                &["--permission-mode", "acceptEdits"],
                &["--permission-mode", "bypassPermissions"],
            ],
            bugle: allowed_tools,
        },
        access_variable: None,
    },
    transcript_items,
    tools: ToolNames {
        meanings: &[
            ("run_terminal_command", Tool::Shell),
            ("monitor", Tool::Shell),
            ("spawn_subagent", Tool::Agent),
            ("ask_user_question", Tool::AskUser),
            ("read_file", Tool::Read),
            ("write", Tool::Write),
            ("search_replace", Tool::Edit),
            ("list_dir", Tool::List),
            ("grep", Tool::Grep),
            ("web_search", Tool::WebSearch),
            ("web_fetch", Tool::WebFetch),
            ("todo_write", Tool::Todo),
        ],
        subagent: &["spawn_subagent", "get_command_or_subagent_output"],
        edit: ("search_replace", |file: &Path| json!({ "file_path": file })),
        // A call may contain only the changed items of the list, which Bugle does not follow.
        todo_lists: &[],
        todo_items: &[],
        namespaces: &[],
        bugle_prefix: "bugle__",
        mcp_prefix: None,
    },
    hooks: HookFacts {
        // Grok Build cuts the context after a tool and the reason for a refused stop at 10,000 characters.
        budget: Budget::utf16(9_000),
        events: &[
            ("SessionStart", HookEvent::SessionStart),
            ("UserPromptSubmit", HookEvent::UserPromptSubmit),
            ("PreToolUse", HookEvent::PreToolUse),
            ("PostToolUse", HookEvent::PostToolUse),
            ("PreCompact", HookEvent::PreCompact),
            ("PostCompact", HookEvent::PostCompact),
            ("Stop", HookEvent::Stop),
            // The only stop in a sub-agent's session.
            ("SubagentStop", HookEvent::Stop),
            ("SessionEnd", HookEvent::SessionEnd),
        ],
        timeout: |_| 10,
        handler_name: None,
        denial: DenialShape::PermissionDecision,
        generated_prompts: &["<system-reminder>"],
        prompt_prefaces: &[],
        off_switch: None,
        project_trust: Some(ProjectTrust {
            file: "trusted_folders.toml",
            trusts: trusts_folder,
            variable: Some(("GROK_FOLDER_TRUST", "0")),
            start: "grok --trust",
        }),
        trust: None,
        in_login_shell: false,
        prompts_with_refusals: false,
        gaps: HookGaps {
            start_reply: StartReply::Lost,
            silent_events: &[HookEvent::SessionStart, HookEvent::UserPromptSubmit],
            ..HookGaps::NONE
        },
    },
    settings: SettingsFiles {
        files: &[".grok/hooks/bugle.json", ".grok/config.toml"],
        managed: &[],
        moved: Some((HOME, &[HOOKS, "config.toml"])),
    },
    folders,
    targets,
    server: ("mcpServers", command_server),
    mcp_session: |_| None,
    skills: SkillFolders::SHARED,
    setup_notes: |scope| match scope {
        Scope::Project => {
            vec![
                "Grok Build reads a project's hooks, skills and MCP servers only if you have trusted the folder: start `grok --trust` there once.",
            ]
        }
        Scope::User => Vec::new(),
    },
    agents: Some(AgentFormat {
        client: Client::Grok,
        folder: ".grok/agents",
        export_note: "Grok Build loads exported agents in its next session.",
        extension: "md",
        render: agent,
    }),
    plugin: None,
};

fn folders(roots: &Roots<'_>, scope: Scope) -> Folders {
    let own = match scope {
        Scope::Project => roots.root.join(".grok"),
        Scope::User => (roots.variable)(HOME).unwrap_or_else(|| roots.home.join(".grok")),
    };
    Folders {
        servers: own.join("config.toml"),
        skills: roots.shared_skills(scope),
        instructions: match scope {
            Scope::Project => roots.root.join("AGENTS.md"),
            Scope::User => own.join("AGENTS.md"),
        },
        own,
    }
}

/// Whether the file trusts the folder or a parent of it.
fn trusts_folder(text: &str, folder: &Path) -> Option<bool> {
    let document = Document::parse(text).ok()?;
    let folders = document.get("folders").and_then(Item::as_table_like);
    let mut folders = folders.into_iter().flat_map(|table| table.iter());
    Some(folders.any(|(path, entry)| {
        let is_trusted = entry.get("trusted").and_then(Item::as_bool);
        is_trusted == Some(true) && folder.starts_with(path)
    }))
}

fn targets(setup: &ClientSetup) -> Vec<Target> {
    let hooks = setup.folders.own.join(HOOKS);
    // Grok Build reads the same table as Codex, and ignores the keys that only Codex knows.
    let server = CodexConfig {
        program: setup.program.clone(),
        writable: Vec::new(),
    };
    vec![
        setup.settings(Client::Grok, hooks, Holds::Hooks, &[Part::Hooks]),
        Target {
            path: setup.folders.servers.clone(),
            holds: Holds::Server,
            content: TargetContent::Part(Content::Config(server)),
        },
    ]
}

/// Allows Bugle's commands and its MCP tools. Without a terminal, Grok Build ends the turn at the first tool that needs
/// approval.
fn allowed_tools(access: Access, bugle: &BugleAccess<'_>) -> Vec<String> {
    if access == Access::Full {
        return Vec::new();
    }
    vec![
        format!("--allow=Bash({}:*)", bugle.program),
        "--allow=mcp__bugle".to_owned(),
        format!("--allow=Write({}/**)", bugle.home.join("work").display()),
    ]
}

fn agent(definition: &AgentDefinition<'_>) -> String {
    let fields = definition.name_and_description();
    definition.markdown(Client::Grok, fields, &definition.role.tools)
}

/// The transcript items in one line of output. The lines have Claude Code's format, but a tool's output is JSON.
fn transcript_items(transcript: &mut Transcript, value: &Value) -> Vec<TranscriptItem> {
    let mut items = claude::transcript_items(transcript, value);
    for item in &mut items {
        if let TranscriptItem::ToolResult { output, .. } = item
            && let Ok(parsed) = serde_json::from_str::<Value>(output)
        {
            let shown = [
                &parsed["output_for_prompt"],
                &parsed[0]["content"]["text"],
                &parsed["output"]["OkayOutput"],
            ];
            if let Some(text) = shown.into_iter().find_map(Value::as_str) {
                text.clone_into(output);
            }
        }
    }
    items
}
