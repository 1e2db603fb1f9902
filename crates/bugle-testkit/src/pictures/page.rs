//! A dashboard page that a scene serves.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};

use super::home::Home;

const ORIGIN: &str = "http://127.0.0.1:";

/// A running dashboard, killed on drop.
#[derive(Debug)]
pub struct ServedPage {
    process: Child,
    address: String,
    _home: Home,
}

impl ServedPage {
    /// Runs a script that prints a page's path and then execs `bugle ui`.
    pub fn serve(script: &Path, bugle: &Path) -> Result<Self, String> {
        let fault = |error: std::io::Error| format!("{}: {error}", script.display());
        let home = Home::new(bugle)?;
        let mut process = home
            .command("bash")
            .args(["-euo", "pipefail"])
            .arg(script.canonicalize().map_err(fault)?)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(fault)?;
        let output = process.stdout.take().map(BufReader::new);
        let lines: Vec<String> = output
            .into_iter()
            .flat_map(|output| output.lines().map_while(Result::ok).take(2))
            .collect();
        let mut served = Self {
            process,
            address: String::new(),
            _home: home,
        };
        served.address = address(&lines).ok_or_else(|| {
            format!(
                "{}: expected a path and then an address, found: {lines:?}",
                script.display()
            )
        })?;
        Ok(served)
    }

    /// The page's address. It works once.
    pub fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for ServedPage {
    fn drop(&mut self) {
        // Ignore errors: the process may have already exited.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// A page's address: its path, with the host and token of the link that `bugle ui` prints.
pub(super) fn address(lines: &[String]) -> Option<String> {
    let [path, link] = lines else { return None };
    let link = &link[link.find(ORIGIN)?..];
    let link = link.split_whitespace().next()?;
    let (origin, token) = link.split_once("/?")?;
    Some(format!("{origin}{path}?{token}"))
}
