//! Prefix commands: `sudo`, `env`, `xargs`, `timeout` and similar.

use super::word::{Word, base};

/// A command without its prefixes.
#[derive(Debug)]
pub(super) struct Called<'a> {
    /// The words, without assignments and prefix commands.
    pub words: &'a [Word],
    /// Whether the command receives more arguments from stdin.
    pub is_fed: bool,
    /// Strings that a shell runs, as in `su -c TEXT`.
    pub texts: Vec<String>,
    /// Whether the command runs without the client's session in its environment.
    pub hides_session: bool,
}

/// A prefix command.
struct Before {
    name: &'static str,
    /// Options that take the next word as a value.
    valued: &'static [&'static str],
    /// The number of operands before the command.
    operands: usize,
    /// Options whose value is a shell command.
    texts: &'static [&'static str],
}

const fn before(name: &'static str, valued: &'static [&'static str], operands: usize) -> Before {
    Before {
        name,
        valued,
        operands,
        texts: &[],
    }
}

const fn with_text(
    name: &'static str,
    valued: &'static [&'static str],
    operands: usize,
    texts: &'static [&'static str],
) -> Before {
    Before {
        name,
        valued,
        operands,
        texts,
    }
}

const BEFORE: [Before; 32] = [
    before(
        "sudo",
        &["-u", "-g", "-C", "-h", "-p", "-D", "--user", "--group", "--chdir"],
        0,
    ),
    before("doas", &["-u", "-C"], 0),
    before("pkexec", &["--user"], 0),
    with_text(
        ENV,
        &["-u", "-C", "--unset", "--chdir"],
        0,
        &["-S", "--split-string"],
    ),
    before("time", &["-f", "-o"], 0),
    before("nice", &["-n", "--adjustment"], 0),
    before("ionice", &["-c", "-n"], 0),
    before("chrt", &[], 1),
    before("taskset", &[], 1),
    before("nohup", &[], 0),
    before("setsid", &[], 0),
    before("command", &[], 0),
    before("builtin", &[], 0),
    before("exec", &["-a"], 0),
    before("busybox", &[], 0),
    before("toybox", &[], 0),
    before("stdbuf", &["-i", "-o", "-e", "--input", "--output", "--error"], 0),
    before("timeout", &["-s", "-k", "--signal", "--kill-after"], 1),
    before("chroot", &[], 1),
    before("unshare", &[], 0),
    before("strace", &["-e", "-o", "-p", "-s", "-u"], 0),
    before("ltrace", &["-e", "-o", "-p", "-s", "-u"], 0),
    before("caffeinate", &["-t", "-w"], 0),
    before("unbuffer", &[], 0),
    before("xvfb-run", &["-s", "-n"], 0),
    before("npx", &["-p", "--package"], 0),
    with_text("flock", &["-w", "-E"], 1, &["-c", "--command"]),
    with_text("su", &["-s", "-g"], 1, &["-c", "--command"]),
    with_text("script", &["-t"], 1, &["-c", "--command"]),
    with_text("nix-shell", &["-p"], 0, &["--run", "--command"]),
    before("ssh-agent", &["-t", "-a"], 0),
    before(
        XARGS,
        &[
            "-a",
            "-d",
            "-E",
            "-I",
            "-L",
            "-n",
            "-P",
            "-s",
            "--max-args",
            "--max-procs",
            "--arg-file",
            "--delimiter",
        ],
        0,
    ),
];
const ENV: &str = "env";
/// Passes its stdin to a command as arguments.
const XARGS: &str = "xargs";
/// Programs with a subcommand that runs another command.
const RUNNERS: [(&str, &str); 6] = [
    ("uv", "run"),
    ("poetry", "run"),
    ("pipenv", "run"),
    ("hatch", "run"),
    ("bundle", "exec"),
    ("direnv", "exec"),
];
/// Whether a command hides the client's session from later commands.
pub(super) fn hides_session(words: &[Word], session_variables: &[&str]) -> bool {
    let sets = |word: &Word| {
        word.assignment()
            .is_some_and(|(name, _)| session_variables.contains(&name))
    };
    match words {
        [name, rest @ ..] if name.text == "unset" => rest
            .iter()
            .any(|word| session_variables.contains(&word.text.as_str())),
        [name, rest @ ..] if matches!(name.text.as_str(), "export" | "declare") => {
            let unexports = rest.iter().any(|word| matches!(word.text.as_str(), "-n" | "+x"));
            rest.iter()
                .any(|word| sets(word) || unexports && session_variables.contains(&word.text.as_str()))
        }
        words => words
            .iter()
            .take_while(|word| word.assignment().is_some())
            .any(sets),
    }
}

