//! Copilot CLI.
//!
//! Copilot CLI accepts hooks in Claude Code's format, and then uses Claude Code's names for events and tools. It also
//! reads Claude Code's hooks in `.claude`. A reply's context must be at the top level.

use std::path::Path;

use bugle_core::agent::Access;
use bugle_core::reply::TranscriptItem;
use bugle_core::tool::Tool;
use bugle_core::wake::Budget;
use serde_json::{Value, json};

use crate::Client;
use crate::agents::{AgentDefinition, AgentFormat};
use crate::claude::turns_hooks_off;
use crate::facts::{
    Facts, HookFacts, HookGaps, LackingSession, OwnHooks, Recognition, SkillFolders, StartReply, ToolMark,
    ToolNames,
};
use crate::hook::{ContextPlace, DenialShape, HookEvent, LackingCalls};
use crate::inactive_hooks::{OffSwitch, ProjectTrust};
use crate::launch::{AccessArguments, BugleAccess, CommandLine};
use crate::setup::{
    ClientSetup, Folders, Holds, Node, Part, Roots, Scope, SettingsFiles, Target, command_server, parse,
};
use crate::transcript::{Transcript, input, text, words};

const CONFIG_FOLDER: &str = "COPILOT_HOME";
const SESSION: &str = "COPILOT_AGENT_SESSION_ID";
const HOOKS: &str = "hooks/bugle.json";

pub(crate) const FACTS: Facts = Facts {
    name: "copilot",
    title: "Copilot CLI",
    recognition: Recognition {
        program: Some("copilot"),
        command_session: Some(SESSION),
        command_marks: &["COPILOT_CLI"],
        hook_mark: Some("COPILOT_CLI"),
        own_variables: &["COPILOT_CLI", SESSION, "COPILOT_CLI_BINARY_VERSION"],
        path_variables: &[CONFIG_FOLDER],
        tool_mark: ToolMark::With(SESSION),
        own_hooks: Some(OwnHooks {
            called_from: Some("COPILOT_HOOK_DIR"),
            user: (CONFIG_FOLDER, ".copilot", HOOKS),
            project: ("COPILOT_PROJECT_DIR", ".github/hooks/bugle.json"),
        }),
        ..Recognition::NONE
    },
    command_line: CommandLine {
        run: &["--output-format", "json"],
        new_session: Some("--session-id"),
        resume: "--resume",
        last: &[],
        access: AccessArguments {
            own: [
                &["--allow-tool", "bugle"],
                &["--allow-tool", "write"],
                &["--allow-tool", "bugle"],
            ],
            bugle: allowed_tools,
        },
        access_variable: None,
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
            // Changes only the session's own database, which contains the to-do list.
            ("sql", Tool::Todo),
        ],
        subagent: &["Agent", "task"],
        edit: ("Edit", |file: &Path| json!({ "path": file })),
        // The agent changes its to-do list with SQL, which Bugle does not follow.
        todo_lists: &[],
        todo_items: &[],
        namespaces: &[],
        bugle_prefix: "bugle-",
        mcp_prefix: None,
    },
    hooks: HookFacts {
        // Copilot CLI cuts the context after a tool at 10,240 UTF-16 code units. Other contexts have no limit.
        budget: Budget::utf16(9_000),
        events: &[
            ("SessionStart", HookEvent::SessionStart),
            ("UserPromptSubmit", HookEvent::UserPromptSubmit),
            ("PreToolUse", HookEvent::PreToolUse),
            ("PostToolUse", HookEvent::PostToolUse),
            ("SubagentStart", HookEvent::SubagentStart),
            ("SubagentStop", HookEvent::SubagentStop),
            ("PreCompact", HookEvent::PreCompact),
            ("Stop", HookEvent::Stop),
            ("SessionEnd", HookEvent::SessionEnd),
        ],
        timeout: |_| 10,
        handler_name: None,
        denial: DenialShape::PermissionDecision,
        generated_prompts: &["<system_notification"],
        prompt_prefaces: &[],
        off_switch: Some(OffSwitch {
            project_files: &[HOOKS, "copilot/settings.json"],
            user_files: &[HOOKS],
            is_off: turns_hooks_off,
        }),
        project_trust: Some(ProjectTrust {
            file: "config.json",
            trusts: trusts_folder,
            variable: None,
            start: "copilot",
        }),
        trust: None,
        in_login_shell: false,
        prompts_with_refusals: true,
        gaps: HookGaps {
            // In a sub-agent's commands, the session variable has a value that no hook reports.
            lacks_session: Some(LackingSession {
                field: "updatedInput",
                calls: LackingCalls::SubagentCommands,
            }),
            // Copilot CLI drops this reply when it resumes or compacts the session.
            start_reply: StartReply::Lost,
            context: ContextPlace::Top,
            ..HookGaps::NONE
        },
    },
    settings: SettingsFiles {
        files: &[
            ".github/hooks/bugle.json",
            ".github/copilot/settings.json",
            ".copilot/hooks/bugle.json",
            ".copilot/settings.json",
        ],
        managed: &[],
        moved: Some((CONFIG_FOLDER, &[HOOKS, "settings.json"])),
    },
    folders,
    targets,
    server: ("mcpServers", command_server),
    mcp_session: |_| None,
    skills: SkillFolders::SHARED,
    setup_notes: |scope| match scope {
        Scope::Project => vec![
            "Copilot CLI reads a project's hooks and MCP servers only if you have trusted the folder: start `copilot` there once.",
        ],
        Scope::User => Vec::new(),
    },
    agents: Some(AgentFormat {
        client: Client::Copilot,
        folder: ".github/agents",
        export_note: "Copilot CLI loads exported agents in its next session.",
        extension: "agent.md",
        render: agent,
    }),
    plugin: None,
};

