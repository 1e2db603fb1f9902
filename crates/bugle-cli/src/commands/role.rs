//! `bugle role`

use std::path::PathBuf;

use bugle_app::{AppError, Context, Exit, define_role, export_roles, roles, show_role};
use bugle_client::AgentFormat;
use bugle_render::role as text;
use clap::{Args, Subcommand};

use crate::client_argument::agent_format;
use crate::output::Output;

/// List, show and export roles
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  bugle role list")]
pub(crate) enum RoleCommand {
    /// List roles with their tools and models
    #[command(after_help = "Example:\n  bugle role list")]
    List,
    /// Show a role and its instructions
    Show(ShowArgs),
    /// Export roles as agent definitions for a client
    ///
    /// With one --role, prints that role's definition. Otherwise, writes each definition as bugle-NAME to the client's agent
    /// folder in this project. Overwrites only files that this command wrote.
    Export(ExportArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle role show quality-reviewer")]
pub(crate) struct ShowArgs {
    /// Role name
    name: String,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle role export claude --role developer")]
pub(crate) struct ExportArgs {
    /// Client to export roles for
    #[arg(value_parser = agent_format())]
    client: &'static AgentFormat,
    /// Write to this folder
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
    /// Export only this role (repeatable)
    #[arg(long, value_name = "NAME")]
    role: Vec<String>,
}

pub(crate) fn run(ctx: &Context, command: &RoleCommand, output: &Output) -> Result<Exit, AppError> {
    match command {
        RoleCommand::List => {
            let list = roles(ctx)?;
            output.answer(&list, || text::list(&list))?;
        }
        RoleCommand::Show(args) => {
            let detail = show_role(ctx, &args.name)?;
            output.answer(&detail, || text::detail(&detail))?;
        }
        RoleCommand::Export(args) => {
            let format = args.client;
            match (&args.to, args.role.as_slice()) {
                // Print the definition unchanged, because the user writes it to a file.
                (None, [name]) => {
                    let definition = define_role(ctx, format, name)?;
                    output.answer(&definition, || definition.text.clone())?;
                }
                (to, names) => {
                    let export = export_roles(ctx, format, to.as_deref(), names)?;
                    output.answer(&export, || text::export(&export, format.export_note))?;
                }
            }
        }
    }
    Ok(Exit::Done)
}
