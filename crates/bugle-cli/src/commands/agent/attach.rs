//! `bugle agent attach`

use std::io::IsTerminal as _;

use bugle_app::{App, AppError, Exit, supervisor};
use bugle_client::shell_word;
use clap::Args;

use crate::output::print;

/// Open an agent's session in its client
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle agent attach reviewer")]
pub(crate) struct AttachArgs {
    /// Agent name or address
    agent: String,
}

pub(super) fn run(app: &mut App, args: &AttachArgs) -> Result<Exit, AppError> {
    let (words, directory) = supervisor::attach_command(&mut app.store, &app.context, &args.agent)?;
    let line: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
    print(&format!(
        "cd {} && {}\n",
        shell_word(&directory.to_string_lossy()),
        line.join(" ")
    ))?;
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return Ok(Exit::Done);
    }
    let Some((program, rest)) = words.split_first() else {
        return Ok(Exit::Done);
    };
    let mut command = std::process::Command::new(program);
    app.context.store.hide_password(&mut command);
    let status = command
        .args(rest)
        .current_dir(directory)
        .status()
        .map_err(|error| AppError::System(format!("cannot start {program}: {error}")))?;
    Ok(if status.success() {
        Exit::Done
    } else {
        Exit::Failed
    })
}
