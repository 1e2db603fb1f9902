//! Bugle's entries in a client's JSON settings: put in, brought up to date, looked for, taken out.

use super::client::{Client, is_own_server, is_own_status_line, status_line};
use super::edit::{Document, Way};
use super::json::Json;
use super::jsonc::{Kind, Node};
use super::splice::{EditError, Edited};

/// The name under which a client knows Bugle's MCP server.
pub(crate) const SERVER: &str = "bugle";
/// Under which key Claude Code has the command that makes its status line.
const STATUS_LINE: &str = "statusLine";

/// A kind of entry in a client's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The hooks.
    Hooks,
    /// The MCP server.
    Server,
    /// The status line of Claude Code.
    StatusLine,
}

/// What belongs in a file of settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Whose settings they are.
    pub client: Client,
    /// Which entries belong there.
    pub parts: &'static [Part],
    /// How the program is called.
    pub program: String,
}

/// Whether an entry is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// As it would be written now.
    Present,
    /// In an older form, or with another path of the program.
    Outdated,
    /// Not there.
    Missing,
}

/// An entry that was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What it is called: `hook Stop`, `MCP server`.
    pub name: String,
    /// Whether it is there.
    pub presence: Presence,
}

impl Settings {
    /// Puts in what is missing and brings up to date what is old. What is as it should be is not touched.
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

    /// Takes out every entry of Bugle's, and what held nothing else.
    pub fn uninstall(&self, text: &str) -> Result<Edited, EditError> {
        let mut document = Document::read(text)?;
        for part in self.parts {
            match part {
                Part::Hooks => {
                    // Each round takes one out, so this ends.
                    while let Some((_, group, handler)) = self.own_hooks(document.root()).pop() {
                        remove_hook(&mut document, &group, &handler)?;
                    }
                }
                Part::Server => {
                    if let Some((way, true)) = self.server_way(document.root()) {
                        document.remove(&way)?;
                    }
                }
                Part::StatusLine => {
                    if let Some((way, true)) = status_line_way(document.root()) {
                        document.remove(&way)?;
                    }
                }
            }
        }
        Ok(document.finish())
    }

    /// Looks for every entry.
    pub fn inspect(&self, text: &str) -> Result<Vec<Entry>, EditError> {
        let document = Document::read(text)?;
        let mut entries = Vec::new();
        for part in self.parts {
            match part {
                Part::Hooks => {
                    let own = self.own_hooks(document.root());
                    for event in self.client.events() {
                        let wanted = self.client.handler(event, &self.program);
                        let found: Vec<&Way> = own
                            .iter()
                            .filter(|(there, _, _)| there == event)
                            .map(|(_, _, handler)| handler)
                            .collect();
                        let presence = match found.as_slice() {
                            [] => Presence::Missing,
                            [one] if says(document.node(one), &wanted) => Presence::Present,
                            _ => Presence::Outdated,
                        };
                        entries.push(Entry {
                            name: format!("hook {event}"),
                            presence,
                        });
                    }
                }
                Part::Server => {
                    let wanted = self.client.server(&self.program);
                    let presence = match self.server_way(document.root()) {
                        Some((way, true)) if says(document.node(&way), &wanted) => Presence::Present,
                        Some((_, true)) => Presence::Outdated,
                        _ => Presence::Missing,
                    };
                    entries.push(Entry {
                        name: "MCP server".to_owned(),
                        presence,
                    });
                }
                Part::StatusLine => {
                    let wanted = status_line(&self.program);
                    let presence = match status_line_way(document.root()) {
                        Some((way, true)) if says(document.node(&way), &wanted) => Presence::Present,
                        Some((_, true)) => Presence::Outdated,
                        // There is room for one, and somebody else has it.
                        Some((_, false)) => Presence::Present,
                        None => Presence::Missing,
                    };
                    entries.push(Entry {
                        name: "status line".to_owned(),
                        presence,
                    });
                }
            }
        }
        Ok(entries)
    }

