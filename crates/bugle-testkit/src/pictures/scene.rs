//! A scene: a shell script whose shown commands are typed into a terminal.
//!
//! It begins with comments that say how it is drawn:
//!
//! ```sh
//! # title: What the picture shows, for those who cannot see it
//! # columns: 90
//! # rows: 24            only for a program that fills the screen
//! # until: some text    only for a program that runs until `q` is pressed: press it when the screen shows this
//! # window: 24          draw an animation in a window of this many rows
//! ```
//!
//! `show COMMAND [EXIT CODE]` types a command, runs it, and fails when it ends with another exit code. All other
//! commands of the script are run unseen, so send their output to `/dev/null`.

use std::fs;
use std::path::{Path, PathBuf};

use super::home::Home;
use super::screen::{Row, rows, wrapped};
use super::stable::Stable;
use crate::terminal::Terminal;

/// The size of the drawn screen if no program fills it: more than any scene prints, so that nothing scrolls away and long
/// lines can be wrapped at their spaces.
const ROWS: u16 = 400;
const COLUMNS: u16 = 2_000;

/// A sequence that terminals ignore. It separates commands from their outputs.
const MARK: &str = "\u{1b}]7717\u{7}";

/// How a program that fills the screen begins to leave it.
const LEAVE: &[u8] = b"\x1b[?1049l";

/// What a scene can use: it runs in an empty home, with `bugle` on the `PATH`.
const STAGE: &str = r#"
set -euo pipefail
shown=0
show() {
  local status=0
  if ((shown++)); then printf '\n'; fi
  printf '\033]7717\007\033[32m$\033[0m \033[1m%s\033[0m\n\033]7717\007' "$1"
  eval "$1" || status=$?
  if ((status != ${2:-0})); then
    printf 'ended with exit code %s instead of %s\n' "$status" "${2:-0}"
    exit 1
  fi
}
source "$1"
"#;

/// A scene as it is written.
#[derive(Debug)]
pub struct Scene {
    path: PathBuf,
    title: String,
    columns: u16,
    rows: Option<u16>,
    until: Option<String>,
    window: Option<usize>,
}

/// What the terminal showed when a scene was played.
#[derive(Debug)]
pub struct Recording {
    pub(super) title: String,
    pub(super) columns: u16,
    pub(super) rows: Vec<Row>,
    /// The rows at which a command begins, its output begins, the next command begins, and so on.
    pub(super) marks: Vec<usize>,
    /// The rows that an animation shows at once.
    pub(super) window: Option<usize>,
}

impl Scene {
    /// Reads the comments at the beginning of a script.
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
        let fault = || format!("{}: {line}: not a number", self.path.display());
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

    /// Runs the script with this program as `bugle`, in a home of its own.
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
        // A command without output at the end begins its output after the last row.
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
