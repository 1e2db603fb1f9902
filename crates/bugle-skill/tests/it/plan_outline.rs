//! An outline finds the same tasks as parsing the plan.

use bugle_core::plan::{Node, PlanOutline};
use bugle_skill::{parse_plan, plan_section};

const PLAN: &str = "# Shop\n\n**Goal:** sell\n\n## Global Constraints\n\n- No new table\n\n## Phase 1\n\n### Task 1: Add the till\n\nfirst till\n\n**Interfaces:**\n- Consumes: `open()`\n- Produces: `close()`\n\n### Task 2: Add the list\n\n- [ ] Step 1\n\n## Phase 2\n\n### Task 1: Add the till\n\nsecond till\n";

fn hash(text: &str) -> String {
    format!("hash of {text}")
}

#[test]
fn every_task_is_found_by_number_and_title() {
    let plan = parse_plan(PLAN);
    let outline = PlanOutline::of(&plan, PLAN.len(), hash);
    for (index, task) in plan.tasks.iter().enumerate() {
        let found = outline
            .find(task.number.as_str(), &task.title, &hash(&task.content))
            .expect("the task is in the outline");
        assert_eq!(found.line, task.extent.line);
        assert_eq!(
            PLAN.get(found.range.clone()),
            plan_section(PLAN, &plan, Node::Task(index))
        );
        assert_eq!(found.consumes, task.interfaces.consumes);
        assert_eq!(found.produces, task.interfaces.produces);
    }
    assert_eq!(outline.goal.as_deref(), Some("sell"));
    assert_eq!(outline.constraints, ["No new table"]);
    assert_eq!(&PLAN[outline.head..outline.head + 10], "## Phase 1");
}

#[test]
fn tasks_with_the_same_name_are_distinguished_by_their_text() {
    let plan = parse_plan(PLAN);
    let outline = PlanOutline::of(&plan, PLAN.len(), hash);
    let lines: Vec<usize> = plan
        .tasks
        .iter()
        .filter(|task| task.title == "Add the till")
        .filter_map(|task| outline.find(task.number.as_str(), &task.title, &hash(&task.content)))
        .map(|found| found.line)
        .collect();
    assert_eq!(lines.len(), 2);
    assert_ne!(lines[0], lines[1]);
    // If the text matches neither task, the lookup finds the first one.
    let first = outline.find("1", "Add the till", "another");
    assert_eq!(first.map(|found| found.line), lines.first().copied());
}

#[test]
fn a_stored_outline_reads_back() {
    let outline = PlanOutline::of(&parse_plan(PLAN), PLAN.len(), hash);
    let body = serde_json::to_string(&outline).expect("it can be written");
    let mut back: PlanOutline = serde_json::from_str(&body).expect("it can be read");
    assert_eq!(back.find("2", "Add the list", ""), None);
    // To find a task, it is enough to restore the task's own bucket.
    let bucket = PlanOutline::bucket_of("2", "Add the list");
    let (_, lines) = outline
        .buckets()
        .find(|(number, _)| *number == bucket)
        .expect("the bucket is there");
    back.restore_bucket(bucket, lines.to_owned());
    let found = back.find("2", "Add the list", "").expect("the task is in it");
    assert_eq!(Some(found), outline.find("2", "Add the list", ""));
    for (number, lines) in outline.buckets() {
        back.restore_bucket(number, lines.to_owned());
    }
    assert_eq!(back, outline);
}

#[test]
fn a_plan_without_tasks_is_only_a_head() {
    let outline = PlanOutline::of(&parse_plan("Nothing here.\n"), 14, hash);
    assert_eq!(outline.head, 14);
    assert_eq!(outline.find("1", "x", ""), None);
}
