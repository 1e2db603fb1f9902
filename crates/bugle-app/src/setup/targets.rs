//! Which files of a client Bugle writes, and what belongs in each.

use std::path::{Path, PathBuf};

use bugle_render::role::{Client as AgentClient, is_definition};
use bugle_wire::setup::{Block, Client, CodexConfig, Content, Part, Settings, has_block, status_line_is_own};

use super::stub::{is_stub, stubs};
use super::{SetupRequest, disk};
use crate::place::VariableSource;
use crate::{AppError, Place, roles};

const PLUGIN: &str = include_str!("opencode.js");

/// A file, and what belongs in it.
#[derive(Debug)]
pub(super) struct Target {
    pub path: PathBuf,
    /// What that is, for people.
    pub holds: &'static str,
    pub content: TargetContent,
}

#[derive(Debug)]
pub(super) enum TargetContent {
    /// Bugle's part of a file that others write too.
    Part(Content),
    /// The whole file. Another one of the same name is somebody else's unless this says that Bugle wrote it.
    Whole { text: String, is_own: fn(&str) -> bool },
}

/// The folders of a client.
struct Folders {
    /// Settings, and whatever else is the client's alone.
    own: PathBuf,
    /// The file with MCP servers, if it is not in the settings.
    servers: PathBuf,
    skills: PathBuf,
    instructions: PathBuf,
}

/// The files of a client, in the order in which they are written.
pub(super) fn targets(
    place: &Place,
    variables: VariableSource<'_>,
    request: &SetupRequest,
) -> Result<Vec<Target>, AppError> {
    let client = request.client;
    let folders = folders(place, variables, client, request.user);
    let program = crate::place::absolute_program(variables)?;
    let settings = |path: PathBuf, holds, parts| Target {
        path,
        holds,
        content: TargetContent::Part(Content::Settings(Settings {
            client,
            parts,
            program: program.clone(),
        })),
    };
    let mut targets = match client {
        Client::Claude => vec![
            claude_settings(request, folders.own.join("settings.json"), &settings)?,
            settings(folders.servers, "MCP server", &[Part::Server]),
        ],
        Client::Codex => vec![
            settings(folders.own.join("hooks.json"), "hooks", &[Part::Hooks]),
            Target {
                path: folders.servers,
                holds: "MCP server",
                content: TargetContent::Part(Content::Config(CodexConfig {
                    program: program.clone(),
                })),
            },
        ],
        Client::Gemini => vec![settings(
            folders.servers,
            "hooks, MCP server",
            &[Part::Hooks, Part::Server],
        )],
        Client::Opencode => vec![
            Target {
                path: folders.own.join("plugin/bugle.js"),
                holds: "plugin",
                content: TargetContent::Whole {
                    text: opencode_plugin(&program),
                    is_own: |text| text.starts_with("// Written by `bugle setup opencode`"),
                },
            },
            settings(folders.servers, "MCP server", &[Part::Server]),
        ],
    };
    for (name, text) in stubs(&place.program) {
        targets.push(Target {
            path: folders.skills.join(name).join("SKILL.md"),
            holds: "skill",
            content: TargetContent::Whole {
                text,
                is_own: is_stub,
            },
        });
    }
    if let Some(agents) = agent_client(client) {
        let place = if request.user {
            place.rooted(&place.home.to_string_lossy())
        } else {
            place.clone()
        };
        for (name, text) in roles::definitions(&place, agents)? {
            targets.push(Target {
                path: folders.own.join("agents").join(name),
                holds: "agent",
                content: TargetContent::Whole {
                    text,
                    is_own: is_definition,
                },
            });
        }
    }
    // A block that was asked for once is kept up to date, and taken out, without being asked for again.
    if request.instructions || disk::read(&folders.instructions)?.is_some_and(|text| has_block(&text)) {
        targets.push(Target {
            path: folders.instructions,
            holds: "instructions",
            content: TargetContent::Part(Content::Block(Block {
                text: instructions(&place.program),
            })),
        });
    }
    Ok(targets)
}

/// Hooks, and the status line if it was asked for; from then on it is kept up to date without being asked for again.
fn claude_settings(
    request: &SetupRequest,
    path: PathBuf,
    settings: &dyn Fn(PathBuf, &'static str, &'static [Part]) -> Target,
) -> Result<Target, AppError> {
    let own = disk::read(&path)?.and_then(|text| status_line_is_own(&text));
    Ok(if request.status_line || own == Some(true) {
        settings(path, "hooks, status line", &[Part::Hooks, Part::StatusLine])
    } else {
        settings(path, "hooks", &[Part::Hooks])
    })
}

