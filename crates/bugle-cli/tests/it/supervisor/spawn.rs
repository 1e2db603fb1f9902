//! Spawned agents: access, limits, questions and notifications.

use std::fs;

use crate::support::agent_project::Place;
use crate::support::executable::write_executable;

#[test]
fn access_is_passed_as_the_clients_own_arguments() {
    let place = Place::new();
    let spawn = ["spawn", "claude", "a", "--name", "star", "--sandbox", "write"];
    place.sandbox.run(&spawn).ok();
    place.sandbox.run(&["prompt", "star", "go on"]).ok();
    for call in place.calls() {
        assert!(call.words.contains("--permission-mode acceptEdits"), "{call:?}");
    }
    for (words, hint) in [
        (
            ["claude", "a", "--sandbox", "some"].as_slice(),
            "read, write, full",
        ),
        (&["emacs", "a"], "claude, codex, gemini, opencode"),
    ] {
        let refused = place.sandbox.run(&[&["spawn"], words].concat()).exits(2);
        assert!(refused.err.contains(hint), "{refused:?}");
    }
    place
        .sandbox
        .run(&["spawn", "claude", " "])
        .fails(2, "the task is empty");
}

#[test]
fn an_agent_that_asks_is_blocked_and_the_answer_resumes_its_session() {
    let place = Place::new();
    place.say("lead", "I am here.");
    place.behave("bugle ask '@lead which port?' > /dev/null; rm \"$HOME/behaviour\"");
    place.spawn("star", "Open a port.", &["--detach"]);
    place.supervise_once();
    assert_eq!(place.status("star"), "blocked");
    let session = place.session("star");
    assert_eq!(place.unread("lead"), 1);
    // Other messages wait for the answer.
    place.say("moon", "@star by the way");
    place.supervise_once();
    assert_eq!(place.calls().len(), 1);
    place.sandbox.run(&["answer", "8080", "--as", "lead"]).ok();
    place.supervise_once();
    let calls = place.calls();
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert!(
        calls[1].words.ends_with(&format!("--resume {session}")),
        "{calls:?}"
    );
    for text in ["8080", "by the way"] {
        assert_eq!(calls[1].prompt.matches(text).count(), 1, "{calls:?}");
    }
    assert_ne!(place.status("star"), "blocked");
}

#[test]
fn a_limit_stops_wake_ups_and_is_reported_once() {
    let place = Place::new();
    place.settings("supervisor: by-hand\nlimits: { agent: { wakeups: 2 } }\n");
    place.spawn("star", "a", &[]);
    for number in 1..=3 {
        let text = format!("@star message number {number}");
        place.say("lead", &text);
        place.supervise_once();
    }
    assert_eq!(place.calls().len(), 2, "started once, woken once");
    assert_eq!(place.unread("star"), 2, "nothing is lost");
    let told = place.told();
    let about = told.iter().filter(|text| text.contains("has reached a limit"));
    assert_eq!(about.count(), 1, "{told:?}");
    place
        .sandbox
        .run(&["prompt", "star", "go on"])
        .fails(3, "limit reached");
    // After the limit is raised, the rest is delivered.
    place.settings("supervisor: by-hand\nlimits: { agent: { wakeups: 3 } }\n");
    place.supervise_once();
    assert_eq!(place.unread("star"), 0);
}

#[test]
fn a_run_has_limits_on_agents_and_cost() {
    let place = Place::new();
    place.settings("supervisor: by-hand\nlimits: { run: { agents: 2, cost: 1.20 } }\n");
    let lead = |words: &[&str]| {
        place
            .sandbox
            .run_in_session("CLAUDE_CODE_SESSION_ID", "the-lead", words)
    };
    lead(&["start", "deepthink", "question=What is time?"]).ok();
    // Each agent costs half a dollar.
    for name in ["sun", "moon"] {
        lead(&["spawn", "claude", "a", "--name", name]).ok();
    }
    lead(&["spawn", "claude", "a", "--name", "star"]).fails(3, "limit reached");
    assert_eq!(place.calls().len(), 2);
    lead(&["prompt", "sun", "go on"]).ok();
    lead(&["prompt", "moon", "go on"]).fails(3, "limit reached");
    let told = place.told();
    let about = told.iter().filter(|text| text.contains("has reached a limit"));
    assert_eq!(about.count(), 2, "one message per limit: {told:?}");
}

#[test]
fn only_a_person_or_an_orchestrator_starts_agents() {
    let place = Place::new();
    place.behave(
        "bugle agent spawn claude deeper --name deep > \"$HOME/refused\" 2>&1; rm \"$HOME/behaviour\"",
    );
    place.spawn("star", "a", &["--role", "developer"]);
    let refused = fs::read_to_string(place.sandbox.home().join("refused")).unwrap();
    assert!(
        refused.contains("only an orchestrator can start agents"),
        "{refused}"
    );
    assert_eq!(place.calls().len(), 1);
}

