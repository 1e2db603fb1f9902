//! `bugle trust`

use bugle_app::{App, AppError, Exit, skills, trust};
use bugle_render::skill as text;
use clap::{Args, Subcommand};

use crate::local_time::local_time;
use crate::output::Output;

/// Allow the current version of a project's skill to run its commands (user only)
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle trust release-notes")]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct TrustArgs {
    /// Skill name or path
    #[arg(required = true)]
    name: Option<String>,
    #[command(subcommand)]
    command: Option<TrustCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TrustCommand {
    /// List trusted skills
    #[command(after_help = "Example:\n  bugle trust list")]
    List,
    /// Revoke trust in a skill and in its open runs
    #[command(after_help = "Example:\n  bugle trust revoke release-notes")]
    Revoke {
        /// Skill name or version prefix
        skill: String,
    },
}

pub(crate) fn run(app: &mut App, args: TrustArgs, output: &Output) -> Result<Exit, AppError> {
    match (args.command, args.name) {
        (Some(TrustCommand::Revoke { skill }), _) => {
            for version in trust::revoke_trust(&mut app.store, &app.context, &skill)? {
                output.line(&format!("Revoked trust in {version}."))?;
            }
        }
        (None, Some(name)) => return trust(app, &name, output),
        (Some(TrustCommand::List) | None, _) => {
            let list = trust::trusted(&mut app.store, &app.context)?;
            output.answer(&list, || text::trusted(&list, &local_time))?;
        }
    }
    Ok(Exit::Done)
}

/// Trusts a skill's installed version, and prints the commands that the skill may run.
fn trust(app: &mut App, skill: &str, output: &Output) -> Result<Exit, AppError> {
    let (name, commands) = skills::trust(&mut app.store, &app.context, skill)?;
    let list: String = commands.iter().map(|command| format!("\n  {command}")).collect();
    let what = if commands.is_empty() {
        " The skill does not run any commands.".to_owned()
    } else {
        format!(" The skill may run:{list}")
    };
    output.line(&format!(
        "Trusted the current version of {name}. If the skill changes, trust it again.{what}"
    ))?;
    Ok(Exit::Done)
}
