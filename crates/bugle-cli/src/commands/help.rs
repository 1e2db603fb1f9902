//! `bugle completions` and `bugle man`

use bugle_app::{AppError, Exit};
use clap::CommandFactory as _;

use crate::arguments::{Arguments, CompletionArguments, ManArguments};
use crate::output::Output;

pub(crate) fn completions(arguments: &CompletionArguments) -> Result<Exit, AppError> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut <Arguments>::command(), "bugle", &mut script);
    Output::text(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}

pub(crate) fn man(arguments: &ManArguments, output: &Output) -> Result<Exit, AppError> {
    let write = || -> std::io::Result<()> {
        std::fs::create_dir_all(&arguments.folder)?;
        clap_mangen::generate_to(<Arguments>::command(), &arguments.folder)
    };
    write().map_err(|source| AppError::File {
        what: "cannot write to",
        path: arguments.folder.clone(),
        source,
    })?;
    output.line(&format!(
        "Wrote the manual pages to {}.",
        arguments.folder.display()
    ))?;
    Ok(Exit::Done)
}
