//! Code in other languages, on the command line or in a here-document: `python -c`, `perl -e`, `awk`.
//!
//! The code is not parsed. It counts as writing if it contains one of the language's functions for changing files or
//! running commands.

use super::awk::awk;
use super::model::Code;
use super::word::Word;

/// A language, and how its interpreter receives code.
struct Language {
    names: &'static [&'static str],
    /// Short options that are followed by code.
    letters: &'static str,
    /// The long forms of these options.
    words: &'static [&'static str],
    /// Functions and names that change files or run commands.
    writes: &'static [&'static str],
    /// How a call to `open` requests writing.
    opens: Opens,
}

/// How a call to `open` requests writing.
#[derive(PartialEq, Eq)]
enum Opens {
    /// With a mode such as `"w"` or `"a+"`.
    Mode,
    /// With `>` or `+<`, either before the file name or as a separate mode argument.
    Arrow,
}

/// The known languages. In `writes`, a trailing star matches any letters.
const LANGUAGES: [Language; 6] = [
    Language {
        names: &["python", "pypy"],
        letters: "c",
        words: &[],
        writes: &[
            "write_text",
            "write_bytes",
            ".unlink",
            ".rename",
            ".touch",
            ".mkdir",
            ".rmdir",
            ".symlink_to",
            "os.remove*",
            "os.unlink",
            "os.rename*",
            "os.replace",
            "os.rmdir",
            "os.makedirs",
            "os.mkdir",
            "os.system",
            "os.popen",
            "os.exec*",
            "os.spawn*",
            "os.posix_spawn*",
            "os.truncate",
            "os.link",
            "os.symlink",
            "os.open",
            "shutil",
            "subprocess",
            "fileinput",
            "exec",
            "eval",
            "__import__",
            "importlib",
            "getattr",
        ],
        opens: Opens::Mode,
    },
    Language {
        names: &["perl"],
        letters: "eE",
        words: &[],
        writes: &[
            "unlink",
            "rename",
            "system",
            "exec",
            "qx",
            "`",
            "truncate",
            "rmdir",
            "mkdir",
            "symlink",
            "sysopen",
            "File::Copy",
            "File::Path",
            "write_file",
            "spew*",
            "eval",
        ],
        opens: Opens::Arrow,
    },
    Language {
        names: &["ruby"],
        letters: "e",
        words: &[],
        writes: &[
            "File.write",
            "IO.write",
            "FileUtils",
            "File.delete",
            "File.unlink",
            "File.rename",
            "system",
            "exec",
            "`",
            "%x",
            "Pathname",
            "eval",
            "spawn",
            "popen*",
            "binwrite",
        ],
        opens: Opens::Mode,
    },
    Language {
        names: &["node", "nodejs", "bun", "deno"],
        letters: "ep",
        words: &["--eval", "--print", "eval"],
        writes: &[
            "writeFile*",
            "appendFile*",
            "createWriteStream",
            "unlink*",
            "rename*",
            "rmSync",
            "rm",
            "rmdir*",
            "mkdir*",
            "copyFile*",
            "cpSync",
            "cp",
            "child_process",
            "truncate*",
            "symlink*",
            "openSync",
            "eval",
            "Function",
            "Bun.write",
            "writeTextFile*",
            "Deno.remove*",
            "Deno.Command",
        ],
        opens: Opens::Mode,
    },
    Language {
        names: &["php"],
        letters: "r",
        words: &["--run"],
        writes: &[
            "file_put_contents",
            "unlink",
            "rename",
            "system",
            "exec",
            "shell_exec",
            "passthru",
            "popen",
            "proc_open",
            "`",
            "mkdir",
            "rmdir",
            "copy",
            "touch",
            "symlink",
            "eval",
        ],
        opens: Opens::Mode,
    },
    Language {
        names: &["lua", "luajit", "Rscript", "R", "osascript", "tclsh"],
        letters: "e",
        words: &[],
        writes: &[
            "os.remove",
            "os.rename",
            "os.execute",
            "io.popen",
            "writeLines",
            "write.*",
            "file.remove",
            "unlink",
            "system",
            "do shell script",
            "exec",
            "sink",
            "saveRDS",
        ],
        opens: Opens::Mode,
    },
];

