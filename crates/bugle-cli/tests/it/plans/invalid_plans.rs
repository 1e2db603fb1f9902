//! Invalid and oversized plans get a clear error and lose no tasks.

use std::fmt::Write as _;
use std::fs;

use crate::support::sandbox::Sandbox;
use crate::support::tasks::{PLAN, check, id_of, import, import_again, labels, outline, shown, task, texts};

/// Writes a file into the project and imports it.
fn imported(sandbox: &Sandbox, text: impl AsRef<[u8]>) -> crate::support::sandbox::Answer {
    sandbox.write(&sandbox.project().join("plan.md"), text);
    sandbox.run(&["plan", "import", "plan.md"])
}

#[test]
fn a_file_without_tasks_is_refused_with_an_example() {
    let sandbox = Sandbox::new();
    for text in [
        "",
        "\n\n",
        "# A plan\n\nDo things.\n",
        "```\n### Task 1: In a fence\n```\n",
    ] {
        let refused = imported(&sandbox, text).refused("no-tasks");
        assert!(
            refused.message.contains("There are no tasks in plan.md"),
            "{refused:?}"
        );
    }
    let near = imported(&sandbox, "# A plan\n\n## Step 1 of Task A\n\n## Task One\n").refused("no-tasks");
    insta::assert_snapshot!("near_misses", near.details.join("\n"));
    assert!(labels(&sandbox).is_empty());
    assert!(
        sandbox
            .run(&["plan", "list"])
            .ok()
            .out
            .starts_with("No plans found.")
    );
}

#[test]
fn unreadable_files_are_reported() {
    let sandbox = Sandbox::new();
    let project = sandbox.project();
    sandbox
        .run(&["plan", "import", "nothing.md"])
        .fails(4, "there is no file nothing.md");
    sandbox
        .run(&["plan", "section", "nothing.md", "1"])
        .fails(4, "there is no file nothing.md");
    sandbox.write(&project.join("docs/a.md"), PLAN);
    let failed = sandbox
        .run(&["plan", "import", "docs"])
        .fails(2, "docs is a folder, not a plan");
    assert!(failed.err.contains("docs/a.md"), "{}", failed.err);
    fs::create_dir(project.join("empty")).unwrap();
    sandbox.run(&["plan", "import", "empty"]).fails(2, "is a folder");
    let binary: Vec<u8> = (0..=255).cycle().take(5_000).collect();
    let failed = imported(&sandbox, binary).exits(1);
    assert!(failed.err.contains("not valid UTF-8"), "{}", failed.err);
    let huge = vec![b'x'; 9 * 1024 * 1024];
    let failed = imported(&sandbox, huge).exits(1);
    assert!(failed.err.contains("plan.md"), "{}", failed.err);
    sandbox.tool(&project, "mkfifo", &["pipe.md"]);
    let failed = sandbox.run(&["plan", "import", "pipe.md"]).exits(1);
    assert!(failed.err.contains("pipe.md"), "{}", failed.err);
    std::os::unix::fs::symlink("loop.md", project.join("loop.md")).unwrap();
    sandbox.run(&["plan", "import", "loop.md"]).exits(1);
    assert!(labels(&sandbox).is_empty());
}

#[test]
fn an_unreadable_file_is_an_error_without_waiting() {
    let sandbox = Sandbox::new();
    // Reading a pipe without a writer blocks, even for root.
    sandbox.tool(&sandbox.project(), "mkfifo", &["plan.md"]);
    let failed = sandbox.run(&["plan", "import", "plan.md"]).exits(1);
    assert!(
        failed.err.contains("cannot read") && failed.err.contains("plan.md"),
        "{}",
        failed.err
    );
}

#[test]
fn duplicate_numbers_are_reported_by_line_and_nothing_is_lost() {
    let sandbox = Sandbox::new();
    let text = "# Twice\n\n## Task 1: First\n\none\n\n## Task 1: Second\n\ntwo\n\n## Task 3: Third\n";
    let out = imported(&sandbox, text).ok().out;
    assert!(out.contains("Notes about the file"), "{out}");
    assert!(out.contains("line 7"), "{out}");
    assert_eq!(
        labels(&sandbox)[1..],
        ["Task 1: First", "Task 1: Second", "Task 3: Third"]
    );
    let failed = sandbox
        .run(&["plan", "section", "plan.md", "1"])
        .fails(2, "2 tasks numbered 1");
    assert!(
        failed.err.contains("line 3") && failed.err.contains("line 7"),
        "{}",
        failed.err
    );
    let second = id_of(&sandbox, "Task 1: Second");
    assert!(
        shown(&sandbox, &second)["text"]["text"]
            .as_str()
            .unwrap()
            .contains("two")
    );
    task(
        &sandbox,
        &["depend", &second, &id_of(&sandbox, "Task 1: First"), "--no-more"],
    );
    task(&sandbox, &["done", &second]);
    let again = import_again(&sandbox, &["plan.md"]);
    assert_eq!(again["unchanged"], 3, "{again}");
    assert_eq!(
        outline(&sandbox)[1..3],
        ["  Task 1: First pending", "  Task 1: Second done"]
    );
}