/// The clients that have agents of their own in a form that Bugle writes.
pub(super) fn agent_client(client: Client) -> Option<AgentClient> {
    match client {
        Client::Claude => Some(AgentClient::Claude),
        Client::Codex => Some(AgentClient::Codex),
        Client::Gemini | Client::Opencode => None,
    }
}

fn folders(place: &Place, variables: VariableSource<'_>, client: Client, user: bool) -> Folders {
    let (root, home) = (&place.root, &place.home);
    let given = |name: &str| {
        variables(name)
            .filter(|value| !value.is_empty())
            .map(|value| place.directory.join(value))
    };
    let skills = if user { home } else { root }.join(".agents/skills");
    match (client, user) {
        (Client::Claude, false) => Folders {
            own: root.join(".claude"),
            servers: root.join(".mcp.json"),
            skills: root.join(".claude/skills"),
            instructions: claude_instructions(root),
        },
        (Client::Claude, true) => {
            let given = given("CLAUDE_CONFIG_DIR");
            let own = given.clone().unwrap_or_else(|| home.join(".claude"));
            Folders {
                servers: given.unwrap_or_else(|| home.clone()).join(".claude.json"),
                skills: own.join("skills"),
                instructions: own.join("CLAUDE.md"),
                own,
            }
        }
        (Client::Codex, false) => Folders {
            own: root.join(".codex"),
            servers: root.join(".codex/config.toml"),
            skills,
            instructions: root.join("AGENTS.md"),
        },
        (Client::Codex, true) => {
            let own = codex_home(place, variables);
            Folders {
                servers: own.join("config.toml"),
                skills,
                instructions: own.join("AGENTS.md"),
                own,
            }
        }
        (Client::Gemini, _) => {
            let base = if user { home } else { root };
            let own = base.join(".gemini");
            Folders {
                servers: own.join("settings.json"),
                skills,
                instructions: if user {
                    own.join("GEMINI.md")
                } else {
                    root.join("GEMINI.md")
                },
                own,
            }
        }
        (Client::Opencode, false) => Folders {
            own: root.join(".opencode"),
            servers: either(root, "opencode.json", "opencode.jsonc"),
            skills,
            instructions: root.join("AGENTS.md"),
        },
        (Client::Opencode, true) => {
            let own = given("XDG_CONFIG_HOME")
                .unwrap_or_else(|| home.join(".config"))
                .join("opencode");
            Folders {
                servers: either(&own, "opencode.json", "opencode.jsonc"),
                skills,
                instructions: own.join("AGENTS.md"),
                own,
            }
        }
    }
}

/// Where Codex keeps what is the user's.
pub(crate) fn codex_home(place: &Place, variables: VariableSource<'_>) -> PathBuf {
    let given = variables("CODEX_HOME").filter(|value| !value.is_empty());
    given.map_or_else(|| place.home.join(".codex"), |value| place.directory.join(value))
}

/// Claude Code reads `AGENTS.md` only where there is no `CLAUDE.md`, so making one would hide it.
fn claude_instructions(root: &Path) -> PathBuf {
    either(root, "CLAUDE.md", "AGENTS.md")
}

/// The second file if it is there and the first is not, else the first.
fn either(folder: &Path, first: &str, second: &str) -> PathBuf {
    let there = |name: &str| folder.join(name).symlink_metadata().is_ok();
    folder.join(if !there(first) && there(second) {
        second
    } else {
        first
    })
}

/// The plugin for opencode, with the program's path as a text of JavaScript.
fn opencode_plugin(program: &str) -> String {
    let text = serde_json::to_string(program).unwrap_or_default();
    PLUGIN.replacen("\"BUGLE_PROGRAM\"", &text, 1)
}

fn instructions(program: &str) -> String {
    let program = bugle_wire::setup::shell_word(program);
    format!(
        "## Bugle

Skills that Bugle drives run step by step: `{program} start NAME` prints the first step,
and each step ends with the command that leads to the next. Run those commands as they
are printed. After a compaction or in a new session, `{program} wake` says where you
stand and what comes next. `{program} skill list` names the skills, `{program} task next`
the task that is to be done now.
"
    )
}
