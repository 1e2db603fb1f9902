//! A corpus of shell commands with their expected decisions: `shell_corpus.txt`.

use bugle_core::hook::{AgentPaths, Denied, Shell, ToolUse, judge};
use bugle_core::tool::{Program, Tool, ToolPolicy};

const CORPUS: &str = include_str!("shell_corpus.txt");

fn territory() -> AgentPaths {
    AgentPaths {
        directory: "/h/u/project".to_owned(),
        root: "/h/u/project".to_owned(),
        store: "/h/u/.bugle".to_owned(),
        results: vec!["/h/u/.bugle/work/r-1".to_owned()],
        scratch: "/tmp".to_owned(),
        settings: [
            "/h/u/project/.claude/settings.json",
            "/h/u/project/.claude/settings.local.json",
            "/h/u/project/.codex/hooks.json",
            "/h/u/project/.opencode/plugin/bugle.js",
            "/h/u/.claude/settings.json",
            "/h/u/.codex/config.toml",
            "/h/u/.codex/hooks.json",
            "/h/u/.gemini/settings.json",
        ]
        .map(str::to_owned)
        .to_vec(),
        program: vec!["/opt/bugle".to_owned()],
    }
}

fn judged(policy: &ToolPolicy, command: &str) -> Result<(), Denied> {
    let shell = Shell {
        program: &|word| word == "bugle" || word == "/opt/bugle",
        variable: &|name| match name {
            "HOME" => Some("/h/u".to_owned()),
            "PWD" => Some(".".to_owned()),
            _ => None,
        },
        session_variables: &["CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID"],
    };
    let used = ToolUse {
        tool: Tool::Shell,
        name: "Bash",
        command: Some(command),
        file: None,
        patch: None,
    };
    let policies = std::slice::from_ref(policy);
    judge(policies, &used, &territory(), &shell).map_err(|(_, denied)| denied)
}

/// The decision, spelled as in the corpus.
fn judgement(command: &str) -> &'static str {
    let tools = || ["Edit", "Write"].map(str::to_owned).to_vec();
    let with_git = ToolPolicy::DenyExcept {
        tools: tools(),
        programs: vec![Program::Git],
    };
    let free = judged(&ToolPolicy::Unrestricted, command);
    match judged(&ToolPolicy::Deny(tools()), command) {
        Ok(()) if free.is_ok() => "allow",
        Err(Denied::Writes(_)) if judged(&with_git, command).is_ok() => "git",
        Err(Denied::Writes(_)) if free.is_ok() => "write",
        Err(Denied::Protected(..) | Denied::Setup(_) | Denied::HidesSession) if free.is_err() => "protected",
        other => panic!("{command}: {other:?}, and without a policy {free:?}"),
    }
}

#[test]
fn every_corpus_command_gets_its_expected_decision() {
    let lines = CORPUS
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in lines {
        let (expected, command) = line
            .split_once('\t')
            .expect("a line has a decision, a tab and a command");
        assert!(
            ["allow", "write", "git", "protected"].contains(&expected),
            "{line}"
        );
        let command = command.replace('␤', "\n");
        let found = judgement(&command);
        count += 1;
        if found != expected {
            wrong.push(format!("{expected}, found {found}: {command}"));
        }
    }
    assert!(count >= 300, "the corpus has only {count} commands");
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn a_denied_command_is_also_denied_inside_another() {
    let wraps: [fn(&str) -> String; 9] = [
        |command| format!("true && {command}"),
        |command| format!("({command}\n)"),
        |command| format!("{{ {command}\n}}"),
        |command| format!("if true; then {command}\nfi"),
        |command| format!("echo \"$({command}\n)\""),
        |command| format!("f() {{ {command}\n}}; f"),
        |command| format!("bash -c '{}'", command.replace('\'', r"'\''")),
        |command| format!("eval '{}'", command.replace('\'', r"'\''")),
        |command| format!("bash <<'E-N-D'\n{command}\nE-N-D"),
    ];
    let denied = CORPUS.lines().filter_map(|line| line.split_once('\t'));
    for (expected, command) in denied.filter(|(expected, _)| ["write", "protected"].contains(expected)) {
        // Skip incomplete commands. The wrapper's text would become part of the command.
        if command.ends_with(")(") {
            continue;
        }
        let command = command.replace('␤', "\n");
        for wrap in wraps {
            let wrapped = wrap(&command);
            assert_ne!(judgement(&wrapped), "allow", "{expected}: {wrapped}");
        }
    }
}
