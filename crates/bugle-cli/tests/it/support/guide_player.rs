//! Plays a page of the guide, or one section. Runs the commands in order, in a scratch home and on a terminal, and
//! compares their output with the page.
//!
//! `console` blocks contain commands after `$ `, each followed by its output. An `sh` block runs as one script and must
//! succeed; `sh not-run` blocks are not run. In an output, a line `[...]` matches any lines, and `[...]` within a line
//! matches any text. Ids differ between runs. When an id first appears on the page, it is bound to the actual id in the
//! output. Later outputs and commands use that binding.

use std::fs;
use std::iter::Peekable;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::guide_match::{Bindings, Piece, fits, pieces, replaced};
use super::sandbox::{Answer, Sandbox, answer, skip};

/// A page that is being played.
struct Player<'a> {
    /// Path from the repository root, for messages.
    path: &'a str,
    page: &'a str,
    /// The updated page.
    new: String,
    /// Whether outputs that do not match are replaced.
    writes: bool,
    sandbox: Sandbox,
    folder: PathBuf,
    bindings: Bindings,
    played: usize,
    /// More variables for the commands.
    variables: &'a [(&'a str, String)],
}

impl<'a> Player<'a> {
    fn new(path: &'a str, page: &'a str, variables: &'a [(&'a str, String)]) -> Self {
        let sandbox = Sandbox::new();
        let folder = sandbox.home();
        Self {
            path,
            page,
            new: String::new(),
            writes: std::env::var_os("BUGLE_WRITE_GUIDE").is_some(),
            sandbox,
            folder,
            bindings: Bindings::default(),
            played: 0,
            variables,
        }
    }

    /// Runs one or more lines and remembers the folder they end in.
    fn run(&mut self, line: &str, terminal: bool) -> Answer {
        let line = replaced(line, |id| self.bindings.actual(id));
        let where_file = self.sandbox.root().join("where");
        let line = format!("{line}\nstatus=$?; pwd >'{}'; exit $status", where_file.display());
        let program = if terminal { "script" } else { "sh" };
        let mut command = self.sandbox.command(program, &self.folder);
        command
            .env_remove("BUGLE_HOME")
            .envs([("TERM", "xterm"), ("NO_COLOR", "1"), ("COLUMNS", "100")])
            .envs([("USER", "ada"), ("SHELL", "/bin/sh")])
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        if terminal {
            command.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
        } else {
            command.args(["-e", "-c", &line]);
        }
        let mut answer = answer(&mut command);
        let home = self.sandbox.home();
        self.folder = fs::read_to_string(where_file).unwrap().trim_end().into();
        answer.out = answer.out.replace('\r', "").replace(home.to_str().unwrap(), "~");
        answer
    }

    /// The replacement for an output that does not match. A new id gets the next unused id of its kind on the page.
    fn written(&mut self, out: &str) -> String {
        for piece in pieces(out) {
            let Piece::Id(id) = piece else { continue };
            if self.bindings.page(id).is_some() {
                continue;
            }
            let free = pieces(self.page).into_iter().find_map(|piece| match piece {
                Piece::Id(name) if name[..1] == id[..1] && self.bindings.actual(name).is_none() => Some(name),
                _ => None,
            });
            let name = free.unwrap_or(id).to_owned();
            self.bindings.0.push((name, id.to_owned()));
        }
        replaced(out, |id| self.bindings.page(id))
    }

    /// Plays an `sh` block.
    fn script(&mut self, line: usize, script: &str) {
        self.new.push_str(script);
        self.played += 1;
        let answer = self.run(script, false);
        assert_eq!(
            answer.code,
            Some(0),
            "{}:{line}: {}{}",
            self.path,
            answer.out,
            answer.err
        );
    }

    /// Runs a command and compares its output with the page.
    fn call(&mut self, line: usize, command: &str, shown: &str) {
        self.new.push_str(&format!("$ {command}\n"));
        self.played += 1;
        let answer = self.run(command, true);
        if fits(&pieces(shown), &answer.out, &mut self.bindings) {
            self.new.push_str(shown);
            return;
        }
        let written = self.written(&answer.out);
        assert!(
            self.writes,
            "{}:{line}: the output of `{command}` differs from the page:\n\n{written}\n\
             BUGLE_WRITE_GUIDE=1 writes the new output into the page; then shorten it again.",
            self.path
        );
        self.new.push_str(&written);
    }
}

