//! Grok Build.

use std::path::Path;

use bugle_core::reply::TranscriptItem;
use bugle_core::tool::Tool;
use bugle_core::wake::Budget;
use serde_json::{Value, json};

use crate::Client;
use crate::facts::{Facts, HookFacts, HookGaps, Recognition, SkillFolders, ToolNames};
use crate::hook::{COMMON_EVENTS, DenialShape, TodoList};
use crate::launch::CommandLine;
use crate::setup::{ClientSetup, Folders, Holds, Part, Roots, Scope, SettingsFiles, Target, command_server};
use crate::transcript::{Transcript, text, words};

pub(crate) const FACTS: Facts = Facts {
    name: "grok",
    title: "Grok Build",
    recognition: Recognition {
        program: Some("grok"),
        command_session: Some("GROK_SESSION_ID"),
        own_variables: &["GROK_SESSION_ID"],
        ..Recognition::NONE
    },
    command_line: CommandLine {
        run: &["--output-format", "stream-json"],
        new_session: None,
        resume: "--resume",
        last: &[],
        access: None,
    },
    transcript_items,
    tools: ToolNames {
        meanings: &[
            ("run_terminal_command", Tool::Shell),
            ("search_replace", Tool::Edit),
            ("write", Tool::Write),
            ("read_file", Tool::Read),
            ("list_dir", Tool::List),
            ("grep", Tool::Grep),
            ("web_search", Tool::WebSearch),
            ("todo_write", Tool::Todo),
        ],
        subagent: &["task"],
        edit: ("search_replace", |file: &Path| json!({ "file_path": file })),
        todo_lists: &[TodoList {
            tool: "todo_write",
            field: "todos",
            titles: &["content", "description"],
        }],
        todo_items: &[],
        namespaces: &[],
        bugle_prefix: "mcp__bugle__",
        mcp_prefix: Some("mcp__"),
    },
    hooks: HookFacts {
        budget: Budget::PROMPT,
        events: COMMON_EVENTS,
        timeout: |_| 10,
        handler_name: None,
        denial: DenialShape::PermissionDecision,
        generated_prompts: &[],
        prompt_prefaces: &[],
        off_switch: None,
        trust: None,
        in_login_shell: false,
        tells_subagents_apart: false,
        prompts_with_refusals: false,
        gaps: HookGaps::NONE,
    },
    settings: SettingsFiles {
        files: &[".grok/hooks/bugle.json"],
        managed: &[],
        moved: None,
    },
    folders,
    targets,
    server: ("mcpServers", command_server),
    mcp_session: |_| None,
    skills: SkillFolders::SHARED,
    setup_notes: |_| Vec::new(),
    agents: None,
    plugin: None,
};

fn folders(roots: &Roots<'_>, scope: Scope) -> Folders {
    let own = roots.base(scope).join(".grok");
    Folders {
        servers: own.join("settings.json"),
        skills: roots.shared_skills(scope),
        instructions: match scope {
            Scope::Project => roots.root.join("AGENTS.md"),
            Scope::User => own.join("AGENTS.md"),
        },
        own,
    }
}

fn targets(setup: &ClientSetup) -> Vec<Target> {
    let settings = setup.folders.own.join("hooks/bugle.json");
    let parts = &[Part::Hooks, Part::Server];
    vec![setup.settings(Client::Grok, settings, Holds::HooksAndServer, parts)]
}

/// The transcript items in one line of output.
fn transcript_items(transcript: &mut Transcript, value: &Value) -> Vec<TranscriptItem> {
    let mut items: Vec<TranscriptItem> = transcript
        .session(text(value, "session_id"))
        .into_iter()
        .collect();
    if text(value, "type") == Some("result") {
        items.push(TranscriptItem::Final {
            text: words(&value["result"]),
        });
    }
    items
}
