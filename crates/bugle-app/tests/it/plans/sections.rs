//! A plan's text for one task, and plans that do not exist.

use bugle_app::{AppError, ImportRequest, PlanSelector, TaskScope, plan_id, plans, tasks};
use bugle_core::reply::PlanText;

use super::{FILE, PLAN, with_plan};
use crate::project::{Project, fails, import_of};

impl Project {
    pub(super) fn try_section(&mut self, plan: &str, number: &str) -> Result<PlanText, AppError> {
        let selector = PlanSelector::parse(Some(plan)).unwrap();
        plans::show_plan_section(&mut self.app.store, &self.app.context, &selector, number)
    }

    #[track_caller]
    pub(super) fn section(&mut self, plan: &str, number: &str) -> PlanText {
        self.try_section(plan, number).unwrap()
    }
}

#[test]
fn a_section_is_exactly_as_in_the_file() {
    let (mut project, id) = with_plan();
    let second = "### Task 2: Show the form\n\nDraw it.";
    assert!(PLAN.contains(second));
    for (plan, number) in [(FILE, "2"), (id.as_str(), "2"), (FILE, "Task 2")] {
        assert_eq!(project.section(plan, number).text, second);
    }
    let group = project.section(FILE, "Phase 2");
    assert_eq!(group.text, "## Phase 2: The rest", "only the group's own text");
    let missing = project.try_section(FILE, "9");
    let hints = fails(missing, 4, "has no task 9").join("\n");
    assert!(hints.contains("from 1 to 3"), "{hints}");
    // This also works for a file that was never imported, even in another folder.
    let other = project.app.context.home.join("other.md");
    let odd = "# Odd\r\n\r\n## Task 1: Tabs\tand \u{1b}[0m escapes\r\n\r\n    code  \r\n\r\n## Task 2: Last\r\nno end";
    project.write_at(&other, odd);
    let path = other.to_str().unwrap();
    assert_eq!(
        project.section(path, "1").text,
        "## Task 1: Tabs\tand \u{1b}[0m escapes\r\n\r\n    code  "
    );
    let last = project.section(path, "2");
    assert_eq!((last.text.as_str(), last.line), ("## Task 2: Last\r\nno end", 7));
}

#[test]
fn a_plan_is_found_by_an_id_prefix() {
    let (mut project, id) = with_plan();
    for length in 3..=id.as_str().len() {
        let prefix = plan_id(&id.as_str()[..length]).unwrap();
        let shown = project.try_show_plan(&PlanSelector::Id(prefix)).unwrap();
        assert_eq!(shown.plan.name.id, id);
    }
}

#[test]
fn every_use_case_reports_an_unknown_plan() {
    let (mut project, _) = with_plan();
    let none = plan_id("p-zzzzzz").unwrap();
    let scope = TaskScope::Plan(none.clone());
    let mut errors = vec![
        project
            .try_show_plan(&PlanSelector::Id(none.clone()))
            .unwrap_err(),
        project.try_section("p-zzzzzz", "1").unwrap_err(),
    ];
    let renamed = ImportRequest {
        was: Some(none),
        ..import_of(FILE)
    };
    errors.push(project.try_import(&renamed).unwrap_err());
    let (store, context) = (&mut project.app.store, &project.app.context);
    errors.push(plans::upgrade_skills(store, context, &scope).unwrap_err());
    errors.push(tasks::next_task(store, context, &scope, None).unwrap_err());
    errors.push(tasks::task_tree(store, context, &scope, false, 10).unwrap_err());
    for error in errors {
        let hints = fails::<()>(Err(error), 4, "there is no plan p-zzzzzz").join("\n");
        assert!(hints.contains("bugle plan list"), "{hints}");
    }
    let other = project.try_show_plan(&PlanSelector::File("docs/other.md".into()));
    fails(other, 4, "docs/other.md has not been imported");
    fails(plan_id("p-"), 2, "is not a plan id");
}
