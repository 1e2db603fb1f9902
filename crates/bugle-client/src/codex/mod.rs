//! Codex.
//!
//! Codex reads agents from `.codex/agents/NAME.toml`. No setting disables individual tools for an agent, and a
//! read-only sandbox would keep Bugle from recording the agent's results, so the agent's text names the forbidden
//! tools. Codex has no stable model names by size, so a role's model size sets the reasoning effort.

mod mcp;
mod rules;
mod transcript;
mod trust;

use std::fmt::Write as _;

use bugle_core::agent::Access;
use bugle_core::role::ModelSize;
use bugle_core::tool::Tool;
use bugle_core::wake::Budget;
use serde_json::{Value, json};

use crate::Client;
use crate::agents::{AgentDefinition, AgentFormat, escaped, quoted};
use crate::facts::{Facts, HookFacts, HookGaps, Recognition, SkillFolders, ToolMark, ToolNames};
use crate::hook::{COMMON_EVENTS, DenialShape, HookEvent, TodoList};
use crate::launch::{AccessArguments, BugleAccess, CommandLine};
use crate::plugin::{self, PluginFormat};
use crate::setup::{
    ClientSetup, CodexConfig, Content, Folders, Holds, Part, Roots, SERVER_VARIABLES, Scope, SettingsFiles,
    Target, TargetContent, command_server, writable_roots,
};

use mcp::mcp_session;
use transcript::transcript_items;
use trust::{PROJECT_TRUST, TRUST};

const HOME: &str = "CODEX_HOME";
const SESSION: &str = "CODEX_THREAD_ID";

pub(crate) const FACTS: Facts = Facts {
    name: "codex",
    title: "Codex",
    recognition: Recognition {
        program: Some("codex"),
        command_session: Some(SESSION),
        command_marks: &["CODEX_SESSION_ID"],
        own_variables: &["CODEX_SESSION_ID", SESSION],
        sandbox: &["CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"],
        sandbox_hints: &[
            "Nothing was changed. Codex's sandbox keeps this command from using Bugle's store.",
            "Run only the bugle command, without pipes, redirects and variables: Codex then runs it outside the sandbox. \
             Pass a result as `--result 'JSON'`. Or call the tools of the MCP server bugle.",
            "If this does not help, ask the user to run `bugle setup codex` and `bugle doctor codex`.",
        ],
        path_variables: &[HOME],
        tool_mark: ToolMark::With(SESSION),
        ..Recognition::NONE
    },
    command_line: CommandLine {
        // Outside a git repository, Codex asks for permission. Skip the question: the user has already started the
        // agent.
        run: &["exec", "--json", "--skip-git-repo-check"],
        new_session: None,
        resume: "resume",
        last: &["-"],
        access: AccessArguments {
            own: [
                &["--sandbox", "read-only"],
                &["--sandbox", "workspace-write"],
                &["--sandbox", "danger-full-access"],
            ],
            bugle: bugle_access,
        },
        access_variable: None,
    },
    transcript_items,
    tools: ToolNames {
        meanings: &[
            ("exec_command", Tool::Shell),
            ("shell", Tool::Shell),
            ("local_shell", Tool::Shell),
            ("shell_command", Tool::Shell),
            ("Bash", Tool::Shell),
            ("spawn_agent", Tool::Agent),
            ("request_user_input", Tool::AskUser),
            ("apply_patch", Tool::Patch),
            ("web_search", Tool::WebSearch),
            ("update_plan", Tool::Todo),
        ],
        subagent: &["wait", "wait_agent"],
        edit: ("apply_patch", |_| json!({ "input": "" })),
        todo_lists: &[TodoList {
            tool: "update_plan",
            field: "plan",
            titles: &["step"],
        }],
        todo_items: &[],
        // The namespaces of Codex's sub-agent tools.
        namespaces: &["multi_agent_v1", "collaboration"],
        bugle_prefix: "mcp__bugle__",
        mcp_prefix: Some("mcp__"),
    },
    hooks: HookFacts {
        // Codex accepts 10,000 bytes, and cuts the middle out of longer text.
        budget: Budget::bytes(9_000),
        events: COMMON_EVENTS,
        timeout: |event| match event {
            HookEvent::SessionEnd => 3,
            _ => 10,
        },
        handler_name: None,
        denial: DenialShape::PermissionDecision,
        generated_prompts: &[
            "<hook_prompt",
            "<subagent_notification",
            "<user_instructions",
            "<environment_context",
            "<turn_aborted",
            "<skill>",
        ],
        prompt_prefaces: &[],
        off_switch: None,
        project_trust: Some(PROJECT_TRUST),
        trust: Some(TRUST),
        in_login_shell: true,
        prompts_with_refusals: false,
        gaps: HookGaps::NONE,
    },
    settings: SettingsFiles {
        files: &[".codex/config.toml", ".codex/hooks.json"],
        managed: &["/etc/codex/managed_config.toml"],
        moved: Some((HOME, &["config.toml", "hooks.json"])),
    },
    folders,
    targets,
    server: ("mcpServers", command_server),
    mcp_session,
    skills: SkillFolders::SHARED,
    setup_notes: |scope| {
        let mut notes = vec![
            "Codex silently skips hooks that you have not trusted. Start `codex` in this folder, open /hooks, \
             review Bugle's hooks and trust them. Repeat this whenever setup changes the hooks.",
            "Codex runs the bugle commands listed in rules/bugle.rules outside its sandbox, without asking.",
        ];
        if scope == Scope::Project {
            notes.push("Codex reads this project's .codex folder only if you have trusted the project.");
        }
        notes
    },
    agents: Some(AgentFormat {
        client: Client::Codex,
        folder: ".codex/agents",
        export_note: "Codex loads exported agents in its next session if it trusts the project.",
        extension: "toml",
        render: agent,
    }),
    plugin: Some(PluginFormat {
        client: Client::Codex,
        // Codex does not find a plugin in the root of the marketplace folder.
        base: "plugins/bugle/",
        manifest_folder: ".codex-plugin",
        marketplace_file: ".agents/plugins/marketplace.json",
        has_agents: false,
        marketplace,
        install_verb: "add",
    }),
};

