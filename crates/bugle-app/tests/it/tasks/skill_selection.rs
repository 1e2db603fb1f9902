//! Skill selection for a task: the skill, the reason, and the version that a task tree pins.

use bugle_app::{AddRequest, TaskScope, plans, tasks};
use bugle_core::id::TaskId;
use bugle_core::name::SkillAddress;
use bugle_core::reply::{RulesProblem, SkillChoiceView, SkillNotice, SkillReason, TaskNotice};
use bugle_core::role::AgentRole;
use bugle_core::skill_selection::RuleOrigin;
use bugle_core::task::TaskCommand;

use crate::project::{Project, start, titled};

pub(super) fn skill_file(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: Use when something has to be tested.\n---\n\n{body}\n")
}

pub(super) fn address(name: &str) -> SkillAddress {
    SkillAddress::new(name.to_owned()).unwrap()
}

impl Project {
    #[track_caller]
    pub(super) fn skill(&mut self, task: &TaskId) -> SkillChoiceView {
        self.skill_for(task, None)
    }

    #[track_caller]
    fn skill_for(&mut self, task: &TaskId, role: Option<AgentRole>) -> SkillChoiceView {
        tasks::task_skill(&mut self.app.store, &self.app.context, task, role).unwrap()
    }

    #[track_caller]
    pub(super) fn add_with_skill<const N: usize>(&mut self, titles: [&str; N], skill: &str) -> [TaskId; N] {
        let request = AddRequest {
            skill: Some(address(skill)),
            ..titled(&titles)
        };
        self.add_with(&request).try_into().unwrap()
    }

    fn set_skill(&mut self, task: &TaskId, skill: &str) {
        self.change(task, &TaskCommand::NameSkill(Some(address(skill))));
    }

    /// Installs a user skill where clients look for it.
    pub(super) fn install(&self, name: &str, body: &str) {
        let file = self
            .app
            .context
            .home
            .join(".claude/skills")
            .join(name)
            .join("SKILL.md");
        self.write_at(&file, skill_file(name, body));
    }

    /// Installs a version of the plugin `superpowers` with one file.
    pub(super) fn install_plugin(&self, version: &str, file: &str, text: &str) {
        let plugin = ".claude/plugins/cache/market/superpowers";
        let folder = self.app.context.home.join(plugin).join(version).join("skills");
        self.write_at(&folder.join(file), text);
    }

    fn write_user_rules(&self, text: impl AsRef<[u8]>) {
        self.write_at(&self.app.context.bugle_home.join("skill-rules.yaml"), text);
    }
}

fn rules_problems(choice: &SkillChoiceView) -> Vec<&RulesProblem> {
    let notices = choice.notices.iter();
    let problems = notices.filter_map(|notice| match notice {
        SkillNotice::Rules(problem) => Some(problem),
        _ => None,
    });
    problems.collect()
}

fn is_user_rule(choice: &SkillChoiceView) -> bool {
    matches!(&choice.reason, SkillReason::Rule { origin, .. } if *origin == RuleOrigin::User)
}

fn is_built_in_rule(choice: &SkillChoiceView) -> bool {
    matches!(&choice.reason, SkillReason::Rule { origin, .. } if *origin == RuleOrigin::BuiltIn)
}

#[test]
fn misleading_titles_get_the_right_skill_and_name_the_rule() {
    let mut project = Project::new();
    for (title, right) in [
        (
            "Improve error messages in the CLI parser",
            "test-driven-development",
        ),
        ("Add project settings page", "test-driven-development"),
        ("Merge sort: implement stable variant", "test-driven-development"),
        ("Open pull request", "finishing-a-development-branch"),
        ("Write plan for worktree cleanup", "writing-plans"),
        ("Execute plan", "subagent-driven-development"),
        (
            "Investigate intermittent 500 errors on login",
            "systematic-debugging",
        ),
        ("Add code review webhook endpoint", "test-driven-development"),
    ] {
        let [task] = project.add([title]);
        let choice = project.skill(&task);
        let chosen = choice.skill.as_deref().unwrap_or("none");
        assert_eq!(chosen.rsplit(':').next(), Some(right), "{title}: {choice:?}");
        assert!(is_built_in_rule(&choice), "{title}: {choice:?}");
        assert!(choice.reminders.len() <= 3);
    }
}