#[test]
fn an_orchestrator_cannot_start_agents_with_more_access_than_its_own() {
    let place = Place::new();
    place.behave(
        "rm \"$HOME/behaviour\"; bugle agent spawn claude deeper --name deep > \"$HOME/first\" 2>&1; \
         bugle agent spawn claude deeper --sandbox full > \"$HOME/more\" 2>&1; \
         bugle agent spawn claude deeper -- --model big > \"$HOME/arguments\" 2>&1",
    );
    place.spawn("star", "a", &["--role", "orchestrator", "--sandbox", "read"]);
    let printed = |file: &str| fs::read_to_string(place.sandbox.home().join(file)).unwrap();
    for (file, refusal) in [
        (
            "more",
            "your own access is read, so the agents that you start cannot have more",
        ),
        (
            "arguments",
            "your own access is read, so you cannot pass arguments to a client",
        ),
    ] {
        assert!(printed(file).contains(refusal), "{}", printed(file));
    }
    // Without `--sandbox`, the new agent has the access of the agent that starts it.
    let calls = place.calls();
    assert_eq!(calls.len(), 2, "{calls:?}: {}", printed("first"));
    for call in calls {
        assert!(call.words.contains("--permission-mode default"), "{call:?}");
    }
}

#[test]
fn the_notification_command_receives_the_message() {
    let place = Place::new();
    let heard = place.pipe("heard");
    place.settings(&format!(
        "supervisor: by-hand\nnotify: [sh, -c, 'printf \"%s: \" \"$BUGLE_FROM\" | cat - > {0}.part; cat >> {0}.part; cat {0}.part > {0}']\n",
        heard.display()
    ));
    place
        .sandbox
        .run(&["ask", "@human which colour?", "--as", "star"])
        .ok();
    let text = fs::read_to_string(&heard).unwrap();
    assert!(text.ends_with(":star: @human which colour?"), "{text}");
    // A missing command is logged and stops no agent.
    place.settings("notify: [no-such-command]\n");
    place.say("star", "@human hello");
    let log = fs::read_to_string(place.sandbox.bugle_home().join("hook.log")).unwrap();
    assert!(log.contains("notify: no-such-command"), "{log}");
    // A project's settings must not choose a command that runs on this machine.
    let own = place.sandbox.project().join(".bugle/config.yaml");
    place.sandbox.write(&own, "notify: [sh, -c, 'echo bad']\n");
    place.sandbox.run(&["spawn", "claude", "a"]).fails(
        3,
        "line 1: `notify` is allowed only in the settings in Bugle's home, not in project settings",
    );
}

#[test]
fn a_lost_session_is_reported_and_can_be_started_again() {
    let place = Place::new();
    place.spawn("star", "Count the stars.", &[]);
    let whole = fs::read_to_string(place.program("claude")).unwrap();
    let broken = whole.replace(
        "mkdir -p",
        "case \"$*\" in *--resume*) echo 'No conversation found' >&2; exit 1 ;; esac\nmkdir -p",
    );
    write_executable(&place.program("claude"), &broken);
    place.say("lead", "@star hello");
    place.supervise_once();
    assert_eq!(place.unread("star"), 1);
    let told = place.told();
    let about = told
        .iter()
        .find(|text| text.contains("No conversation found"))
        .unwrap();
    assert!(about.contains("bugle agent recover star"), "{about}");
    assert_eq!(place.sandbox.run(&["recover", "star"]).ok().out, "All done.\n");
    let calls = place.calls();
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert!(calls[1].words.contains("--session-id"), "{calls:?}");
    for text in ["Count the stars.", "hello"] {
        assert!(calls[1].prompt.contains(text), "{calls:?}");
    }
    assert_eq!(place.unread("star"), 0);
}

#[test]
fn a_supervisor_starts_on_demand_and_yields_to_one_that_a_person_starts() {
    let place = Place::new();
    place.settings("supervisor: on-demand\n");
    let (began, release) = (place.pipe("began"), place.pipe("go-on"));
    place.behave("echo > \"$HOME/began\"; cat \"$HOME/go-on\"");
    place.spawn("star", "a", &["--detach"]);
    fs::read(&began).unwrap();
    // A supervisor that a person starts replaces the running one, and the agent keeps running.
    let mut supervisor = place.supervisor();
    assert_eq!(place.status("star"), "busy");
    fs::write(&release, "").unwrap();
    place.say("lead", "@star once more");
    fs::read(&began).unwrap();
    supervisor.kill().unwrap();
    supervisor.wait().unwrap();
    // No supervisor is running. A message starts one.
    place.say("lead", "@star and again");
    fs::write(&release, "").unwrap();
    fs::read(&began).unwrap();
    fs::write(&release, "").unwrap();
    let calls = place.calls();
    assert_eq!(calls.len(), 3, "{calls:?}");
    assert!(calls[2].prompt.contains("and again"), "{calls:?}");
    // The supervisor ends by itself, so the next one can start.
    place.settings("supervisor: by-hand\n");
    place.supervise_once();
}

