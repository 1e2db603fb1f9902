//! Qwen Code.
//!
//! Qwen Code reads agents from `.qwen/agents/NAME.md`: YAML front matter, then the agent's text. A list of tools is one
//! line, separated by commas, with Qwen Code's own tool names.

use std::path::Path;

use bugle_core::agent::Access;
use bugle_core::reply::TranscriptItem;
use bugle_core::tool::Tool;
use bugle_core::wake::Budget;
use serde_json::{Value, json};

use crate::Client;
use crate::agents::{AgentDefinition, AgentFormat};
use crate::claude::{message_items, turns_hooks_off};
use crate::facts::{Facts, HookFacts, HookGaps, Recognition, SkillFolders, StartReply, ToolMark, ToolNames};
use crate::hook::{COMMON_EVENTS, DenialShape, TodoList};
use crate::inactive_hooks::OffSwitch;
use crate::launch::{AccessArguments, BugleAccess, CommandLine};
use crate::setup::{ClientSetup, Folders, Holds, Part, Roots, Scope, SettingsFiles, Target, command_server};
use crate::transcript::{Transcript, number, text, words};

const HOME_FOLDER: &str = "QWEN_HOME";
const SESSION: &str = "QWEN_CODE_SESSION_ID";

pub(crate) const FACTS: Facts = Facts {
    name: "qwen",
    title: "Qwen Code",
    recognition: Recognition {
        program: Some("qwen"),
        // The program starts `cli.js` in this folder.
        package: Some("qwen-code"),
        command_session: Some(SESSION),
        command_marks: &["QWEN_CODE"],
        own_variables: &[
            "QWEN_CODE",
            SESSION,
            "QWEN_CODE_AGENT_ID",
            "QWEN_CODE_PROMPT_ID",
            "QWEN_CODE_PROJECT_DIR",
            "QWEN_CODE_NO_RELAUNCH",
            "QWEN_CODE_LAUNCHER_PID",
        ],
        path_variables: &[HOME_FOLDER],
        tool_mark: ToolMark::With("QWEN_CODE"),
        ..Recognition::NONE
    },
    command_line: CommandLine {
        run: &["--output-format", "stream-json"],
        new_session: Some("--session-id"),
        resume: "--resume",
        last: &[],
        // Without a terminal, Qwen Code denies every tool call that needs the user's approval.
        access: AccessArguments {
            own: [
                &["--approval-mode", "default"],
                &["--approval-mode", "auto-edit"],
                &["--approval-mode", "yolo"],
            ],
            bugle: allowed_tools,
        },
        access_variable: None,
    },
    transcript_items,
    tools: ToolNames {
        meanings: &[
            ("run_shell_command", Tool::Shell),
            ("monitor", Tool::Shell),
            ("agent", Tool::Agent),
            ("ask_user_question", Tool::AskUser),
            ("read_file", Tool::Read),
            ("write_file", Tool::Write),
            ("edit", Tool::Edit),
            ("notebook_edit", Tool::NotebookEdit),
            ("glob", Tool::Glob),
            ("grep_search", Tool::Grep),
            ("list_directory", Tool::List),
            ("web_fetch", Tool::WebFetch),
            ("web_search", Tool::WebSearch),
            ("todo_write", Tool::Todo),
        ],
        subagent: &["agent"],
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
        generated_prompts: &[
            "<cross_session_message",
            "<task-notification",
            "<teammate-message",
        ],
        prompt_prefaces: &[],
        off_switch: Some(OffSwitch {
            project_files: &["settings.json"],
            user_files: &["settings.json"],
            is_off: turns_hooks_off,
        }),
        project_trust: None,
        trust: None,
        in_login_shell: false,
        // Only typed text is in `submitted_prompt`.
        prompts_with_refusals: false,
        gaps: HookGaps {
            // Qwen Code puts this reply into the system prompt.
            start_reply: StartReply::Replaced,
            ..HookGaps::NONE
        },
    },
    settings: SettingsFiles {
        files: &[".qwen/settings.json"],
        managed: &[
            "/etc/qwen-code/settings.json",
            "/Library/Application Support/QwenCode/settings.json",
        ],
        moved: Some((HOME_FOLDER, &["settings.json"])),
    },
    folders,
    targets,
    server: ("mcpServers", command_server),
    mcp_session: |_| None,
    skills: SkillFolders::SHARED,
    setup_notes: |scope| match scope {
        Scope::Project => vec!["Qwen Code asks you before it uses a project's MCP server."],
        Scope::User => Vec::new(),
    },
    agents: Some(AgentFormat {
        client: Client::Qwen,
        folder: ".qwen/agents",
        export_note: "Qwen Code loads exported agents in its next session.",
        extension: "md",
        render: agent,
    }),
    plugin: None,
};

fn folders(roots: &Roots<'_>, scope: Scope) -> Folders {
    let own = match scope {
        Scope::Project => roots.root.join(".qwen"),
        Scope::User => (roots.variable)(HOME_FOLDER).unwrap_or_else(|| roots.home.join(".qwen")),
    };
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
    let settings = setup.folders.servers.clone();
    let parts = &[Part::Hooks, Part::Server];
    vec![setup.settings(Client::Qwen, settings, Holds::HooksAndServer, parts)]
}

fn agent(definition: &AgentDefinition<'_>) -> String {
    let (tools, not_enforced) = definition.tool_list(own_names);
    let fields = definition.name_and_description().into_iter().chain(tools);
    definition.markdown(Client::Qwen, fields, &not_enforced)
}

/// Allows Bugle's commands. Everything else still needs approval.
fn allowed_tools(access: Access, bugle: &BugleAccess<'_>) -> Vec<String> {
    if access == Access::Full {
        return Vec::new();
    }
    // The option takes all words that follow, unless its value is part of the same word.
    vec![format!("--allowed-tools=run_shell_command({})", bugle.program)]
}

/// Qwen Code's names for the tools that a skill names. MCP tools have the same names in both.
fn own_names(tools: &[String]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for tool in tools {
        let meant = Tool::named(tool);
        let own = FACTS
            .tools
            .meanings
            .iter()
            .filter(|(_, known)| meant == Some(*known));
        let own = own.map(|(name, _)| *name);
        for name in own.chain(meant.is_none().then_some(tool.as_str())) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// The transcript items in one line of output. The messages have Claude Code's format.
fn transcript_items(transcript: &mut Transcript, value: &Value) -> Vec<TranscriptItem> {
    let Some(kind) = text(value, "type") else {
        return Vec::new();
    };
    let mut items: Vec<TranscriptItem> = transcript
        .session(text(value, "session_id"))
        .into_iter()
        .collect();
    if kind == "result" {
        items.extend(final_items(transcript, value));
    } else if value.get("parent_tool_use_id").is_none_or(Value::is_null) {
        items.extend(message_items(transcript, kind, value));
    }
    items
}

fn final_items(transcript: &mut Transcript, value: &Value) -> Vec<TranscriptItem> {
    let mut items = vec![TranscriptItem::Cost {
        tokens: number(&value["usage"], "total_tokens"),
        cost: 0,
    }];
    if value["is_error"].as_bool().unwrap_or_default() {
        items.push(TranscriptItem::Error {
            text: words(&value["error"]["message"]),
        });
        return items;
    }
    let answer = text(value, "result").unwrap_or_default().to_owned();
    // The client has usually printed the answer already. If not, add the answer, so that it is in the log.
    if transcript.last_said.as_deref() != Some(&answer) && !answer.is_empty() {
        items.push(transcript.said(answer.clone()));
    }
    items.push(TranscriptItem::Final { text: answer });
    items
}
