//! `bugle agents` and `bugle agent ...`

use bugle_app::{AgentScope, App, AppError, Exit, RegisterRequest};
use bugle_render::agent as text;

use super::run::local_time;
use crate::arguments_agent::{AgentCommand, AgentsArguments};
use crate::output::Output;

pub(crate) fn agents(app: &mut App, arguments: &AgentsArguments, output: &Output) -> Result<Exit, AppError> {
    let scope = if arguments.all {
        AgentScope::All
    } else {
        AgentScope::Here
    };
    let list = app.agents(scope)?;
    output.answer(&list, || text::list(&list, output.width()))?;
    Ok(Exit::Done)
}

pub(crate) fn agent(app: &mut App, command: AgentCommand, output: &Output) -> Result<Exit, AppError> {
    match command {
        AgentCommand::Show(arguments) => {
            let detail = app.show_agent(&arguments.name)?;
            output.answer(&detail, || text::detail(&detail, &local_time))?;
        }
        AgentCommand::Archive(arguments) => {
            let address = app.archive_agent(&arguments.name)?;
            output.line(&format!(
                "{address} is put aside. It comes back when somebody speaks to it."
            ))?;
        }
        AgentCommand::Register(arguments) => {
            let address = app.register(&RegisterRequest {
                name: arguments.name,
                role: arguments.role,
                client: arguments.client,
            })?;
            output.line(&format!("{address} is known from now on."))?;
        }
    }
    Ok(Exit::Done)
}