/// The command that remains after removing all prefixes.
pub(super) fn called<'a>(words: &'a [Word], session_variables: &[&str]) -> Called<'a> {
    let mut called = Called {
        words,
        is_fed: false,
        texts: Vec::new(),
        hides_session: false,
    };
    while let Some((first, rest)) = called.words.split_first() {
        let name = base(&first.text);
        if let Some((variable, _)) = first.assignment() {
            called.hides_session |= session_variables.contains(&variable);
            called.words = rest;
            continue;
        }
        let runs = |(program, verb): &(&str, &str)| {
            *program == name && rest.first().is_some_and(|word| word.text == *verb)
        };
        if RUNNERS.iter().any(runs) {
            let rest = &rest[1..];
            let options = rest.iter().take_while(|word| word.text.starts_with('-')).count();
            called.words = &rest[options..];
            continue;
        }
        let Some(before) = BEFORE
            .iter()
            .find(|before| before.name == name && !rest.is_empty())
        else {
            break;
        };
        called.words = rest;
        called.is_fed |= name == XARGS;
        if let Some(text) = text_of(before, rest) {
            // The remaining words are arguments to that command.
            called.texts.push(text);
            called.words = &[];
            break;
        }
        take_options(before, &mut called, session_variables);
        called.words = called.words.get(before.operands..).unwrap_or_default();
    }
    called
}

/// The shell command in an option anywhere among the words: `su root -c TEXT`.
fn text_of(before: &Before, words: &[Word]) -> Option<String> {
    if before.name == ENV || before.texts.is_empty() {
        return None;
    }
    let is_option = |word: &Word| {
        let is_cluster = word.text.starts_with('-') && !word.text.starts_with("--");
        before.texts.contains(&word.text.as_str())
            || is_cluster && before.texts.contains(&"-c") && word.text.ends_with('c')
    };
    let attached = words.iter().find_map(|word| {
        let (key, value) = word.text.split_once('=')?;
        before.texts.contains(&key).then(|| value.to_owned())
    });
    let at = words.iter().position(is_option);
    attached.or_else(|| words.get(at? + 1).map(|word| word.text.clone()))
}

/// Skips a prefix command's options.
fn take_options(before: &Before, called: &mut Called<'_>, session_variables: &[&str]) {
    while let Some((option, rest)) = called.words.split_first()
        && option.text.starts_with('-')
    {
        let (key, attached) = match option.text.split_once('=') {
            Some((key, value)) if key.starts_with("--") => (key, Some(value.to_owned())),
            _ => (option.text.as_str(), None),
        };
        let is_text = before.texts.contains(&key);
        let takes_next = attached.is_none() && (is_text || before.valued.contains(&key));
        let value = attached.or_else(|| rest.first().filter(|_| takes_next).map(|word| word.text.clone()));
        if before.name == ENV {
            let names = value
                .as_deref()
                .is_some_and(|value| session_variables.contains(&value))
                || session_variables
                    .iter()
                    .any(|name| key.strip_prefix("-u") == Some(*name));
            called.hides_session |= names || matches!(key, "-i" | "-" | "--ignore-environment");
        }
        if is_text {
            called.texts.extend(value);
        }
        called.words = rest.get(usize::from(takes_next)..).unwrap_or_default();
    }
}
