//! Pinned skill versions, the sections that a task needs, and skills that only plugins have.

use bugle_app::{Extent, PlanSelector, TaskScope, WakeRequest, plans, wakeup};
use bugle_core::id::TaskId;
use bugle_core::reply::{PinUpgrade, PinView, PinsUpgraded, SkillNotice};
use bugle_core::task::TaskCommand;
use bugle_core::wake::{Budget, Unit, WakeReason};

use super::skill_selection::{address, skill_file};
use crate::project::{Project, start};

const PLAN: &str = "# Login\n\n### Task 1: Parse the header\n\nIt.\n\n### Task 2: Show the form\n\nIt.\n";

impl Project {
    #[track_caller]
    fn upgrade_skills(&mut self) -> PinsUpgraded {
        let (store, context) = (&mut self.app.store, &self.app.context);
        plans::upgrade_skills(store, context, &TaskScope::Here).unwrap()
    }

    #[track_caller]
    fn pinned_hash(&mut self, task: &TaskId) -> String {
        self.skill(task).pinned.unwrap().hash
    }
}

#[test]
fn a_plan_keeps_the_version_of_a_skill_that_it_started_with() {
    let mut project = Project::new();
    project.install("house-style", "Write short lines.");
    project.write("plan.md", PLAN);
    project.import("plan.md");
    let labels = ["Login", "Task 1: Parse the header", "Task 2: Show the form"];
    let [root, first, second] = labels.map(|label| project.id_of(label));
    project.change(&root, &TaskCommand::NameSkill(Some(address("house-style"))));
    assert_eq!(project.skill(&first).pinned, None, "viewing pins nothing");
    project.change(&first, &start(None, false));
    let pinned = project.skill(&first);
    assert_eq!(pinned.skill.as_deref(), Some("house-style"));
    assert_eq!(pinned.notices, []);
    assert_eq!(skills(&pinned.history), ["house-style"]);
    let hash = pinned.pinned.unwrap().hash;

    project.install("house-style", "Write long lines.");
    project.done(&first);
    project.change(&second, &start(None, false));
    assert_eq!(project.pinned_hash(&second), hash, "the plan's first version");
    let notices = project.skill(&second).notices;
    let [SkillNotice::Changed { skill, upgrade, .. }] = &notices[..] else {
        panic!("{notices:?}")
    };
    assert_eq!(*skill, address("house-style"));
    assert_eq!(project.position().unwrap().skill.notices, notices);
    assert_eq!(*upgrade, format!("bugle plan upgrade-skills {root}"));

    let upgraded = project.upgrade_skills().upgrades;
    assert!(
        matches!(upgraded[..], [PinUpgrade::Updated { .. }]),
        "{upgraded:?}"
    );
    assert_ne!(project.pinned_hash(&second), hash);
    assert_eq!(project.skill(&second).notices, []);
    let again = project.upgrade_skills().upgrades;
    assert!(matches!(again[..], [PinUpgrade::Unchanged { .. }]), "{again:?}");
    let (store, context) = (&mut project.app.store, &project.app.context);
    let shown = plans::show_plan(store, context, &PlanSelector::Here, Extent::Brief).unwrap();
    assert_eq!(skills(&shown.pins), ["house-style"]);

    project.change(&first, &TaskCommand::Reopen);
    project.change(&first, &start(None, false));
    let history = project.skill(&first).history;
    assert_eq!(skills(&history), ["house-style", "house-style"], "both versions");
    let installed = project.app.context.home.join(".claude/skills/house-style");
    std::fs::remove_dir_all(installed).unwrap();
    let gone = project.skill(&first).notices;
    assert_eq!(gone, [SkillNotice::Uninstalled(address("house-style"))]);
    let kept = project.upgrade_skills().upgrades;
    assert!(matches!(kept[..], [PinUpgrade::NotInstalled { .. }]), "{kept:?}");
    project.check();
}

fn skills(pins: &[PinView]) -> Vec<&str> {
    pins.iter().map(|pin| pin.skill.as_str()).collect()
}

#[test]
fn the_sections_that_a_task_needs_are_named() {
    let mut project = Project::new();
    let body = "## Naming\n\n- Names must say what a thing is for.\n\n## Colours\n\nBlue is for links.\n\n## Checklist\n\n- [ ] \
                Every colour has a name.\n";
    project.install("house-style", body);
    let [task] = project.add_with_skill(["Choose the colours of links"], "house-style");
    let sections = project.skill(&task).sections;
    let titles: Vec<&str> = sections.iter().map(|section| section.title.as_str()).collect();
    for title in ["Naming", "Colours", "Checklist"] {
        assert!(titles.contains(&title), "{titles:?}");
    }
    let colours = sections.iter().find(|section| section.title == "Colours");
    assert!(colours.unwrap().needed, "{sections:?}");
}

#[test]
fn a_rule_finds_a_skill_that_only_a_plugin_has() {
    let mut project = Project::new();
    let [task] = project.add(["Improve error messages in the CLI parser"]);
    let missing = project.skill(&task);
    let name = missing.skill.unwrap();
    assert_eq!(missing.notices, []);
    assert_eq!(
        missing.installed.as_deref(),
        Some("built-in"),
        "a built-in skill stands in"
    );
    let text = skill_file(&name, "Watch it fail first.");
    project.install_plugin("4.0.3", &format!("{name}/SKILL.md"), &text);
    let found = project.skill(&task);
    assert_eq!(found.notices, []);
    let installed = found.installed.unwrap();
    assert!(installed.starts_with("plugin "), "{installed}");
    let request = WakeRequest {
        agent: None,
        reason: WakeReason::Compact,
        replaces: None,
        budget: Budget {
            unit: Unit::Bytes,
            limit: 20_000,
        },
        message: None,
        dry_run: true,
    };
    let (store, context) = (&mut project.app.store, &project.app.context);
    let woken = wakeup::wake_and_write(store, context, &request, &|_| String::new(), &mut |_| Ok(()));
    let woken = woken.unwrap().text;
    assert!(woken.contains("Watch it fail first."), "{woken}");
    project.change(&task, &start(None, false));
    let pinned = project.skill(&task).pinned.unwrap();
    assert_eq!(pinned.version.as_deref(), Some("4.0.3"));
    // If two plugins have a skill with this name, the user must choose one.
    let others = ".claude/plugins/cache/market/others/1.0.0/skills";
    let file = project.app.context.home.join(others).join(&name).join("SKILL.md");
    project.write_at(&file, &text);
    let [second] = project.add(["Improve the help of the CLI parser"]);
    let first_choice = format!("others:{name}");
    assert_eq!(
        project.skill(&second).notices,
        [SkillNotice::Ambiguous {
            skill: address(&name),
            addresses: vec![first_choice.clone(), format!("superpowers:{name}")],
            select: format!("bugle task edit {second} --skill {first_choice}"),
        }]
    );
    project.change(&second, &TaskCommand::NameSkill(Some(address(&first_choice))));
    assert_eq!(project.skill(&second).notices, []);
}
