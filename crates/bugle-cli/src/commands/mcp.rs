//! `bugle mcp`

use std::path::PathBuf;

use bugle_app::{AppError, Exit};
use bugle_daemon::{Surroundings, serve_http, serve_stdio};

use super::run::local_time;
use super::wake::short_time;
use crate::arguments_mcp::McpArguments;
use crate::output::print;

/// Serves MCP clients. `chosen` is the folder that was asked for, `here` the one that this is run in.
pub(crate) fn mcp(
    arguments: &McpArguments,
    chosen: Option<PathBuf>,
    here: PathBuf,
) -> Result<Exit, AppError> {
    let around = |directory| Surroundings {
        directory,
        clock: local_time,
        short_clock: short_time,
    };
    if arguments.http {
        let served = serve_http(around(chosen.unwrap_or(here)), arguments.port, |address| {
            print(&format!(
                "MCP is served at {}\nThe token is in {}; clients send it as `Authorization: Bearer TOKEN`.\n",
                address.url,
                address.token_file.display()
            ))
        });
        return served.map(|()| Exit::Done);
    }
    // Claude Code names its project, wherever it starts its servers.
    let project = std::env::var_os("CLAUDE_PROJECT_DIR").map(PathBuf::from);
    let directory = chosen
        .or_else(|| project.filter(|project| project.is_dir()))
        .unwrap_or(here);
    serve_stdio(around(directory))?;
    Ok(Exit::Done)
}
