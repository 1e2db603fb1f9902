//! Installs, updates, finds and removes Bugle's entries in a client's JSON settings.

use std::fmt;

use super::edit::{Document, NodePath};
use super::entries::{is_own_server, is_own_status_line, status_line};
use super::json::Json;
use super::jsonc::{Kind, Node};
use super::splice::{EditError, Edited};
use crate::Client;

/// The name of Bugle's MCP server in every client.
pub(crate) const SERVER: &str = "bugle";
/// The key of the status line in Claude Code's settings.
const STATUS_LINE: &str = "statusLine";

/// A kind of entry in a client's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The hooks.
    Hooks,
    /// The MCP server.
    Server,
    /// Claude Code's status line.
    StatusLine,
}

/// Bugle's entries in a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The client.
    pub client: Client,
    /// The kinds of entries in the file.
    pub parts: &'static [Part],
    /// The program's path.
    pub program: String,
}

/// One of Bugle's hooks in a document.
#[derive(Debug, Clone)]
pub(crate) struct OwnHook {
    /// The client's name for the hook's event.
    pub event: String,
    /// The path to the hook's group.
    pub group: NodePath,
    /// The path to the hook.
    pub handler: NodePath,
}

/// Whether an entry is in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Present and current.
    Present,
    /// Present in an older format, or with another program path.
    Outdated,
    /// Missing.
    Missing,
}

/// The name of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryName {
    /// The hook for an event, under the client's name for the event.
    Hook(&'static str),
    /// The MCP server.
    Server,
    /// The permission to write the store inside the client's sandbox.
    WritableStore,
    /// The status line.
    StatusLine,
    /// The instruction block.
    Instructions,
    /// The patterns for git.
    GitExclude,
}

impl fmt::Display for EntryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hook(event) => write!(f, "hook {event}"),
            Self::Server => f.write_str("MCP server"),
            Self::WritableStore => f.write_str("permission to write the store"),
            Self::StatusLine => f.write_str("status line"),
            Self::Instructions => f.write_str("instructions"),
            Self::GitExclude => f.write_str("git exclude"),
        }
    }
}

/// An entry and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The entry's name.
    pub name: EntryName,
    /// Whether the entry is in the file.
    pub presence: Presence,
}

impl Settings {
    /// Adds missing entries and updates old ones. Leaves current entries unchanged.
    pub fn install(&self, text: &str) -> Result<Edited, EditError> {
        let mut document = Document::read(text)?;
        for part in self.parts {
            match part {
                Part::Hooks => self.install_hooks(&mut document)?,
                Part::Server => self.install_server(&mut document)?,
                Part::StatusLine => self.install_status_line(&mut document)?,
            }
        }
        Ok(document.finish())
    }

    /// Removes all of Bugle's entries, and every object or array that contained nothing else.
    pub fn uninstall(&self, text: &str) -> Result<Edited, EditError> {
        let mut document = Document::read(text)?;
        for part in self.parts {
            match part {
                Part::Hooks => {
                    // Each iteration removes one hook, so the loop ends.
                    while let Some(hook) = self.own_hooks(document.root()).pop() {
                        remove_hook(&mut document, &hook)?;
                    }
                }
                Part::Server => {
                    if let Some((path, true)) = self.server_path(document.root()) {
                        document.remove(&path)?;
                    }
                }
                Part::StatusLine => {
                    if let Some((path, true)) = status_line_path(document.root()) {
                        document.remove(&path)?;
                    }
                }
            }
        }
        Ok(document.finish())
    }

