//! The files of a task, from the list below `**Files:**`: each with its action, path, lines and remark.

use bugle_core::plan::{FileAction, FileChange, LineRange, NoteKind, PlanNote};

use super::blocks::{Block, Label};
use super::text::{checkbox, has_words, squeeze};

/// The files of a block.
pub(super) fn files(block: &Block, notes: &mut Vec<PlanNote>) -> Vec<FileChange> {
    let Label::Files(default) = &block.label else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut say = |line: usize, kind| notes.push(PlanNote { line: line + 1, kind });
    if !block.rest.is_empty() {
        match entry(&block.rest, default) {
            Entry::Files(files) => found.extend(files),
            Entry::Heading(_) | Entry::None => {}
            Entry::Unread => {
                let text = block.rest.clone();
                say(block.line, NoteKind::FileUnread { text });
            }
        }
    }
    if block.items.is_empty() && block.rest.is_empty() && block.code_first {
        say(block.line, NoteKind::FilesInCode);
    }
    // A line such as `- Create:` applies to the deeper items below it.
    let mut above: Option<(usize, FileAction)> = None;
    for item in &block.items {
        if above.as_ref().is_some_and(|(indent, _)| item.indent <= *indent) {
            above = None;
        }
        let inherited = above.as_ref().map_or(default, |(_, action)| action);
        let detail = !block.rest.is_empty() || is_detail(block, item.indent);
        let below_file = above.is_none() && found.last().is_some() && detail;
        match entry(&item.text, inherited) {
            Entry::Files(files) if !below_file || starts_with_path(&item.text) => found.extend(files),
            Entry::Heading(action) => above = Some((item.indent, action)),
            Entry::Unread if !below_file => {
                let text = item.text.clone();
                say(item.line, NoteKind::FileUnread { text });
            }
            Entry::Files(_) | Entry::Unread | Entry::None => {}
        }
    }
    found
}

/// Whether an item is nested deeper than the first item. Such an item describes the file above.
fn is_detail(block: &Block, indent: usize) -> bool {
    block.items.first().is_some_and(|first| indent > first.indent + 1)
}

fn starts_with_path(text: &str) -> bool {
    let (action, rest) = verb(text);
    action.is_some() || rest.starts_with('`')
}

/// An entry in a list of files.
enum Entry {
    Files(Vec<FileChange>),
    /// `- Create:` with the files below it.
    Heading(FileAction),
    /// `None`
    None,
    Unread,
}

fn entry(text: &str, default: &FileAction) -> Entry {
    let text = checkbox(text).map_or(text, |(_, rest)| rest);
    let (action, rest) = verb(text);
    let action_is_unstated = action.is_none();
    let action = action.unwrap_or_else(|| default.clone());
    if rest.is_empty() {
        return Entry::Heading(action);
    }
    let code = rest.contains('`');
    if action_is_unstated && !code && says_none(rest) {
        return Entry::None;
    }
    let (before, paths, after) = if code { quoted(rest) } else { unquoted(rest) };
    let (places, after) = trailing_lines(after);
    let remark = squeeze(&format!("{} {}", trim_remark(before), trim_remark(after)));
    let files = changes(&action, &paths, &places, &remark);
    if files.is_empty() {
        Entry::Unread
    } else {
        Entry::Files(files)
    }
}

/// Whether an entry states that there are no files: `None`, `no source edits`, `—`.
fn says_none(text: &str) -> bool {
    let first = text.split(char::is_whitespace).next().unwrap_or_default();
    let word = first
        .trim_matches(|letter: char| !letter.is_alphanumeric())
        .to_lowercase();
    !has_words(text)
        || (!looks_like_a_path(first) && ["none", "no", "nothing"].contains(&word.as_str()))
        || word == "n/a"
}

/// The action on the files, from the words before the colon or from the first word.
fn verb(text: &str) -> (Option<FileAction>, &str) {
    let head_end = text.find('`').unwrap_or(text.len());
    let head = &text[..head_end];
    if let Some(colon) = head.find([':', '：']) {
        let width = if text[colon..].starts_with('：') {
            '：'.len_utf8()
        } else {
            1
        };
        let rest = text[colon + width..].trim_start_matches(['*', '_', ' ']);
        let words = head[..colon].trim_matches(['*', '_', ' ']);
        let action = words.split([' ', '/', '(', '*']).find_map(action);
        let few = words.split(' ').count() <= 4 && !words.contains('.');
        if few && action.is_some() {
            return (action, rest);
        }
    }
    let first_end = head.find([' ', '*']).unwrap_or(head.len());
    let bold_start = text.len() - text.trim_start_matches('*').len();
    let word = head[..first_end.max(bold_start)].trim_matches('*');
    match action(word) {
        Some(action) => (
            Some(action),
            text[first_end.max(bold_start)..].trim_start_matches(['*', ' ']),
        ),
        None => (None, text),
    }
}

fn action(word: &str) -> Option<FileAction> {
    let action = match word.trim_end_matches(['s', ',']).to_lowercase().as_str() {
        "create" | "add" | "new" | "created" => FileAction::Create,
        "modify" | "update" | "edit" | "change" | "extend" | "append" | "modified" | "rewrite"
        | "replace" => FileAction::Modify,
        "test" => FileAction::Test,
        "delete" | "remove" | "deleted" => FileAction::Delete,
        "rename" | "move" => FileAction::Rename { to: None },
        "read" | "reference" | "verify" | "see" | "check" | "inspect" => FileAction::Read,
        _ => return None,
    };
    Some(action)
}

