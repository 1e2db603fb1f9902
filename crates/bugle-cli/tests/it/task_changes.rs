//! Everything that is done to a task: notes, titles, moves, waiting, leaving out, trying again.

use crate::harness::Sandbox;
use crate::tree::{
    Authentication, add, add_one, check, ids, labels, next, outline, position, shown, state, task, texts,
};

#[test]
fn notes_are_added_and_never_written_over() {
    let sandbox = Sandbox::new();
    let id = add_one(&sandbox, &["Only", "--note", "from the start"]);
    for note in ["second", "third\nwith two lines", "fourth"] {
        task(&sandbox, &["note", &id, note]);
    }
    let full = shown(&sandbox, &id);
    assert_eq!(
        texts(&full["notes"], "text"),
        ["from the start", "second", "third\nwith two lines", "fourth"]
    );
    let brief = task(&sandbox, &["show", &id]).out;
    assert!(brief.contains("(1 earlier: add `--full`)"), "{brief}");
    assert!(!brief.contains("from the start"), "{brief}");
    task(&sandbox, &["done", &id]);
    task(&sandbox, &["note", &id, "after the fact"]);
    assert_eq!(state(&sandbox, &id), "done");
    sandbox.run(&["task", "add", "Other", "--note", " "]).exits(2);
    assert_eq!(labels(&sandbox), ["Only"]);
}

#[test]
fn a_task_can_be_given_another_title_and_skill() {
    let sandbox = Sandbox::new();
    let id = add_one(&sandbox, &["Fix teh login"]);
    task(
        &sandbox,
        &["edit", &id, "--title", "Fix the login", "--skill", "house-style"],
    );
    let now = shown(&sandbox, &id);
    assert_eq!(now["task"]["title"], "Fix the login");
    assert_eq!(now["skill"]["skill"], "house-style");
    assert_eq!(now["skill"]["reason"], "explicit");
    let again = task(&sandbox, &["edit", &id, "--title", "Fix the login"]).out;
    assert!(again.contains("It was so already."), "{again}");
    task(&sandbox, &["edit", &id, "--no-skill"]);
    assert!(shown(&sandbox, &id)["task"]["skill"].is_null());
    sandbox.run(&["task", "edit", &id]).exits(2);
    sandbox
        .run(&["task", "edit", &id, "--skill", "not a name"])
        .exits(2);
    assert_eq!(
        texts(&shown(&sandbox, &id)["history"], "kind"),
        ["added", "retitled", "skill", "skill"]
    );
}

#[test]
fn a_task_can_be_moved_everywhere_but_into_itself() {
    let sandbox = Sandbox::new();
    let top = add(&sandbox, &["a", "b", "c"]);
    let [a, b, c] = [&top[0], &top[1], &top[2]].map(String::as_str);
    let inner = add(&sandbox, &["--under", a, "a1", "a2"]);
    let [a1, a2] = [&inner[0], &inner[1]].map(String::as_str);
    let order = || labels(&sandbox).join(" ");
    for (arguments, expected) in [
        (vec![c, "--before", b], "a a1 a2 c b"),
        (vec![c, "--after", b], "a a1 a2 b c"),
        (vec![c, "--first"], "c a a1 a2 b"),
        (vec![c, "--under", a], "a a1 a2 c b"),
        (vec![c, "--first"], "a c a1 a2 b"),
        (vec![c, "--after", a1], "a a1 c a2 b"),
        (vec![c, "--top"], "a a1 a2 b c"),
        (vec![b, "--under", a, "--first"], "a b a1 a2 c"),
        (vec![b, "--before", c], "a a1 a2 b c"),
        (vec![a, "--under", b], "b a a1 a2 c"),
        (vec![a2, "--before", a1], "b a a2 a1 c"),
        (vec![a, "--before", a], "b a a2 a1 c"),
        (vec![a, "--first"], "b a a2 a1 c"),
    ] {
        let words: Vec<&str> = ["move"].into_iter().chain(arguments).collect();
        task(&sandbox, &words);
        assert_eq!(order(), expected, "{words:?}");
    }
    for into in [a, a1] {
        sandbox
            .run(&["task", "move", b, "--under", into])
            .fails(2, "cannot be moved into itself");
    }
    sandbox.run(&["task", "move", b]).exits(2);
    sandbox.run(&["task", "move", b, "--top", "--under", c]).exits(2);
    task(&sandbox, &["rm", c]);
    let refused = sandbox
        .run(&["task", "move", a1, "--under", c])
        .refused("removed");
    assert_eq!(refused.command(), format!("bugle task reopen {c}"));
    sandbox.run(&["task", "move", c, "--first"]).refused("removed");
    assert_eq!(order(), "b a a2 a1");
    check(&sandbox);
}

