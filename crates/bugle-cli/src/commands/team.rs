//! `bugle team`

use bugle_app::{App, AppError, Exit, team};
use bugle_core::team::TeamRole;
use bugle_render::team as text;
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;
use clap::{Args, Subcommand};

use crate::output::Output;

/// List and change the people who share a Postgres store
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  bugle team list")]
pub(crate) enum TeamCommand {
    /// List members and their roles
    #[command(after_help = "Example:\n  bugle team list")]
    List,
    /// Add a person or change their role
    ///
    /// NAME is a database role. If the role does not exist, Bugle creates it without a password. With `--project`, the
    /// command adds projects to the person's list, and the person sees only the projects on that list. Without
    /// `--project`, the person sees all projects. To take a project away, remove the person and add them again.
    /// Requires the user's decision, which an agent can relay.
    Add(AddArgs),
    /// Remove a person's rights
    ///
    /// The database role and the person's history are kept. Requires the user's decision, which an agent can relay.
    Remove(RemoveArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle team add ada --role member --project shop")]
pub(crate) struct AddArgs {
    /// Database role
    name: String,
    /// Rights: viewers read; members also run skills; leads also decide at gates, trust skills and manage members
    #[arg(long, value_parser = roles())]
    role: TeamRole,
    /// Id or name of a project to add to the person's list; repeatable [default: all projects]
    #[arg(long)]
    project: Vec<String>,
    /// The person's name in lists and histories [default: the database role]
    #[arg(long, value_name = "TEXT")]
    display_name: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle team remove ada")]
pub(crate) struct RemoveArgs {
    /// Database role
    name: String,
}

fn roles() -> impl clap::builder::TypedValueParser<Value = TeamRole> {
    PossibleValuesParser::new(TeamRole::ALL.map(TeamRole::as_str))
        .try_map(|text| text.parse::<TeamRole>().map_err(|()| "not a role"))
}

pub(crate) fn run(app: &mut App, command: &TeamCommand, output: &Output) -> Result<Exit, AppError> {
    let (store, ctx) = (&mut app.store, &app.context);
    match command {
        TeamCommand::List => {
            let list = team::list(store, ctx)?;
            output.answer(&list, || text::team(&list))?;
        }
        TeamCommand::Add(args) => {
            let request = team::AddRequest {
                person: &args.name,
                role: args.role,
                projects: &args.project,
                name: args.display_name.as_deref(),
            };
            output.line(&text::changed(&team::add(store, ctx, &request)?))?;
        }
        TeamCommand::Remove(args) => {
            output.line(&text::changed(&team::remove(store, ctx, &args.name)?))?;
        }
    }
    Ok(Exit::Done)
}