    /// Finds every entry.
    pub fn inspect(&self, text: &str) -> Result<Vec<Entry>, EditError> {
        let document = Document::read(text)?;
        let mut entries = Vec::new();
        for part in self.parts {
            match part {
                Part::Hooks => {
                    let own = self.own_hooks(document.root());
                    for (event, kind) in self.client.facts().hooks.events {
                        let wanted = self.client.handler((event, *kind), &self.program);
                        let found: Vec<&NodePath> = own
                            .iter()
                            .filter(|hook| hook.event == *event)
                            .map(|hook| &hook.handler)
                            .collect();
                        let presence = match found.as_slice() {
                            [] => Presence::Missing,
                            [one] if runs(document.node(one), &wanted) => Presence::Present,
                            _ => Presence::Outdated,
                        };
                        entries.push(Entry {
                            name: EntryName::Hook(event),
                            presence,
                        });
                    }
                }
                Part::Server => {
                    let wanted = self.server();
                    let presence = match self.server_path(document.root()) {
                        Some((path, true)) if runs(document.node(&path), &wanted) => Presence::Present,
                        Some((_, true)) => Presence::Outdated,
                        _ => Presence::Missing,
                    };
                    entries.push(Entry {
                        name: EntryName::Server,
                        presence,
                    });
                }
                Part::StatusLine => {
                    let wanted = status_line(&self.program);
                    let presence = match status_line_path(document.root()) {
                        Some((path, true)) if runs(document.node(&path), &wanted) => Presence::Present,
                        Some((_, true)) => Presence::Outdated,
                        // There can be only one status line, and another program uses it.
                        Some((_, false)) => Presence::Present,
                        None => Presence::Missing,
                    };
                    entries.push(Entry {
                        name: EntryName::StatusLine,
                        presence,
                    });
                }
            }
        }
        Ok(entries)
    }

    fn install_hooks(&self, document: &mut Document) -> Result<(), EditError> {
        let events = self.client.facts().hooks.events;
        // Remove duplicates, and hooks for events that Bugle no longer handles.
        while let Some(hook) = {
            let own = self.own_hooks(document.root());
            let superfluous = |index: usize| {
                let event = &own[index].event;
                !events.iter().any(|(known, _)| known == event)
                    || own[..index].iter().any(|before| before.event == *event)
            };
            (0..own.len())
                .rfind(|index| superfluous(*index))
                .map(|index| own[index].clone())
        } {
            remove_hook(document, &hook)?;
        }
        for (event, kind) in events {
            let own = self.own_hooks(document.root());
            if let Some(hook) = own.into_iter().find(|hook| hook.event == *event) {
                update_entry(
                    document,
                    &hook.handler,
                    &self.client.handler((event, *kind), &self.program),
                )?;
            } else {
                let hooks = document.ensure(&[], "hooks", &Json::Object(Vec::new()))?;
                let groups = document.ensure(&hooks, event, &Json::Array(Vec::new()))?;
                document.add(
                    &groups,
                    None,
                    &self.client.hook_group((event, *kind), &self.program),
                )?;
            }
        }
        Ok(())
    }

    fn server(&self) -> Json {
        (self.client.facts().server.1)(&self.program)
    }

    fn install_server(&self, document: &mut Document) -> Result<(), EditError> {
        let wanted = self.server();
        match self.server_path(document.root()) {
            Some((path, true)) => update_entry(document, &path, &wanted),
            Some((path, false)) => {
                let at = document.node(&path).map_or(0, |node| node.start);
                Err(document.error(
                    at,
                    &format!("another MCP server is named `{SERVER}`; rename that server first"),
                ))
            }
            None => {
                let key = self.client.facts().server.0;
                let servers = document.ensure(&[], key, &Json::Object(Vec::new()))?;
                document.add(&servers, Some(SERVER), &wanted).map(|_| ())
            }
        }
    }

    /// Installs the status line, unless another program uses it: there can be only one.
    fn install_status_line(&self, document: &mut Document) -> Result<(), EditError> {
        let wanted = status_line(&self.program);
        match status_line_path(document.root()) {
            Some((path, true)) => update_entry(document, &path, &wanted),
            Some((_, false)) => Ok(()),
            None => document.add(&[], Some(STATUS_LINE), &wanted).map(|_| ()),
        }
    }

