//! The contents of a wake-up.

use super::{PLAN, in_review, texts, woken};
use crate::support::sandbox::{SESSION, Sandbox};

#[test]
fn a_session_that_starts_without_open_work_gets_no_wake_up() {
    let sandbox = Sandbox::new();
    assert_eq!(woken(&sandbox, &["--reason", "startup"]).ok().out, "");
    assert_eq!(
        sandbox.run(&["wakeups"]).ok().out,
        "No wake-ups are recorded in this project.\n"
    );
}

#[test]
fn the_design_notes_example_names_the_passed_review_the_subtask_to_close_and_the_next_review() {
    let (sandbox, steps) = in_review();
    let said = "@june Spec review complete. All requirements met, no extras added.";
    sandbox.run(&["say", said, "--as", "spec-reviewer"]).ok();
    let text = woken(&sandbox, &["--reason", "mention"]).ok().out;
    for fact in [
        "All requirements met, no extras added.",
        "@spec-reviewer",
        "\"Spec review\" is in progress",
        "next: \"Code quality review\"",
        steps[1].as_str(),
    ] {
        assert!(text.contains(fact), "{fact} is not in:\n{text}");
    }
    // After a compaction, the wake-up contains everything that the next action needs.
    let text = woken(&sandbox, &["--reason", "compact"]).ok().out;
    for fact in [
        "docs/auth.md",
        "users can log in",
        "No new dependency",
        "Answer 401 for a wrong password.",
        "- [x] Task 1: Add user model",
        "<-- CURRENT",
        "Passwords are hashed with argon2.",
    ] {
        assert!(text.contains(fact), "{fact} is not in:\n{text}");
    }
    // A skill that is not installed takes no space.
    assert!(!text.contains("subagent-driven-development"), "{text}");
    assert!(
        !text.contains("Check the signature of tokens."),
        "only the current task's text:\n{text}"
    );
}

#[test]
fn a_wake_up_never_presents_another_agents_run_as_its_own() {
    let sandbox = Sandbox::new();
    let start = ["start", "decision-critic", "decision=Use Postgres"];
    let step = sandbox.run_in_session(SESSION, "june", &start).ok().step();
    let named = sandbox.run(&["wake", "alice"]).ok().out;
    assert!(!named.contains(step.command()), "{named}");
    let other = sandbox.run_in_session(SESSION, "may", &["wake"]).ok().out;
    assert!(!other.contains(step.command()), "{other}");
    let take = format!(
        "If that session is gone, take the run over: `bugle run resume {}`",
        step.run
    );
    assert!(
        other.contains("The run belongs to @june") && other.contains(&take),
        "{other}"
    );
    let outside = sandbox.run(&["wake"]).ok().out;
    assert!(outside.contains("This run belongs to @june."), "{outside}");
}

#[test]
fn every_wake_up_fits_its_budget_and_keeps_the_position_and_the_command() {
    let (sandbox, steps) = in_review();
    let long = "word ".repeat(4000);
    sandbox.run(&["task", "note", &steps[1], &long]).ok();
    for (client, budget) in [
        ("claude", 9000),
        ("codex", 9000),
        ("claude", 2500),
        ("codex", 1500),
        ("prompt", 800),
    ] {
        let limit = budget.to_string();
        let answer = woken(
            &sandbox,
            &["--client", client, "--budget", &limit, "--explain", "--json"],
        )
        .ok()
        .json();
        let data = &answer["data"];
        assert!(
            data["size"].as_u64().unwrap() <= budget,
            "{client} {budget}: {}",
            data["size"]
        );
        let text = data["text"].as_str().unwrap();
        assert!(
            text.contains("\"Spec review\" is in progress") && text.contains(&steps[1]),
            "{text}"
        );
        let again = woken(
            &sandbox,
            &["--client", client, "--budget", &limit, "--explain", "--json"],
        )
        .ok()
        .json();
        assert_eq!(again, answer, "the same state gives the same bytes");
    }
    let tiny = woken(&sandbox, &["--budget", "10", "--explain", "--json"])
        .ok()
        .json();
    assert!(tiny["data"]["too_small"].as_u64().unwrap() > 10, "{tiny}");
}

#[test]
fn an_agent_that_knows_only_its_wake_ups_finishes_the_plan() {
    let sandbox = Sandbox::new();
    sandbox.write(&sandbox.project().join("docs/auth.md"), PLAN);
    sandbox.run(&["plan", "import", "docs/auth.md"]).ok();
    for _ in 0..10 {
        let text = woken(&sandbox, &[]).ok().out;
        let command = text
            .lines()
            .map(str::trim)
            .find(|line| line.starts_with("bugle task done "));
        let Some(command) = command else { break };
        sandbox.printed(command).ok();
    }
    let tree = sandbox.run(&["task", "list", "--all", "--json"]).ok().json();
    for task in tree["data"]["tasks"].as_array().unwrap() {
        assert_eq!(task["state"], "done", "{task}");
    }
}

