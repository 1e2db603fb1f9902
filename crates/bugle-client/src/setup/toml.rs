//! Parses TOML files and finds the bytes of their tables.

use toml_edit::{Document, Item, Table};

use super::splice::EditError;

/// Parses a file.
pub(super) fn read(text: &str) -> Result<Document<&str>, EditError> {
    Document::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        EditError::at(text, at, error.message().replace('\n', ", "))
    })
}

/// The byte ranges of a table and its inner tables. Each range includes the empty line before the table.
pub(super) fn collect_spans(table: &Table, text: &str, spans: &mut Vec<(usize, usize)>) {
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
