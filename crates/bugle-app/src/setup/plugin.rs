//! Plugins: everything that setup would write for a client, as one folder that the client installs by itself. There the
//! program is called by its name, because the folder goes to other machines.

use std::path::{Path, PathBuf};

use bugle_wire::setup::{Client, Part, PluginView, Settings};
use serde_json::json;

use super::stub::stubs;
use super::{disk, targets};
use crate::{AppError, Place, roles};

/// The plugin's name, and its marketplace's.
const NAME: &str = "bugle";
const DESCRIPTION: &str = "Skills as workflows that an agent cannot skip, and state that it cannot forget. Needs the program `bugle`.";

const README: &str = "# Bugle

Runs skills as workflows: one step at a time, each checked before the next is shown. Where
the work stands is kept in a database and not in the agent's memory, so an agent that was
interrupted or has forgotten everything goes on at the right step.

This plugin brings the hooks, the MCP server and the skills. The work is done by the program
`bugle`, which has to be installed and on the `PATH`. `bugle skill list` then shows what can
be started.
";

/// Which plugin is to be built, and where.
#[derive(Debug, Clone)]
pub struct PluginRequest {
    /// The client: Claude Code or Codex.
    pub client: Client,
    /// The folder; it must not be there, or be empty.
    pub output: PathBuf,
}

/// Builds a plugin.
pub fn build_plugin(place: &Place, request: &PluginRequest) -> Result<PluginView, AppError> {
    let folder = place.directory.join(&request.output);
    let occupied = match std::fs::read_dir(&folder) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => folder.symlink_metadata().is_ok(),
    };
    if occupied {
        return Err(AppError::Usage {
            what: format!("{} is there already, and not an empty folder", folder.display()),
            hints: vec!["Nothing was changed. Name another folder with --output.".to_owned()],
        });
    }
    let files = files(place, request.client)?;
    for (path, text) in &files {
        let file = folder.join(path);
        disk::make_folder(&file)?;
        disk::write(&file, text.as_bytes(), None, disk::Readers::Usual)?;
    }
    // It is printed to be read and copied: as it is, without detours.
    let folder = folder.canonicalize().unwrap_or(folder);
    Ok(PluginView {
        client: request.client.as_str().to_owned(),
        folder: folder.display().to_string(),
        files: files.into_iter().map(|(path, _)| path).collect(),
        install: install(request.client, &folder),
    })
}

fn install(client: Client, folder: &Path) -> Vec<String> {
    let folder = bugle_wire::setup::shell_word(&folder.to_string_lossy());
    let verb = if client == Client::Codex { "add" } else { "install" };
    vec![
        format!("{} plugin marketplace add {folder}", client.as_str()),
        format!("{} plugin {verb} {NAME}@{NAME}", client.as_str()),
    ]
}

/// The files of a plugin, by their path in its folder.
fn files(place: &Place, client: Client) -> Result<Vec<(String, String)>, AppError> {
    let settings = |parts| {
        let settings = Settings {
            client,
            parts,
            program: NAME.to_owned(),
        };
        let edited = settings
            .install("")
            .map_err(|error| AppError::System(error.to_string()))?;
        Ok::<String, AppError>(edited.text().to_owned())
    };
    let manifest = json!({
        "name": NAME,
        "version": env!("CARGO_PKG_VERSION"),
        "description": DESCRIPTION,
        "author": { "name": "Bugle" },
        "license": "MIT OR Apache-2.0",
    });
    let (base, own, marketplace_file, marketplace) = if client == Client::Codex {
        let entry = json!({
            "name": NAME,
            // Codex does not find a plugin that is the marketplace's own folder.
            "source": { "source": "local", "path": "./plugins/bugle" },
            "policy": { "installation": "AVAILABLE", "authentication": "ON_INSTALL" },
            "category": "Productivity",
        });
        let marketplace = json!({
            "name": NAME,
            "interface": { "displayName": "Bugle" },
            "plugins": [entry],
        });
        (
            "plugins/bugle/",
            ".codex-plugin",
            ".agents/plugins/marketplace.json",
            marketplace,
        )
    } else {
        let entry = json!({ "name": NAME, "source": "./", "description": DESCRIPTION });
        let marketplace = json!({ "name": NAME, "owner": { "name": "Bugle" }, "plugins": [entry] });
        (
            "",
            ".claude-plugin",
            ".claude-plugin/marketplace.json",
            marketplace,
        )
    };
    let mut files = vec![
        (marketplace_file.to_owned(), pretty(&marketplace)),
        (format!("{base}{own}/plugin.json"), pretty(&manifest)),
        (format!("{base}README.md"), README.to_owned()),
        (format!("{base}hooks/hooks.json"), settings(&[Part::Hooks])?),
        (format!("{base}.mcp.json"), settings(&[Part::Server])?),
    ];
    for (name, text) in stubs(NAME) {
        files.push((format!("{base}skills/{name}/SKILL.md"), text));
    }
    // Codex has no place for agents in a plugin.
    if let Some(agents) = targets::agent_client(client).filter(|_| client == Client::Claude) {
        for (name, text) in roles::definitions(place, agents)? {
            files.push((format!("{base}agents/{name}"), text));
        }
    }
    Ok(files)
}

fn pretty(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}