    /// Bugle's hooks.
    pub(crate) fn own_hooks(&self, root: &Node) -> Vec<OwnHook> {
        let mut found = Vec::new();
        let Some(hooks) = root.position("hooks") else {
            return found;
        };
        for (event, groups) in root.items()[hooks].value.items().iter().enumerate() {
            for (group, entry) in groups.value.items().iter().enumerate() {
                let Some(inner) = entry.value.position("hooks") else {
                    continue;
                };
                for (index, handler) in entry.value.items()[inner].value.items().iter().enumerate() {
                    if self.client.is_own_handler(&handler.value) {
                        found.push(OwnHook {
                            event: groups.key.clone(),
                            group: vec![hooks, event, group],
                            handler: vec![hooks, event, group, inner, index],
                        });
                    }
                }
            }
        }
        found
    }

    /// The path to the server named `bugle`, and whether the server is Bugle's.
    pub(super) fn server_path(&self, root: &Node) -> Option<(NodePath, bool)> {
        let servers = root.position(self.client.facts().server.0)?;
        let list = &root.items()[servers].value;
        let server = list.position(SERVER)?;
        Some((vec![servers, server], is_own_server(&list.items()[server].value)))
    }
}

/// Whether the status line in the text is Bugle's; `None` if the text has no status line.
pub fn status_line_is_own(text: &str) -> Option<bool> {
    let document = Document::read(text).ok()?;
    status_line_path(document.root()).map(|(_, own)| own)
}

/// The path to the status line, and whether the status line is Bugle's.
fn status_line_path(root: &Node) -> Option<(NodePath, bool)> {
    let path = root.position(STATUS_LINE)?;
    Some((vec![path], is_own_status_line(&root.items()[path].value)))
}

/// Removes a hook, and its group if the group contains nothing else.
fn remove_hook(document: &mut Document, hook: &OwnHook) -> Result<(), EditError> {
    let neighbours = hook
        .handler
        .split_last()
        .and_then(|(_, outer)| document.node(outer))
        .map_or(0, |outer| outer.items().len());
    document.remove(if neighbours > 1 {
        &hook.handler
    } else {
        &hook.group
    })
}

/// The fields that contain an entry's command. Users may change other fields, such as a timeout.
const RUNS: [&str; 2] = ["command", "args"];

/// Whether an entry runs the wanted command.
fn runs(entry: Option<&Node>, wanted: &Json) -> bool {
    entry.is_some_and(|entry| RUNS.iter().all(|key| same(entry.member(key), wanted.member(key))))
}

fn same(node: Option<&Node>, wanted: Option<&Json>) -> bool {
    match (node.map(|node| (node, &node.kind)), wanted) {
        (None, None) => true,
        (Some((_, Kind::Text(text))), Some(Json::Text(wanted))) => text == wanted,
        (Some((node, Kind::Array(_))), Some(Json::Array(wanted))) => {
            let items = node.items();
            items.len() == wanted.len()
                && items
                    .iter()
                    .zip(wanted)
                    .all(|(item, wanted)| same(Some(&item.value), Some(wanted)))
        }
        _ => false,
    }
}

/// Makes an entry run the wanted command.
fn update_entry(document: &mut Document, path: &[usize], wanted: &Json) -> Result<(), EditError> {
    for key in RUNS {
        let index = document.node(path).and_then(|entry| entry.position(key));
        let member = index.map(|index| [path, &[index]].concat());
        match (member, wanted.member(key)) {
            (Some(member), Some(wanted)) if !same(document.node(&member), Some(wanted)) => {
                document.replace(&member, wanted)?;
            }
            (Some(member), None) => document.remove(&member)?,
            (None, Some(wanted)) => {
                document.add(path, Some(key), wanted)?;
            }
            _ => {}
        }
    }
    Ok(())
}