#[test]
fn explicit_and_inherited_skills_take_precedence_over_rules() {
    let mut project = Project::new();
    let [top] = project.add_with_skill(["Everything"], "house-style");
    let [middle] = project.add_under(&top, ["Some of it"]);
    let [leaf] = project.add_under(&middle, ["Fix the login"]);
    let inherited = project.skill(&leaf);
    assert_eq!(inherited.skill.as_deref(), Some("house-style"));
    let from = match &inherited.reason {
        SkillReason::Inherited(from) => from.as_ref().unwrap(),
        other => panic!("not inherited: {other:?}"),
    };
    assert_eq!((&from.id, from.title.as_str()), (&top, "Everything"));
    project.set_skill(&middle, "nearer");
    assert_eq!(project.skill(&leaf).skill.as_deref(), Some("nearer"));
    project.set_skill(&leaf, "own");
    let own = project.skill(&leaf);
    assert_eq!(
        (own.skill.as_deref(), own.reason),
        (Some("own"), SkillReason::Explicit)
    );
    let [vague] = project.add(["Miscellany"]);
    let nothing = project.skill(&vague);
    assert_eq!((nothing.skill, nothing.reason), (None, SkillReason::Nothing));
    let role = project.skill_for(&vague, Some(AgentRole::Developer));
    assert_eq!(role.reason, SkillReason::Role(AgentRole::Developer));
}

#[test]
fn project_rules_take_precedence_over_user_rules_and_both_over_built_in_rules() {
    let mut project = Project::new();
    let [deploy, tidy, fix] = project.add(["Deploy the service", "Tidy the attic", "Fix the login"]);
    project.write_user_rules(
        "rules:\n  - verbs: [deploy]\n    skill: team:deploying\n  - verbs: [tidy]\n    skill: none\n",
    );
    let first = project.skill(&deploy);
    assert_eq!(first.skill.as_deref(), Some("team:deploying"));
    assert!(is_user_rule(&first), "{first:?}");
    let none = project.skill(&tidy);
    assert_eq!(none.skill, None);
    assert!(is_user_rule(&none), "{none:?}");
    project.write(
        ".bugle/skill-rules.yaml",
        "rules:\n  - verbs: [deploy]\n    skill: here-deploying\n",
    );
    assert_eq!(project.skill(&deploy).skill.as_deref(), Some("here-deploying"));
    let built_in = project.skill(&fix);
    assert!(is_built_in_rule(&built_in), "{built_in:?}");
    project.enter_folder("elsewhere");
    assert_eq!(
        project.skill(&deploy).skill.as_deref(),
        Some("team:deploying"),
        "only the user's own rules apply there"
    );
}

#[test]
fn a_mistake_in_the_rules_is_reported_with_its_line_and_the_other_rules_apply() {
    let mut project = Project::new();
    let [task] = project.add(["Deploy the service"]);
    project.write_user_rules(
        "rules:\n  - verbs: [deploy]\n    skill: deploying\n  - verbs: [tidy]\n    skill: 'not a name'\n",
    );
    let choice = project.skill(&task);
    assert_eq!(choice.skill.as_deref(), Some("deploying"));
    let [found] = rules_problems(&choice)[..] else {
        panic!("{choice:?}")
    };
    let RulesProblem::Invalid { file, line: 5, .. } = found else {
        panic!("{found:?}")
    };
    assert!(file.ends_with("skill-rules.yaml"), "{file}");
    let notices = project.position().unwrap().notices;
    assert!(notices.contains(&TaskNotice::Rules(found.clone())), "{notices:?}");
    for (text, wrong) in [
        ("rules: [\n", None),
        ("rules:\n  - verb: [deploy]\n    skill: x\n", Some(2)),
        ("just words\n", Some(1)),
    ] {
        project.write_user_rules(text);
        let choice = project.skill(&task);
        let is_wrong = |problem: &&RulesProblem| match problem {
            RulesProblem::Invalid { line, .. } => wrong.is_none_or(|wrong| *line == wrong),
            _ => false,
        };
        assert!(
            rules_problems(&choice).iter().any(is_wrong),
            "{text:?}: {choice:?}"
        );
        assert!(!is_user_rule(&choice), "{choice:?}");
        project.position().unwrap();
    }
    project.write_user_rules([0xff, 0xfe, 0x00]);
    let choice = project.skill(&task);
    assert!(
        matches!(rules_problems(&choice)[..], [RulesProblem::NotUtf8 { .. }]),
        "{choice:?}"
    );
    project.write_user_rules("# nothing yet\n");
    assert!(rules_problems(&project.skill(&task)).is_empty());
}

