//! `bugle doctor`

use bugle_app::{AppError, Context, DoctorRequest, DoctorScope, Exit, doctor};
use bugle_client::Client;
use bugle_render::doctor as text;
use clap::Args;

use crate::client_argument::any_client;
use crate::output::Output;

/// Check client integrations and suggest fixes
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle doctor claude")]
pub(crate) struct DoctorArgs {
    /// Check only these clients [default: every client found]
    #[arg(value_parser = any_client(), value_name = "CLIENT")]
    clients: Vec<Client>,
    /// Check only the setup for this project
    #[arg(long, conflicts_with = "user")]
    project: bool,
    /// Check only the user-level setup
    #[arg(long)]
    user: bool,
}

pub(crate) fn run(ctx: &Context, args: &DoctorArgs, output: &Output) -> Result<Exit, AppError> {
    let request = DoctorRequest {
        clients: args.clients.clone(),
        scope: match (args.project, args.user) {
            (true, _) => DoctorScope::Project,
            (_, true) => DoctorScope::User,
            _ => DoctorScope::Any,
        },
    };
    let view = doctor(ctx, &|name| std::env::var_os(name), &request)?;
    output.answer(&view, || text::view(&view))?;
    Ok(if view.well { Exit::Done } else { Exit::Failed })
}
