//! The table of capabilities in `docs/clients.md`: one row per capability, one column per client.

use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use bugle_testkit::clients::Client;

use super::{Seen, TITLES};

const PAGE: &str = "../../docs/clients.md";
const BEGINNING: &str = "| Bugle ... |";
const NOT_TRIED: &str = "not tried";

impl Seen {
    fn cell(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::NotTried => NOT_TRIED,
        }
    }
}

fn page() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(PAGE)
}

/// The page's text before the table, the cells of the table's rows, and the text after the table.
fn read() -> (String, Vec<Vec<String>>, String) {
    let text = fs::read_to_string(page()).unwrap();
    let start = text.find(BEGINNING).unwrap();
    let end = start + text[start..].find("\n\n").unwrap() + 1;
    let cells = |line: &str| -> Vec<String> {
        let inner = line.trim_matches('|').split('|');
        inner.map(|cell| cell.trim().to_owned()).collect()
    };
    // The second line separates the titles from the rows.
    let rows = text[start..end].lines().skip(2).map(cells).collect();
    (text[..start].to_owned(), rows, text[end..].to_owned())
}

/// The cell for a capability in a client.
fn cell(rows: &[Vec<String>], title: &str, client: Client) -> Option<String> {
    let row = rows.iter().find(|row| row[0] == title)?;
    row.get(1 + Client::ALL.iter().position(|known| *known == client)?)
        .cloned()
}

/// The table with one cell replaced, and with the rows and columns that it should have.
fn rendered(rows: &[Vec<String>], changed: Option<(&str, Client, Seen)>) -> String {
    let titles = Client::ALL.map(Client::title).join(" | ");
    let mut table = format!(
        "{BEGINNING} {titles} |\n|{}\n",
        "---|".repeat(1 + Client::ALL.len())
    );
    for title in TITLES {
        let cells = Client::ALL.map(|client| match changed {
            Some((row, column, seen)) if row == *title && column == client => seen.cell().to_owned(),
            _ => cell(rows, title, client).unwrap_or_else(|| NOT_TRIED.to_owned()),
        });
        table += &format!("| {title} | {} |\n", cells.join(" | "));
    }
    table
}

/// Compares an outcome with the table, or writes it into the table.
pub(super) fn compare(client: Client, title: &str, seen: Seen) {
    static PAGE_LOCK: Mutex<()> = Mutex::new(());
    let _lock = PAGE_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let (before, rows, after) = read();
    if std::env::var_os("BUGLE_WRITE_REFERENCE").is_some() {
        let table = rendered(&rows, Some((title, client, seen)));
        fs::write(page(), before + &table + &after).unwrap();
        return;
    }
    let written = cell(&rows, title, client);
    assert_eq!(
        written.as_deref(),
        Some(seen.cell()),
        "{}: \"{title}\" differs from the table in docs/clients.md (BUGLE_WRITE_REFERENCE=1 writes it)",
        client.title()
    );
}

#[test]
fn the_table_has_a_row_for_each_capability_and_a_column_for_each_client() {
    let (before, rows, after) = read();
    let whole = format!("{before}{}{after}", rendered(&rows, None));
    assert!(
        whole == fs::read_to_string(page()).unwrap(),
        "run the tests of one client with BUGLE_WRITE_REFERENCE=1 to update the table in docs/clients.md"
    );
}