/// The effects of the code on the command line or stdin; `None` if the program does not run code.
pub(super) fn run(name: &str, arguments: &[Word], input: Option<&str>) -> Option<Code> {
    if matches!(name, "awk" | "gawk" | "mawk" | "nawk") {
        return Some(awk(arguments));
    }
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let language = LANGUAGES
        .iter()
        .find(|language| language.names.contains(&name) || language.names.contains(&plain))?;
    let mut found = Code::default();
    if let Some(text) = given(language, arguments) {
        judge(language, &text, &mut found);
        return Some(found);
    }
    let script = arguments
        .iter()
        .find(|word| !word.text.starts_with('-') || word.text == "-");
    let is_module = arguments.iter().any(|word| word.text.starts_with("-m"));
    let asks = arguments
        .iter()
        .any(|word| word.text.starts_with("--") || matches!(word.text.as_str(), "-V" | "-v" | "-h"));
    let reads = script.is_none_or(|word| matches!(word.text.as_str(), "-" | "/dev/stdin") || word.is_process);
    if !reads || is_module || asks {
        return None;
    }
    match input {
        Some(text) => judge(language, text, &mut found),
        None => found.may_write = true,
    }
    Some(found)
}

/// The code that follows an option.
fn given(language: &Language, arguments: &[Word]) -> Option<String> {
    let mut text: Option<String> = None;
    let mut add = |code: &str| text.get_or_insert_default().push_str(&format!("{code}\n"));
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let option = word.text.as_str();
        let long = option
            .split_once('=')
            .filter(|(key, _)| language.words.contains(key));
        if let Some((_, code)) = long {
            add(code);
        } else if language.words.contains(&option) {
            add(words.next().map_or("", |word| word.text.as_str()));
        } else if let Some(letters) = option.strip_prefix('-').filter(|rest| !rest.starts_with('-')) {
            if let Some(at) = letters.find(|letter| language.letters.contains(letter)) {
                match &letters[at + 1..] {
                    "" => add(words.next().map_or("", |word| word.text.as_str())),
                    // `-pe` and `-ep` mean the same. If more text follows, it is the code itself.
                    rest if rest.len() > 2 || language.letters == "c" => add(rest),
                    _ => add(words.next().map_or("", |word| word.text.as_str())),
                }
            }
        } else {
            // The arguments after a script file belong to the script.
            break;
        }
    }
    text
}

fn judge(language: &Language, text: &str, found: &mut Code) {
    let texts = quoted(text);
    let opens = text.contains("open") && texts.iter().any(|text| is_write_mode(text, &language.opens));
    found.may_write |= opens || language.writes.iter().any(|way| mentions(text, way));
    for text in texts {
        // A database connection may also be a URL.
        let file = text.strip_prefix("file:").unwrap_or(text);
        let file = file.split('?').next().unwrap_or_default();
        if file.contains(['/', '.']) {
            found.texts.push(file.to_owned());
        }
    }
}

fn is_write_mode(text: &str, opens: &Opens) -> bool {
    match opens {
        Opens::Arrow => text.trim_start().starts_with('>') || text.trim_start().starts_with("+<"),
        Opens::Mode => {
            text.len() <= 4
                && text.contains(['w', 'a', 'x', '+'])
                && text.chars().all(|c| "rwaxcbt+eU".contains(c))
        }
    }
}

/// Whether code contains this word. A trailing star matches any further letters.
fn mentions(text: &str, way: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let (word, is_open) = way.strip_suffix('*').map_or((way, false), |word| (word, true));
    let joins = word.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    text.match_indices(word).any(|(at, _)| {
        let before = is_part(text[..at].chars().next_back()) && joins;
        let after = is_part(text[at + word.len()..].chars().next()) && !is_open && word != "`";
        !before && !after
    })
}

/// The string literals in code.
fn quoted(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\'', '"']) {
        let quote = &rest[at..=at];
        rest = &rest[at + 1..];
        let Some(end) = rest.find(quote) else {
            break;
        };
        found.push(&rest[..end]);
        rest = &rest[end + 1..];
    }
    found
}
