//! What can be said about the page. The comments are the help.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct UiArguments {
    /// The port; 0 is any that is free
    #[arg(long, value_name = "NUMBER", default_value_t = bugle_daemon::PAGE_PORT)]
    pub port: u16,
    /// Only print the address, and open no browser
    #[arg(long)]
    pub no_open: bool,
}
