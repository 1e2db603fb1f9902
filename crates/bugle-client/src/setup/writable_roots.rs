//! The folders outside the project that commands in Codex's sandbox may write to: `sandbox_workspace_write.writable_roots`
//! in `config.toml`. A project's list replaces the user's list.

use std::ops::Range;

use toml_edit::{Array, Document, Item};

use super::json::quoted;
use super::settings::Presence;
use super::splice::{EditError, Edited, line_end};
use super::toml::{collect_spans, read};

const TABLE: &str = "sandbox_workspace_write";
const KEY: &str = "writable_roots";

/// The folders in a config; empty if there are none, or if the text cannot be parsed.
pub(crate) fn writable_roots(text: &str) -> Vec<String> {
    Document::parse(text).map_or_else(|_| Vec::new(), |document| listed(&document))
}

fn list<'a>(document: &'a Document<&str>) -> Option<&'a Array> {
    document.get(TABLE)?.get(KEY)?.as_array()
}

fn listed(document: &Document<&str>) -> Vec<String> {
    let roots = list(document).into_iter().flatten();
    roots
        .filter_map(|root| root.as_str().map(str::to_owned))
        .collect()
}

/// Whether a config lists all `wanted` folders. The first folder is the store, which makes the list Bugle's.
pub(super) fn presence(document: &Document<&str>, wanted: &[String]) -> Presence {
    let listed = listed(document);
    let mut missing = wanted.iter().map(|root| !listed.contains(root));
    match (missing.next(), missing.any(|missing| missing)) {
        (Some(true), _) => Presence::Missing,
        (_, true) => Presence::Outdated,
        _ => Presence::Present,
    }
}

/// Adds the missing folders.
pub(super) fn install(edited: &mut Edited, wanted: &[String]) -> Result<(), EditError> {
    let text = edited.text().to_owned();
    let document = read(&text)?;
    let listed = listed(&document);
    let missing: Vec<String> = wanted
        .iter()
        .filter(|root| !listed.contains(root))
        .cloned()
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let (at, inserted) = insertion(&text, &document, &missing);
    edited.insert(at, &inserted);
    // Some spellings of the table cannot be extended; then the new text does not parse.
    let is_listed =
        read(edited.text()).is_ok_and(|document| presence(&document, wanted) == Presence::Present);
    is_listed.then_some(()).ok_or_else(|| {
        EditError::at(
            &text,
            at,
            format!("cannot add Bugle's store to `{KEY}`; write the list as `{KEY} = [\"FOLDER\"]` under `[{TABLE}]`"),
        )
    })
}

/// Where to insert the missing folders, and the text to insert.
fn insertion(text: &str, document: &Document<&str>, missing: &[String]) -> (usize, String) {
    let end = line_end(text);
    let folders = missing
        .iter()
        .map(|root| quoted(root))
        .collect::<Vec<_>>()
        .join(", ");
    let entry = format!("{KEY} = [{folders}]");
    let table = document.get(TABLE);
    if let Some(list) = list(document) {
        let final_item = list.iter().last().and_then(toml_edit::Value::span);
        return match (final_item, list.span()) {
            (Some(item), _) => (item.end, format!(", {folders}")),
            (None, Some(brackets)) => (brackets.start + 1, folders),
            (None, None) => (text.len(), String::new()),
        };
    }
    if let Some(inline) = table.and_then(Item::as_inline_table) {
        let start = inline.span().map_or(text.len(), |span| span.start + 1);
        let comma = if inline.is_empty() { " " } else { "," };
        return (start, format!(" {entry}{comma}"));
    }
    if let Some(table) = table.and_then(Item::as_table)
        && let Some(header) = table.span()
    {
        if table.is_dotted() {
            let line = text[..header.start].rfind('\n').map_or(0, |at| at + 1);
            return (line, format!("{TABLE}.{entry}{end}"));
        }
        return match text[header.start..].find('\n') {
            Some(at) => (header.start + at + 1, format!("{entry}{end}")),
            None => (text.len(), format!("{end}{entry}{end}")),
        };
    }
    let before = match text {
        _ if text.trim_start_matches('\u{feff}').is_empty() => String::new(),
        _ if text.ends_with('\n') => end.to_owned(),
        _ => format!("{end}{end}"),
    };
    let table = format!(
        "{before}[{TABLE}]{end}# `bugle setup codex` adds Bugle's store, so that commands in the sandbox can write it.{end}{entry}{end}"
    );
    (text.len(), table)
}