/// Takes the next lines for which `belongs` is true.
fn taken<'a>(
    lines: &mut Peekable<impl Iterator<Item = (usize, &'a str)>>,
    belongs: impl Fn(&str) -> bool,
) -> String {
    let mut text = String::new();
    while let Some((_, line)) = lines.next_if(|(_, line)| belongs(line)) {
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// A section of a page, which is played in its own sandbox. Starts at a `##` heading and ends at the next.
struct Section<'a> {
    title: &'a str,
    /// The line of the section's heading.
    line: usize,
    text: &'a str,
}

/// A page's sections. A heading inside a code block does not start one.
fn sections(page: &str) -> Vec<Section<'_>> {
    let mut starts = Vec::new();
    let mut is_code = false;
    let mut offset = 0;
    for (line, text) in (1..).zip(page.split_inclusive('\n')) {
        is_code ^= text.starts_with("```");
        if let Some(title) = text.strip_prefix("## ").filter(|_| !is_code) {
            starts.push((offset, line, title.trim_end()));
        }
        offset += text.len();
    }
    let ends = starts.iter().skip(1).map(|(start, ..)| *start);
    let ends = ends.chain([page.len()]);
    let parts = starts.iter().zip(ends);
    parts
        .map(|(&(start, line, title), end)| Section {
            title,
            line,
            text: &page[start..end],
        })
        .collect()
}

fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn read(path: &str) -> String {
    fs::read_to_string(file(path)).unwrap()
}

/// Updates a part of a page. Other tests may update other parts at the same time.
fn write_back(path: &str, old: &str, new: &str) {
    static WRITING: Mutex<()> = Mutex::new(());
    let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    fs::write(file(path), read(path).replacen(old, new, 1)).unwrap();
}

/// Plays the page at this path from the repository root. With `BUGLE_WRITE_GUIDE` set, outputs that do not match are
/// replaced.
pub(crate) fn play(path: &str) {
    play_with(path, &[]);
}

/// Plays a page with more variables.
pub(crate) fn play_with(path: &str, variables: &[(&str, String)]) {
    let page = read(path);
    play_text(path, 1, &page, variables);
}

/// Plays one section of a page in its own sandbox.
pub(crate) fn play_section(path: &str, title: &str) {
    let page = read(path);
    let section = sections(&page).into_iter().find(|section| section.title == title);
    let section = section.unwrap_or_else(|| panic!("{path}: there is no section `{title}`"));
    play_text(path, section.line, section.text, &[]);
}

/// The titles of a page's sections.
pub(crate) fn section_titles(path: &str) -> Vec<String> {
    let page = read(path);
    let titles = sections(&page)
        .into_iter()
        .map(|section| section.title.to_owned());
    titles.collect()
}

/// Plays a page, or the part of it that begins at this line.
fn play_text(path: &str, first_line: usize, text: &str, variables: &[(&str, String)]) {
    let mut player = Player::new(path, text, variables);
    let mut terminal = player.sandbox.command("script", player.sandbox.root());
    if terminal.arg("--version").output().is_err() {
        return skip("there is no `script` to make a terminal with");
    }
    let mut lines = (first_line..).zip(text.lines()).peekable();
    while let Some((number, line)) = lines.next() {
        player.new.push_str(line);
        player.new.push('\n');
        match line {
            "```sh" => {
                let script = taken(&mut lines, |line| line != "```");
                player.script(number, &script);
            }
            "```console" => {
                while let Some((number, line)) = lines.next_if(|(_, line)| *line != "```") {
                    let command = line.strip_prefix("$ ");
                    let command = command.unwrap_or_else(|| panic!("{path}:{number}: no command: {line}"));
                    let shown = taken(&mut lines, |line| line != "```" && !line.starts_with("$ "));
                    player.call(number, command, &shown);
                }
            }
            _ => {}
        }
    }
    assert!(player.played > 0, "{path}: nothing was played");
    let verified = player.run("bugle store verify", false);
    assert_eq!(verified.code, Some(0), "{}", verified.err);
    if player.writes {
        write_back(path, text, &player.new);
    }
}

#[test]
fn a_section_begins_at_a_heading_outside_code() {
    let page = "# A\n\n## One\n\n```sh\n## no heading\n```\n\n## Two\nx\n";
    let sections = sections(page);
    let found: Vec<_> = sections
        .iter()
        .map(|one| (one.title, one.line, one.text))
        .collect();
    let first = "## One\n\n```sh\n## no heading\n```\n\n";
    assert_eq!(found, [("One", 3, first), ("Two", 9, "## Two\nx\n")]);
}