/// Adjacent paths in backticks, with the text before and after them.
fn quoted(text: &str) -> (&str, Vec<&str>, &str) {
    let Some(open) = text.find('`') else {
        return (text, Vec::new(), "");
    };
    let (before, mut rest) = text.split_at(open);
    let mut paths = Vec::new();
    while let Some(end) = rest.get(1..).and_then(|inner| inner.find('`')) {
        paths.push(&rest[1..=end]);
        rest = &rest[end + 2..];
        let next = rest.find('`').unwrap_or(rest.len());
        let between = rest[..next].trim();
        let joined = [
            "", ",", ";", "+", "&", "/", "and", ", and", "or", "→", "->", "=>", "to",
        ]
        .contains(&between);
        if next == rest.len() || !joined || rest[..next].is_empty() {
            break;
        }
        rest = &rest[next..];
    }
    (before, paths, rest)
}

/// Paths without backticks: words that look like paths, at the start, separated by commas or arrows.
fn unquoted(text: &str) -> (&str, Vec<&str>, &str) {
    let mut paths = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let word = rest[..end].trim_end_matches([',', ';']);
        if !looks_like_a_path(word) {
            return ("", paths, rest);
        }
        paths.push(word);
        let listed = word.len() < end;
        rest = &rest[end..];
        let next = rest.trim_start();
        let arrow = ["→", "->", "=>"]
            .into_iter()
            .find(|arrow| next.starts_with(arrow));
        match arrow {
            Some(arrow) => rest = &next[arrow.len()..],
            None if listed => {}
            None => return ("", paths, rest),
        }
    }
}

fn looks_like_a_path(word: &str) -> bool {
    let dotted = word
        .rsplit_once('.')
        .is_some_and(|(stem, extension)| !stem.is_empty() && extension.starts_with(char::is_alphanumeric));
    let inner = word.chars().all(|letter| !"()\"'<>".contains(letter));
    let named = word.chars().any(char::is_alphanumeric);
    named && inner && (dotted || word.contains('/') || word.starts_with('.'))
}

/// `(lines 12-34)` after a path.
fn trailing_lines(text: &str) -> (Vec<LineRange>, &str) {
    let mut places = Vec::new();
    let mut rest = text.trim_start();
    loop {
        let inner = ["(lines ", "(line ", ":", "lines ", "line "]
            .into_iter()
            .find_map(|start| rest.strip_prefix(start));
        let Some(inner) = inner else {
            return (places, rest);
        };
        let end = inner.find(|letter: char| !letter.is_ascii_digit() && !"-–,".contains(letter));
        let (numbers, after) = inner.split_at(end.unwrap_or(inner.len()));
        let after = after.trim_start();
        let closed = if rest.starts_with('(') {
            after.strip_prefix(')')
        } else {
            Some(after)
        };
        match (ranges(numbers), closed) {
            (Some(found), Some(after)) => {
                places.extend(found);
                rest = after.trim_start();
            }
            _ => return (places, rest),
        }
    }
}

/// `12-34`, `12`, `12-34,40`
fn ranges(text: &str) -> Option<Vec<LineRange>> {
    let ranges = text.trim_end_matches(',').split(',').map(|range| {
        let (first, last) = range.split_once(['-', '–']).unwrap_or((range, range));
        let first = first.trim().trim_start_matches('L').parse().ok()?;
        let last = last.trim().trim_start_matches('L').parse().ok()?;
        Some(LineRange { first, last })
    });
    ranges.collect()
}

fn trim_remark(text: &str) -> &str {
    let signs = [' ', '—', '–', '-', ':', '：', ',', ';', '*'];
    text.trim_start_matches(signs)
        .trim_end_matches([' ', ':', '：', ',', ';'])
}

/// A path without its lines: `src/lib.rs:12-34`, `src/lib.rs#L12-L34`.
fn split_lines(path: &str) -> (&str, Vec<LineRange>) {
    let path = path.trim();
    for sign in [':', '#'] {
        if let Some((stem, numbers)) = path.rsplit_once(sign)
            && !stem.trim().is_empty()
            && let Some(found) = ranges(numbers)
        {
            return (stem.trim(), found);
        }
    }
    (path, Vec::new())
}

fn changes(action: &FileAction, paths: &[&str], places: &[LineRange], remark: &str) -> Vec<FileChange> {
    let renames = matches!(action, FileAction::Rename { .. });
    let pairs: Vec<(String, Option<String>)> = if renames {
        let names: Vec<String> = paths.iter().flat_map(|path| arrow_parts(path)).collect();
        let pairs = names.chunks(2);
        pairs
            .map(|pair| (pair[0].clone(), pair.get(1).cloned()))
            .collect()
    } else {
        paths.iter().map(|path| ((*path).to_owned(), None)).collect()
    };
    let last = pairs.len().saturating_sub(1);
    let named = pairs.iter().enumerate().filter_map(|(index, (path, to))| {
        let (path, mut lines) = split_lines(path);
        let action = match to.as_ref().map(|to| split_lines(to).0) {
            Some(to) if !to.is_empty() => FileAction::Rename {
                to: Some(squeeze(to)),
            },
            _ => action.clone(),
        };
        // The text after the paths belongs to the last path.
        let mut own_remark = "";
        if index == last {
            own_remark = remark;
            lines.extend_from_slice(places);
        }
        (!path.is_empty()).then(|| FileChange {
            action,
            path: squeeze(path),
            lines,
            remark: own_remark.to_owned(),
        })
    });
    named.collect()
}

/// The names in a path with arrows: `old.rs -> new.rs`.
fn arrow_parts(path: &str) -> Vec<String> {
    let arrows = path.replace("->", "→").replace("=>", "→");
    let parts = arrows.split('→').map(str::trim).filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}
