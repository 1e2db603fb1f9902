//! Claims: the task that an agent gets, and the error if there is none.

use bugle_app::{AppError, Extent, TaskScope, tasks};
use bugle_core::id::TaskId;
use bugle_core::task::{TaskCommand, TaskState};

use crate::project::{Project, agent, fails, refused, start};

impl Project {
    /// The task that a claim starts, or the error for a claim that finds none.
    fn claim(&mut self, scope: &TaskScope, name: Option<&str>) -> Result<TaskId, AppError> {
        let (store, context) = (&mut self.app.store, &self.app.context);
        let agent = name.map(agent);
        match tasks::claim_task(store, context, scope, agent.as_ref())? {
            Some(task) => Ok(task),
            None => Err(tasks::nothing_to_claim(store, context, scope, agent.as_ref())?),
        }
    }

    fn claim_here(&mut self, name: Option<&str>) -> Result<TaskId, AppError> {
        self.claim(&TaskScope::Here, name)
    }
}

#[test]
fn tasks_are_claimed_in_order_and_with_everything_an_agent_needs() {
    let mut project = Project::new();
    let [root] = project.add(["All of it"]);
    let [first, second, third] = project.add_under(&root, ["Part 1", "Part 2", "Part 3"]);
    project.try_depend(&first, &third).unwrap();
    project.change(&second, &TaskCommand::Note("mind the gap".to_owned()));
    assert_eq!(project.claim_here(Some("ann")).unwrap(), second);
    let ann = agent("ann");
    let (store, context) = (&mut project.app.store, &project.app.context);
    let shown = tasks::show_task(store, context, &second, Extent::Work, Some(&ann)).unwrap();
    assert_eq!(shown.notes[0].text, "mind the gap");
    assert_eq!(shown.commands[0].command, format!("bugle task done {second}"));
    assert_eq!(project.claim_here(None).unwrap(), third);
    let hints = fails(project.claim_here(None), 4, "no task can start now");
    assert!(
        hints.iter().any(|hint| hint.contains("bugle task list")),
        "{hints:?}"
    );
    project.done(&third);
    assert_eq!(project.claim_here(None).unwrap(), first);
    assert_eq!(
        project.outline(),
        [
            "All of it active",
            "  Part 1 active",
            "  Part 2 active",
            "  Part 3 done"
        ]
    );
}

#[test]
fn each_top_level_task_is_claimed_once() {
    let mut project = Project::new();
    let added = project.add(["a", "b", "c", "d"]);
    for (number, task) in added.iter().enumerate() {
        project.act_as(Some(&format!("agent-{number}")));
        assert_eq!(project.claim_here(None).unwrap(), *task);
    }
    project.act_as(Some("agent-4"));
    fails(project.claim_here(None), 4, "no task can start now");
    project.add(["e"]);
    assert_eq!(project.ready(), ["e"]);
}

#[test]
fn a_claim_stays_within_the_named_tree() {
    let mut project = Project::new();
    let [_, two] = project.add(["One", "Two"]);
    let [inside] = project.add_under(&two, ["Inside"]);
    let scope = TaskScope::Task(two);
    assert_eq!(project.claim(&scope, None).unwrap(), inside);
    fails(project.claim(&scope, None), 4, "no task can start now");
    // A task whose children are all closed can be closed but not claimed.
    project.done(&inside);
    fails(project.claim(&scope, None), 4, "no task can start now");
    let (store, context) = (&mut project.app.store, &project.app.context);
    let ready = tasks::ready_tasks(store, context, &scope, 10).unwrap();
    assert!(ready.tasks[0].ready_to_close, "{ready:?}");
}

#[test]
fn a_claim_without_a_startable_task_lists_startable_tasks_elsewhere() {
    let mut project = Project::new();
    let [one, two] = project.add(["One", "Two"]);
    let [inside] = project.add_under(&one, ["Inside"]);
    let [outside] = project.add_under(&two, ["Outside"]);
    project.app.context.acting_as = Some("w1".to_owned());
    project.change(&inside, &start(Some("w1"), false));
    let hints = fails(
        project.claim_here(Some("w1")),
        4,
        "no task can start in the current task tree",
    );
    let elsewhere = format!(
        "Another task in this project can start: Outside. `bugle task start {outside} --as w1` starts it."
    );
    assert!(hints.contains(&elsewhere), "{hints:?}");
    // A named tree limits the claim, and a task assigned to another agent is not claimed.
    fails(
        project.claim(&TaskScope::Task(one), None),
        4,
        "no task can start now",
    );
    project.change(&outside, &TaskCommand::Assign(Some(agent("w2"))));
    fails(project.claim_here(Some("w1")), 4, "no task can start now");
}

#[test]
fn an_agent_can_finish_a_task_that_it_claimed_under_any_name() {
    let mut project = Project::new();
    for name in [None, Some("w1"), Some("w2")] {
        project.act_as(None);
        let [task] = project.add(["Write the parser"]);
        project.act_as(Some("session-two"));
        project.app.context.acting_as = name.map(str::to_owned);
        assert_eq!(project.claim_here(name).unwrap(), task);
        project.app.context.acting_as = None;
        project.done(&task);
        assert_eq!(project.state(&task), TaskState::Done, "{name:?}");
    }
}

#[test]
fn an_agent_skips_and_removes_its_own_tasks() {
    for command in [TaskCommand::Skip { reason: None }, TaskCommand::Remove] {
        let mut project = Project::new();
        project.write(
            "plan.md",
            "# Small plan\n\n### Task 1: Add the parser\n\n### Task 2: Add the printer\n",
        );
        project.import("plan.md");
        let labels = ["Task 1: Add the parser", "Task 2: Add the printer"];
        let [parser, printer] = labels.map(|label| project.id_of(label));
        project.act_as(Some("session-one"));
        project.change(&parser, &start(None, false));
        let [added] = project.add_under(&parser, ["Read first"]);
        refused(project.try_change(&printer, &command), "user-not-heard");
        project.change(&added, &command);
        project.change(&parser, &command);
        // A caller with a person's rights may change every task.
        project.act_as(None);
        project.change(&printer, &command);
    }
}
