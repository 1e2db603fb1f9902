//! Reads git's configuration and writes `bugle.project` to it without calling git. Keeps all other bytes unchanged.

const SECTION: &str = "bugle";
const KEY: &str = "project";

/// The value of `bugle.project`. If there are several, the last one takes precedence, as in git.
pub(crate) fn project_in(text: &str) -> Option<&str> {
    values(text, is_own, KEY).last()
}

/// The URL of the remote `origin`. If there are several, git fetches from the first.
pub(crate) fn origin_in(text: &str) -> Option<&str> {
    values(text, is_origin, "url").next()
}

/// The values of a key in the sections with a matching header.
fn values<'a>(
    text: &'a str,
    is_section: fn(&str) -> bool,
    key: &'static str,
) -> impl Iterator<Item = &'a str> {
    let mut inside = false;
    text.lines().filter_map(move |line| {
        let (header, rest) = split(line);
        inside = header.map_or(inside, is_section);
        value_of(rest, key).filter(|_| inside)
    })
}

/// The configuration text with `bugle.project` set to `value`.
pub(crate) fn with_project(text: &str, value: &str) -> String {
    let entry = format!("\t{KEY} = {value}\n");
    let mut out = String::with_capacity(text.len() + entry.len() + SECTION.len() + 4);
    let mut inside = false;
    let mut is_written = false;
    for line in text.split_inclusive('\n') {
        let (header, rest) = split(line);
        inside = header.map_or(inside, is_own);
        if inside && value_of(rest, KEY).is_some() {
            if header.is_some() {
                out.push_str(&format!("[{SECTION}]\n"));
            }
            if !is_written {
                out.push_str(&entry);
            }
            is_written = true;
        } else {
            out.push_str(line);
        }
    }
    if !is_written {
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        out.push_str(&format!("[{SECTION}]\n{entry}"));
    }
    out
}

/// The section header at the start of a line, and the rest of the line, where git allows an entry.
fn split(line: &str) -> (Option<&str>, &str) {
    let line = line.trim();
    match line.strip_prefix('[').and_then(|line| line.split_once(']')) {
        Some((header, rest)) => (Some(header), rest),
        None => (None, line),
    }
}

fn is_own(header: &str) -> bool {
    header.trim().eq_ignore_ascii_case(SECTION)
}

/// Whether a section describes the remote `origin`. The remote's name is case-sensitive.
fn is_origin(header: &str) -> bool {
    header
        .trim()
        .split_once(char::is_whitespace)
        .is_some_and(|(section, name)| section.eq_ignore_ascii_case("remote") && name.trim() == "\"origin\"")
}

fn value_of<'a>(entry: &'a str, key: &str) -> Option<&'a str> {
    let (found, value) = entry.split_once('=')?;
    found
        .trim()
        .eq_ignore_ascii_case(key)
        .then(|| value.trim().trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_value_is_appended_and_an_old_one_replaced_in_place() {
        let config = "[core]\n\tbare = false\n[remote \"o\"]\n\turl = x";
        let once = with_project(config, "p-1");
        assert_eq!(once, format!("{config}\n[bugle]\n\tproject = p-1\n"));
        let more = format!("{once}\tother = 1\n[user]\n\tname = n\n");
        let twice = with_project(&more, "p-2");
        assert_eq!(twice, more.replace("p-1", "p-2"));
        assert_eq!(project_in(&twice), Some("p-2"));
    }

    #[test]
    fn the_value_is_parsed_as_git_parses_it() {
        for (text, expected) in [
            ("[bugle]\nproject=p-1", Some("p-1")),
            ("[Bugle] Project = \"p-1\"\n", Some("p-1")),
            ("[bugle]\nproject = p-1\nproject = p-2\n", Some("p-2")),
            ("[core]\nproject = p-1\n", None),
            ("[bugle \"sub\"]\nproject = p-1\n", None),
            ("project = p-1\n", None),
            ("", None),
        ] {
            assert_eq!(project_in(text), expected, "{text}");
        }
        let header = with_project("[bugle] project = p-1\n", "p-2");
        assert_eq!(header, "[bugle]\n\tproject = p-2\n");
    }

    #[test]
    fn the_first_url_of_origin_is_found() {
        for (text, expected) in [
            (
                "[remote \"origin\"]\n\turl = git@h:a/b.git\n",
                Some("git@h:a/b.git"),
            ),
            (
                "[Remote  \"origin\"]\nfetch = x\nURL = \"u\"\nurl = v\n",
                Some("u"),
            ),
            (
                "[remote \"Origin\"]\nurl = u\n[remote \"other\"]\nurl = v\n",
                None,
            ),
            ("[remote]\nurl = u\n[branch \"origin\"]\nurl = v\n", None),
        ] {
            assert_eq!(origin_in(text), expected, "{text}");
        }
    }

    #[test]
    fn writing_any_text_round_trips_and_is_idempotent() {
        let lines = [
            "[bugle]",
            "[x] y = z",
            "project = p-9",
            "a = b # [bugle]",
            "[bugle] project = p-8",
        ];
        for number in 0..lines.len().pow(4) {
            let picked = (0..4).map(|place| lines[number / lines.len().pow(place) % lines.len()]);
            let text = picked.collect::<Vec<_>>().join("\n");
            let written = with_project(&text, "p-1");
            assert_eq!(project_in(&written), Some("p-1"), "{text}");
            assert_eq!(with_project(&written, "p-1"), written);
        }
    }
}
