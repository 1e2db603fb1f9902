//! Sentences about a task's position and about changes.

use bugle_core::id::{ContentHash, Timestamp};
use bugle_core::interface::Interface;
use bugle_core::name::SkillAddress;
use bugle_core::reply::{
    Author, ClosedTask, NextView, NoteView, PinUpgrade, PinView, PlanList, RulesProblem, SideEffect,
    SkillNotice, SkillReason, SkillVersion, TaskChange, TaskDetail, TaskHolder, TaskLine, TaskName,
    TaskOutcome, TaskPosition, TaskTree,
};
use bugle_core::skill_selection::RuleOrigin;
use bugle_core::task::{TaskEvent, TaskState, TaskStatus};
use bugle_render::{notice_text, plan_text, task as task_output, task_text};

use crate::wake_facts::{name, position, task};

#[test]
fn an_empty_project_shows_how_to_begin() {
    let next = NextView::NoTasks {
        import: "bugle plan import FILE".to_owned(),
        add: "bugle task add TITLE".to_owned(),
    };
    assert_eq!(
        task_text::no_position(&next),
        "This project has no tasks. `bugle plan import FILE` imports a plan, `bugle task add TITLE` adds a task."
    );
    let plans = plan_text::plans(&PlanList { plans: Vec::new() }, &|_| String::new());
    assert_eq!(plans, "No plans found. `bugle plan import FILE` imports one.\n");
}

fn at(state: TaskState) -> TaskPosition {
    position(task("t-1", "Spec review", state))
}

fn numbered(number: &str, title: &str) -> TaskName {
    TaskName {
        numbered: Some(number.to_owned()),
        ..name("t-2", title)
    }
}

#[test]
fn a_position_names_the_parent_and_the_siblings() {
    let mut at = at(TaskState::Pending);
    at.above = vec![name("t-3", "Task 2: Login form"), name("t-4", "Root")];
    at.place.before = Some(ClosedTask {
        name: name("t-5", "Implement"),
        skipped: false,
    });
    at.place.after = Some(name("t-6", "Code quality review"));
    assert_eq!(
        task_text::position(&at),
        "In \"Task 2: Login form\": \"Implement\" is done; \"Spec review\" can start; next: \"Code quality \
         review\"."
    );
}

#[test]
fn a_position_says_why_a_task_cannot_continue() {
    let mut waiting = at(TaskState::Blocked);
    waiting.above = vec![name("t-3", "a")];
    waiting.place.waits_for = vec![name("t-4", "b"), numbered("Task 2", "Parse")];
    assert_eq!(
        task_text::position(&waiting),
        "In \"a\": \"Spec review\" is waiting for \"b\" and Task 2 (Parse)."
    );
    let mut blocked = at(TaskState::Blocked);
    blocked.task.reason = Some("needs a key".to_owned());
    assert_eq!(
        task_text::position(&blocked),
        "\"Spec review\" is blocked (needs a key)."
    );
    let mut later = at(TaskState::Pending);
    later.place.comes_after = vec![numbered("Task 1", "Read")];
    assert_eq!(
        task_text::position(&later),
        "\"Spec review\" comes after Task 1 (Read) (plan order)."
    );
    let mut ready = at(TaskState::Active);
    ready.task.ready_to_close = true;
    assert!(task_text::position(&ready).contains("is ready to close"));
    let mut removed = at(TaskState::Pending);
    removed.task.removed = true;
    assert_eq!(task_text::position(&removed), "\"Spec review\" was removed.");
}

#[test]
fn a_position_names_the_holder_of_a_task_in_progress() {
    let mut at = at(TaskState::Active);
    at.place.holder = Some(TaskHolder::You);
    assert_eq!(task_text::position(&at), "\"Spec review\" is in progress (you).");
    at.place.holder = Some(TaskHolder::Other("@ann".to_owned()));
    assert_eq!(task_text::position(&at), "\"Spec review\" is in progress (@ann).");
}

