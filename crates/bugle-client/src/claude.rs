//! Claude Code.
//!
//! Claude Code reads agents from `.claude/agents/NAME.md`: YAML front matter, then the agent's text. A list of tools is
//! one line, separated by commas, which every version accepts. `model` is the client's name for a small, medium or
//! large model.

use std::path::Path;

use bugle_core::agent::Access;
use bugle_core::reply::TranscriptItem;
use bugle_core::role::ModelSize;
use bugle_core::tool::Tool;
use bugle_core::wake::Budget;
use serde_json::{Value, json};

use crate::Client;
use crate::agents::{AgentDefinition, AgentFormat};
use crate::facts::{Facts, HookFacts, HookGaps, Recognition, SkillFolders, ToolMark, ToolNames};
use crate::hook::{COMMON_EVENTS, DenialShape, TodoChange, TodoList};
use crate::inactive_hooks::OffSwitch;
use crate::launch::{AccessArguments, BugleAccess, CommandLine};
use crate::plugin::{self, PluginFormat};
use crate::setup::{
    ClientSetup, Folders, Holds, Part, Roots, Scope, SettingsFiles, Target, command_server, parse,
};
use crate::transcript::{Transcript, input, millionths, number, text, words};

const CONFIG_FOLDER: &str = "CLAUDE_CONFIG_DIR";
const PROJECT_FOLDER: &str = "CLAUDE_PROJECT_DIR";
const SESSION: &str = "CLAUDE_CODE_SESSION_ID";
const SKILLS: &str = ".claude/skills";

pub(crate) const FACTS: Facts = Facts {
    name: "claude",
    title: "Claude Code",
    recognition: Recognition {
        program: Some("claude"),
        command_session: Some(SESSION),
        command_marks: &["CLAUDECODE"],
        own_variables: &[
            "CLAUDECODE",
            SESSION,
            "CLAUDE_CODE_ENTRYPOINT",
            "CLAUDE_PID",
            "CLAUDE_EFFORT",
            "AI_AGENT",
        ],
        path_variables: &[CONFIG_FOLDER, PROJECT_FOLDER],
        project_folder: Some(PROJECT_FOLDER),
        tool_mark: ToolMark::Without(PROJECT_FOLDER),
        ..Recognition::NONE
    },
    command_line: CommandLine {
        run: &["-p", "--output-format", "stream-json", "--verbose"],
        new_session: Some("--session-id"),
        resume: "--resume",
        last: &[],
        access: AccessArguments {
            // Not `plan` for read access: in that mode, the agent cannot write its results either.
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
            ("Bash", Tool::Shell),
            ("Agent", Tool::Agent),
            ("Task", Tool::Agent),
            ("AskUserQuestion", Tool::AskUser),
            ("Read", Tool::Read),
            ("Write", Tool::Write),
            ("Edit", Tool::Edit),
            ("MultiEdit", Tool::Edit),
            ("NotebookEdit", Tool::NotebookEdit),
            ("Glob", Tool::Glob),
            ("Grep", Tool::Grep),
            ("LS", Tool::List),
            ("WebFetch", Tool::WebFetch),
            ("WebSearch", Tool::WebSearch),
            ("TodoWrite", Tool::Todo),
        ],
        subagent: &["Agent", "Task"],
        edit: ("Edit", |file: &Path| json!({ "file_path": file })),
        todo_lists: &[TodoList {
            tool: "TodoWrite",
            field: "todos",
            titles: &["content", "description"],
        }],
        todo_items: &[
            ("TaskCreate", TodoChange::Create),
            ("TaskUpdate", TodoChange::Update),
        ],
        namespaces: &[],
        bugle_prefix: "mcp__bugle__",
        mcp_prefix: Some("mcp__"),
    },
    hooks: HookFacts {
        // Claude Code accepts 10,000 UTF-16 code units, and writes longer text to a file.
        budget: Budget::utf16(9_000),
        events: COMMON_EVENTS,
        timeout: |_| 10,
        handler_name: None,
        denial: DenialShape::PermissionDecision,
        generated_prompts: &[
            "<task-notification",
            "<teammate-message",
            "<cross-session-message",
            "<agent-message",
            "<command-message>",
            "<command-name>",
            "<local-command-",
            "[SYSTEM NOTIFICATION",
            "Stop hook feedback:",
        ],
        prompt_prefaces: &[("<system-reminder>", "</system-reminder>")],
        off_switch: Some(OffSwitch {
            project_files: &["settings.json", "settings.local.json"],
            user_files: &["settings.json"],
            is_off: turns_hooks_off,
        }),
        project_trust: None,
        trust: None,
        in_login_shell: false,
        prompts_with_refusals: false,
        gaps: HookGaps::NONE,
    },
    settings: SettingsFiles {
        files: &[".claude/settings.json", ".claude/settings.local.json"],
        managed: &[
            "/etc/claude-code/managed-settings.json",
            "/Library/Application Support/ClaudeCode/managed-settings.json",
        ],
        moved: Some((CONFIG_FOLDER, &["settings.json"])),
    },
    folders,
    targets,
    server: ("mcpServers", command_server),
    mcp_session: |_| None,
    skills: SkillFolders {
        folder: SKILLS,
        plugins: Some(".claude/plugins/cache"),
    },
    setup_notes: |scope| match scope {
        Scope::Project => vec!["Claude Code asks you before it uses a project's MCP server."],
        Scope::User => Vec::new(),
    },
    agents: Some(AgentFormat {
        client: Client::Claude,
        folder: ".claude/agents",
        export_note: "Claude Code loads exported agents in its next session.",
        extension: "md",
        render: agent,
    }),
    plugin: Some(PluginFormat {
        client: Client::Claude,
        base: "",
        manifest_folder: ".claude-plugin",
        marketplace_file: ".claude-plugin/marketplace.json",
        has_agents: true,
        marketplace,
        install_verb: "install",
    }),
};