#[test]
fn what_is_moved_into_something_closed_opens_it() {
    let sandbox = Sandbox::new();
    let both = add(&sandbox, &["a", "b"]);
    task(&sandbox, &["done", &both[0]]);
    let moved = task(&sandbox, &["move", &both[1], "--under", &both[0]]).out;
    assert!(moved.contains("open again"), "{moved}");
    assert_eq!(outline(&sandbox), ["a pending", "  b pending"]);
    task(&sandbox, &["done", &both[1]]);
    task(&sandbox, &["done", &both[0]]);
    add(&sandbox, &["--under", &both[0], "c"]);
    assert_eq!(outline(&sandbox), ["a active", "  b done", "  c pending"]);
}

#[test]
fn tasks_wait_for_each_other_but_never_in_a_circle() {
    let sandbox = Sandbox::new();
    let top = add(&sandbox, &["a", "b", "c"]);
    let [a, b, c] = [&top[0], &top[1], &top[2]].map(String::as_str);
    let inside = add_one(&sandbox, &["--under", a, "a1"]);
    task(&sandbox, &["depend", a, b]);
    task(&sandbox, &["depend", b, c]);
    assert_eq!(state(&sandbox, a), "blocked");
    assert_eq!(state(&sandbox, &inside), "blocked", "it lies in what waits");
    let listed = task(&sandbox, &["list"]).out;
    assert!(listed.contains("waits for b"), "{listed}");
    let ready = sandbox.run(&["task", "ready", "--json"]).ok().json();
    assert_eq!(ids(&ready["data"]["tasks"]), [c]);
    for (task, on) in [
        (c, a),
        (c, b),
        (c, &inside),
        (b, &inside),
        (a, a),
        (a, &inside),
        (&inside, a),
    ] {
        let refused = sandbox.run(&["task", "depend", task, on]).refused("circle");
        assert!(!refused.details.is_empty(), "{refused:?}");
        sandbox.printed(refused.command()).ok();
    }
    let refused = sandbox
        .run(&["task", "add", "a2", "--under", c, "--waits-for", &inside])
        .refused("circle");
    sandbox.printed(refused.command()).ok();
    assert!(!refused.details.is_empty(), "{refused:?}");
    sandbox.run(&["task", "move", c, "--under", a]).refused("circle");
    assert_eq!(labels(&sandbox), ["a", "a1", "b", "c"]);
    task(&sandbox, &["done", c]);
    assert_eq!(
        position(&sandbox).as_deref(),
        Some("a1"),
        "the position stays in order"
    );
    let at = next(&sandbox)["position"].clone();
    assert_eq!(at["sentence"], "In \"a\": \"a1\" waits for \"b\".");
    task(&sandbox, &["depend", a, b, "--no-more"]);
    assert_eq!(state(&sandbox, &inside), "pending");
    let document = shown(&sandbox, c);
    assert_eq!(texts(&document["needed_by"], "label"), ["b"]);
    check(&sandbox);
}

#[test]
fn a_task_is_given_to_somebody_and_to_nobody() {
    let sandbox = Sandbox::new();
    let id = add_one(&sandbox, &["Only", "--agent", "ann"]);
    let shows = |words: &str| {
        let out = task(&sandbox, &["show", &id]).out;
        assert!(out.contains(words), "{words:?} is not in {out}");
    };
    shows("Given to: ann");
    task(&sandbox, &["assign", &id, "bob"]);
    shows("Given to: bob");
    task(&sandbox, &["assign", &id, "--nobody"]);
    assert!(shown(&sandbox, &id)["task"]["agent"].is_null());
    sandbox.run(&["task", "assign", &id]).exits(2);
    sandbox.run(&["task", "assign", &id, "bob", "--nobody"]).exits(2);
    sandbox.run(&["task", "assign", &id, "two words"]).exits(2);
}

#[test]
fn what_is_taken_out_goes_with_everything_in_it_and_comes_back_so() {
    let sandbox = Sandbox::new();
    let tree = Authentication::new(&sandbox);
    let before = outline(&sandbox);
    task(&sandbox, &["rm", &tree.quality_review]);
    let removed = task(&sandbox, &["rm", &tree.execute]).out;
    assert!(
        removed.contains("Spec review: taken out of the tree"),
        "{removed}"
    );
    assert_eq!(labels(&sandbox).len(), 5);
    assert_eq!(position(&sandbox).as_deref(), Some("Finish branch"));
    for verb in ["start", "done", "skip", "rm"] {
        let answer = sandbox.run(&["task", verb, &tree.execute]);
        if verb == "rm" {
            assert!(answer.ok().out.contains("It was so already."));
        } else {
            answer.refused("removed");
        }
    }
    sandbox
        .run(&["task", "add", "x", "--under", &tree.execute])
        .refused("removed");
    let refused = sandbox
        .run(&["task", "reopen", &tree.spec_review])
        .refused("parent-removed");
    let put_back = sandbox.printed(refused.command());
    if put_back.code == Some(3) {
        // What it lies in was taken out with something further up: the commands lead there.
        sandbox.printed(put_back.refused("parent-removed").command()).ok();
    } else {
        put_back.ok();
    }
    let shown = task(&sandbox, &["show", &tree.execute, "--full"]).out;
    assert!(shown.contains("put back into the tree"), "{shown}");
    assert_eq!(
        labels(&sandbox).len(),
        before.len() - 1,
        "what was out before stays out"
    );
    task(&sandbox, &["reopen", &tree.quality_review]);
    assert_eq!(outline(&sandbox), before);
    check(&sandbox);
}