fn folders(roots: &Roots<'_>, scope: Scope) -> Folders {
    let (own, instructions) = match scope {
        Scope::Project => (roots.root.join(".codex"), roots.root.join("AGENTS.md")),
        Scope::User => {
            let own = (roots.variable)(HOME).unwrap_or_else(|| roots.home.join(".codex"));
            (own.clone(), own.join("AGENTS.md"))
        }
    };
    Folders {
        servers: own.join("config.toml"),
        skills: roots.shared_skills(scope),
        instructions,
        own,
    }
}

fn targets(setup: &ClientSetup) -> Vec<Target> {
    let hooks = setup.folders.own.join("hooks.json");
    let mut writable = vec![setup.store.clone()];
    let user_roots = writable_roots(setup.user_servers.as_deref().unwrap_or_default());
    writable.extend(user_roots.into_iter().filter(|root| *root != setup.store));
    let config = CodexConfig {
        program: setup.program.clone(),
        writable,
    };
    vec![
        setup.settings(Client::Codex, hooks, Holds::Hooks, &[Part::Hooks]),
        Target {
            path: setup.folders.servers.clone(),
            holds: Holds::Server,
            content: TargetContent::Part(Content::Config(config)),
        },
        Target {
            path: setup.folders.own.join("rules/bugle.rules"),
            holds: Holds::Rules,
            content: TargetContent::Whole {
                text: rules::rules(&setup.program),
                is_own: rules::is_rules,
            },
        },
    ]
}

/// Makes Bugle's home folder writable if any folder is, and adds the MCP server, which runs outside the sandbox. So an agent can
/// use Bugle even if Codex is not set up.
fn bugle_access(access: Access, bugle: &BugleAccess<'_>) -> Vec<String> {
    if access == Access::Full {
        return Vec::new();
    }
    let server = format!(
        "mcp_servers.bugle={{command={}, args=[\"mcp\"], {SERVER_VARIABLES}}}",
        quoted(bugle.program)
    );
    let home = bugle.home.display().to_string();
    ["--add-dir".to_owned(), home, "-c".to_owned(), server].into()
}

fn marketplace() -> Value {
    let entry = json!({
        "name": plugin::NAME,
        "source": { "source": "local", "path": "./plugins/bugle" },
        "policy": { "installation": "AVAILABLE", "authentication": "ON_INSTALL" },
        "category": "Productivity",
    });
    json!({
        "name": plugin::NAME,
        "interface": { "displayName": "Bugle" },
        "plugins": [entry],
    })
}

fn agent(definition: &AgentDefinition<'_>) -> String {
    let mut out = format!("{}\nname = {}\n", definition.mark, quoted(&definition.name));
    let _ = writeln!(out, "description = {}", definition.description());
    if let Some(size) = definition.role.model {
        let effort = match size {
            ModelSize::Small => "low",
            ModelSize::Medium => "medium",
            ModelSize::Large => "high",
        };
        let _ = writeln!(out, "model_reasoning_effort = {}", quoted(effort));
    }
    let text = definition.instructions(Client::Codex, &definition.role.tools);
    let lines: Vec<String> = text.split('\n').map(escaped).collect();
    let _ = writeln!(out, "developer_instructions = \"\"\"\n{}\"\"\"", lines.join("\n"));
    out
}
