//! The guide's troubleshooting page is generated from the codes of refusals and problems.

use std::fmt::Write as _;
use std::path::Path;

use bugle_core::code_help::CodeHelp;
use bugle_core::engine::Refusal;
use bugle_core::rights::MissingAuthority;
use bugle_core::task::TaskRefusal;
use bugle_core::validate::{ProblemLevel, Rule};

const HEAD: &str = "# Troubleshooting

<!-- Generated from the codes of the program: BUGLE_WRITE_REFERENCE=1 cargo test -p bugle-cli troubleshooting -->

Start with `bugle doctor`: it tries each connected client and prints a fix for everything that is wrong. `bugle` alone
shows what waits for you.

A refusal (exit code 3) has a stable code. Agents see it as `code` of the `<refusal>` element, scripts as `data.code` with
`--json`. A refused command has changed nothing.

| you see | do this |
|---|---|
| The agent ignores Bugle | Run `bugle doctor CLIENT`. Codex skips hooks until you trust them in Codex. |
| Nothing is denied | Bugle fails open: `bugle doctor CLIENT` tries a denial, and `~/.bugle/hook.log` has the errors of hooks. |
| `no run is open here` | `bugle run list --all` lists the runs of all projects. |
| The agent lost its place | Run `bugle step`; in its session, the agent runs the same command. |
| A wake-up lacks something | `bugle wake --explain` shows every part, its size and why it was cut. |
| All runs are gone after a move | `bugle project list`, then `bugle project move OLD`. |

";

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn codes(text: &mut String, heading: &str, intro: &str, codes: &[CodeHelp]) {
    let _ = write!(
        text,
        "## {heading}\n\n{intro}\n\n| code | what happened | what to do |\n|---|---|---|\n"
    );
    for help in codes {
        let (explanation, remedy) = (cell(help.explanation), cell(help.remedy));
        let _ = writeln!(text, "| `{}` | {explanation} | {remedy} |", help.code);
    }
    text.push('\n');
}

fn page() -> String {
    let mut text = HEAD.to_owned();
    codes(
        &mut text,
        "Refused commands of a run",
        "`done`, `decide`, `run retry` and the other commands that change a run.",
        Refusal::CODES,
    );
    codes(
        &mut text,
        "Refused commands of a task",
        "`task start`, `task done` and the other commands that change a task.",
        TaskRefusal::CODES,
    );
    let rights: Vec<CodeHelp> = MissingAuthority::ALL
        .iter()
        .map(|missing| missing.help())
        .collect();
    codes(
        &mut text,
        "Actions that belong to a person",
        "Decisions, trust and accepted risks belong to the user; [Security and data](security.md) has the rules.",
        &rights,
    );
    text.push_str("## Problems that `bugle skill check` reports\n\nAn error keeps a skill from starting; a warning does not.\n\n| code | | problem |\n|---|---|---|\n");
    for rule in Rule::ALL {
        let level = match rule.severity() {
            ProblemLevel::Error => "error",
            ProblemLevel::Warning => "warning",
        };
        let _ = writeln!(
            text,
            "| `{}` | {level} | {} |",
            rule.code(),
            cell(rule.explanation())
        );
    }
    text
}

#[test]
fn the_troubleshooting_page_lists_every_code() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/troubleshooting.md");
    let text = page();
    if std::env::var_os("BUGLE_WRITE_REFERENCE").is_some() {
        std::fs::write(file, text).unwrap();
        return;
    }
    assert!(
        std::fs::read_to_string(file).unwrap() == text,
        "docs/troubleshooting.md is out of date; its second line has the command that writes it"
    );
}
