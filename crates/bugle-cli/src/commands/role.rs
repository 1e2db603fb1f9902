//! `bugle role`

use std::path::PathBuf;

use bugle_app::{AppError, Context, Exit, define_role, export_roles, roles, show_role};
use bugle_client::AgentFormat;
use bugle_render::role as text;
use clap::{Args, Subcommand};

use crate::client_argument::agent_format;
use crate::output::Output;

/// List and show the roles that steps give out, and export them as a client's agents
#[derive(Debug, Subcommand)]
pub(crate) enum RoleCommand {
    /// List every role: where it comes from, its tools, its model
    List,
    /// Show a role and its instructions
    Show(ShowArgs),
    /// Define roles as agents of a client
    #[command(
        long_about = "Define roles as agents of a client\n\nA single role is printed. Several, or all where none is named, are written into the folder in which the client looks for this project's agents, as `bugle-NAME`. A file there that no export wrote is never overwritten."
    )]
    Export(ExportArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The role; `bugle role list` shows what there is
    name: String,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The client
    #[arg(value_parser = agent_format())]
    client: &'static AgentFormat,
    /// Write into this folder, also if there is one role only
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
    /// Only this role; can be given several times
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
                // As it is, to the last byte: it is meant for a file.
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