#[test]
fn the_current_step_is_included_with_the_command_that_ends_it() {
    let sandbox = Sandbox::new();
    let step = sandbox
        .run_in_session(
            SESSION,
            "june",
            &["start", "decision-critic", "decision=Use Postgres"],
        )
        .ok()
        .step();
    let text = woken(&sandbox, &[]).ok().out;
    assert!(
        text.contains(step.command()) && text.contains("Break down the decision"),
        "{text}"
    );
    let resumed = woken(&sandbox, &["--reason", "resume"]).ok().out;
    assert!(
        resumed.contains(step.command()) && resumed.len() < text.len() / 2,
        "{resumed}"
    );
}

#[test]
fn all_tasks_near_the_current_one_are_counted() {
    let (sandbox, _) = in_review();
    let whole = woken(&sandbox, &["--explain", "--budget", "100000", "--json"])
        .ok()
        .json();
    let lines = |text: &str| {
        text.lines()
            .filter(|line| line.trim_start().starts_with("- ["))
            .count()
    };
    let in_view = lines(whole["data"]["text"].as_str().unwrap());
    let cut = (1_000..6_000).step_by(250).find_map(|budget| {
        let words = ["--explain", "--json", "--budget", &budget.to_string()];
        let answer = woken(&sandbox, &words).ok().json();
        let text = answer["data"]["text"].as_str().unwrap().to_owned();
        text.contains(" nearby tasks are not shown (").then_some(text)
    });
    let cut = cut.unwrap();
    let hidden: usize = cut
        .lines()
        .find_map(|line| line.split(" nearby tasks").next()?.parse().ok())
        .unwrap();
    assert_eq!(hidden + lines(&cut), in_view, "{cut}");
}

#[test]
fn every_dropped_part_is_named_with_the_command_that_shows_it() {
    let (sandbox, _) = in_review();
    let text = woken(&sandbox, &["--budget", "700"]).ok().out;
    let line = text
        .lines()
        .find(|line| line.starts_with("Left out to save space"))
        .unwrap();
    assert!(line.contains("skill"), "{line}");
    let command = line.split('`').nth(1).unwrap();
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    sandbox
        .run(&["say", "@june the spec is ready", "--as", "boss"])
        .ok();
    // The printed command does not mark the message as read.
    for _ in 0..2 {
        let whole = sandbox.run_in_session(SESSION, "june", &words).ok().out;
        assert!(
            whole.contains("Rules from other skills") && !whole.contains("Left out to save"),
            "{whole}"
        );
        assert!(whole.contains("the spec is ready"), "{whole}");
    }
    let inbox = sandbox.run_in_session(SESSION, "june", &["inbox"]).ok().out;
    assert!(inbox.contains("the spec is ready"), "{inbox}");
}

#[test]
fn nothing_is_repeated() {
    let (sandbox, _) = in_review();
    sandbox.write(
        &sandbox.project().join("docs/auth.md"),
        format!("{PLAN}\nOne more line.\n"),
    );
    let text = woken(&sandbox, &["--budget", "100000"]).ok().out;
    for once in ["\"Spec review\" is in progress", "has changed"] {
        assert_eq!(text.matches(once).count(), 1, "{once}:\n{text}");
    }
}

#[test]
fn actors_are_shown_by_kind_and_name() {
    let (sandbox, steps) = in_review();
    sandbox
        .run_in_session(
            SESSION,
            "june",
            &["task", "edit", &steps[1], "--title", "Look at the spec"],
        )
        .ok();
    let text = woken(&sandbox, &["--budget", "100000"]).ok().out;
    assert!(
        text.contains("@june: \"Look at the spec\": renamed: Look at the spec"),
        "{text}"
    );
    assert!(text.contains(" a program outside any session: "), "{text}");
    assert!(!text.contains("@a program") && !text.contains("@agent"), "{text}");
}

#[test]
fn a_bold_line_at_the_top_of_a_plan_names_its_constraints() {
    let sandbox = Sandbox::new();
    let plan = "# Login\n\n**Constraints:**\n- No new dependency\n- Keep the public names\n\n### Task 1: Add it\n\nDo it.\n";
    sandbox.write(&sandbox.project().join("docs/login.md"), plan);
    sandbox.run(&["plan", "import", "docs/login.md"]).ok();
    let text = woken(&sandbox, &[]).ok().out;
    assert!(
        text.contains("Constraints for all tasks in the plan:\n- No new dependency\n- Keep the public names"),
        "{text}"
    );
}

#[test]
fn a_tasks_dependencies_are_shown_by_title_and_id() {
    let sandbox = Sandbox::new();
    let added = sandbox
        .run(&["task", "add", "Ship", "Write", "--json"])
        .ok()
        .json();
    let tasks = texts(&added["data"]["tasks"]);
    let under = ["task", "add", "--under", &tasks[0], "Pack", "Send", "--json"];
    let inner = texts(&sandbox.run(&under).ok().json()["data"]["tasks"]);
    sandbox.run(&["task", "depend", &inner[1], &tasks[1]]).ok();
    sandbox.run(&["task", "start", &inner[0], "--as", "june"]).ok();
    let text = woken(&sandbox, &[]).ok().out;
    let waits = format!("waiting for Write ({})", tasks[1]);
    assert!(text.contains(&waits), "{waits}:\n{text}");
}
