//! Generates the troubleshooting page of the guide from the refusal and problem codes.

use std::fmt::Write as _;
use std::path::Path;

use bugle_core::code_help::{CYCLE, CodeHelp, IMPORT_CODES, RESULT_UNREADABLE};
use bugle_core::engine::Refusal;
use bugle_core::rights::MissingAuthority;
use bugle_core::task::TaskRefusal;
use bugle_core::validate::{ProblemLevel, Rule};

const HEAD: &str = "# Troubleshooting

<!-- Generated from the program's codes: BUGLE_WRITE_REFERENCE=1 cargo test -p bugle-cli troubleshooting -->

Start with `bugle doctor`, which tests each connected client and prints a fix for every problem. `bugle` alone shows
what is waiting for you.

A refused command exits with 3 and changes nothing. Every refusal has a stable code: the `reason` attribute of
`<refused>` in XML, or `code` in `data` with `--json`. On a terminal, Bugle prints only the explanation; add `--json` to
see the code.

| you see | do this |
|---|---|
| The agent ignores Bugle | Run `bugle doctor CLIENT`. Codex skips hooks until you trust them in Codex. |
| Nothing is denied | Hooks fail open. Run `bugle doctor CLIENT` to check that forbidden tools are denied, and look for errors in `~/.bugle/hook.log`. |
| `no run is open in this project` | Run `bugle run list --all` to list the runs of all projects. |
| The agent lost its place | Tell the agent to run `bugle step`, which prints the current step. |
| Something is missing from a wake-up | Find the wake-up with `bugle wakeup list`. `bugle wakeup show ID --explain` lists every part with its size, whether it was cut, and why. |
| All runs are gone after you moved the project | Run `bugle project list`, then `bugle project move OLD`. |

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
        "Refused run commands",
        "Bugle refuses commands that change a run, such as `done`, `decide` and `run retry`, with these codes.",
        &[Refusal::CODES, &[RESULT_UNREADABLE]].concat(),
    );
    codes(
        &mut text,
        "Refused task commands",
        "Bugle refuses commands that change a task, such as `task start` and `task done`, with these codes.",
        &[TaskRefusal::CODES, &[CYCLE]].concat(),
    );
    codes(
        &mut text,
        "Refused plan imports",
        "Bugle refuses `bugle plan import` with these codes.",
        &IMPORT_CODES,
    );
    let rights: Vec<CodeHelp> = MissingAuthority::ALL
        .iter()
        .map(|missing| missing.help())
        .collect();
    codes(
        &mut text,
        "Actions reserved for the user",
        "Only the user can decide, trust a skill or accept a risk: [Who may do what](security.md#who-may-do-what).",
        &rights,
    );
    text.push_str("## Problems that `bugle skill check` reports\n\nA skill with an error cannot start. A skill with only warnings can start.\n\n| code | level | problem |\n|---|---|---|\n");
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
        "docs/troubleshooting.md is out of date; run the command on its third line to regenerate it"
    );
}
