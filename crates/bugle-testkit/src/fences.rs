//! A Markdown scanner that only recognises fences, to separate quoted text from the rest.

/// Text split at its fences.
#[derive(Debug, Default)]
pub struct Scanned {
    /// The lines outside fences.
    pub outside: Vec<String>,
    /// The fenced blocks.
    pub quoted: Vec<String>,
    /// The number of unfenced lines before each block.
    pub before: Vec<usize>,
    /// Whether the last fence was closed.
    pub closed: bool,
}

/// Splits text at its fences, following `CommonMark`.
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

/// All headings of a wake-up. A heading that ends with a name is listed up to the name.
const HEADINGS: [&str; 12] = [
    "# Wake-up for @",
    "# Wake-up for this session",
    "## Taking over from @",
    "## Current skill",
    "## Active plan",
    "## Current tasks",
    "## Current step",
    "## Earlier results",
    "## Recent activity",
    "## Unanswered questions",
    "## New messages",
    "## Next action",
];

/// Checks that unquoted text is Bugle's own, judging by how each line starts.
///
/// # Errors
///
/// Describes a line that is not Bugle's, or an unclosed fence.
pub fn check(text: &str) -> Result<Scanned, String> {
    let scanned = scan(text);
    if !scanned.closed {
        return Err(format!("a fence is not closed:\n{text}"));
    }
    let mut seen = Vec::new();
    for line in &scanned.outside {
        let body = line.trim_start();
        if let Some(known) = HEADINGS.iter().find(|heading| body.starts_with(*heading)) {
            if seen.contains(known) {
                return Err(format!("duplicate heading: {line}\n{text}"));
            }
            seen.push(*known);
        } else if body.starts_with(['#', '>', '<', '|', '=', '~', '`', '*', '_']) && !body.starts_with("**") {
            return Err(format!(
                "a line starts with markup that Bugle does not use: {line}\n{text}"
            ));
        }
        let is_rule = body.len() > 2 && body.chars().all(|letter| matches!(letter, '-' | '*' | '_'));
        if is_rule || body.starts_with("Evil") {
            return Err(format!("a line of foreign text is not quoted: {line}\n{text}"));
        }
    }
    let is_control = |letter: char| letter.is_control() && letter != '\n' && letter != '\t';
    if text.contains(is_control) || text.contains(['\u{2028}', '\u{2029}']) {
        return Err(format!("the text contains a control character: {text:?}"));
    }
    Ok(scanned)
}
