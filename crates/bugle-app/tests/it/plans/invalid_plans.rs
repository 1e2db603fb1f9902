//! Invalid plans get a clear error and lose no tasks.

use std::fs;
use std::path::Path;
use std::process::Command;

use bugle_app::{AppError, ImportRequest, PlanSelector};
use bugle_core::reply::{ImportNotice, PlanImport, PlanNotice};

use super::{PLAN, with_plan};
use crate::project::{Project, fails, import_of, refused};

/// Adds a file to the project and imports it.
fn import(project: &mut Project, text: impl AsRef<[u8]>) -> Result<PlanImport, AppError> {
    project.write_at(&project.app.context.directory.join("plan.md"), text);
    project.try_import(&import_of("plan.md"))
}

/// The line numbers of the import's notes.
fn noted_lines(imported: &PlanImport) -> Vec<usize> {
    imported.unclear.iter().map(|note| note.line).collect()
}

fn make_pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

#[test]
fn a_file_without_tasks_is_refused_with_an_example() {
    let mut project = Project::new();
    for text in [
        "",
        "\n\n",
        "# A plan\n\nDo things.\n",
        "```\n### Task 1: In a fence\n```\n",
    ] {
        let refusal = refused(import(&mut project, text), "no-tasks");
        assert!(
            refusal.message.contains("There are no tasks in plan.md"),
            "{refusal:?}"
        );
    }
    let near = import(&mut project, "# A plan\n\n## Step 1 of Task A\n\n## Task One\n");
    assert_eq!(
        refused(near, "no-tasks").details,
        [
            "line 1: the file has no tasks; a task is a heading such as `### Task 1: Add the parser`",
            "line 5: `Task One` was not read as a task: it has no number",
            "headings in the file: `# A plan`, `## Step 1 of Task A`, `## Task One`",
        ]
    );
    assert!(project.tree().is_empty());
    assert!(project.plans().is_empty());
}

#[test]
fn unreadable_files_are_reported() {
    let mut project = Project::new();
    let folder = project.app.context.directory.clone();
    let missing = project.try_import(&import_of("nothing.md"));
    fails(missing, 4, "there is no file nothing.md");
    let missing = project.try_section("nothing.md", "1");
    fails(missing, 4, "there is no file nothing.md");
    project.write("docs/a.md", PLAN);
    let of_folder = project.try_import(&import_of("docs"));
    let hints = fails(of_folder, 2, "docs is a folder, not a plan").join("\n");
    assert!(hints.contains("docs/a.md"), "{hints}");
    fs::create_dir(folder.join("empty")).unwrap();
    fails(project.try_import(&import_of("empty")), 2, "is a folder");
    let binary: Vec<u8> = (0..=255).cycle().take(5_000).collect();
    fails(import(&mut project, binary), 1, "not valid UTF-8");
    let huge = vec![b'x'; 9 * 1024 * 1024];
    fails(import(&mut project, huge), 1, "plan.md");
    // Reading a pipe without a writer would block.
    make_pipe(&folder.join("pipe.md"));
    let error = project.try_import(&import_of("pipe.md")).unwrap_err();
    assert!(error.to_string().contains("cannot read"), "{error}");
    fails::<()>(Err(error), 1, "pipe.md");
    std::os::unix::fs::symlink("loop.md", folder.join("loop.md")).unwrap();
    fails(project.try_import(&import_of("loop.md")), 1, "");
    assert!(project.tree().is_empty());
}

#[test]
fn duplicate_numbers_are_reported_by_line_and_nothing_is_lost() {
    let mut project = Project::new();
    let text = "# Twice\n\n## Task 1: First\n\none\n\n## Task 1: Second\n\ntwo\n\n## Task 3: Third\n";
    let imported = import(&mut project, text).unwrap();
    assert!(noted_lines(&imported).contains(&7), "{imported:?}");
    assert_eq!(
        project.labels()[1..],
        ["Task 1: First", "Task 1: Second", "Task 3: Third"]
    );
    let unclear = project.try_section("plan.md", "1");
    let hints = fails(unclear, 2, "2 tasks numbered 1").join("\n");
    assert!(hints.contains("line 3") && hints.contains("line 7"), "{hints}");
    let (first, second) = (project.id_of("Task 1: First"), project.id_of("Task 1: Second"));
    let shown = project.show(&second).text.unwrap().text;
    assert!(shown.contains("two"), "{shown}");
    let (store, context) = (&mut project.app.store, &project.app.context);
    bugle_app::tasks::depend_task(store, context, &second, &[first], true).unwrap();
    project.done(&second);
    let again = project.import("plan.md");
    assert_eq!(again.unchanged, 3, "{again:?}");
    assert_eq!(
        project.outline()[1..3],
        ["  Task 1: First pending", "  Task 1: Second done"]
    );
}

