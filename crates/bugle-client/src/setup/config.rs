//! Bugle's entries in Codex's `config.toml`: the MCP server, and the folders that commands in the sandbox may write. Bugle parses the file to find entries and to check the result, but
//! edits the file as text, because writing the parsed document back would lose line endings and spaces.

use toml_edit::{Document, Item, TableLike};

use super::calls::Call;
use super::entries::is_bugle;
use super::json::quoted;
use super::settings::{Entry, EntryName, Presence, SERVER};
use super::splice::{EditError, Edited, line_end};
use super::toml::{collect_spans, read};
use super::writable_roots;

const SERVERS: &str = "mcp_servers";

/// The variables that Codex passes on to the server. Without this list, it passes on none of them, and the server would use
/// another store than hooks and commands.
pub(crate) const SERVER_VARIABLES: &str =
    "env_vars = [\"BUGLE_HOME\", \"BUGLE_DATABASE_URL\", \"BUGLE_AGENT\"]";

/// The server entry for `config.toml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodexConfig {
    /// The program's path.
    pub program: String,
    /// The folders that commands in the sandbox must be able to write: first the store, then the user's folders that this
    /// file would otherwise hide.
    pub writable: Vec<String>,
}

impl CodexConfig {
    /// Adds or updates the server and the writable folders.
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
            let command = server.get_key_value("command");
            if let Some((key, Some(value))) = command.map(|(key, value)| (key.span(), value.span())) {
                edited.replace(value.start, value.end, &quoted(&self.program));
                if let Some(key) = key.filter(|_| !has_variables(server)) {
                    let item = document.get(SERVERS).and_then(|servers| servers.get(SERVER));
                    let is_table = item.is_some_and(Item::is_table);
                    let separator = if is_table { line_end(text) } else { ", " };
                    edited.insert(key.start, &format!("{SERVER_VARIABLES}{separator}"));
                }
            }
        } else {
            let end = line_end(text);
            let before = match text {
                _ if text.trim_start_matches('\u{feff}').is_empty() => String::new(),
                _ if text.ends_with('\n') => end.to_owned(),
                _ => format!("{end}{end}"),
            };
            let table = format!(
                "{before}[{SERVERS}.{SERVER}]{end}command = {}{end}args = [\"mcp\"]{end}{SERVER_VARIABLES}{end}",
                quoted(&self.program)
            );
            edited.insert(text.len(), &table);
        }
        // If the table is of a kind that cannot be extended, the new text does not parse.
        match read(edited.text()) {
            Ok(document) if find(&document).is_some_and(|server| self.is_current(server)) => {}
            _ => {
                return Err(EditError::at(
                    text,
                    place(&document),
                    format!(
                        "cannot add a server to this kind of `{SERVERS}` table; write each server as `[{SERVERS}.NAME]`"
                    ),
                ));
            }
        }
        writable_roots::install(&mut edited, &self.writable)?;
        Ok(edited)
    }

    /// Removes the server and the writable folders.
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
        writable_roots::uninstall(&mut edited, &self.writable)?;
        read(edited.text())?;
        Ok(edited)
    }

    /// Finds the server and the writable folders.
    pub fn inspect(&self, text: &str) -> Result<Vec<Entry>, EditError> {
        let document = read(text)?;
        let presence = match find(&document) {
            Some(server) if self.is_current(server) => Presence::Present,
            Some(server) if is_own(server) => Presence::Outdated,
            _ => Presence::Missing,
        };
        Ok(vec![
            Entry {
                name: EntryName::Server,
                presence,
            },
            Entry {
                name: EntryName::WritableStore,
                presence: writable_roots::presence(&document, &self.writable),
            },
        ])
    }

    fn is_current(&self, server: &dyn TableLike) -> bool {
        let command = server.get("command").and_then(Item::as_str);
        is_own(server) && command == Some(self.program.as_str()) && has_variables(server)
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

/// Whether the entry lists variables to pass on. Users may change the list.
fn has_variables(server: &dyn TableLike) -> bool {
    server.contains_key("env_vars")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_entry_gets_the_variables_to_pass_on() {
        let config = CodexConfig {
            program: "/new/bugle".to_owned(),
            writable: vec!["/u/.bugle".to_owned()],
        };
        for old in [
            "[mcp_servers.bugle]\ncommand = \"/old/bugle\"\nargs = [\"mcp\"]\n",
            "[mcp_servers]\nbugle = { args = [\"mcp\"], command = \"/old/bugle\" }\n",
        ] {
            assert_eq!(config.inspect(old).unwrap()[0].presence, Presence::Outdated);
            let new = config.install(old).unwrap();
            assert_eq!(config.inspect(new.text()).unwrap()[0].presence, Presence::Present);
            assert!(new.text().contains(SERVER_VARIABLES), "{}", new.text());
        }
    }
}
