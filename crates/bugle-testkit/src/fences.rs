//! A reader of Markdown that knows fences only, to tell what is quoted from what is not.

/// A text taken apart at its fences.
#[derive(Debug, Default)]
pub struct Scanned {
    /// The lines outside fences.
    pub outside: Vec<String>,
    /// What stands between fences.
    pub quoted: Vec<String>,
    /// How many of the lines outside stand before each of those.
    pub before: Vec<usize>,
    /// Whether the last fence was closed.
    pub closed: bool,
}

/// Takes a text apart as `CommonMark` reads fences.
pub fn scan(text: &str) -> Scanned {
    let mut scanned = Scanned::default();
    let mut open: Option<(char, usize, Vec<&str>)> = None;
    for line in text.split('\n') {
        let body = line.trim_start_matches(' ');
        let indent = line.len() - body.len();
        let mark = body.chars().next().filter(|mark| matches!(mark, '`' | '~'));
        let length = mark.map_or(0, |mark| {
            body.chars().take_while(|letter| *letter == mark).count()
        });
        match (&mut open, mark) {
            (Some((with, least, lines)), _) => {
                let only = body[length..].trim().is_empty();
                if mark == Some(*with) && length >= *least && only && indent < 4 {
                    scanned.quoted.push(lines.join("\n"));
                    scanned.before.push(scanned.outside.len());
                    open = None;
                } else {
                    lines.push(line);
                }
            }
            (None, Some(mark))
                if length >= 3 && indent < 4 && (mark == '~' || !body[length..].contains('`')) =>
            {
                open = Some((mark, length, Vec::new()));
            }
            (None, _) => scanned.outside.push(line.to_owned()),
        }
    }
    scanned.closed = open.is_none();
    scanned
}

/// Every heading that a wake-up can have; one with a name in it by its beginning.
const HEADINGS: [&str; 12] = [
    "# Wake-up of @",
    "# Wake-up of this session",
    "## Taking over from @",
    "## Current skill",
    "## Active plan",
    "## Current tasks",
    "## Current step",
    "## What was found earlier",
    "## Recent activity",
    "## Unanswered questions",
    "## New messages",
    "## Next action",
];

/// Checks that whatever is not quoted was written by Bugle, as far as the beginning of a line can tell.
///
/// # Errors
///
/// The line that was not, or the fence that stays open.
pub fn check(text: &str) -> Result<Scanned, String> {
    let scanned = scan(text);
    if !scanned.closed {
        return Err(format!("a fence is open at the end:\n{text}"));
    }
    let mut seen = Vec::new();
    for line in &scanned.outside {
        let body = line.trim_start();
        if let Some(known) = HEADINGS.iter().find(|heading| body.starts_with(*heading)) {
            if seen.contains(known) {
                return Err(format!("a heading is there twice: {line}\n{text}"));
            }
            seen.push(*known);
        } else if body.starts_with(['#', '>', '<', '|', '=', '~', '`', '*', '_']) && !body.starts_with("**") {
            return Err(format!("a line begins as none of Bugle's does: {line}\n{text}"));
        }
        let is_rule = body.len() > 2 && body.chars().all(|letter| matches!(letter, '-' | '*' | '_'));
        if is_rule || body.starts_with("Evil") {
            return Err(format!("a line from elsewhere: {line}\n{text}"));
        }
    }
    let steering = |letter: char| letter.is_control() && letter != '\n' && letter != '\t';
    if text.contains(steering) || text.contains(['\u{2028}', '\u{2029}']) {
        return Err(format!("a character that steers: {text:?}"));
    }
    Ok(scanned)
}