#[test]
fn a_cycle_in_a_plan_is_refused_and_the_earlier_import_stays() {
    let mut project = Project::new();
    let good = "# Ring\n\n## Task 1: One\n\n## Task 2: Two\n\n**Depends on:** Task 1\n";
    import(&mut project, good).unwrap();
    let before = project.outline();
    let bad = good.replace("## Task 1: One\n", "## Task 1: One\n\n**Depends on:** Task 2\n");
    assert_eq!(
        refused(import(&mut project, &bad), "circle").details,
        [
            "Task 1 (line 3) waits for Task 2 (line 7)",
            "Task 2 (line 7) waits for Task 1 (line 3)"
        ]
    );
    assert_eq!(project.outline(), before);
    let mut fresh = Project::new();
    refused(import(&mut fresh, &bad), "circle");
    assert!(fresh.tree().is_empty());
    assert!(fresh.plans().is_empty());
}

#[test]
fn odd_titles_in_a_plan_are_kept_and_do_no_harm() {
    let mut project = Project::new();
    let long = "very ".repeat(2_000);
    let text = format!(
        "# \u{1b}[31mRed\u{1b}[0m \"plan\" 🚀\n\n## Task 1: `code` and \"quotes\" <b>&amp;</b>\n\n## Task 2: \u{1b}]0;x\u{7} \
         bell\n\n## Task 3: --help\n\n## Task 4: {long}\n\n## Task 5：full width 🚀\n"
    );
    import(&mut project, &text).unwrap();
    let shown = project.try_show_plan(&PlanSelector::Here).unwrap();
    assert_eq!(shown.tasks.len(), 6);
    for line in &shown.tasks {
        assert!(line.task.title.chars().count() <= 500, "{line:?}");
    }
    let again = project.import("plan.md");
    assert_eq!(again.unchanged, 5, "{again:?}");
    project.check();
}

#[test]
fn a_file_that_is_no_longer_a_plan_keeps_its_tasks() {
    let (mut project, _) = with_plan();
    let before = project.outline();
    project.write(super::FILE, "# Nothing any more\n");
    refused(project.try_import(&import_of(super::FILE)), "no-tasks");
    assert_eq!(project.outline(), before);
    let shown = project.try_show_plan(&PlanSelector::Here).unwrap();
    assert!(
        matches!(shown.plan.notices[..], [PlanNotice::FileChanged { .. }]),
        "{shown:?}"
    );
    project.check();
}

#[test]
fn a_checkbox_that_belongs_to_no_task_is_reported_by_line() {
    let mut project = Project::new();
    let plan = "# A plan\n\n- [ ] **Task 1:** One\n- [ ] Buy cake\n- [ ] **Task 2:** Two\n";
    let imported = import(&mut project, plan).unwrap();
    let outside: Vec<String> = imported.unclear.iter().map(bugle_render::plan::note).collect();
    assert!(
        outside
            .iter()
            .any(|note| note.contains("this step is outside every task")),
        "{outside:?}"
    );
    assert!(noted_lines(&imported).contains(&4), "{imported:?}");
}

#[test]
fn numbered_headings_of_one_level_are_imported_as_siblings() {
    let mut project = Project::new();
    let plan = "# A plan\n\n## 1. Backend\n\n### 1.1 Model\n\n## 2. Frontend\n\n### 2.1 Page\n\n## 3. Docs\n";
    import(&mut project, plan).unwrap();
    let depths: Vec<u32> = project.tree().iter().map(|line| line.depth).collect();
    assert_eq!(depths, [0, 1, 2, 1, 2, 1]);
}

#[test]
fn ticked_tasks_that_are_imported_as_open_are_reported() {
    let mut project = Project::new();
    let plan = "# A plan\n\n### ✅ Task 0: Begin\n\n### Task 1: Go on\n\n- [x] Ticked\n\n### Task 2: End\n";
    let imported = import(&mut project, plan).unwrap();
    let [
        ImportNotice::MarkedAsDone {
            tasks: 2,
            import: command,
        },
    ] = &imported.notices[..]
    else {
        panic!("{imported:?}")
    };
    assert!(command.contains("--trust-checkboxes"), "{command}");
    let trusting = ImportRequest {
        trust_checkboxes: true,
        ..import_of("plan.md")
    };
    assert_eq!(project.try_import(&trusting).unwrap().notices, []);
    assert!(project.labels().iter().any(|label| label.contains("Begin")));
    assert_eq!(import(&mut project, plan).unwrap().notices, []);
}
