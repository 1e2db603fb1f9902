//! The files that an awk program writes.

use super::model::Code;
use super::word::Word;

/// Reads an awk program: `print > FILE`, `print | COMMAND`, `COMMAND | getline`, `system(...)`.
pub(super) fn awk(arguments: &[Word]) -> Code {
    let mut found = Code::default();
    let reads_file = arguments
        .iter()
        .any(|word| word.text.starts_with("-f") || word.text == "--file");
    let valued = ["-F", "-v", "-i", "--assign", "--field-separator", "--include"];
    let program = super::operands::operands(arguments, &valued).into_iter().next();
    let Some(program) = program.filter(|_| !reads_file) else {
        return found;
    };
    let text = program.text;
    found.may_write |= text.contains("system(");
    let letters: Vec<char> = text.chars().collect();
    let mut at = 0;
    let mut prints = false;
    let mut open = 0_usize;
    let mut last_text: Option<String> = None;
    while let Some(c) = letters.get(at).copied() {
        at += 1;
        match c {
            '"' => {
                last_text = Some(string(&letters, &mut at));
                continue;
            }
            '/' if begins_pattern(&letters, at - 1) => {
                while letters.get(at).is_some_and(|c| *c != '/' && *c != '\n') {
                    at += 1 + usize::from(letters[at] == '\\');
                }
                at += 1;
            }
            'p' if word_at(&letters, at - 1, "print") || word_at(&letters, at - 1, "printf") => prints = true,
            '(' => open += 1,
            ')' => open = open.saturating_sub(1),
            ';' | '}' | '\n' => prints = false,
            '>' if prints && open == 0 => {
                at += usize::from(letters.get(at) == Some(&'>'));
                match next_string(&letters, &mut at) {
                    Some(file) => found.files.push(file),
                    None => found.may_write = true,
                }
            }
            '|' if letters.get(at) == Some(&'|') => at += 1,
            '|' if prints && open == 0 => match next_string(&letters, &mut at) {
                Some(command) => found.commands.push(command),
                None => found.may_write = true,
            },
            '|' => match last_text.take() {
                Some(command) => found.commands.push(command),
                None => found.may_write = true,
            },
            c if c.is_whitespace() => continue,
            _ => {}
        }
        last_text = None;
    }
    found
}

/// Whether a slash starts a pattern and is not a division operator.
fn begins_pattern(letters: &[char], at: usize) -> bool {
    let before = letters[..at].iter().rev().find(|c| !c.is_whitespace());
    before.is_none_or(|c| !c.is_alphanumeric() && !"_)]$\"".contains(*c))
}

fn word_at(letters: &[char], at: usize, word: &str) -> bool {
    let is_part = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric() || *c == '_');
    let end = at + word.len();
    letters
        .get(at..end)
        .is_some_and(|found| found.iter().copied().eq(word.chars()))
        && !is_part(letters.get(end))
        && !is_part(at.checked_sub(1).and_then(|before| letters.get(before)))
}

/// A string up to its closing quote; the opening quote was already read.
fn string(letters: &[char], at: &mut usize) -> String {
    let mut text = String::new();
    while let Some(c) = letters.get(*at).copied() {
        *at += 1;
        match c {
            '"' => break,
            '\\' => {
                text.extend(letters.get(*at));
                *at += 1;
            }
            _ => text.push(c),
        }
    }
    text
}

/// The string that directly follows, if any.
fn next_string(letters: &[char], at: &mut usize) -> Option<String> {
    while letters.get(*at).is_some_and(|c| c.is_whitespace()) {
        *at += 1;
    }
    if letters.get(*at) != Some(&'"') {
        return None;
    }
    *at += 1;
    let text = string(letters, at);
    // The value of a concatenated string is unknown.
    let ends = letters
        .get(*at..)
        .unwrap_or_default()
        .iter()
        .find(|c| **c != ' ')
        .is_none_or(|c| ";}\n|".contains(*c));
    ends.then_some(text)
}
