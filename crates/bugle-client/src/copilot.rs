//! Copilot CLI.

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
    name: "copilot",
    title: "Copilot CLI",
    recognition: Recognition {
        program: Some("copilot"),
        command_marks: &["COPILOT_CLI"],
        hook_mark: Some("COPILOT_CLI"),
        ..Recognition::NONE
    },
    command_line: CommandLine {
        run: &["--output-format", "json"],
        new_session: None,
        resume: "--resume",
        last: &[],
        access: None,
    },
    transcript_items,
    tools: ToolNames {
        meanings: &[
            ("bash", Tool::Shell),
            ("task", Tool::Agent),
            ("ask_user", Tool::AskUser),
            ("view", Tool::Read),
            ("create", Tool::Write),
            ("edit", Tool::Edit),
            ("glob", Tool::Glob),
            ("grep", Tool::Grep),
            ("web_fetch", Tool::WebFetch),
        ],
        subagent: &["task"],
        edit: ("edit", |file: &Path| json!({ "file_path": file })),
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
        files: &[".github/hooks/bugle.json"],
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
    let own = roots.base(scope).join(".github");
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
    vec![setup.settings(Client::Copilot, settings, Holds::HooksAndServer, parts)]
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
