//! Bugle's MCP server in Codex's `config.toml`. Bugle parses the file to find entries and to check the result, but
//! edits the file as text, because writing the parsed document back would lose line endings and spaces.

use toml_edit::{Document, Item, Table, TableLike};

use super::calls::Call;
use super::entries::is_bugle;
use super::json::quoted;
use super::settings::{Entry, EntryName, Presence, SERVER};
use super::splice::{EditError, Edited, line_end};

const SERVERS: &str = "mcp_servers";

/// The server entry for `config.toml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodexConfig {
    /// The program's path.
    pub program: String,
}

impl CodexConfig {
    /// Adds or updates the server.
    pub fn install(&self, text: &str) -> Result<Edited, EditError> {
        let document = read(text)?;
        let mut edited = Edited::new(text);
        if let Some(server) = find(&document) {
            if !is_own(server) {
                return Err(EditError::at(
                    text,
                    place(&document),
                    format!("another MCP server is named `{SERVER}`; rename that server first"),
                ));
            }
            let command = server.get("command").and_then(Item::span);
            if !self.is_current(server)
                && let Some(command) = command
            {
                edited.replace(command.start, command.end, &quoted(&self.program));
            }
        } else {
            let end = line_end(text);
            let before = match text {
                _ if text.trim_start_matches('\u{feff}').is_empty() => String::new(),
                _ if text.ends_with('\n') => end.to_owned(),
                _ => format!("{end}{end}"),
            };
            let table = format!(
                "{before}[{SERVERS}.{SERVER}]{end}command = {}{end}args = [\"mcp\"]{end}",
                quoted(&self.program)
            );
            edited.insert(text.len(), &table);
        }
        // If the table is of a kind that cannot be extended, the new text does not parse.
        match read(edited.text()) {
            Ok(document) if find(&document).is_some_and(|server| self.is_current(server)) => Ok(edited),
            _ => Err(EditError::at(
                text,
                place(&document),
                format!(
                    "cannot add a server to this kind of `{SERVERS}` table; write each server as `[{SERVERS}.NAME]`"
                ),
            )),
        }
    }

    /// Removes the server.
    pub fn uninstall(&self, text: &str) -> Result<Edited, EditError> {
        let document = read(text)?;
        let mut edited = Edited::new(text);
        if !find(&document).is_some_and(is_own) {
            return Ok(edited);
        }
        let Some(table) = document
            .get(SERVERS)
            .and_then(|servers| servers.get(SERVER))
            .and_then(Item::as_table)
            .filter(|table| !table.is_dotted() && !table.is_implicit())
        else {
            let at = place(&document);
            return Err(EditError::at(
                text,
                at,
                format!(
                    "cannot remove the server `{SERVER}`: it is not a `[{SERVERS}.{SERVER}]` table; remove its entry by hand"
                ),
            ));
        };
        let mut spans: Vec<(usize, usize)> = Vec::new();
        collect_spans(table, text, &mut spans);
        spans.sort_unstable();
        for (start, end) in spans.into_iter().rev() {
            edited.remove(start, end);
        }
        read(edited.text())?;
        Ok(edited)
    }

    /// Finds the server.
    pub fn inspect(&self, text: &str) -> Result<Vec<Entry>, EditError> {
        let document = read(text)?;
        let presence = match find(&document) {
            Some(server) if self.is_current(server) => Presence::Present,
            Some(server) if is_own(server) => Presence::Outdated,
            _ => Presence::Missing,
        };
        Ok(vec![Entry {
            name: EntryName::Server,
            presence,
        }])
    }

    fn is_current(&self, server: &dyn TableLike) -> bool {
        is_own(server) && server.get("command").and_then(Item::as_str) == Some(self.program.as_str())
    }

    /// The command of the MCP server.
    pub fn server_call(text: &str) -> Option<Call> {
        let document = Document::parse(text).ok()?;
        let server = document.get("mcp_servers")?.get("bugle")?;
        let command = server.get("command")?.as_str()?.to_owned();
        let rest = server.get("args").and_then(Item::as_array);
        let rest = rest.into_iter().flatten().filter_map(|word| word.as_str());
        Some(Call::Words(
            std::iter::once(command).chain(rest.map(str::to_owned)).collect(),
        ))
    }
}

fn read(text: &str) -> Result<Document<&str>, EditError> {
    Document::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        EditError::at(text, at, error.message().replace('\n', ", "))
    })
}

fn find<'a>(document: &'a Document<&str>) -> Option<&'a dyn TableLike> {
    document.get(SERVERS)?.get(SERVER)?.as_table_like()
}

/// The position of Bugle's server, or of all servers.
fn place(document: &Document<&str>) -> usize {
    let servers = document.get(SERVERS);
    let server = servers
        .and_then(|servers| servers.get(SERVER))
        .and_then(Item::span);
    server
        .or_else(|| servers.and_then(Item::span))
        .map_or(0, |span| span.start)
}

fn is_own(server: &dyn TableLike) -> bool {
    let command = server.get("command").and_then(Item::as_str);
    let first = server
        .get("args")
        .and_then(Item::as_array)
        .and_then(|args| args.get(0))
        .and_then(toml_edit::Value::as_str);
    command.is_some_and(is_bugle) && first == Some("mcp")
}

/// The byte ranges of a table and its inner tables. Each range includes the empty line before the table.
fn collect_spans(table: &Table, text: &str, spans: &mut Vec<(usize, usize)>) {
    let header = table.span();
    let mut end = header.as_ref().map_or(0, |header| header.end);
    for (_, item) in table {
        match item {
            Item::Table(inner) => collect_spans(inner, text, spans),
            Item::ArrayOfTables(inner) => {
                for table in inner {
                    collect_spans(table, text, spans);
                }
            }
            item => end = end.max(item.span().map_or(0, |span| span.end)),
        }
    }
    let Some(header) = header else { return };
    let end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
    let mut start = header.start;
    for blank in ["\r\n", "\n"] {
        if text[..start].ends_with(&blank.repeat(2)) {
            start -= blank.len();
            break;
        }
    }
    spans.push((start, end));
}
