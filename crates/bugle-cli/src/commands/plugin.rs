//! `bugle plugin`

use std::path::PathBuf;

use bugle_app::{AppError, Context, Exit, PluginRequest, build_plugin};
use bugle_client::plugin::PluginFormat;
use bugle_render::setup as text;
use clap::{Args, Subcommand};

use crate::client_argument::{DEFAULT_CLIENT, plugin_format};
use crate::output::Output;

/// Build plugins for clients
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  bugle plugin build --output bugle-plugin")]
pub(crate) enum PluginCommand {
    /// Build a plugin folder with hooks, MCP server, skills and agents
    Build(BuildArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle plugin build --client claude")]
pub(crate) struct BuildArgs {
    /// Client to build the plugin for
    #[arg(long, value_parser = plugin_format(), default_value = DEFAULT_CLIENT)]
    client: &'static PluginFormat,
    /// Folder to write to; must be new or empty
    #[arg(long, value_name = "DIR", default_value = "bugle-plugin")]
    output: PathBuf,
}

pub(crate) fn run(ctx: &Context, command: &PluginCommand, output: &Output) -> Result<Exit, AppError> {
    let PluginCommand::Build(args) = command;
    let request = PluginRequest {
        format: args.client,
        output: args.output.clone(),
    };
    let view = build_plugin(ctx, &request)?;
    output.answer(&view, || text::plugin(&view))?;
    Ok(Exit::Done)
}
