//! The files that a sed script writes.

use super::operands::operands;
use super::word::Word;

/// The effects of a sed script besides printing.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Script {
    /// The files that the script writes.
    pub files: Vec<String>,
    /// Whether the script runs commands.
    pub executes: bool,
}

/// Reads the scripts among sed's arguments.
pub(super) fn script(arguments: &[Word]) -> Script {
    let mut found = Script::default();
    let mut has_option = false;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        let letters = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        let attached = text.strip_prefix("--expression=").or_else(|| {
            let (before, script) = letters?.split_once('e')?;
            let is_cluster = !before.contains(['i', 'f', 'l']);
            (is_cluster && !script.is_empty()).then_some(script)
        });
        if let Some(script) = attached {
            has_option = true;
            read(script, &mut found);
        } else if text == "--expression" || letters.is_some_and(|letters| letters.ends_with('e')) {
            has_option = true;
            if let Some(script) = words.next() {
                read(&script.text, &mut found);
            }
        } else if text == "-f" || text == "--file" {
            has_option = true;
            words.next();
        }
    }
    if !has_option && let Some(script) = operands(arguments, &["-l"]).first() {
        read(&script.text, &mut found);
    }
    found.files.retain(|file| !super::record::is_device(file));
    found
}

fn read(script: &str, found: &mut Script) {
    let mut rest = script;
    while let Some(command) = next_command(&mut rest) {
        match command {
            's' | 'y' => {
                let flags = substitution(&mut rest);
                if command == 's' {
                    if let Some((_, file)) = flags.split_once('w') {
                        found.files.push(file.trim().to_owned());
                    }
                    let letters = flags.split('w').next().unwrap_or_default();
                    found.executes |= letters.contains('e');
                }
            }
            'w' | 'W' => found.files.push(line(&mut rest).trim().to_owned()),
            'e' => {
                line(&mut rest);
                found.executes = true;
            }
            'a' | 'i' | 'c' | 'r' | 'R' => {
                line(&mut rest);
            }
            'b' | 't' | 'T' | ':' => {
                let end = rest.find([';', '\n']).unwrap_or(rest.len());
                rest = &rest[end..];
            }
            _ => {}
        }
    }
}

/// The next command, after its addresses.
fn next_command(rest: &mut &str) -> Option<char> {
    loop {
        let first = rest.chars().next()?;
        *rest = &rest[first.len_utf8()..];
        match first {
            '/' => pattern(rest, '/'),
            '\\' => {
                let end = rest.chars().next()?;
                *rest = &rest[end.len_utf8()..];
                pattern(rest, end);
            }
            // `I` and `M` after a pattern belong to the address.
            c if c.is_whitespace() || c.is_ascii_digit() || ",;{}$!~+IM".contains(c) => {}
            c => return Some(c),
        }
    }
}

/// Skips text up to its delimiter.
fn pattern(rest: &mut &str, end: char) {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices() {
        if c == end && !is_escaped {
            *rest = &rest[at + c.len_utf8()..];
            return;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    *rest = "";
}

/// Skips the pattern and replacement of a substitution, and returns its flags. A file name in the flags extends to the
/// end of the line.
fn substitution<'a>(rest: &mut &'a str) -> &'a str {
    let Some(end) = rest.chars().next() else {
        return "";
    };
    *rest = &rest[end.len_utf8()..];
    pattern(rest, end);
    pattern(rest, end);
    let stop = |at: usize, text: &str| {
        text[at..]
            .find(['\n', ';', '}'])
            .map_or(text.len(), |end| at + end)
    };
    let text = *rest;
    let end = match text.find(|c: char| !c.is_ascii_digit() && !"gpiImMe".contains(c)) {
        Some(at) if text[at..].starts_with('w') => text.find('\n').unwrap_or(text.len()),
        Some(at) => stop(at, text),
        None => text.len(),
    };
    *rest = &text[end..];
    &text[..end]
}

/// The rest of the line.
fn line<'a>(rest: &mut &'a str) -> &'a str {
    let end = rest.find('\n').unwrap_or(rest.len());
    let line = &rest[..end];
    *rest = &rest[end..];
    line
}
