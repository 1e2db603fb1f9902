//! opencode, which has no hooks: a plugin calls Bugle for its events.

use std::path::Path;

use bugle_core::agent::Access;
use bugle_core::reply::TranscriptItem;
use bugle_core::tool::Tool;
use bugle_core::wake::Budget;
use serde_json::{Value, json};

use crate::Client;
use crate::agents::{AgentDefinition, AgentFormat};
use crate::facts::{
    Facts, HookFacts, HookGaps, LackingSession, Recognition, SkillFolders, ToolMark, ToolNames,
};
use crate::hook::{DenialShape, HookEvent, LackingCalls, TodoList};
use crate::launch::{AccessArguments, BugleAccess, CommandLine};
use crate::recognition::SESSION;
use crate::setup::{
    Call, ClientSetup, Folders, Holds, Json, Part, Roots, Scope, SettingsFiles, Target, TargetContent,
};
use crate::transcript::{Transcript, input, millionths, number, text, words};

const PLUGIN: &str = include_str!("opencode.js");
const CONFIG_HOME: &str = "XDG_CONFIG_HOME";
const PERMISSIONS: &str = "OPENCODE_PERMISSION";

pub(crate) const FACTS: Facts = Facts {
    name: "opencode",
    title: "opencode",
    recognition: Recognition {
        program: Some("opencode"),
        // The plugin sets this variable.
        command_session: Some(SESSION),
        command_marks: &["OPENCODE"],
        own_variables: &["OPENCODE", "OPENCODE_PID"],
        path_variables: &[CONFIG_HOME],
        tool_mark: ToolMark::With(SESSION),
        ..Recognition::NONE
    },
    command_line: CommandLine {
        run: &["run", "--format", "json"],
        new_session: None,
        resume: "--session",
        last: &[],
        access: AccessArguments {
            own: [&[], &[], &["--auto"]],
            bugle: permissions,
        },
        access_variable: Some(PERMISSIONS),
    },
    transcript_items,
    tools: ToolNames {
        meanings: &[
            ("bash", Tool::Shell),
            ("task", Tool::Agent),
            ("question", Tool::AskUser),
            ("read", Tool::Read),
            ("write", Tool::Write),
            ("edit", Tool::Edit),
            ("multiedit", Tool::Edit),
            ("patch", Tool::Patch),
            ("glob", Tool::Glob),
            ("grep", Tool::Grep),
            ("list", Tool::List),
            ("webfetch", Tool::WebFetch),
            ("websearch", Tool::WebSearch),
            ("todowrite", Tool::Todo),
        ],
        subagent: &["task"],
        edit: ("edit", |file: &Path| json!({ "filePath": file })),
        todo_lists: &[TodoList {
            tool: "todowrite",
            field: "todos",
            titles: &["content", "description"],
        }],
        todo_items: &[],
        namespaces: &[],
        bugle_prefix: "bugle_",
        mcp_prefix: None,
    },
    hooks: HookFacts {
        budget: Budget::PROMPT,
        events: &[
            ("session.created", HookEvent::SessionStart),
            ("chat.message", HookEvent::UserPromptSubmit),
            ("tool.execute.before", HookEvent::PreToolUse),
            ("tool.execute.after", HookEvent::PostToolUse),
            // opencode has no events for sub-agents; the plugin derives these.
            ("subagent.created", HookEvent::SubagentStart),
            ("subagent.idle", HookEvent::SubagentStop),
            ("session.compacting", HookEvent::PreCompact),
            ("session.compacted", HookEvent::PostCompact),
            ("session.idle", HookEvent::Stop),
            ("session.deleted", HookEvent::SessionEnd),
        ],
        timeout: |_| 10,
        handler_name: None,
        denial: DenialShape::PermissionDecision,
        // opencode marks generated prompts as synthetic. The plugin does not report their text.
        generated_prompts: &[],
        prompt_prefaces: &[],
        off_switch: None,
        project_trust: None,
        trust: None,
        in_login_shell: false,
        prompts_with_refusals: false,
        gaps: HookGaps {
            lacks_session: Some(LackingSession {
                field: "updatedInput",
                calls: LackingCalls::Mcp,
            }),
            ..HookGaps::NONE
        },
    },
    settings: SettingsFiles {
        files: &[
            ".opencode/plugin/bugle.js",
            ".config/opencode/plugin/bugle.js",
            "opencode.json",
            "opencode.jsonc",
            ".config/opencode/opencode.json",
            ".config/opencode/opencode.jsonc",
        ],
        managed: &[],
        moved: Some((
            CONFIG_HOME,
            &["opencode/plugin/bugle.js", "opencode/opencode.json"],
        )),
    },
    folders,
    targets,
    server: ("mcp", |program| {
        Json::Object(vec![
            ("type", Json::text("local")),
            ("command", Json::texts([program, "mcp"])),
            ("enabled", Json::True),
        ])
    }),
    mcp_session: |_| None,
    skills: SkillFolders::SHARED,
    setup_notes: |_| {
        vec![
            "opencode downloads a package before it loads a plugin. Without a network, opencode waits for the download.",
        ]
    },
    agents: Some(AgentFormat {
        client: Client::Opencode,
        folder: ".opencode/agents",
        export_note: "opencode loads exported agents when it starts.",
        extension: "md",
        render: agent,
    }),
    plugin: None,
};

