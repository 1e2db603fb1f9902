//! Plans in the forms that people and agents write, each with the batches in which its tasks can be done.

use bugle_core::plan::NoteKind;
use bugle_skill::parse_plan;

use super::order::batches;

/// The name of the form, the plan, and the batches with the titles of their tasks.
const FORMS: &[(&str, &str, &[&str])] = &[
    (
        "headings with numbers",
        "# Plan\n\n## 1. Overview\n\nWhy.\n\n## 2. Set up\n\nDo it.\n\n## 3. Build the parser\n\nDo it.\n\n\
         ## 4. Write docs\n\nDo it.\n",
        &["Set up", "Build the parser", "Write docs"],
    ),
    (
        "sections with numbered parts",
        "# Plan\n\n## 1. Base\n\n### 1.1 Parse\n\nIt.\n\n### 1.2 Print\n\nIt.\n\n## 2. Rest\n\n### 2.1 Test\n\nIt.\n",
        &["Parse", "Print", "Test"],
    ),
    (
        "phases with numbered headings",
        "# Plan\n\n## Phase 1: Base\n\n### 1.1 Parse\n\nIt.\n\n### 1.2 Print\n\nDepends on: none\n\n\
         ## Phase 2: Rest\n\n### 2.1 Test\n\nIt.\n",
        &["Parse Print", "Test"],
    ),
    (
        "checkboxes with the word `Task`",
        "# Plan\n\n## Tasks\n\n- [ ] **Task 1.1:** Parse\n- [ ] **Task 1.2:** Print\n- [ ] **Task 1.3:** Test (parallel)\n",
        &["Parse", "Print Test (parallel)"],
    ),
    (
        "checkboxes with the word `Task` in phases",
        "# Plan\n\n## Phase 1: Base\n\n- [ ] Task 1: Parse\n  - [ ] write the test\n- [ ] Task 2: Print\n\n\
         ## Phase 2: Rest\n\n- [ ] Task 3: Test\n",
        &["Parse", "Print", "Test"],
    ),
    (
        "checkboxes with ids",
        "# Tasks\n\n## Phase 1: Setup\n\n- [ ] T001 Create the project\n- [ ] T002 [P] Configure lints\n\
         - [ ] T003 [P] Configure tests\n\n## Phase 2: Core\n\n- [ ] T004 Write the model\n",
        &[
            "Create the project [P] Configure lints [P] Configure tests",
            "Write the model",
        ],
    ),
    (
        "a numbered list of bold titles",
        "# Plan\n\nWhat to do:\n\n1. **Parse**: read the header.\n   - with care\n2. **Print:** show it.\n3. **Test**\n",
        &["Parse", "Print", "Test"],
    ),
    (
        "bold lines",
        "# Plan\n\n**Task 1: Parse**\n\nRead it.\n\n**Task 2: Print**\n\nAfter Task 1.\n\n**Task 3: Test**\n\nAfter Task 1.\n",
        &["Parse", "Print Test"],
    ),
    (
        "headings with the word `Task` and hashes",
        "# Plan\n\n### Task #1: Parse\n\nIt.\n\n### Task #2: Print\n\n**Blocked by:** #1\n\n### Task #3: Test\n\n\
         **Blocked by:** #1\n\n### Task #4: Ship\n\n**Blocked by:** #2, #3\n",
        &["Parse", "Print Test", "Ship"],
    ),
    (
        "a phase whose tasks are parallel",
        "# Plan\n\n## Wave 1\n\n### Task 1: Parse\n\nIt.\n\n## Wave 2 (parallel)\n\n### Task 2: Print\n\nIt.\n\n\
         ### Task 3: Test\n\nIt.\n\n## Wave 3\n\n### Task 4: Ship\n\nIt.\n",
        &["Parse", "Print Test", "Ship"],
    ),
    (
        "phases that declare what they wait for",
        "# Plan\n\n## Phase 1: A\n\n### Task 1: Parse\n\nIt.\n\n## Phase 2: B\n\nDepends on Phase 1.\n\n### Task 2: Print\n\nIt.\n\n\
         ## Phase 3: C\n\n**Depends on:** Phase 1\n\n### Task 3: Test\n\nIt.\n",
        &["Parse", "Print Test"],
    ),
    (
        "a section about dependencies",
        "# Plan\n\n## Dependencies\n\n- Task 2 depends on Task 1\n- Task 3 depends on Task 1\n- Task 4 requires Tasks 2 and 3\n\n\
         ## Tasks\n\n### Task 1: Parse\n\nIt.\n\n### Task 2: Print\n\nIt.\n\n### Task 3: Test\n\nIt.\n\n### Task 4: Ship\n\nIt.\n",
        &["Parse", "Print Test", "Ship"],
    ),
    (
        "a line under the heading",
        "# Plan\n\n### Task 1: Parse\n*No dependencies*\n\n### Task 2: Print\n*No dependencies*\n\n### Task 3: Test\n\
         *Requires Task 1 and Task 2*\n",
        &["Parse Print", "Test"],
    ),
    (
        "headings with a parenthesis",
        "# Plan\n\n## 1) Parse\n\nIt.\n\n## 2) Print\n\nCan run in parallel with #1.\n\n## 3) Test\n\nIt.\n",
        &["Parse Print", "Test"],
    ),
];

#[test]
fn every_form_of_plan_is_imported_in_order() {
    for (form, markdown, expected) in FORMS {
        assert_eq!(batches(markdown), *expected, "{form}");
    }
}

#[test]
fn a_list_in_an_ordinary_plan_stays_a_list() {
    let plan = parse_plan(
        "# Plan\n\n### Task 1: Parse\n\n1. **Read**: it.\n2. **Write**: it.\n\n## 2. Notes on style\n\n- [ ] **Task 9:** no\n",
    );
    assert_eq!(plan.tasks.len(), 1);
    assert!(
        plan.notes
            .iter()
            .any(|note| matches!(note.kind, NoteKind::NotAHeading { .. }) && note.line == 10)
    );
}

#[test]
fn an_unknown_dependency_is_reported_with_its_line() {
    let plan = parse_plan(
        "# Plan\n\n### Task 1: A\n\nParallel with Task 7\n\n### Task 2: B\n\n**Blocked by:** the API team\n",
    );
    let lines: Vec<usize> = plan.notes.iter().map(|note| note.line).collect();
    assert_eq!(lines, [5, 9], "{:?}", plan.notes);
}

#[test]
fn a_checked_box_marks_its_task_as_done() {
    let plan = parse_plan("# Plan\n\n- [x] **Task 1:** Parse\n- [ ] **Task 2:** Print\n");
    let done: Vec<bool> = plan
        .tasks
        .iter()
        .map(|task| {
            task.mark
                .as_ref()
                .is_some_and(|mark| mark.meaning == bugle_core::plan::MarkMeaning::Done)
        })
        .collect();
    assert_eq!(done, [true, false]);
}