#[test]
fn every_outcome_names_the_task() {
    let task = numbered("Task 2", "Parse");
    let outcome = |did: TaskChange| {
        let name = task.clone();
        task_text::outcomes(&[TaskOutcome { name, did }], Interface::Shell)
    };
    assert_eq!(outcome(TaskChange::Noted), "Added a note to t-2 Task 2: Parse.");
    assert_eq!(outcome(TaskChange::Renamed), "Renamed t-2: Task 2: Parse");
    assert_eq!(
        outcome(TaskChange::Status(TaskStatus::Done)),
        "t-2 Task 2: Parse is done."
    );
    assert_eq!(
        outcome(TaskChange::Removed),
        "t-2 Task 2: Parse was removed; `bugle task reopen` restores it."
    );
}

#[test]
fn a_side_effect_is_one_line() {
    let changed = SideEffect::Changed {
        name: name("t-2", "Spec review"),
        event: Box::new(TaskEvent::Reopened { with: None }),
    };
    assert_eq!(task_text::side_effect(&changed), "t-2 Spec review: reopened");
    let open = SideEffect::RunStillOpen {
        run: "r-1".parse().unwrap(),
        skill: "review".to_owned(),
        step: "bugle step r-1".to_owned(),
        cancel: "bugle run cancel r-1".to_owned(),
    };
    assert_eq!(
        task_text::side_effect(&open),
        "Run r-1 of review, which was started for this task, is still open. To finish it: `bugle step r-1`. The user \
         can also cancel it: `bugle run cancel r-1`."
    );
    let order = vec![numbered("Phase 2", "Print"), numbered("Phase 1", "Parse")];
    assert_eq!(
        task_text::side_effect(&SideEffect::NewOrder(order)),
        "The plan's order is now: Phase 2 (Print), then Phase 1 (Parse)."
    );
    let many = (1..=12).map(|number| name("t-2", &format!("Part {number}")));
    let text = task_text::side_effect(&SideEffect::NewOrder(many.collect()));
    assert!(text.ends_with("then \"Part 10\", then 2 more."), "{text}");
}

#[test]
fn a_skill_is_shown_with_its_reason_and_its_version() {
    assert_eq!(
        task_text::because(&SkillReason::Inherited(Some(name("t-2", "Everything"))), true),
        "Inherited from \"Everything\"."
    );
    let rule = |origin| SkillReason::Rule {
        origin,
        number: 2,
        words: vec!["fix".to_owned(), "login".to_owned()],
    };
    assert_eq!(
        task_text::because(&rule(RuleOrigin::BuiltIn), true),
        "A built-in rule matches \"fix ... login\" in the title."
    );
    assert_eq!(
        task_text::because(&rule(RuleOrigin::User), false),
        "Your rule 2 matches \"fix ... login\" and selects no skill."
    );
    let mut choice = at(TaskState::Active).skill;
    choice.pinned = Some(PinView {
        skill: "superpowers:polish".to_owned(),
        hash: "0123456789abcdef".to_owned(),
        version: Some("10.0.0".to_owned()),
        source: None,
    });
    let shown = task_output::skill(&choice);
    assert!(shown.contains("Version: 10.0.0, 0123456789ab\n"), "{shown}");
}

#[test]
fn a_notice_about_rules_begins_with_the_place_of_the_mistake() {
    let problem = RulesProblem::Invalid {
        file: "/home/ada/.bugle/skill-rules.yaml".to_owned(),
        line: 5,
        message: "`not a name` is not a skill".to_owned(),
        fix: "name a skill".to_owned(),
    };
    assert_eq!(
        notice_text::skill(&SkillNotice::Rules(problem)),
        "/home/ada/.bugle/skill-rules.yaml:5: `not a name` is not a skill; name a skill"
    );
    let file = "rules.yaml".to_owned();
    assert_eq!(
        notice_text::skill(&SkillNotice::Rules(RulesProblem::NotUtf8 { file })),
        "The rules in rules.yaml are not valid UTF-8."
    );
    let skill = SkillAddress::new("polish".to_owned()).unwrap();
    assert_eq!(
        notice_text::skill(&SkillNotice::NotInstalled(skill)),
        "The skill polish is not installed. Continue without this skill."
    );
}

fn version(number: Option<&str>, hash: &str) -> SkillVersion {
    SkillVersion {
        version: number.map(str::to_owned),
        hash: ContentHash::from_stored(hash.repeat(64)),
    }
}

