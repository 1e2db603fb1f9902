//! Removes a skill's start command from its text, for an agent that has already started the skill.

/// The text without the code that starts this skill and without the paragraph that introduces the code.
pub fn without_start_command(text: &str, skill: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut is_kept = vec![true; lines.len()];
    let mut at = 0;
    while at < lines.len() {
        let end = code_end(&lines, at);
        if lines[at..end].iter().any(|line| is_start(line, skill)) {
            let begin = introduction(&lines, at).unwrap_or(at);
            is_kept[begin..end].fill(false);
        }
        at = end;
    }
    if !is_kept.contains(&false) {
        return text.to_owned();
    }
    let mut kept: Vec<&str> = Vec::new();
    for (line, _) in lines.iter().zip(is_kept).filter(|(_, is_kept)| *is_kept) {
        let follows_blank = kept.last().is_none_or(|last| last.trim().is_empty());
        if !(follows_blank && line.trim().is_empty()) {
            kept.push(line);
        }
    }
    kept.join("\n").trim_end().to_owned()
}

/// The line after the code block at this line, or the next line if there is no code block.
fn code_end(lines: &[&str], at: usize) -> usize {
    let rest = &lines[at..];
    let length = if is_fence(lines[at]) {
        let closing = rest.iter().skip(1).position(|line| is_fence(line));
        closing.map_or(rest.len(), |closing| closing + 2)
    } else {
        rest.iter().take_while(|line| is_indented(line)).count().max(1)
    };
    at + length
}

fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

fn is_indented(line: &str) -> bool {
    (line.starts_with("    ") || line.starts_with('\t')) && !line.trim().is_empty()
}

fn is_start(line: &str, skill: &str) -> bool {
    let line = line.trim();
    let command = line.strip_prefix("$ ").unwrap_or(line);
    let arguments = command.strip_prefix("bugle start ");
    arguments.is_some_and(|arguments| arguments.split_whitespace().next() == Some(skill))
}

/// The first line of the paragraph that introduces the code at this line.
fn introduction(lines: &[&str], at: usize) -> Option<usize> {
    let above = &lines[..at];
    let last = above.iter().rposition(|line| !line.trim().is_empty())?;
    // In a digest, no empty lines separate paragraphs, so the line above may not belong to the code.
    if last + 1 == at || !above[last].trim_end().ends_with(':') {
        return None;
    }
    let outside = above[..last]
        .iter()
        .rposition(|line| line.trim().is_empty() || line.starts_with('#'));
    Some(outside.map_or(0, |outside| outside + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_command_and_its_introduction_are_removed() {
        let text = "# Ship\n\nNever ship on a Friday.\n\nStart it with the change\nin your own words:\n\n\
            ```\nbugle start ship change=\"...\"\n```\n\nAdd limits.\n";
        assert_eq!(
            without_start_command(text, "ship"),
            "# Ship\n\nNever ship on a Friday.\n\nAdd limits."
        );
        assert_eq!(
            without_start_command("    bugle start ship 'change=X'", "ship"),
            ""
        );
        assert_eq!(
            without_start_command(
                "Start it:\n\n    $ bugle start ship \\\n        change=X\n\nRule.",
                "ship"
            ),
            "Rule."
        );
    }

    #[test]
    fn a_digest_loses_only_the_line_with_the_command() {
        let digest = "# Ship\nNever ship on a Friday:\nbugle start ship 'change=X'\nAdd limits.";
        assert_eq!(
            without_start_command(digest, "ship"),
            "# Ship\nNever ship on a Friday:\nAdd limits."
        );
    }

    #[test]
    fn other_commands_and_mentions_stay() {
        for text in [
            "Then:\n\n```\nbugle start shipping\n```\n",
            "Run `bugle start ship` once.\n",
            "```\ncargo test\n\n\n```\nAnd:\n",
            "",
        ] {
            assert_eq!(without_start_command(text, "ship"), text);
        }
    }
}