    fn install_hooks(&self, document: &mut Document) -> Result<(), EditError> {
        let events = self.client.events();
        // Of entries that are there twice, and of events that no longer count, none stays.
        while let Some((_, group, handler)) = {
            let own = self.own_hooks(document.root());
            let superfluous = |index: usize| {
                let event = &own[index].0;
                !events.contains(&event.as_str()) || own[..index].iter().any(|(before, _, _)| before == event)
            };
            (0..own.len())
                .rfind(|index| superfluous(*index))
                .map(|index| own[index].clone())
        } {
            remove_hook(document, &group, &handler)?;
        }
        for event in events {
            let own = self.own_hooks(document.root());
            if let Some((_, _, way)) = own.into_iter().find(|(there, _, _)| there == event) {
                bring_up_to_date(document, &way, &self.client.handler(event, &self.program))?;
            } else {
                let hooks = document.ensure(&[], "hooks", &Json::Object(Vec::new()))?;
                let groups = document.ensure(&hooks, event, &Json::Array(Vec::new()))?;
                document.add(&groups, None, &self.client.hook_group(event, &self.program))?;
            }
        }
        Ok(())
    }

    fn install_server(&self, document: &mut Document) -> Result<(), EditError> {
        let wanted = self.client.server(&self.program);
        match self.server_way(document.root()) {
            Some((way, true)) => bring_up_to_date(document, &way, &wanted),
            Some((way, false)) => {
                let at = document.node(&way).map_or(0, |node| node.start);
                Err(document.error(
                    at,
                    &format!("there is another MCP server called `{SERVER}`, which is not Bugle's"),
                ))
            }
            None => {
                let key = self.client.servers_key();
                let servers = document.ensure(&[], key, &Json::Object(Vec::new()))?;
                document.add(&servers, Some(SERVER), &wanted).map(|_| ())
            }
        }
    }

    /// There is room for one status line: somebody else's stays.
    fn install_status_line(&self, document: &mut Document) -> Result<(), EditError> {
        let wanted = status_line(&self.program);
        match status_line_way(document.root()) {
            Some((way, true)) => bring_up_to_date(document, &way, &wanted),
            Some((_, false)) => Ok(()),
            None => document.add(&[], Some(STATUS_LINE), &wanted).map(|_| ()),
        }
    }

    /// Bugle's hooks, each with its event and the ways to its group and to itself.
    pub(super) fn own_hooks(&self, root: &Node) -> Vec<(String, Way, Way)> {
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
                        found.push((
                            groups.key.clone(),
                            vec![hooks, event, group],
                            vec![hooks, event, group, inner, index],
                        ));
                    }
                }
            }
        }
        found
    }

    /// The way to the server of Bugle's name, and whether it is Bugle's.
    pub(super) fn server_way(&self, root: &Node) -> Option<(Way, bool)> {
        let servers = root.position(self.client.servers_key())?;
        let list = &root.items()[servers].value;
        let server = list.position(SERVER)?;
        Some((vec![servers, server], is_own_server(&list.items()[server].value)))
    }
}

/// Whose the status line in a text is; nothing if there is none.
pub fn status_line_is_own(text: &str) -> Option<bool> {
    let document = Document::read(text).ok()?;
    status_line_way(document.root()).map(|(_, own)| own)
}

/// The way to the status line, and whether it is Bugle's.
fn status_line_way(root: &Node) -> Option<(Way, bool)> {
    let way = root.position(STATUS_LINE)?;
    Some((vec![way], is_own_status_line(&root.items()[way].value)))
}

/// Takes out a hook, with its group if that holds nothing else.
fn remove_hook(document: &mut Document, group: &[usize], handler: &[usize]) -> Result<(), EditError> {
    let neighbours = handler
        .split_last()
        .and_then(|(_, outer)| document.node(outer))
        .map_or(0, |outer| outer.items().len());
    document.remove(if neighbours > 1 { handler } else { group })
}

/// What an entry runs; the rest of it, such as a timeout, its owner may have changed.
const RUNS: [&str; 2] = ["command", "args"];

/// Whether an entry runs what it should.
fn says(entry: Option<&Node>, wanted: &Json) -> bool {
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

/// Has an entry run what it should.
fn bring_up_to_date(document: &mut Document, way: &[usize], wanted: &Json) -> Result<(), EditError> {
    for key in RUNS {
        let index = document.node(way).and_then(|entry| entry.position(key));
        let member = index.map(|index| [way, &[index]].concat());
        match (member, wanted.member(key)) {
            (Some(member), Some(wanted)) if !same(document.node(&member), Some(wanted)) => {
                document.replace(&member, wanted)?;
            }
            (Some(member), None) => document.remove(&member)?,
            (None, Some(wanted)) => {
                document.add(way, Some(key), wanted)?;
            }
            _ => {}
        }
    }
    Ok(())
}
