//! `bugle start`

use std::path::Path;

use bugle_app::{App, AppError, Exit, Given, StartRequest, child_token};

use crate::arguments::StartArguments;
use crate::output::Output;

pub(crate) fn start(app: &mut App, arguments: StartArguments, output: &Output) -> Result<Exit, AppError> {
    if let Some(child) = &arguments.child {
        let token = child_token(child)?;
        return Output::reply(app.start_child(&token), output.format(arguments.format.format));
    }
    let skill = arguments.skill.unwrap_or_default();
    let mut params = Vec::new();
    if let Some(file) = &arguments.params_file {
        params.push(Given::Values(read_object(file)?));
    }
    for param in arguments.params {
        let (name, text) = param.split_once('=').ok_or_else(|| AppError::Usage {
            what: format!("`{param}` is not a param: write it as name=value"),
            hints: vec![format!("For example: bugle start {skill} {param}='...'")],
        })?;
        params.push(Given::Text {
            name: name.to_owned(),
            text: text.to_owned(),
        });
    }
    let format = output.format(arguments.format.format);
    Output::reply(app.start(StartRequest { skill, params }), format)
}

fn read_object(file: &Path) -> Result<serde_json::Map<String, serde_json::Value>, AppError> {
    let text = super::run::read_text(file)?;
    serde_json::from_str(&text).map_err(|error| AppError::Usage {
        what: format!("{} does not hold a JSON object: {error}", file.display()),
        hints: Vec::new(),
    })
}
