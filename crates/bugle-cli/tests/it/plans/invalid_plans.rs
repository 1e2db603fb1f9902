//! The output for odd and oversized plans.

use std::fmt::Write as _;

use crate::support::sandbox::{Answer, Sandbox};
use crate::support::tasks::labels;

/// Adds a file to the project and imports it.
fn imported(sandbox: &Sandbox, text: impl AsRef<[u8]>) -> Answer {
    sandbox.write(&sandbox.project().join("plan.md"), text);
    sandbox.run(&["plan", "import", "plan.md"])
}

#[test]
fn ten_thousand_tasks_are_imported_and_shown_in_part() {
    let sandbox = Sandbox::new();
    let mut text = "# Many\n".to_owned();
    for number in 1..=10_000 {
        let _ = write!(
            text,
            "\n## Task {number}: Do part {number}\n\nThe text of part {number}.\n"
        );
    }
    let out = imported(&sandbox, &text).ok().out;
    assert!(out.contains("10000 tasks"), "{out}");
    assert!(out.lines().count() < 40, "{out}");
    for arguments in [vec!["task", "list"], vec!["plan", "show"]] {
        let shown = sandbox.run(&arguments).ok().out;
        assert!(
            shown.lines().count() < 400,
            "{arguments:?}: {} lines",
            shown.lines().count()
        );
        assert!(shown.contains("Not all tasks are shown"), "{arguments:?}");
    }
    assert!(sandbox.run(&["task", "ready"]).ok().out.lines().count() < 60);
    assert!(sandbox.run(&["task", "next"]).ok().out.contains("Do part 1"));
    let fewer = text.lines().take(4_000).collect::<Vec<_>>().join("\n");
    let out = imported(&sandbox, &fewer).ok().out;
    assert!(out.lines().count() < 60, "{} lines", out.lines().count());
    assert!(out.contains("and 8988 more"), "{out}");
}

#[test]
fn titles_of_a_plan_do_not_control_the_terminal() {
    let sandbox = Sandbox::new();
    let long = "very ".repeat(2_000);
    let text =
        format!("# \u{1b}[31mRed\u{1b}[0m plan\n\n## Task 1: \u{1b}]0;x\u{7} bell\n\n## Task 2: {long}\n");
    let out = imported(&sandbox, &text).ok().out;
    assert!(!out.contains(['\u{1b}', '\u{7}']), "{out:?}");
    assert!(out.len() < 4_000, "{out}");
    for arguments in [vec!["task", "list"], vec!["plan", "show"], vec!["plan", "list"]] {
        let shown = sandbox.run(&arguments).ok().out;
        assert!(!shown.contains(['\u{1b}', '\u{7}']), "{shown:?}");
    }
}

#[test]
fn what_an_import_leaves_out_is_reported_by_line() {
    let sandbox = Sandbox::new();
    let plan = "# A plan

- [ ] A loose step

### Task 1: First

- [ ] Do it

### Task Two: Spelled number

Text.

- [ ] **Step 1: Its step**

### Task 3: Third

#### Tasks 5: Several

### Task: Without one

### Task list

## Checklist

- [ ] No step, and not meant to be one

### Task Foo: At the end
";
    let answer = imported(&sandbox, plan).ok();
    let (_, unclear) = answer.out.split_once("Notes about the file\n").unwrap();
    insta::assert_snapshot!("left_out", unclear.split("\n\n").next().unwrap());
}

#[test]
fn the_command_that_closes_ticked_tasks_runs_as_printed() {
    let sandbox = Sandbox::new();
    let plan = "# A plan\n\n### ✅ Task 0: Begin\n\n### Task 1: Go on\n\n- [x] Ticked\n\n### Task 2: End\n";
    let answer = imported(&sandbox, plan).ok().out;
    assert!(
        answer.contains("2 tasks are marked as done in the file, but open in Bugle. `bugle -C "),
        "{answer}"
    );
    let command = answer
        .split('`')
        .find(|part| part.contains("--trust-checkboxes"))
        .unwrap();
    let trusted = sandbox.printed(command).ok().out;
    assert!(!trusted.contains("marked as done"), "{trusted}");
    assert!(labels(&sandbox).iter().any(|label| label.contains("Begin")));
}
