//! What can be told of a shell command without running it: the files that it writes, and whether it only calls Bugle.
//!
//! Caught are redirections into files, wherever they stand (in pipelines, lists, subshells, substitutions, `sh -c` with a
//! written text), and the common commands that write what they name. Not caught is what a program does by itself: scripts,
//! interpreters, build tools, editors. It is a reminder with teeth, and no sandbox.

use super::shell_programs::{is_harmless, written};
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
        let called = called(&simple);
        let Some((name, rest)) = called.words.split_first() else {
            continue;
        };
        let name = base(&name.text);
        let unknown = called.is_fed.then(Word::default);
        let arguments: Vec<Word> = rest.iter().cloned().chain(unknown).collect();
        found.extend(written(name, &arguments));
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

/// A command as it is called in the end.
struct Called<'a> {
    /// Without assignments, and without commands that only call another.
    words: &'a [Word],
    /// Whether more arguments come from elsewhere.
    is_fed: bool,
}

/// A command in front of another one.
struct Before {
    name: &'static str,
    /// Its options that take the word behind them.
    valued: &'static [&'static str],
    /// How many words of its own stand before the other command.
    operands: usize,
}

const fn before(name: &'static str, valued: &'static [&'static str], operands: usize) -> Before {
    Before {
        name,
        valued,
        operands,
    }
}

const BEFORE: [Before; 14] = [
    before("sudo", &["-u", "-g", "-C", "-h", "-p", "-D"], 0),
    before("doas", &["-u", "-C"], 0),
    before("env", &["-u", "-C"], 0),
    before("time", &["-f", "-o"], 0),
    before("nice", &["-n"], 0),
    before("ionice", &["-c", "-n"], 0),
    before("nohup", &[], 0),
    before("setsid", &[], 0),
    before("command", &[], 0),
    before("builtin", &[], 0),
    before("exec", &["-a"], 0),
    before("stdbuf", &["-i", "-o", "-e"], 0),
    before("timeout", &["-s", "-k", "--signal", "--kill-after"], 1),
    before(XARGS, &["-a", "-d", "-E", "-I", "-L", "-n", "-P", "-s"], 0),
];
/// The command that gives another one arguments from its input.
const XARGS: &str = "xargs";

fn called(simple: &Simple) -> Called<'_> {
    let mut called = Called {
        words: simple.words.as_slice(),
        is_fed: false,
    };
    while let Some((first, rest)) = called.words.split_first() {
        let is_assignment = first.text.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        });
        let name = base(&first.text);
        let before = BEFORE
            .iter()
            .find(|before| before.name == name && !rest.is_empty());
        if !is_assignment && before.is_none() {
            break;
        }
        called.words = rest;
        if let Some(before) = before {
            called.is_fed |= name == XARGS;
            while let Some((option, rest)) = called.words.split_first()
                && option.text.starts_with('-')
                && !rest.is_empty()
            {
                let taken = usize::from(before.valued.contains(&option.text.as_str()));
                called.words = rest.get(taken..).unwrap_or_default();
            }
            called.words = called.words.get(before.operands..).unwrap_or_default();
        }
    }
    called
}

pub(super) fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
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
        let words: Vec<&str> = called(simple)
            .words
            .iter()
            .map(|word| word.text.as_str())
            .collect();
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
            ("sed -ni p a.txt", vec!["a.txt"]),
            ("perl -pi.bak -e 's/a/b/' a.txt", vec!["a.txt"]),
            ("perl -0777pie 's/a/b/' a.txt", vec!["a.txt"]),
            ("awk -i inplace 1 a.txt", vec!["a.txt"]),
            ("cp a b", vec!["b"]),
            ("/bin/mv -f a b", vec!["b"]),
            ("rm -rf src", vec!["src"]),
            ("dd if=/dev/zero of=x", vec!["x"]),
            ("apply_patch <<'EOF'\n*** Begin Patch\nEOF", vec!["?"]),
            ("find . -name x | xargs rm -f y", vec!["y", "?"]),
            ("ls | xargs rm", vec!["?"]),
            ("ls | xargs -n 1 -P 4 rm", vec!["?"]),
            ("timeout 5 rm a.txt", vec!["a.txt"]),
            ("timeout -s KILL 5 rm a.txt", vec!["a.txt"]),
            ("stdbuf -o0 rm a.txt", vec!["a.txt"]),
            ("nice -n 10 rm a.txt", vec!["a.txt"]),
            ("sudo -u root env A=1 rm a.txt", vec!["a.txt"]),
            ("find . -name a.txt -delete", vec!["?"]),
            ("find . -exec rm {} +", vec!["?"]),
            ("find . -type f -exec sed -i s/a/b/ {} \\;", vec!["?"]),
            ("find . -fprint list", vec!["list"]),
            ("git apply p.diff", vec!["?"]),
            ("git restore a.txt", vec!["?"]),
            ("git -C sub -c a=b checkout -- a.txt", vec!["?"]),
            ("git reset --hard HEAD", vec!["?"]),
            ("git stash", vec!["?"]),
            ("curl -o a.txt https://example.org", vec!["a.txt"]),
            ("curl -sSLo a.txt https://example.org", vec!["a.txt"]),
            ("curl --output=a.txt https://example.org", vec!["a.txt"]),
            ("curl -sO https://example.org/a", vec!["?"]),
            ("wget https://example.org/a", vec!["?"]),
            ("wget -qO a.txt https://example.org", vec!["a.txt"]),
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
            "sed -n -e '/in/p' x",
            "sed -es/i/x/ a.txt",
            "perl -Ilib -ne 'print' a.txt",
            "awk -i library 1 a.txt",
            "timeout 5 cargo test",
            "ls | xargs grep -l rm",
            "find . -name '*.rs' -exec grep -l x {} +",
            "git diff; git log -3; git status; git show HEAD:a.txt",
            "git apply --check p.diff",
            "git stash list",
            "git reset HEAD a.txt",
            "git restore --staged a.txt",
            "git clean -n",
            "git rm --cached a.txt",
            "curl -s https://example.org -H 'a: o'",
            "curl -so /dev/null https://example.org",
            "curl -X POST -d o https://example.org",
            "wget -qO- https://example.org",
            "wget --spider https://example.org",
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