#[test]
fn a_cycle_in_a_plan_is_refused_and_the_earlier_import_stays() {
    let sandbox = Sandbox::new();
    let good = "# Ring\n\n## Task 1: One\n\n## Task 2: Two\n\n**Depends on:** Task 1\n";
    import(&sandbox, "plan.md", good);
    let before = outline(&sandbox);
    let bad = good.replace("## Task 1: One\n", "## Task 1: One\n\n**Depends on:** Task 2\n");
    let refused = imported(&sandbox, &bad).refused("circle");
    assert_eq!(
        refused.details,
        [
            "Task 1 (line 3) waits for Task 2 (line 7)",
            "Task 2 (line 7) waits for Task 1 (line 3)"
        ]
    );
    assert_eq!(outline(&sandbox), before);
    let fresh = Sandbox::new();
    imported(&fresh, &bad).refused("circle");
    assert!(labels(&fresh).is_empty());
    assert!(
        fresh
            .run(&["plan", "list"])
            .ok()
            .out
            .starts_with("No plans found.")
    );
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
fn odd_titles_in_a_plan_are_kept_and_do_no_harm() {
    let sandbox = Sandbox::new();
    let long = "very ".repeat(2_000);
    let text = format!(
        "# \u{1b}[31mRed\u{1b}[0m \"plan\" 🚀\n\n## Task 1: `code` and \"quotes\" <b>&amp;</b>\n\n## Task 2: \u{1b}]0;x\u{7} \
         bell\n\n## Task 3: --help\n\n## Task 4: {long}\n\n## Task 5：full width 🚀\n"
    );
    let out = imported(&sandbox, &text).ok().out;
    assert!(!out.contains(['\u{1b}', '\u{7}']), "{out:?}");
    assert!(out.len() < 4_000, "{out}");
    for arguments in [vec!["task", "list"], vec!["plan", "show"], vec!["plan", "list"]] {
        let shown = sandbox.run(&arguments).ok().out;
        assert!(!shown.contains(['\u{1b}', '\u{7}']), "{shown:?}");
    }
    let document = sandbox.run(&["plan", "show", "--json"]).ok().json();
    let titles = texts(&document["data"]["tasks"], "title");
    assert_eq!(titles.len(), 6);
    assert!(
        titles.iter().all(|title| title.chars().count() <= 500),
        "{titles:?}"
    );
    let again = import_again(&sandbox, &["plan.md"]);
    assert_eq!(again["unchanged"], 5, "{again}");
    check(&sandbox);
}

#[test]
fn a_file_that_is_no_longer_a_plan_keeps_its_tasks() {
    let sandbox = Sandbox::new();
    import(&sandbox, "plan.md", PLAN);
    let before = outline(&sandbox);
    imported(&sandbox, "# Nothing any more\n").refused("no-tasks");
    assert_eq!(outline(&sandbox), before);
    let shown = sandbox.run(&["plan", "show"]).ok().out;
    assert!(shown.contains("has changed since it was imported"), "{shown}");
    check(&sandbox);
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
fn a_checkbox_that_belongs_to_no_task_is_reported_by_line() {
    let sandbox = Sandbox::new();
    let plan = "# A plan\n\n- [ ] **Task 1:** One\n- [ ] Buy cake\n- [ ] **Task 2:** Two\n";
    let answer = imported(&sandbox, plan).ok().out;
    let (_, unclear) = answer.split_once("Notes about the file\n").unwrap();
    assert!(
        unclear.contains("line 4: this step is outside every task"),
        "{answer}"
    );
}

#[test]
fn numbered_headings_of_one_level_are_imported_as_siblings() {
    let sandbox = Sandbox::new();
    let plan = "# A plan\n\n## 1. Backend\n\n### 1.1 Model\n\n## 2. Frontend\n\n### 2.1 Page\n\n## 3. Docs\n";
    imported(&sandbox, plan).ok();
    let tree = crate::support::tasks::outline(&sandbox);
    let indents: Vec<usize> = tree
        .iter()
        .map(|line| line.len() - line.trim_start().len())
        .collect();
    assert_eq!(indents, [0, 2, 4, 2, 4, 2], "{tree:?}");
}

#[test]
fn ticked_tasks_that_are_imported_as_open_are_reported() {
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
    assert!(!imported(&sandbox, plan).ok().out.contains("marked as done"));
}
