//! A skill that changes on disk does not change a run until `bugle run upgrade`.

use super::word;
use crate::support::sandbox::Sandbox;
use crate::support::workflows::THREE;

/// The notice that a run's skill has changed.
fn changed(run: &str) -> String {
    format!(
        "The skill three has changed since this run started. The run continues with the version it started with. If the \
         user wants the new version: bugle run upgrade {run}"
    )
}

#[test]
fn a_run_keeps_the_skill_version_it_started_with_and_says_so() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let first = sandbox.start(&["three"]);
    assert!(first.notices.is_empty());
    sandbox.skill("three", &THREE.replace("The first thing was", "Formerly:"));
    let second = sandbox.report(&first, &word("one")).ok().step();
    assert_eq!(second.notices, [changed(&first.run)]);
    assert_eq!(second.action, "The first thing was one.");
    let shown = sandbox.run(&["show", &first.run]).ok().out;
    assert!(shown.contains(&changed(&first.run)), "{shown}");
    sandbox.skill("three", THREE);
    let back = sandbox.run(&["step"]).ok().step();
    assert!(
        back.notices.is_empty(),
        "a restored skill does not count as changed"
    );
}

#[test]
fn a_run_continues_when_its_skill_is_gone() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let first = sandbox.start(&["three"]);
    std::fs::remove_dir_all(sandbox.project().join(".bugle")).unwrap();
    let second = sandbox.report(&first, &word("one")).ok().step();
    assert_eq!(
        second.notices,
        ["The skill three is no longer installed. This run continues with the version it started with."]
    );
    let third = sandbox.report(&second, &word("two")).ok().step();
    sandbox
        .run(&["upgrade"])
        .fails(4, "the skill `three` is not installed");
    sandbox.printed(third.command()).ok().end();
    sandbox.verify();
}

#[test]
fn a_run_is_upgraded_on_request() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let first = sandbox.start(&["three"]);
    sandbox.run(&["upgrade"]).refused("same-version");
    let second = sandbox.report(&first, &word("one")).ok().step();
    sandbox.skill("three", &THREE.replace("The first thing was", "Formerly:"));
    let moved = sandbox.run(&["upgrade", &first.run]).ok().step();
    assert_eq!(moved.action, "Formerly: one.");
    assert_eq!(moved.visit, second.visit, "the place is the same");
    let [notice] = moved.notices.as_slice() else {
        panic!("{:?}", moved.notices);
    };
    let confirmed = format!("Upgraded {} to skill version ", first.run);
    assert!(notice.starts_with(&confirmed), "{notice}");
    let third = sandbox.report(&moved, &word("two")).ok().step();
    sandbox.printed(third.command()).ok().end();
    sandbox.verify();
}

#[test]
fn a_run_is_not_upgraded_when_the_new_version_lacks_its_step() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let first = sandbox.start(&["three"]);
    let second = sandbox.report(&first, &word("one")).ok().step();
    sandbox.skill("three", &THREE.replace("second", "middle"));
    let refused = sandbox.run(&["upgrade"]).refused("step-gone");
    assert!(refused.message.contains("`second`"), "{refused:?}");
    let stays = sandbox.printed(refused.command()).ok().step();
    assert_eq!(stays.visit, second.visit);
    assert_eq!(stays.notices, [changed(&first.run)]);
    sandbox.report(&stays, &word("two")).ok().step();
}

#[test]
fn a_run_is_not_upgraded_when_its_results_do_not_fit() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let first = sandbox.start(&["three"]);
    sandbox.report(&first, &word("one")).ok();
    sandbox.skill(
        "three",
        &THREE.replacen(
            "word: { type: string, min: 1 }",
            "word: { type: string, min: 9 }",
            1,
        ),
    );
    let refused = sandbox.run(&["upgrade"]).refused("does-not-fit");
    assert!(
        refused.message.contains("the result of step first"),
        "{refused:?}"
    );
    let params = THREE.replacen(
        "steps:",
        "params:\n  topic: { type: string, required: true }\nsteps:",
        1,
    );
    sandbox.skill(
        "three",
        &params.replace("Do the third thing.", "'{{ params.topic }}'"),
    );
    let refused = sandbox.run(&["upgrade"]).refused("does-not-fit");
    assert!(refused.message.contains("param topic"), "{refused:?}");
    sandbox.verify();
}

#[test]
fn a_run_is_not_upgraded_to_an_invalid_skill() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let first = sandbox.start(&["three"]);
    sandbox.skill("three", &THREE.replace("next: third", "next: fourth"));
    sandbox
        .run(&["upgrade"])
        .fails(3, "the skill `three` is invalid; errors: 1");
    let second = sandbox.report(&first, &word("one")).ok().step();
    assert_eq!(second.step, "second");
    assert_eq!(second.notices, [changed(&first.run)]);
}

#[test]
fn a_run_of_a_plugin_skill_is_compared_with_and_upgraded_to_the_plugins_version() {
    let sandbox = Sandbox::new();
    let cache = sandbox
        .home()
        .join(".claude/plugins/cache/market/tools/1.0.0/skills/deepthink");
    sandbox.skill_at(&cache, "deepthink", THREE);
    let first = sandbox.start(&["tools:deepthink"]);
    assert!(first.notices.is_empty(), "{:?}", first.notices);
    sandbox.run(&["upgrade"]).refused("same-version");
    sandbox.skill_at(
        &cache,
        "deepthink",
        &THREE.replace("The first thing was", "Formerly:"),
    );
    let changed = sandbox.run(&["step"]).ok().step();
    assert_eq!(changed.notices.len(), 1);
    assert!(
        changed.notices[0].contains("has changed since this run started"),
        "{:?}",
        changed.notices
    );
    let moved = sandbox.run(&["upgrade"]).ok().step();
    assert_eq!(
        sandbox.report(&moved, &word("one")).ok().step().action,
        "Formerly: one."
    );
}
