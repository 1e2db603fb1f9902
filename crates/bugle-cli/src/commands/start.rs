//! `bugle start`

use std::path::{Path, PathBuf};

use bugle_app::{App, AppError, Exit, Given, StartRequest, child_token, runs, task_id};
use clap::Args;

use crate::input::read_text;
use crate::output::Output;

/// Start a skill and print its first step
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle start decision-critic decision=\"Move the job queue to Postgres\"")]
pub(crate) struct StartArgs {
    /// Skill name or unambiguous prefix
    #[arg(required_unless_present = "child", conflicts_with = "child")]
    skill: Option<String>,
    /// Skill params, as name=value
    #[arg(value_name = "NAME=VALUE", conflicts_with = "child")]
    params: Vec<String>,
    /// Task for the run [default: the task you have claimed]
    #[arg(long, value_name = "TASK", conflicts_with = "child")]
    task: Option<String>,
    /// Start or resume the sub-agent with this token, which the dispatching step prints
    #[arg(long, value_name = "RUN#VISIT/NUMBER", conflicts_with = "params_file")]
    child: Option<String>,
    /// Read params from a JSON file (- for stdin)
    #[arg(long, value_name = "FILE")]
    params_file: Option<PathBuf>,
}

pub(crate) fn run(app: &mut App, args: StartArgs, output: &Output) -> Result<Exit, AppError> {
    if let Some(child) = &args.child {
        let token = child_token(child)?;
        return Output::reply(
            runs::start_child(&mut app.store, &app.context, &token),
            output.format(),
        );
    }
    let skill = args.skill.unwrap_or_default();
    let mut params = Vec::new();
    if let Some(file) = &args.params_file {
        params.push(Given::Values(read_object(file)?));
    }
    for param in args.params {
        let (name, text) = param.split_once('=').ok_or_else(|| AppError::Usage {
            what: format!("invalid param `{param}`: write params as name=value"),
            hints: vec![format!("`bugle skill show {skill}` lists the params.")],
        })?;
        params.push(Given::Text {
            name: name.to_owned(),
            text: text.to_owned(),
        });
    }
    let task = args.task.as_deref().map(task_id).transpose()?;
    let request = StartRequest { skill, params, task };
    Output::reply(
        runs::start(&mut app.store, &app.context, request),
        output.format(),
    )
}

fn read_object(file: &Path) -> Result<serde_json::Map<String, serde_json::Value>, AppError> {
    let text = read_text(file)?;
    serde_json::from_str(&text).map_err(|error| AppError::Usage {
        what: format!("{} is not a JSON object: {error}", file.display()),
        hints: Vec::new(),
    })
}
