//! Recorded wake-ups, briefs, and templates.

use serde_json::Value;

use super::{ids, in_review, woken};

#[test]
fn a_project_can_override_the_wake_up_template_and_template_errors_are_reported() {
    let (sandbox, steps) = in_review();
    let template = sandbox.project().join(".bugle/wake/orchestrator.md");
    sandbox.write(
        &template,
        "{{ next_action }}\n\nHouse rule for {{ agent }}: ask before you push.\n\n{{ position }}\n\n{{ identity }}\n\n\
         {{ messages }}\n\n{{ tasks }}\n",
    );
    let text = woken(&sandbox, &["--budget", "2000"]).ok().out;
    assert!(text.starts_with("## Next action"), "{text}");
    let explained = woken(&sandbox, &["--explain"]).ok().out;
    assert!(
        explained.contains("Template: ") && explained.contains("orchestrator.md"),
        "{explained}"
    );
    let fate = |part: &str| explained.lines().find(|line| line.starts_with(part)).unwrap();
    assert!(fate("plan").contains("not in the template"), "{explained}");
    assert!(fate("tasks").contains("whole"), "{explained}");
    assert!(
        text.contains("House rule for @june: ask before you push."),
        "{text}"
    );
    assert!(
        text.contains(&steps[1]) && !text.contains("## Active plan"),
        "{text}"
    );
    assert!(text.encode_utf16().count() <= 2001, "{}", text.len());
    for (wrong, why) in [
        (
            "{{ identity }}{{ position }}{{ messages }}{{ nxt_action }}",
            "unknown value `nxt_action`",
        ),
        ("{{ identity }}{{ messages }}{{ next_action }}", "{{ position }}"),
    ] {
        sandbox.write(&template, wrong);
        let answer = woken(&sandbox, &[]);
        assert_eq!(answer.code, Some(0));
        assert!(
            answer.out.contains("## Active plan"),
            "the default template is used: {}",
            answer.out
        );
        assert!(
            answer.err.contains("orchestrator.md") && answer.err.contains(why),
            "{}",
            answer.err
        );
    }
}

#[test]
fn wake_ups_are_recorded_and_can_be_compared() {
    let (sandbox, steps) = in_review();
    let first = woken(&sandbox, &["--format", "json"]).ok().json();
    sandbox.run(&["task", "done", &steps[1]]).ok();
    let second = woken(&sandbox, &["--format", "json"]).ok().json();
    let id = |answer: &Value| answer["data"]["id"].as_str().unwrap().to_owned();
    let listed = sandbox.run(&["wakeups", "--json"]).ok().json();
    assert_eq!(listed["data"]["wakeups"].as_array().unwrap().len(), 2);
    let shown = sandbox
        .run(&["wakeup", "show", &id(&first), "--json"])
        .ok()
        .json();
    assert_eq!(shown["data"]["text"], first["data"]["text"]);
    let diff = sandbox
        .run(&["wakeup", "diff", &id(&first), &id(&second)])
        .ok()
        .out;
    assert!(
        diff.lines()
            .any(|line| line.starts_with('+') && line.contains("Code quality review")),
        "{diff}"
    );
    assert!(
        diff.lines().any(|line| line.starts_with("tasks: whole ")),
        "{diff}"
    );
    assert!(diff.contains("\n@@ -"), "{diff}");
    sandbox
        .run(&["wakeup", "show", "w-zzzzzz"])
        .fails(4, "there is no wake-up");
}

#[test]
fn a_recorded_wake_up_is_explained_as_it_was() {
    let (sandbox, steps) = in_review();
    let options = ["--budget", "1800"];
    let explained = woken(&sandbox, &[&options[..], &["--explain"]].concat()).ok().out;
    assert!(explained.contains("All parts in full need "), "{explained}");
    let given = woken(&sandbox, &[&options[..], &["--json"]].concat()).ok().json();
    sandbox.run(&["task", "done", &steps[1]]).ok();
    let id = given["data"]["id"].as_str().unwrap();
    let recorded = sandbox.run(&["wakeup", "show", id, "--explain"]).ok().out;
    // Compare only the tables: a dry run also reports that the skill's text is not available.
    let table = |text: &str| text[text.find("\npart ").unwrap()..].to_owned();
    assert_eq!(table(&recorded), table(&explained));
}

#[test]
fn a_wake_up_with_only_news_says_what_the_agent_knows_in_full_and_in_part() {
    let (sandbox, _) = in_review();
    let part = |view: &Value, name: &str| {
        let parts = view["data"]["parts"].as_array().unwrap();
        parts.iter().find(|part| part["part"] == name).unwrap().clone()
    };
    let news = || {
        woken(&sandbox, &["--reason", "mention", "--explain", "--json"])
            .ok()
            .json()
    };
    woken(&sandbox, &["--budget", "100000"]).ok();
    assert_eq!(part(&news(), "plan")["verdict"], "already known");
    let cut = woken(&sandbox, &["--budget", "1800", "--json"]).ok().json();
    assert_eq!(part(&cut, "plan")["verdict"], "cut");
    assert_eq!(part(&news(), "plan")["verdict"], "partly known");
}

#[test]
fn a_person_is_shown_how_to_explain_an_agents_wake_up() {
    let (sandbox, _) = in_review();
    sandbox.run(&["agent", "register", "june"]).ok();
    let explained = sandbox.run_as_person(&["wake", "--explain"]).ok().out;
    assert!(explained.starts_with("Wake-up for @human"), "{explained}");
    assert!(
        explained.contains("\nThis is your own wake-up. To explain "),
        "{explained}"
    );
    assert!(explained.contains("bugle wake june --explain"), "{explained}");
}

#[test]
fn a_brief_has_one_task_and_nothing_about_the_others() {
    let (sandbox, _) = in_review();
    let tasks = ids(&sandbox, &["task", "list", "--json"]);
    let brief = sandbox
        .run(&[
            "brief",
            &tasks[2],
            "--role",
            "developer",
            "--context",
            "Task 1 is in user.go.",
        ])
        .ok()
        .out;
    for fact in [
        "Answer 401 for a wrong password.",
        "`login.go`",
        "No new dependency",
        "Task 1 is in user.go.",
        "Report",
    ] {
        assert!(brief.contains(fact), "{fact} is not in:\n{brief}");
    }
    for other in [
        "JWT",
        "Check the signature",
        "Code quality review",
        "users can log in",
    ] {
        assert!(!brief.contains(other), "{other} is in:\n{brief}");
    }
}

#[test]
fn identical_wake_ups_are_reported_as_identical() {
    let (sandbox, _) = in_review();
    let id = || {
        let given = woken(&sandbox, &["--format", "json"]).ok().json();
        given["data"]["id"].as_str().unwrap().to_owned()
    };
    let (first, second) = (id(), id());
    let diff = sandbox.run(&["wakeup", "diff", &first, &second]).ok().out;
    assert_eq!(diff, format!("{first} and {second} are identical.\n"));
}