fn folders(roots: &Roots<'_>, scope: Scope) -> Folders {
    let skills = roots.shared_skills(scope);
    match scope {
        Scope::Project => Folders {
            own: roots.root.join(".github"),
            servers: roots.root.join(".mcp.json"),
            skills,
            instructions: roots.root.join("AGENTS.md"),
        },
        Scope::User => {
            let own = (roots.variable)(CONFIG_FOLDER).unwrap_or_else(|| roots.home.join(".copilot"));
            Folders {
                servers: own.join("mcp-config.json"),
                skills,
                instructions: own.join("copilot-instructions.md"),
                own,
            }
        }
    }
}

/// Whether the file lists the folder or a parent of it.
fn trusts_folder(text: &str, folder: &Path) -> Option<bool> {
    if text.is_empty() {
        return Some(false);
    }
    let config = parse(text).ok()?;
    let listed = config.member("trustedFolders");
    let mut listed = listed.into_iter().flat_map(Node::items);
    Some(listed.any(|item| item.value.text().is_some_and(|path| folder.starts_with(path))))
}

fn targets(setup: &ClientSetup) -> Vec<Target> {
    let (hooks, servers) = (setup.folders.own.join(HOOKS), setup.folders.servers.clone());
    let holds = Holds::of_server(&servers);
    vec![
        setup.settings(Client::Copilot, hooks, Holds::Hooks, &[Part::Hooks]),
        setup.settings(Client::Copilot, servers, holds, &[Part::Server]),
    ]
}

/// Allows Bugle's commands, its MCP tools, and changes to the folder for results. Without a terminal, Copilot CLI denies
/// everything else that needs approval.
fn allowed_tools(access: Access, bugle: &BugleAccess<'_>) -> Vec<String> {
    if access == Access::Full {
        return vec!["--allow-all".to_owned()];
    }
    let work = bugle.home.join("work");
    let work = work.display();
    let mut words = vec![
        "--allow-tool=bugle".to_owned(),
        format!("--allow-tool=shell({}:*)", bugle.program),
        format!("--allow-tool=write({work}/**)"),
        format!("--add-dir={work}"),
    ];
    // Copilot CLI also checks the path of a program.
    let folder = Path::new(bugle.program)
        .parent()
        .filter(|folder| folder.is_absolute());
    words.extend(folder.map(|folder| format!("--add-dir={}", folder.display())));
    words
}

fn agent(definition: &AgentDefinition<'_>) -> String {
    let fields = definition.name_and_description();
    definition.markdown(Client::Copilot, fields, &definition.role.tools)
}

/// The transcript items in one line of output.
fn transcript_items(transcript: &mut Transcript, value: &Value) -> Vec<TranscriptItem> {
    let mut items: Vec<TranscriptItem> = Vec::new();
    let data = &value["data"];
    // Skip items from sub-agents.
    if value.get("agentId").is_some() {
        return items;
    }
    match text(value, "type") {
        Some("assistant.message") => {
            let said = text(data, "content").filter(|text| !text.is_empty());
            items.extend(said.map(|text| transcript.said(text.to_owned())));
        }
        Some("tool.execution_start") => items.push(TranscriptItem::ToolUsed {
            tool: text(data, "toolName").unwrap_or_default().to_owned(),
            input: input(&data["arguments"]),
        }),
        Some("tool.execution_complete") => {
            let failed = data["success"] == json!(false);
            let output = if failed {
                &data["error"]["message"]
            } else {
                &data["result"]["content"]
            };
            items.push(TranscriptItem::ToolResult {
                output: words(output),
                failed,
            });
        }
        Some("session.error") => items.push(TranscriptItem::Error {
            text: words(&data["message"]),
        }),
        Some("result") => {
            items.extend(transcript.session(text(value, "sessionId")));
            if value["exitCode"] == json!(0) {
                items.extend(transcript.answered());
            }
        }
        _ => {}
    }
    items
}