fn folders(roots: &Roots<'_>, scope: Scope) -> Folders {
    match scope {
        Scope::Project => Folders {
            own: roots.root.join(".claude"),
            servers: roots.root.join(".mcp.json"),
            skills: roots.root.join(SKILLS),
            // Claude Code reads `AGENTS.md` only if there is no `CLAUDE.md`, so a new `CLAUDE.md` would hide
            // `AGENTS.md`.
            instructions: roots.either(roots.root, "CLAUDE.md", "AGENTS.md"),
        },
        Scope::User => {
            let moved = (roots.variable)(CONFIG_FOLDER);
            let own = moved.clone().unwrap_or_else(|| roots.home.join(".claude"));
            Folders {
                servers: moved
                    .unwrap_or_else(|| roots.home.to_owned())
                    .join(".claude.json"),
                skills: own.join("skills"),
                instructions: own.join("CLAUDE.md"),
                own,
            }
        }
    }
}

fn targets(setup: &ClientSetup) -> Vec<Target> {
    let (holds, parts): (_, &[Part]) = if setup.status_line {
        (Holds::HooksAndStatusLine, &[Part::Hooks, Part::StatusLine])
    } else {
        (Holds::Hooks, &[Part::Hooks])
    };
    let (settings, servers) = (
        setup.folders.own.join("settings.json"),
        setup.folders.servers.clone(),
    );
    let server = Holds::of_server(&servers);
    vec![
        setup.settings(Client::Claude, settings, holds, parts),
        setup.settings(Client::Claude, servers, server, &[Part::Server]),
    ]
}

fn marketplace() -> Value {
    let entry = json!({ "name": plugin::NAME, "source": "./", "description": plugin::DESCRIPTION });
    json!({ "name": plugin::NAME, "owner": { "name": "Bugle" }, "plugins": [entry] })
}

