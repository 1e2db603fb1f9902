//! What can be said about serving MCP clients. The comments are the help.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct McpArguments {
    /// Over HTTP, on this machine only, for who brings the token; without it, over standard input and output
    #[arg(long)]
    pub http: bool,
    /// The port for HTTP; 0 is any that is free
    #[arg(long, value_name = "NUMBER", requires = "http", default_value_t = bugle_daemon::DEFAULT_PORT)]
    pub port: u16,
}