/// Removes the store's folder, and the other wanted folders if nothing else is listed.
pub(super) fn uninstall(edited: &mut Edited, wanted: &[String]) -> Result<(), EditError> {
    let text = edited.text().to_owned();
    let document = read(&text)?;
    let Some(list) = list(&document) else {
        return Ok(());
    };
    let listed = listed(&document);
    let Some(at) = wanted
        .first()
        .and_then(|store| listed.iter().position(|root| root == store))
    else {
        return Ok(());
    };
    if listed.len() == list.len() && listed.iter().all(|root| wanted.contains(root)) {
        if let Some(range) = whole_list(&text, &document, list) {
            edited.remove(range.start, range.end);
        }
        return Ok(());
    }
    let span = |index: usize| list.get(index).and_then(toml_edit::Value::span);
    let before = at.checked_sub(1).and_then(span);
    let range = match (before, span(at), span(at + 1)) {
        (_, Some(own), Some(next)) => own.start..next.start,
        (Some(before), Some(own), None) => before.end..own.end,
        _ => return Ok(()),
    };
    edited.remove(range.start, range.end);
    Ok(())
}

/// The range to remove if the list contains nothing but wanted folders: the table if it contains nothing else, otherwise the
/// line, or the list's items.
fn whole_list(text: &str, document: &Document<&str>, list: &Array) -> Option<Range<usize>> {
    let table = document.get(TABLE).and_then(Item::as_table);
    let own = table.filter(|table| !table.is_dotted() && !table.is_implicit() && table.len() == 1);
    if let Some(table) = own {
        let mut spans = Vec::new();
        collect_spans(table, text, &mut spans);
        return spans.first().map(|(start, end)| *start..*end);
    }
    let items = list.span()?;
    let start = text[..items.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[items.end..]
        .find('\n')
        .map_or(text.len(), |at| items.end + at + 1);
    let line = text[start..].trim_start();
    let is_own_line = line.starts_with(KEY) || line.starts_with(&format!("{TABLE}.{KEY}"));
    let is_alone = text[items.end..end].trim().is_empty();
    Some(if is_own_line && is_alone {
        start..end
    } else {
        items.start + 1..items.end - 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::undo;

    const STORE: &str = "/u/.bugle";
    const USERS: &str = "/data";

    fn wanted() -> Vec<String> {
        vec![STORE.to_owned(), USERS.to_owned()]
    }

    fn installed(text: &str, wanted: &[String]) -> Edited {
        let mut edited = Edited::new(text);
        install(&mut edited, wanted).unwrap();
        edited
    }

    #[test]
    fn the_store_is_added_to_every_spelling_of_the_table_and_removed_again() {
        for (text, roots) in [
            ("", 1),
            (
                "model = \"m\"\n\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n",
                1,
            ),
            ("[sandbox_workspace_write]\nnetwork_access = true\n", 1),
            ("[sandbox_workspace_write] # mine\r\nnetwork_access = true\r\n", 1),
            ("sandbox_workspace_write = { network_access = true }\n", 1),
            ("sandbox_workspace_write.network_access = true\n[features]\n", 1),
            (
                "[sandbox_workspace_write]\nwritable_roots = [\n  \"/a\", # first\n  \"/b\",\n]\n",
                3,
            ),
            (
                "[sandbox_workspace_write]\nwritable_roots = [\"/a\"]\nnetwork_access = true\n",
                2,
            ),
            ("sandbox_workspace_write = { writable_roots = [\"/a\"] }\n", 2),
        ] {
            let edited = installed(text, &[STORE.to_owned()]);
            assert_eq!(writable_roots(edited.text()).len(), roots, "{}", edited.text());
            assert!(writable_roots(edited.text()).contains(&STORE.to_owned()));
            assert_eq!(undo(edited.text(), edited.splices()).as_deref(), Some(text));
            let again = installed(edited.text(), &[STORE.to_owned()]);
            assert!(again.splices().is_empty(), "{}", again.text());
            let mut removed = Edited::new(edited.text());
            uninstall(&mut removed, &[STORE.to_owned()]).unwrap();
            let left = writable_roots(removed.text());
            assert_eq!(left.len(), roots - 1, "{}", removed.text());
            assert_eq!(left, writable_roots(text));
            if !text.contains('{') {
                assert_eq!(removed.text(), text);
            }
        }
    }

    #[test]
    fn a_projects_list_repeats_the_users_folders() {
        let edited = installed("", &wanted());
        assert_eq!(writable_roots(edited.text()), wanted());
        let document = |text: &str| {
            let document = read(text).unwrap();
            presence(&document, &wanted())
        };
        assert_eq!(document(edited.text()), Presence::Present);
        assert_eq!(document(""), Presence::Missing);
        let old = installed("", &[STORE.to_owned()]);
        assert_eq!(document(old.text()), Presence::Outdated);
        let mut removed = Edited::new(edited.text());
        uninstall(&mut removed, &wanted()).unwrap();
        assert_eq!(removed.text(), "");
    }

    #[test]
    fn a_list_that_is_not_an_array_is_an_error() {
        let mut edited = Edited::new("[sandbox_workspace_write]\nwritable_roots = \"/a\"\n");
        let error = install(&mut edited, &wanted()).unwrap_err();
        assert!(error.what.contains("cannot add Bugle's store"), "{error}");
    }
}