#[test]
fn a_clients_fast_output_is_not_lost() {
    const LINES: usize = 20_000;
    let place = Place::new();
    place.behave(&format!(
        "n=0; while [ $n -lt {LINES} ]; do n=$((n+1)); echo '{{\"type\":\"assistant\",\"message\":{{\"content\":[{{\"type\":\"text\",\"text\":\"line '$n' of many\"}}]}}}}'; done"
    ));
    place.spawn("star", "a", &[]);
    let log = place.agent("star")["log"].as_str().unwrap().to_owned();
    let kept = fs::read_to_string(log).unwrap();
    assert_eq!(kept.matches(" of many").count(), LINES);
    let last = place.sandbox.run(&["logs", "star", "--tail", "4"]).ok().out;
    assert!(
        last.contains(&format!("line {LINES} of many")) && last.contains("All done."),
        "{last}"
    );
    assert_eq!(place.sandbox.run(&["result", "star"]).ok().out, "All done.\n");
}

#[test]
fn the_log_of_an_agent_that_never_stops_printing_is_bounded() {
    const MEGABYTES: usize = 70;
    let place = Place::new();
    place.behave(&format!(
        "n=0; while [ $n -lt {MEGABYTES} ]; do n=$((n+1)); head -c 1000000 /dev/zero | tr '\\0' x; echo; done"
    ));
    place.spawn("star", "a", &[]);
    let log = place.agent("star")["log"].as_str().unwrap().to_owned();
    let length = |file: &str| fs::metadata(file).unwrap().len();
    let (older, newer) = (length(&format!("{log}.1")), length(&log));
    assert!(older.max(newer) <= 32 * 1024 * 1024, "{older} {newer}");
    let last = place.sandbox.run(&["logs", "star", "--tail", "2"]).ok().out;
    assert!(last.contains("All done."), "{last}");
    assert_eq!(place.sandbox.run(&["result", "star"]).ok().out, "All done.\n");
}

#[test]
fn reserved_names_are_refused_and_an_agent_is_on_the_branch_of_its_terminal() {
    let place = Place::new();
    place.sandbox.git_init();
    for name in ["human", "all", "bugle", "a:b"] {
        let refused = place
            .sandbox
            .run(&["spawn", "claude", "a", "--name", name])
            .exits(2);
        assert!(refused.err.contains(name), "{refused:?}");
    }
    // A person at a terminal has no branch; the agents they start do.
    let project = place.sandbox.project();
    let line = "bugle agent spawn claude a --name star; bugle say '@star how is it going?'";
    place
        .sandbox
        .tool(&project, "script", &["-qec", line, "/dev/null"])
        .ok();
    let agent = place.agent("star");
    let address = agent["agent"]["address"].as_str().unwrap();
    assert!(!address.contains(":-:"), "{address}");
    assert_eq!(place.unread("star"), 1);
}

#[test]
fn a_question_is_delivered_with_the_command_that_answers_it() {
    let place = Place::new();
    place.spawn("star", "a", &[]);
    let asked = place
        .sandbox
        .run(&["ask", "@star which port?", "--as", "lead", "--json"])
        .ok()
        .json();
    let id = asked["data"]["message"]["id"].as_str().unwrap();
    place.supervise_once();
    let calls = place.calls();
    assert!(calls[1].prompt.contains("**@lead asks you**"), "{calls:?}");
    assert!(
        calls[1].prompt.contains(&format!("`bugle answer {id} -`")),
        "{calls:?}"
    );
}

#[test]
fn unreadable_limits_prevent_agents_from_starting() {
    let place = Place::new();
    for (settings, words) in [
        ("limits: [\n", "cannot read the limits"),
        ("limits: { agent: { wakeup: 3 } }\n", "wakeup"),
        ("limits: { agent: { wakeups: 0 } }\n", "0 of 0 wake-ups"),
    ] {
        place.settings(settings);
        place.sandbox.run(&["spawn", "claude", "a"]).fails(3, words);
    }
    assert_eq!(place.calls().len(), 0);
}

#[test]
fn a_prompt_that_a_supervisor_stopped_is_delivered_by_the_next() {
    let place = Place::new();
    place.spawn("star", "a", &[]);
    // A client that has not reported its session yet has not received its prompt.
    let began = place.pipe("began");
    let whole = fs::read_to_string(place.program("claude")).unwrap();
    write_executable(
        &place.program("claude"),
        &whole.replace("mkdir -p", "echo > \"$HOME/began\"; sleep 600\nmkdir -p"),
    );
    let mut supervisor = place.supervisor();
    place.say("lead", "@star hello");
    fs::read(&began).unwrap();
    crate::support::agent_project::signal(&supervisor, "-TERM");
    assert!(supervisor.wait().unwrap().success());
    assert_eq!(place.unread("star"), 1);
    write_executable(&place.program("claude"), &whole);
    place.supervise_once();
    assert_eq!(place.unread("star"), 0);
    assert!(place.calls()[1].prompt.contains("hello"));
}