#[test]
fn a_notice_about_a_pinned_skill_names_the_versions_and_the_command() {
    let skill = SkillAddress::new("polish".to_owned()).unwrap();
    let (old, new) = (version(None, "a"), version(Some("2.0"), "b"));
    let changed = SkillNotice::Changed {
        skill: skill.clone(),
        pinned: old.clone(),
        installed: new.clone(),
        upgrade: "bugle plan upgrade-skills p-1".to_owned(),
    };
    assert_eq!(
        notice_text::skill(&changed),
        "The skill polish has changed: this task tree uses aaaaaaaaaaaa, but 2.0 (bbbbbbbbbbbb) is installed. `bugle \
         plan upgrade-skills p-1` switches to the installed version."
    );
    assert_eq!(
        notice_text::skill(&SkillNotice::Uninstalled(skill.clone())),
        "The skill polish is no longer installed. This task tree keeps using the pinned version."
    );
    let ambiguous = SkillNotice::Ambiguous {
        skill: skill.clone(),
        addresses: vec!["a:polish".to_owned(), "b:polish".to_owned()],
        select: "bugle task edit t-1 --skill a:polish".to_owned(),
    };
    assert_eq!(
        notice_text::skill(&ambiguous),
        "Several plugins have a skill polish: a:polish, b:polish. `bugle task edit t-1 --skill a:polish` selects the \
         first."
    );
    let upgrades = [
        PinUpgrade::Updated {
            skill: skill.clone(),
            from: old.clone(),
            to: new,
            source: "user".to_owned(),
        },
        PinUpgrade::Unchanged {
            skill: skill.clone(),
            pinned: old.clone(),
        },
        PinUpgrade::NotInstalled { skill, pinned: old },
    ];
    assert_eq!(
        notice_text::upgrades(&upgrades),
        [
            "polish: updated aaaaaaaaaaaa to 2.0 (bbbbbbbbbbbb) (user)",
            "polish: unchanged, aaaaaaaaaaaa",
            "polish: not installed, still pinned to aaaaaaaaaaaa",
        ]
    );
}

#[test]
fn a_list_says_how_often_a_task_was_retried_and_what_it_waits_for() {
    let mut only = task("t-1", "Only", TaskState::Active);
    only.retries = 2;
    only.agent = Some("ann".to_owned());
    let mut other = task("t-2", "Other", TaskState::Blocked);
    other.waits_for = vec![only.id.clone()];
    let tasks = [only, other].map(|task| TaskLine {
        depth: 0,
        current: false,
        task,
    });
    let shown = task_output::tree(
        &TaskTree {
            tasks: tasks.into(),
            more: false,
            position: None,
        },
        Interface::Shell,
    );
    assert_eq!(
        shown,
        "[>] t-1  Only  (ann; retried 2 times)\n[|] t-2  Other  (waiting for Only)\n"
    );
}

#[test]
fn a_task_names_its_agent_and_counts_the_notes_that_are_not_shown() {
    let TaskPosition {
        mut task,
        above,
        place,
        skill,
        ..
    } = at(TaskState::Pending);
    task.agent = Some("ann".to_owned());
    task.title = "two \u{1b}[31mred\u{7}".to_owned();
    task.label.clone_from(&task.title);
    let shown = task_output::detail(
        &TaskDetail {
            task,
            above,
            place,
            skill,
            needed_by: Vec::new(),
            notes: vec![NoteView {
                at: Timestamp(0),
                by: Author::Person(Some("ada".to_owned())),
                person: None,
                text: "second".to_owned(),
            }],
            earlier_notes: 1,
            runs: Vec::new(),
            inside: Vec::new(),
            plan: None,
            text: None,
            constraints: Vec::new(),
            history: Vec::new(),
            commands: Vec::new(),
            notices: Vec::new(),
        },
        Interface::Shell,
        &|_| "now".to_owned(),
    );
    assert!(shown.contains("\nAssigned to: ann\n"), "{shown}");
    let notes = "\nNotes\n  (1 earlier not shown; `--full` shows all)\n  now ada: second\n";
    assert!(shown.contains(notes), "{shown}");
    assert!(!shown.contains(['\u{1b}', '\u{7}']), "{shown:?}");
}
