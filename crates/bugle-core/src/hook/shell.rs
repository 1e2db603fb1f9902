//! What can be told of a shell command without running it: the files that it writes, and whether it only calls Bugle.
//!
//! Caught are redirections into files, wherever they stand (in pipelines, lists, subshells, substitutions, `sh -c` with a
//! written text), and the common commands that write what they name. Not caught is what a program does by itself: scripts,
//! interpreters, build tools, `git`, editors. It is a reminder with teeth, and no sandbox.

use super::shell_words::{Simple, Word, simple_commands};

/// A file that a command writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Write {
    /// By a redirection.
    Redirection(String),
    /// By a command that writes what it names.
    Command {
        /// The command.
        name: String,
        /// The file, if it can be told.
        file: Option<String>,
    },
    /// By a redirection into something that is only known when it runs.
    Unknown(String),
}

impl Write {
    /// The file, if it can be told.
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::Redirection(file) => Some(file),
            Self::Command { file, .. } => file.as_deref(),
            Self::Unknown(_) => None,
        }
    }
}

/// Commands whose every argument that is not an option is written or taken away.
const WRITE_ALL: [&str; 7] = ["tee", "rm", "touch", "truncate", "unlink", "rmdir", "shred"];
/// Commands whose last argument is written.
const WRITE_LAST: [&str; 5] = ["cp", "mv", "install", "ln", "rsync"];
/// Commands that change what a text of theirs says.
const WRITE_BY_TEXT: [&str; 2] = ["patch", "apply_patch"];
/// Commands in front of another one.
const BEFORE: [&str; 9] = [
    "sudo", "env", "time", "nice", "nohup", "command", "builtin", "exec", "xargs",
];
/// Shells, which take a command as a text.
const SHELLS: [&str; 5] = ["sh", "bash", "zsh", "dash", "ksh"];
/// The commands of Bugle that steps, tasks and messages ask an agent to run.
const ASKED_FOR: [&str; 18] = [
    "start", "step", "done", "decide", "retry", "findings", "note", "show", "runs", "task", "plan", "say",
    "ask", "answer", "inbox", "messages", "wake", "brief",
];
/// How deep commands in texts are looked into.
const DEEPEST: usize = 4;

/// The files that a command writes, as far as they can be told.
pub fn writes(command: &str) -> Vec<Write> {
    let mut found = Vec::new();
    look(command, DEEPEST, &mut found);
    found
}

fn look(command: &str, depth: usize, found: &mut Vec<Write>) {
    let Some(deeper) = depth.checked_sub(1) else {
        return;
    };
    for simple in simple_commands(command) {
        for target in &simple.targets {
            if target.is_literal {
                if !is_harmless(&target.text) {
                    found.push(Write::Redirection(target.text.clone()));
                }
            } else {
                found.push(Write::Unknown(target.text.clone()));
            }
        }
        let words = called(&simple);
        let Some((name, rest)) = words.split_first() else {
            continue;
        };
        let name = base(&name.text);
        found.extend(written(name, rest));
        if SHELLS.contains(&name)
            && let Some(at) = rest.iter().position(|word| is_command_option(&word.text))
            && let Some(text) = rest.get(at + 1)
        {
            look(&text.text, deeper, found);
        }
        if name == "eval" {
            let text: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
            look(&text.join(" "), deeper, found);
        }
    }
}

/// `-c`, `-lc` and the like.
fn is_command_option(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.ends_with('c')
}

/// The words of a command without assignments, and without commands that only call another.
fn called(simple: &Simple) -> &[Word] {
    let mut words = simple.words.as_slice();
    while let Some((first, rest)) = words.split_first() {
        let is_assignment = first.text.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        });
        let is_before = BEFORE.contains(&base(&first.text)) && !rest.is_empty();
        if !is_assignment && !is_before {
            break;
        }
        words = rest;
        while is_before && words.len() > 1 && words[0].text.starts_with('-') {
            words = &words[1..];
        }
    }
    words
}

/// What a command writes that names its files.
fn written(name: &str, arguments: &[Word]) -> Vec<Write> {
    let files = || arguments.iter().filter(|word| !word.text.starts_with('-'));
    let by = |file: Option<&Word>| Write::Command {
        name: name.to_owned(),
        file: file.filter(|word| word.is_literal).map(|word| word.text.clone()),
    };
    let harmless = |word: &&Word| !(word.is_literal && is_harmless(&word.text));
    if WRITE_ALL.contains(&name) {
        return files().filter(harmless).map(|word| by(Some(word))).collect();
    }
    if WRITE_LAST.contains(&name) {
        return files()
            .next_back()
            .into_iter()
            .map(|word| by(Some(word)))
            .collect();
    }
    if WRITE_BY_TEXT.contains(&name) {
        return vec![by(None)];
    }
    let in_place = |word: &Word| {
        word.text == "--in-place" || word.text.starts_with("-i") || word.text.starts_with("-pi")
    };
    if matches!(name, "sed" | "perl") && arguments.iter().any(in_place) {
        return vec![by(files().next_back())];
    }
    if name == "dd" {
        let target = arguments.iter().find_map(|word| word.text.strip_prefix("of="));
        return target
            .filter(|file| !is_harmless(file))
            .map(|file| Write::Command {
                name: name.to_owned(),
                file: Some(file.to_owned()),
            })
            .into_iter()
            .collect();
    }
    Vec::new()
}

fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

fn is_harmless(file: &str) -> bool {
    matches!(file, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty") || file.starts_with("/dev/fd/")
}

/// Whether a command does nothing but call Bugle for what agents are asked to do, once or several times.
pub fn calls_only(command: &str, program: &dyn Fn(&str) -> bool) -> bool {
    let simple = simple_commands(command);
    // What stands before the program may change what it is: only the program itself counts.
    let is_call = |simple: &Simple| match simple.words.as_slice() {
        [name, command, ..] => {
            simple.targets.is_empty()
                && name.is_literal
                && program(&name.text)
                && command.is_literal
                && ASKED_FOR.contains(&command.text.as_str())
        }
        _ => false,
    };
    !simple.is_empty() && simple.iter().all(is_call)
}

/// The sub-agent's work that a command begins: what follows `start --child`.
pub fn child_started(command: &str, program: &dyn Fn(&str) -> bool) -> Option<String> {
    simple_commands(command).iter().find_map(|simple| {
        let words: Vec<&str> = called(simple).iter().map(|word| word.text.as_str()).collect();
        match words.as_slice() {
            [name, rest @ ..] if program(name) && rest.contains(&"start") => {
                let at = rest.iter().position(|word| *word == "--child")?;
                rest.get(at + 1).map(ToString::to_string)
            }
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(command: &str) -> Vec<String> {
        writes(command)
            .iter()
            .map(|write| write.file().unwrap_or("?").to_owned())
            .collect()
    }

    #[test]
    fn redirections_are_seen_wherever_they_stand() {
        for (command, expected) in [
            ("echo x > a.txt", vec!["a.txt"]),
            ("echo x>>'a b.txt'", vec!["a b.txt"]),
            ("make &> log", vec!["log"]),
            ("make 2> err.log", vec!["err.log"]),
            ("echo x >| a", vec!["a"]),
            ("cat <<EOF > a.txt\nx > y\nEOF\necho ok", vec!["a.txt"]),
            ("cat a | grep b > c && echo d > e", vec!["c", "e"]),
            ("(cd x; echo y > z)", vec!["z"]),
            ("echo \"$(date > when)\"", vec!["when"]),
            ("echo `date > when`", vec!["when"]),
            ("bash -lc 'echo x > y'", vec!["y"]),
            ("sh -c \"sh -c 'echo x > y'\"", vec!["y"]),
            ("eval 'echo x > y'", vec!["y"]),
            ("FOO=1 sudo -E echo x > y", vec!["y"]),
            ("echo x > $TARGET", vec!["?"]),
            ("if true; then echo x > y; fi", vec!["y"]),
        ] {
            assert_eq!(files(command), expected, "{command}");
        }
    }

    #[test]
    fn commands_that_write_what_they_name_are_seen() {
        for (command, expected) in [
            ("echo x | tee a b", vec!["a", "b"]),
            ("sed -i 's/a/b/' src/a.rs", vec!["src/a.rs"]),
            ("cp a b", vec!["b"]),
            ("/bin/mv -f a b", vec!["b"]),
            ("rm -rf src", vec!["src"]),
            ("dd if=/dev/zero of=x", vec!["x"]),
            ("apply_patch <<'EOF'\n*** Begin Patch\nEOF", vec!["?"]),
            ("find . -name x | xargs rm -f y", vec!["y"]),
        ] {
            assert_eq!(files(command), expected, "{command}");
        }
    }

    #[test]
    fn what_writes_nothing_is_left_alone() {
        for command in [
            "cargo test 2>&1 | tail -5",
            "ls > /dev/null 2>&1",
            "grep '>' a.txt",
            "echo \"a > b\"",
            "echo a \\> b",
            "[[ 1 > 0 ]]",
            "echo $((3 > 2))",
            "cat <<'EOF'\necho x > y\nEOF",
            "git log --format='%h -> %s'",
            "diff <(a) <(b)",
            "sed 's/a/b/' x",
            "# echo x > y",
            "",
        ] {
            assert_eq!(files(command), Vec::<String>::new(), "{command}");
        }
    }

    #[test]
    fn only_bugle_is_called() {
        let program = |word: &str| word == "bugle" || word == "/opt/bugle";
        assert!(calls_only("bugle done 'r-1#1'", &program));
        assert!(calls_only("/opt/bugle step && bugle runs", &program));
        assert!(!calls_only("PATH=/elsewhere bugle step", &program));
        assert!(!calls_only("bugle setup claude", &program));
        assert!(!calls_only("bugle done 'r-1#1' > x", &program));
        assert!(!calls_only("bugle step; rm x", &program));
        assert!(!calls_only("bugle note \"$(rm x)\"", &program));
        assert!(!calls_only("", &program));
    }

    #[test]
    fn the_start_of_a_sub_agents_work_is_seen() {
        let program = |word: &str| word == "bugle";
        let command = "cd /x && bugle start --child 'r-1#2/3'";
        assert_eq!(child_started(command, &program).as_deref(), Some("r-1#2/3"));
        assert_eq!(child_started("bugle start planner", &program), None);
        assert_eq!(child_started("echo bugle start --child x", &program), None);
    }
}