fn agent(definition: &AgentDefinition<'_>) -> String {
    let (tools, not_enforced) = definition.tool_list(|tools| tools.iter().map(String::as_str).collect());
    let model = definition.role.model.map(|size| match size {
        ModelSize::Small => "haiku",
        ModelSize::Medium => "sonnet",
        ModelSize::Large => "opus",
    });
    let fields = definition.name_and_description().into_iter().chain(tools);
    let fields = fields.chain(model.map(|model| ("model", model.to_owned())));
    definition.markdown(Client::Claude, fields, &not_enforced)
}

/// Allows Bugle's commands, its MCP tools, and changes to the folder for results. Everything else still needs approval.
fn allowed_tools(access: Access, bugle: &BugleAccess<'_>) -> Vec<String> {
    if access == Access::Full {
        return Vec::new();
    }
    let work = bugle.home.join("work");
    // A second slash marks an absolute path. The option takes all words that follow, unless its value is part of the
    // same word.
    vec![format!(
        "--allowedTools=Bash({}:*),mcp__bugle,Edit(/{}/**)",
        bugle.program,
        work.display()
    )]
}

/// The transcript items in one line of output.
pub(crate) fn transcript_items(transcript: &mut Transcript, value: &Value) -> Vec<TranscriptItem> {
    let mut items: Vec<TranscriptItem> = Vec::new();
    match text(value, "type") {
        // Do not record the session of a result, because a result can name a session that was not found.
        Some("result") => items.extend(final_items(transcript, value)),
        Some(kind) => {
            items.extend(transcript.session(text(value, "session_id")));
            // Skip items from sub-agents.
            if value.get("parent_tool_use_id").is_none_or(Value::is_null) {
                items.extend(message_items(transcript, kind, value));
            }
        }
        None => {}
    }
    items
}

/// The transcript items in a message.
pub(crate) fn message_items(transcript: &mut Transcript, kind: &str, value: &Value) -> Vec<TranscriptItem> {
    let Some(blocks) = value["message"]["content"].as_array() else {
        return Vec::new();
    };
    let mut items = Vec::new();
    for block in blocks {
        items.extend(match (kind, text(block, "type")) {
            ("assistant", Some("text")) => text(block, "text").map(|text| transcript.said(text.to_owned())),
            ("assistant", Some("tool_use")) => Some(TranscriptItem::ToolUsed {
                tool: text(block, "name").unwrap_or_default().to_owned(),
                input: input(&block["input"]),
            }),
            ("user", Some("tool_result")) => Some(TranscriptItem::ToolResult {
                output: words(&block["content"]),
                failed: block["is_error"].as_bool().unwrap_or_default(),
            }),
            _ => None,
        });
    }
    items
}

fn final_items(transcript: &mut Transcript, value: &Value) -> Vec<TranscriptItem> {
    let failed = value["is_error"].as_bool().unwrap_or_default();
    let mut items = Vec::new();
    if !failed {
        items.extend(transcript.session(text(value, "session_id")));
    }
    let usage = &value["usage"];
    let tokens = [
        "input_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
        "output_tokens",
    ];
    items.push(TranscriptItem::Cost {
        tokens: tokens.iter().map(|name| number(usage, name)).sum(),
        cost: millionths(value.get("total_cost_usd")),
    });
    let answer = text(value, "result").map(str::to_owned);
    if failed {
        let errors = words(&value["errors"]);
        items.push(TranscriptItem::Error {
            text: answer.unwrap_or(errors),
        });
        return items;
    }
    let answer = answer.unwrap_or_default();
    // The client has usually printed the answer already. If not, add the answer, so that it is in the log.
    if transcript.last_said.as_deref() != Some(&answer) && !answer.is_empty() {
        items.push(transcript.said(answer.clone()));
    }
    items.push(TranscriptItem::Final { text: answer });
    items
}

/// Whether a settings file turns all hooks off.
pub(crate) fn turns_hooks_off(text: &str) -> bool {
    let Ok(root) = parse(text) else { return false };
    let value = root.member("disableAllHooks");
    value.is_some_and(|value| text.get(value.start..value.end) == Some("true"))
}