#[test]
fn what_is_skipped_goes_with_everything_open_in_it_and_comes_back_so() {
    let sandbox = Sandbox::new();
    let tree = Authentication::new(&sandbox);
    let before = outline(&sandbox);
    let skipped = task(&sandbox, &["skip", &tree.execute, "--why", "bought it instead"]).out;
    assert!(skipped.contains("Spec review: skipped with"), "{skipped}");
    insta::assert_snapshot!("outline_after_skip", outline(&sandbox).join("\n"));
    assert_eq!(
        shown(&sandbox, &tree.execute)["task"]["reason"],
        "bought it instead"
    );
    sandbox.run(&["task", "done", &tree.execute]).refused("closed");
    task(&sandbox, &["reopen", &tree.execute]);
    assert_eq!(outline(&sandbox), before);
    task(&sandbox, &["skip", &tree.execute]);
    task(&sandbox, &["reopen", &tree.spec_review]);
    assert_eq!(
        state(&sandbox, &tree.execute),
        "active",
        "something in it is open"
    );
    assert_eq!(state(&sandbox, &tree.quality_review), "skipped");
    check(&sandbox);
}

#[test]
fn a_task_that_failed_counts_how_often_it_was_tried_again() {
    let sandbox = Sandbox::new();
    let id = add_one(&sandbox, &["Only"]);
    for _ in 0..2 {
        task(&sandbox, &["start", &id]);
        let failed = task(&sandbox, &["fail", &id, "--why", "the bench is down"]).out;
        assert!(failed.contains("has failed"), "{failed}");
        assert_eq!(state(&sandbox, &id), "failed");
    }
    task(&sandbox, &["start", &id]);
    let now = shown(&sandbox, &id);
    assert_eq!(now["task"]["retries"], 2);
    assert!(now["task"]["reason"].is_null(), "{now}");
    assert!(task(&sandbox, &["list"]).out.contains("tried again 2 times"));
    task(&sandbox, &["block", &id, "--why", "needs a key"]);
    let next = task(&sandbox, &["next"]).out;
    assert!(next.contains("is blocked (needs a key)"), "{next}");
    assert_eq!(state(&sandbox, &id), "blocked");
    sandbox.run(&["task", "claim"]).fails(4, "no task can start now");
    task(&sandbox, &["start", &id]);
    assert_eq!(state(&sandbox, &id), "active");
    assert_eq!(
        shown(&sandbox, &id)["task"]["retries"],
        2,
        "a block is no failure"
    );
    task(&sandbox, &["done", &id]);
    task(&sandbox, &["done", &id]);
    check(&sandbox);
}

#[test]
fn what_was_added_stands_where_it_was_asked_for() {
    let sandbox = Sandbox::new();
    let top = add(&sandbox, &["b", "d"]);
    add(&sandbox, &["a", "--first"]);
    add(&sandbox, &["c1", "c2", "--before", &top[1]]);
    add(&sandbox, &["e", "f", "--after", &top[1]]);
    assert_eq!(labels(&sandbox), ["a", "b", "c1", "c2", "d", "e", "f"]);
    let inner = add_one(&sandbox, &["b2", "--under", &top[0]]);
    add(&sandbox, &["b1", "--under", &top[0], "--first"]);
    add(&sandbox, &["b3", "--after", &inner, "--skill", "house-style"]);
    assert_eq!(labels(&sandbox)[1..5], ["b", "b1", "b2", "b3"]);
    sandbox
        .run(&["task", "add", "x", "--under", &top[1], "--after", &inner])
        .fails(2, "lies elsewhere");
    let waiting = add_one(&sandbox, &["g", "--waits-for", &inner, "--waits-for", &top[1]]);
    let waits = shown(&sandbox, &waiting)["waits_for"].clone();
    let mut names = texts(&waits, "label");
    names.sort();
    assert_eq!(names, ["b2", "d"]);
}
