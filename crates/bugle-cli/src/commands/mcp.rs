//! `bugle mcp`

use std::path::PathBuf;

use bugle_app::{AppError, Exit};
use bugle_client::recognition::project_variables;
use bugle_daemon::{ServerOptions, serve_http, serve_stdio};
use clap::Args;

use crate::local_time::{local_time, short_time};
use crate::output::print;

/// Serve MCP over stdio or HTTP
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle mcp --http")]
pub(crate) struct McpArgs {
    /// Serve HTTP on loopback instead of stdio; clients need a token
    #[arg(long)]
    http: bool,
    /// HTTP port (0 for any free port)
    #[arg(long, value_name = "NUMBER", requires = "http", default_value_t = bugle_daemon::MCP_PORT)]
    port: u16,
}

/// `chosen` is the folder from `-C`; `here` is the current folder.
pub(crate) fn run(args: &McpArgs, chosen: Option<PathBuf>, here: PathBuf) -> Result<Exit, AppError> {
    let options = |directory| ServerOptions {
        directory,
        clock: local_time,
        short_clock: short_time,
    };
    if args.http {
        let served = serve_http(options(chosen.unwrap_or(here)), args.port, |address| {
            print(&format!(
                "Serving MCP at {}\nThe token is in {}. Clients send it as `Authorization: Bearer TOKEN`.\n",
                address.url,
                address.token_file.display()
            ))
        });
        return served.map(|()| Exit::Done);
    }
    // A client that passes its project's folder may start its servers in another folder.
    let mut projects = project_variables()
        .filter_map(std::env::var_os)
        .map(PathBuf::from);
    let directory = chosen
        .or_else(|| projects.find(|project| project.is_dir()))
        .unwrap_or(here);
    serve_stdio(options(directory))?;
    Ok(Exit::Done)
}
