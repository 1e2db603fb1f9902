//! Builds a plugin: a folder with everything that setup would write, which the client installs. A plugin calls `bugle`
//! by name, because the folder may be used on other machines.

use std::path::PathBuf;

use bugle_client::plugin::{NAME, PluginFormat};
use bugle_client::setup::{Part, Settings};
use bugle_core::reply::PluginView;

use super::disk;
use crate::skill_stub::stubs;
use crate::{AppError, Context, roles};

const README: &str = "# Bugle

Runs skills as workflows: an agent gets one step at a time, and Bugle checks each result
before it shows the next step. The state is in a database, not in the agent's memory, so an
agent continues at the right step after an interruption or a compaction.

This plugin contains the hooks, the MCP server and the skills. It needs the program `bugle`
on the `PATH`. `bugle skill list` lists the skills.
";

/// The plugin to build, and its output folder.
#[derive(Debug, Clone)]
pub struct PluginRequest {
    /// The client's plugin format.
    pub format: &'static PluginFormat,
    /// The output folder. It must be empty or not exist yet.
    pub output: PathBuf,
}

/// Builds a plugin.
pub fn build_plugin(ctx: &Context, request: &PluginRequest) -> Result<PluginView, AppError> {
    let folder = ctx.directory.join(&request.output);
    let occupied = match std::fs::read_dir(&folder) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => folder.symlink_metadata().is_ok(),
    };
    if occupied {
        return Err(AppError::Usage {
            what: format!("{} already exists and is not an empty folder", folder.display()),
            hints: vec!["Nothing was changed. Choose another folder with --output.".to_owned()],
        });
    }
    let files = files(ctx, request.format)?;
    for (path, text) in &files {
        let file = folder.join(path);
        disk::make_folder(&file)?;
        disk::write(&file, text.as_bytes(), None, disk::Readers::Usual)?;
    }
    // The user may copy the printed path, so print its canonical form.
    let folder = folder.canonicalize().unwrap_or(folder);
    Ok(PluginView {
        client: request.format.client.as_str().to_owned(),
        folder: folder.display().to_string(),
        files: files.into_iter().map(|(path, _)| path).collect(),
        install: request.format.install_commands(&folder.to_string_lossy()),
    })
}

/// A plugin's files, with their paths relative to its folder.
fn files(ctx: &Context, format: &PluginFormat) -> Result<Vec<(String, String)>, AppError> {
    let settings = |parts| {
        let settings = Settings {
            client: format.client,
            parts,
            program: NAME.to_owned(),
        };
        let edited = settings
            .install("")
            .map_err(|error| AppError::System(error.to_string()))?;
        Ok::<String, AppError>(edited.text().to_owned())
    };
    let base = format.base;
    let mut files = vec![
        (format.marketplace_file.to_owned(), pretty(&format.marketplace())),
        (
            format!("{base}{}/plugin.json", format.manifest_folder),
            pretty(&format.manifest(env!("CARGO_PKG_VERSION"))),
        ),
        (format!("{base}README.md"), README.to_owned()),
        (format!("{base}hooks/hooks.json"), settings(&[Part::Hooks])?),
        (format!("{base}.mcp.json"), settings(&[Part::Server])?),
    ];
    for (name, text) in stubs(NAME) {
        files.push((format!("{base}skills/{name}/SKILL.md"), text));
    }
    if let Some(agents) = format.client.agent_format().filter(|_| format.has_agents) {
        for (name, text) in roles::definitions(ctx, agents)? {
            files.push((format!("{base}agents/{name}"), text));
        }
    }
    Ok(files)
}

fn pretty(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}
