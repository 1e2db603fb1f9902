//! Gemini CLI.

use std::path::Path;

use bugle_core::agent::Access;
use bugle_core::reply::TranscriptItem;
use bugle_core::tool::Tool;
use bugle_core::wake::Budget;
use serde_json::{Value, json};

use crate::Client;
use crate::agents::{AgentDefinition, AgentFormat};
use crate::facts::{
    Facts, HookFacts, HookGaps, LackingSession, Recognition, SkillFolders, StartReply, ToolNames,
};
use crate::hook::{DenialShape, HookEvent, LackingCalls, TodoList};
use crate::inactive_hooks::ProjectTrust;
use crate::launch::{AccessArguments, BugleAccess, CommandLine};
use crate::setup::{
    ClientSetup, Folders, Holds, Part, Roots, Scope, SettingsFiles, Target, command_server, parse,
};
use crate::transcript::{Transcript, input, number, text, words};

pub(crate) const FACTS: Facts = Facts {
    name: "gemini",
    title: "Gemini CLI",
    recognition: Recognition {
        program: Some("gemini"),
        hook_session: Some("GEMINI_SESSION_ID"),
        command_marks: &["GEMINI_CLI"],
        ..Recognition::NONE
    },
    command_line: CommandLine {
        run: &["-o", "stream-json"],
        new_session: None,
        resume: "--resume",
        last: &[],
        // Without a terminal, Gemini CLI denies every tool call that needs the user's approval.
        access: AccessArguments {
            own: [
                &["--approval-mode", "default"],
                &["--approval-mode", "auto_edit"],
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
            ("invoke_agent", Tool::Agent),
            ("ask_user", Tool::AskUser),
            ("read_file", Tool::Read),
            ("read_many_files", Tool::Read),
            ("write_file", Tool::Write),
            ("replace", Tool::Edit),
            ("glob", Tool::Glob),
            ("search_file_content", Tool::Grep),
            ("grep_search", Tool::Grep),
            ("list_directory", Tool::List),
            ("web_fetch", Tool::WebFetch),
            ("google_web_search", Tool::WebSearch),
            ("write_todos", Tool::Todo),
        ],
        subagent: &["invoke_agent"],
        edit: ("write_file", |file: &Path| json!({ "file_path": file })),
        todo_lists: &[TodoList {
            tool: "write_todos",
            field: "todos",
            titles: &["content", "description"],
        }],
        todo_items: &[],
        namespaces: &[],
        bugle_prefix: "mcp_bugle_",
        mcp_prefix: Some("mcp_"),
    },
    hooks: HookFacts {
        budget: Budget::PROMPT,
        events: &[
            ("SessionStart", HookEvent::SessionStart),
            ("BeforeAgent", HookEvent::UserPromptSubmit),
            ("BeforeTool", HookEvent::PreToolUse),
            ("AfterTool", HookEvent::PostToolUse),
            ("AfterAgent", HookEvent::Stop),
            // Nothing can stop a compaction that the user asked for, so it counts as ended.
            ("PreCompress", HookEvent::PostCompact),
            ("SessionEnd", HookEvent::SessionEnd),
        ],
        // In milliseconds.
        timeout: |_| 10_000,
        handler_name: Some("bugle"),
        denial: DenialShape::Decision,
        // Gemini CLI sends the reason for a refused stop as an unmarked prompt. Bugle recognises the prompt by its
        // text.
        generated_prompts: &[],
        prompt_prefaces: &[("<hook_context>", "</hook_context>")],
        off_switch: None,
        project_trust: Some(ProjectTrust {
            file: "trustedFolders.json",
            trusts: trusts_folder,
            variable: Some(("GEMINI_CLI_TRUST_WORKSPACE", "true")),
            start: "gemini",
        }),
        trust: None,
        in_login_shell: false,
        prompts_with_refusals: true,
        gaps: HookGaps {
            lacks_session: Some(LackingSession {
                field: "tool_input",
                calls: LackingCalls::All,
            }),
            // Gemini CLI puts this reply before the prompt, and drops such a prompt when it resumes the session.
            start_reply: StartReply::Lost,
            tags_context: true,
            // Gemini CLI reports an automatic compaction before every model request, even if it compacts nothing.
            reported_compactions: Some("manual"),
            subagent_end: Some("complete_task"),
            ..HookGaps::NONE
        },
    },
    settings: SettingsFiles {
        files: &[".gemini/settings.json"],
        managed: &[],
        moved: None,
    },
    folders,
    targets,
    server: ("mcpServers", command_server),
    mcp_session: |_| None,
    skills: SkillFolders::SHARED,
    setup_notes: |scope| match scope {
        Scope::Project => {
            vec!["Gemini CLI reads a project's settings only if you have trusted the folder."]
        }
        Scope::User => Vec::new(),
    },
    agents: Some(AgentFormat {
        client: Client::Gemini,
        folder: ".gemini/agents",
        export_note: "Gemini CLI asks you before it uses a project's agents.",
        extension: "md",
        render: agent,
    }),
    plugin: None,
};

/// Bugle's tools, and the command that sets the session.
fn allowed_tools(access: Access, bugle: &BugleAccess<'_>) -> Vec<String> {
    if access == Access::Full {
        return Vec::new();
    }
    let program = bugle.program;
    let tools = format!("run_shell_command({program}),run_shell_command(export),mcp_bugle_*");
    vec!["--allowed-tools".to_owned(), tools]
}

fn agent(definition: &AgentDefinition<'_>) -> String {
    let fields = definition.name_and_description();
    definition.markdown(Client::Gemini, fields, &definition.role.tools)
}

fn folders(roots: &Roots<'_>, scope: Scope) -> Folders {
    let own = roots.base(scope).join(".gemini");
    Folders {
        servers: own.join("settings.json"),
        skills: roots.shared_skills(scope),
        instructions: match scope {
            Scope::Project => roots.root.join("GEMINI.md"),
            Scope::User => own.join("GEMINI.md"),
        },
        own,
    }
}

/// Whether the file lists the folder or a parent of it. Without an entry, the settings and the editor decide.
fn trusts_folder(text: &str, folder: &Path) -> Option<bool> {
    let list = parse(text).ok()?;
    let rules = list.items().iter().filter_map(|item| {
        let listed = Path::new(item.key.as_str());
        match item.value.text()? {
            "TRUST_FOLDER" => folder.starts_with(listed).then_some(true),
            "TRUST_PARENT" => folder.starts_with(listed.parent()?).then_some(true),
            "DO_NOT_TRUST" => (folder == listed).then_some(false),
            _ => None,
        }
    });
    rules.min()
}

fn targets(setup: &ClientSetup) -> Vec<Target> {
    let settings = setup.folders.servers.clone();
    let parts = &[Part::Hooks, Part::Server];
    vec![setup.settings(Client::Gemini, settings, Holds::HooksAndServer, parts)]
}

/// The transcript items in one line of output.
fn transcript_items(transcript: &mut Transcript, value: &Value) -> Vec<TranscriptItem> {
    let kind = text(value, "type");
    if kind == Some("message") {
        // A message arrives in pieces. The message is complete when any other item follows.
        if text(value, "role") == Some("assistant") {
            let piece = text(value, "content").unwrap_or_default();
            transcript.piece.get_or_insert_default().push_str(piece);
        }
        return Vec::new();
    }
    let mut items = transcript.rest();
    match kind {
        Some("init") => items.extend(transcript.session(text(value, "session_id"))),
        Some("tool_use") => items.push(TranscriptItem::ToolUsed {
            tool: text(value, "tool_name").unwrap_or_default().to_owned(),
            input: input(&value["parameters"]),
        }),
        Some("tool_result") => {
            let failed = text(value, "status") == Some("error");
            let output = words(&value["output"]);
            items.push(TranscriptItem::ToolResult {
                output: if failed && output.is_empty() {
                    words(&value["error"]["message"])
                } else {
                    output
                },
                failed,
            });
        }
        Some("error") if text(value, "severity") != Some("warning") => items.push(TranscriptItem::Error {
            text: words(&value["message"]),
        }),
        Some("result") => {
            items.push(TranscriptItem::Cost {
                tokens: number(&value["stats"], "total_tokens"),
                cost: 0,
            });
            if text(value, "status") == Some("success") {
                items.extend(transcript.answered());
            } else {
                items.push(TranscriptItem::Error {
                    text: words(&value["error"]["message"]),
                });
            }
        }
        _ => {}
    }
    items
}
