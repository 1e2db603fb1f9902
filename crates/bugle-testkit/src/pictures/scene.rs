//! A scene: a shell script that types commands into a terminal.
//!
//! A scene starts with comments that configure the picture:
//!
//! ```sh
//! # title: A description of the picture for readers who cannot see it
//! # columns: 90
//! # rows: 24            only for a full-screen program
//! # until: some text    only for a program that runs until `q` is pressed: presses `q` when the screen shows this text
//! # window: 24          draws an animation in a window with this many rows
//! ```
//!
//! `show COMMAND [EXIT CODE]` types a command, runs it, and fails if its exit code differs. The script's other
//! commands are not typed, so send their output to `/dev/null`.

use std::fs;
use std::path::{Path, PathBuf};

use super::home::Home;
use super::screen::{Row, rows, wrapped};
use super::stable::Stable;
use crate::terminal::Terminal;

/// The screen size for all programs except full-screen programs. The screen is larger than any scene's output: nothing
/// scrolls away, and long lines can be wrapped at spaces.
const ROWS: u16 = 400;
const COLUMNS: u16 = 2_000;

/// An escape sequence that terminals ignore. It separates commands from their output.
const MARK: &str = "\u{1b}]7717\u{7}";

/// The escape sequence with which a full-screen program leaves the alternate screen.
const LEAVE: &[u8] = b"\x1b[?1049l";

/// The shell code that runs a scene and defines `show`.
const STAGE: &str = r#"
set -euo pipefail
shown=0
show() {
  local status=0
  if ((shown++)); then printf '\n'; fi
  printf '\033]7717\007\033[32m$\033[0m \033[1m%s\033[0m\n\033]7717\007' "$1"
  eval "$1" || status=$?
  if ((status != ${2:-0})); then
    printf 'exited with %s instead of %s\n' "$status" "${2:-0}"
    exit 1
  fi
}
source "$1"
"#;

/// A parsed scene.
#[derive(Debug)]
pub struct Scene {
    path: PathBuf,
    title: String,
    columns: u16,
    rows: Option<u16>,
    until: Option<String>,
    window: Option<usize>,
}

/// The terminal's content after a scene was played.
#[derive(Debug)]
pub struct Recording {
    pub(super) title: String,
    pub(super) columns: u16,
    pub(super) rows: Vec<Row>,
    /// The rows where the first command, its output, the next command and so on begin.
    pub(super) marks: Vec<usize>,
    /// The number of rows that an animation shows at once.
    pub(super) window: Option<usize>,
}

impl Scene {
    /// Parses the comments at the beginning of a script.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let path = path
            .canonicalize()
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let mut scene = Self {
            path,
            title: String::new(),
            columns: 0,
            rows: None,
            until: None,
            window: None,
        };
        for line in text.lines().take_while(|line| line.starts_with('#')) {
            scene.read_comment(line)?;
        }
        if scene.title.is_empty() || scene.columns == 0 {
            return Err(format!(
                "{}: `# title:` or `# columns:` is missing",
                scene.path.display()
            ));
        }
        Ok(scene)
    }

    fn read_comment(&mut self, line: &str) -> Result<(), String> {
        let Some((name, value)) = line.trim_start_matches("# ").split_once(": ") else {
            return Ok(());
        };
        let fault = || format!("{}: not a number: {line}", self.path.display());
        match name {
            "title" => value.clone_into(&mut self.title),
            "columns" => self.columns = value.parse().map_err(|_| fault())?,
            "rows" => self.rows = Some(value.parse().map_err(|_| fault())?),
            "until" => self.until = Some(value.to_owned()),
            "window" => self.window = Some(value.parse().map_err(|_| fault())?),
            _ => {}
        }
        Ok(())
    }

    /// Runs the script in a new home folder, with this program as `bugle`.
    pub fn play(&self, bugle: &Path) -> Result<Recording, String> {
        let home = Home::new(bugle)?;
        let mut command = home.command("bash");
        command.args(["-c", STAGE, "bash"]).arg(&self.path);
        let mut terminal = Terminal::start(&command, (self.columns, self.rows.unwrap_or(ROWS)));
        if let Some(text) = &self.until {
            terminal.wait_for(text);
            terminal.send("q");
        }
        let ended = terminal.end();
        if !ended.success() {
            let output = String::from_utf8_lossy(&terminal.written);
            return Err(format!("{}: {ended}\n{output}", self.path.display()));
        }
        let output = terminal.written.as_slice();
        let end = output.windows(LEAVE.len()).rposition(|bytes| bytes == LEAVE);
        let output = String::from_utf8_lossy(&output[..end.unwrap_or(output.len())]);
        Ok(self.record(&output.replace(&*home.path().to_string_lossy(), "~")))
    }

    pub(super) fn record(&self, output: &str) -> Recording {
        let (height, width) = self.rows.map_or((ROWS, COLUMNS), |rows| (rows, self.columns));
        let mut parser = vt100::Parser::new(height, width, 0);
        let mut marked_rows = Vec::new();
        let mut parts = output.split(MARK);
        parser.process(parts.next().unwrap_or_default().as_bytes());
        for part in parts {
            marked_rows.push(usize::from(parser.screen().cursor_position().0));
            parser.process(part.as_bytes());
        }
        let mut stable = Stable::default();
        let mut lines = Vec::new();
        let mut marks = Vec::new();
        for (index, mut row) in rows(parser.screen()).into_iter().enumerate() {
            let begins = marked_rows.iter().filter(|marked| **marked == index);
            marks.extend(begins.map(|_| lines.len()));
            stable.replace(&mut row);
            lines.extend(wrapped(&row, usize::from(self.columns)));
        }
        // If the last command prints nothing, its output begins after the last row.
        marks.resize(marked_rows.len(), lines.len());
        Recording {
            title: self.title.clone(),
            columns: self.columns,
            rows: lines,
            marks,
            window: self.window,
        }
    }
}