#[test]
fn pins_belong_to_one_tree_only() {
    let mut project = Project::new();
    project.install("house-style", "One.");
    let [first, second] = project.add_with_skill(["a", "b"], "house-style");
    project.change(&first, &start(None, false));
    project.install("house-style", "Two.");
    project.change(&second, &start(None, false));
    let mut hashes = || [&first, &second].map(|task| project.skill(task).pinned.unwrap().hash);
    let [old, new] = hashes();
    assert_ne!(old, new);
    let scope = TaskScope::Task(first.clone());
    plans::upgrade_skills(&mut project.app.store, &project.app.context, &scope).unwrap();
    let hash = |project: &mut Project, task| project.skill(task).pinned.unwrap().hash;
    assert_eq!(hash(&mut project, &first), hash(&mut project, &second));
}

#[test]
fn a_plugins_highest_version_number_is_used_in_both_layouts() {
    let mut project = Project::new();
    for version in ["9.0.0", "10.0.0", "10.0.0-beta.1"] {
        project.install_plugin(version, "polish/SKILL.md", &skill_file("polish", version));
        project.install_plugin(version, "rinse.md", &skill_file("rinse", version));
    }
    let mut last = None;
    for name in ["rinse", "polish"] {
        let [task] = project.add_with_skill(["Shine"], &format!("superpowers:{name}"));
        let installed = project.skill(&task).installed.unwrap();
        assert!(installed.contains("/superpowers/10.0.0/skills/"), "{installed}");
        project.change(&task, &start(None, false));
        let pin = project.skill(&task).pinned.unwrap();
        assert_eq!(pin.version.as_deref(), Some("10.0.0"), "{pin:?}");
        last = Some(task);
    }
    project.install_plugin("10.1.0", "polish/SKILL.md", &skill_file("polish", "newer"));
    let notices = project.skill(&last.unwrap()).notices;
    let [
        SkillNotice::Changed {
            pinned, installed, ..
        },
    ] = &notices[..]
    else {
        panic!("{notices:?}")
    };
    assert_eq!(
        (pinned.version.as_deref(), installed.version.as_deref()),
        (Some("10.0.0"), Some("10.1.0"))
    );
}

#[test]
fn a_skill_is_found_in_the_project_first_in_both_layouts() {
    let mut project = Project::new();
    let [task] = project.add_with_skill(["Shine"], "polish");
    let missing = project.skill(&task);
    assert_eq!(missing.installed, None);
    assert_eq!(missing.notices, [SkillNotice::NotInstalled(address("polish"))]);
    project.change(&task, &start(None, false));
    let started = project.show(&task).skill;
    assert_eq!(started.notices, missing.notices);
    assert_eq!(started.pinned, None);
    let context = &project.app.context;
    let (home, folder) = (context.home.clone(), context.directory.clone());
    for (file, source) in [
        (home.join(".claude/skills/polish.md"), "user"),
        (context.bugle_home.join("skills/polish/SKILL.md"), "user"),
        (folder.join(".agents/skills/polish.md"), "project"),
        (folder.join(".claude/skills/polish/SKILL.md"), "project"),
    ] {
        project.write_at(&file, skill_file("polish", "Shine."));
        let expected = if file.ends_with("SKILL.md") {
            file.parent().unwrap()
        } else {
            &file
        };
        assert_eq!(
            project.skill(&task).installed,
            Some(format!("{source} {}", expected.display()))
        );
    }
}