/// The variable that allows Bugle's commands, and changes to the folder for results. The last rule that matches a call
/// decides.
fn permissions(access: Access, bugle: &BugleAccess<'_>) -> Vec<String> {
    let edit = match access {
        Access::Read => "deny",
        Access::Write => "allow",
        Access::Full => return Vec::new(),
    };
    // opencode checks a file's path relative to the project.
    let home = bugle.home.file_name().unwrap_or_default().to_string_lossy();
    let rules = json!({
        "edit": { "*": edit, format!("../*{home}/work/*"): "allow" },
        "bash": { "*": "deny", format!("{} *", bugle.program): "allow" },
        "external_directory": { format!("{}/work/*", bugle.home.display()): "allow" },
    });
    vec![format!("{PERMISSIONS}={rules}")]
}

fn folders(roots: &Roots<'_>, scope: Scope) -> Folders {
    let (own, settings) = match scope {
        Scope::Project => (roots.root.join(".opencode"), roots.root.to_owned()),
        Scope::User => {
            let config = (roots.variable)(CONFIG_HOME).unwrap_or_else(|| roots.home.join(".config"));
            let own = config.join("opencode");
            (own.clone(), own)
        }
    };
    Folders {
        servers: roots.either(&settings, "opencode.json", "opencode.jsonc"),
        skills: roots.shared_skills(scope),
        instructions: settings.join("AGENTS.md"),
        own,
    }
}

fn targets(setup: &ClientSetup) -> Vec<Target> {
    // A JSON string is also a JavaScript string.
    let program = json!(setup.program).to_string();
    vec![
        Target {
            path: setup.folders.own.join("plugin/bugle.js"),
            holds: Holds::Plugin,
            content: TargetContent::Whole {
                text: PLUGIN.replacen("\"BUGLE_PROGRAM\"", &program, 1),
                is_own: |text| text.starts_with("// Written by `bugle setup opencode`"),
            },
        },
        setup.settings(
            Client::Opencode,
            setup.folders.servers.clone(),
            Holds::Server,
            &[Part::Server],
        ),
    ]
}

/// Renders a definition. opencode's permissions cannot deny a tool except for certain files, so the text lists the
/// denied tools.
fn agent(definition: &AgentDefinition<'_>) -> String {
    let fields = [
        ("description", definition.description()),
        ("mode", "subagent".to_owned()),
    ];
    definition.markdown(Client::Opencode, fields, &definition.role.tools)
}

/// The transcript items in one line of output.
fn transcript_items(transcript: &mut Transcript, value: &Value) -> Vec<TranscriptItem> {
    let mut items: Vec<TranscriptItem> = transcript.session(text(value, "sessionID")).into_iter().collect();
    let part = &value["part"];
    match text(value, "type") {
        Some("text") => items.extend(text(part, "text").map(|text| transcript.said(text.to_owned()))),
        Some("tool_use") => {
            let state = &part["state"];
            let failed = text(state, "status") == Some("error");
            items.push(TranscriptItem::ToolUsed {
                tool: text(part, "tool").unwrap_or_default().to_owned(),
                input: input(&state["input"]),
            });
            items.push(TranscriptItem::ToolResult {
                output: words(&state[if failed { "error" } else { "output" }]),
                failed,
            });
        }
        Some("step_finish") => {
            items.push(TranscriptItem::Cost {
                tokens: number(&part["tokens"], "total"),
                cost: millionths(part.get("cost")),
            });
            if text(part, "reason") == Some("stop") {
                items.extend(transcript.answered());
            }
        }
        Some("error") => items.push(TranscriptItem::Error {
            text: words(value["error"]["data"].get("message").unwrap_or(&value["error"])),
        }),
        _ => {}
    }
    items
}

/// The command that the plugin runs for an event.
pub fn plugin_call(text: &str, event: &str) -> Option<Call> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("const PROGRAM = "))?;
    let program: String = serde_json::from_str(line.trim_end_matches(';')).ok()?;
    let words = ["hook", event, "--client", Client::Opencode.as_str()];
    let words = words.into_iter().map(str::to_owned);
    Some(Call::Words(std::iter::once(program).chain(words).collect()))
}
