//! Help and the most frequent errors, as users see them.

use std::fmt::Write as _;

use bugle_testkit::terminal::Terminal;
use serde_json::json;

use crate::support::sandbox::{Answer, Sandbox, answer, answer_with_input};
use crate::support::workflows::ASKING;

const WORKFLOW: &str = "\
version: 1
steps:
  collect:
    title: Collect the facts
    do: Collect the facts.
    result:
      facts: { type: array, items: string, min: 1 }
    next: report
  report: { title: Report, do: Report the facts., next: end }
";

/// Commands with their complete output. Text that differs between runs is replaced by a stable name.
#[derive(Default)]
struct Screens {
    text: String,
    names: Vec<(String, String)>,
}

impl Screens {
    fn rename(&mut self, actual: &str, stable: &str) {
        self.names.push((actual.to_owned(), stable.to_owned()));
    }

    fn add(&mut self, command: &str, answer: &Answer) {
        let code = answer.code.unwrap_or(-1);
        let _ = writeln!(
            self.text,
            "$ {command}\n{}{}[exit {code}]\n",
            answer.out, answer.err
        );
    }

    fn text(mut self) -> String {
        for (actual, stable) in &self.names {
            self.text = self.text.replace(actual, stable);
        }
        self.text
    }
}

fn printed(sandbox: &Sandbox, words: &[&str]) -> Answer {
    answer(&mut sandbox.bugle(words))
}

#[test]
fn help_is_grouped_and_has_examples() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!("help", printed(&sandbox, &["--help"]).ok().out);
    assert_eq!(
        printed(&sandbox, &["help"]).ok().out,
        printed(&sandbox, &["-h"]).ok().out
    );
    insta::assert_snapshot!("help_all", printed(&sandbox, &["help", "all"]).ok().out);
    let mut screens = Screens::default();
    for words in [
        ["help", "start"].as_slice(),
        &["done", "--help"],
        &["run", "-h"],
        &["help", "task", "claim"],
        // An old name shows the help of the command that replaced it.
        &["help", "findings"],
        // Clients call this command, but people can ask what it does.
        &["hook", "--help"],
    ] {
        screens.add(&format!("bugle {}", words.join(" ")), &printed(&sandbox, words));
    }
    insta::assert_snapshot!("help_of_commands", screens.text());
    assert!(!sandbox.bugle_home().exists(), "help creates no store");
}

#[test]
fn frequent_errors_say_what_failed_why_and_what_to_do() {
    let sandbox = Sandbox::with_skill("facts", WORKFLOW);
    let mut screens = Screens::default();
    screens.rename(sandbox.root().to_str().unwrap(), "/sandbox");
    let show = |screens: &mut Screens, words: &[&str]| {
        let quoted = words.iter().map(|word| {
            if word.contains([' ', '#']) || word.is_empty() {
                format!("'{word}'")
            } else {
                (*word).to_owned()
            }
        });
        let line = format!("bugle {}", quoted.collect::<Vec<_>>().join(" "));
        screens.add(&line, &printed(&sandbox, words));
    };
    for words in [
        ["strat", "planner"].as_slice(),
        &["start", "plannr"],
        &["start", "nothing-like-it"],
        &["start", "d"],
        &["start", "decision-critic"],
        &["start", "decision-critic", "Move it"],
        &["start", "decision-critic", "choice=Move it"],
        &["step"],
        &["step", "r-zzzzzz"],
        &["done", "7"],
        &["task", "show", "t-zzzzzzzz"],
        &["plan", "import", "docs/plan.md"],
        &["say", " "],
        &["ask", "Which database?"],
        &["answer", "Postgres"],
        &["agent", "show", "reviewer"],
        &["agent", "logs", "reviewer"],
        &["setup", "emacs"],
        &["setup"],
        &["task", "shwo", "t-1"],
        &["skill", "check", "fact.yaml"],
        &["trust", "facts"],
        &["-C", "/no/such/folder", "status"],
        &["--json", "step", "r-zzzzzz"],
    ] {
        show(&mut screens, words);
    }
    let run = sandbox.start(&["facts"]).run;
    screens.rename(&run, "r-000001");
    let first = format!("{run}#1");
    sandbox.write(&sandbox.project().join("docs/notes.md"), "# Notes\n\nNo tasks.\n");
    for words in [
        ["done", &first].as_slice(),
        &["done", &first, "--result", "{"],
        &["done", &first, "--result", "{\"facts\": []}"],
        &["done", &format!("{run}#2")],
        &["decide", &run, "yes"],
        &["run", "resume", "r-"],
        &["plan", "import", "docs/notes.md"],
    ] {
        let words: Vec<&str> = words.iter().copied().chain(["--format", "text"]).collect();
        show(&mut screens, &words);
    }
    insta::assert_snapshot!("errors", screens.text());
}

#[test]
fn the_status_names_the_project_of_work_in_other_projects() {
    let sandbox = Sandbox::with_skill("facts", WORKFLOW);
    let run = sandbox.start(&["facts"]).run;
    sandbox.run(&["run", "pause", &run]).ok();
    let here = sandbox.run(&["status"]).ok().out;
    assert!(here.contains("  facts is paused\n"), "{here}");
    let elsewhere = sandbox.run_in(&sandbox.elsewhere(), &["status"]).ok().out;
    assert!(elsewhere.contains("  project: facts is paused\n"), "{elsewhere}");
}

#[test]
fn the_status_shows_how_to_answer_a_waiting_run() {
    let sandbox = Sandbox::with_skill("asking", ASKING);
    let choose = sandbox.start(&["asking"]);
    let status = sandbox.run(&["status"]).ok().out;
    for choice in &choose.choices {
        assert!(status.contains(&format!("  {}  ", choice.command)), "{status}");
        assert!(
            status.contains(&format!("Answer \"{}\".\n", choice.answer)),
            "{status}"
        );
    }
    let explain = sandbox.printed(&choose.choices[1].command).ok().step();
    let status = sandbox.run(&["status"]).ok().out;
    assert!(
        status.contains(&format!(
            "  bugle decide '{}' \"TEXT\"  asking asks: Why",
            explain.visit
        )),
        "{status}"
    );
    let mut answer = sandbox.bugle(&["decide", &explain.visit, "-"]);
    let next = answer_with_input(&mut answer, b"It is open.\n").ok().step();
    assert_eq!(next.step, "attempt");
}

#[test]
fn the_status_names_the_agent_and_purpose_of_a_waiting_run_and_suggests_only_own_runs() {
    let skill = "version: 1\nparams:\n  topic: { type: string, required: true }\nsteps:\n  ask:\n    title: Ask\n    do: Ask.\n    ask: { question: \"Which of the two ways do you prefer for this page, given that the first one is slower but much simpler to undo? Both teams have tried both ways on a small page before, and none of them found a fault.\" }\n    next: work\n  work: { title: Work, do: Work., next: end }\n";
    let sandbox = Sandbox::with_skill("asking", skill);
    let step = sandbox.start(&["asking", "topic=Login page", "--as", "anna"]);
    let status = sandbox.run(&["status"]).ok().out;
    // The lines are wrapped.
    let words = status.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in [
        "@anna's asking (Login page) asks: Which of the two ways",
        " none of them found a fault. Replace TEXT with your answer. bugle step ",
        "Show the whole question.",
        "@anna, Login page",
    ] {
        assert!(words.contains(text), "{text}: {status}");
    }
    assert!(
        status.contains(&format!("  bugle step {} ", step.run)),
        "{status}"
    );
    let decide = ["decide", step.visit.as_str(), "TEXT"];
    sandbox
        .run_as_person(&decide)
        .fails(2, "Replace TEXT with your answer");
    let answered = sandbox
        .run_as_person(&["decide", step.visit.as_str(), "The first"])
        .ok()
        .out;
    let tell = "Tell @anna to continue, in its client or with: bugle say '@anna continue'\n";
    assert!(answered.ends_with(tell), "{answered}");
    let offered = format!("bugle step {}", step.run);
    let next_of = |words: &[&str]| sandbox.run(words).ok().out.contains(&offered);
    assert!(next_of(&["status", "--as", "anna"]));
    assert!(!next_of(&["status", "--as", "ben"]) && !next_of(&["status"]));
    let list = sandbox.run(&["run", "list"]).ok().out;
    assert!(list.contains("  @anna, Login page\n"), "{list}");
}

#[test]
fn the_status_offers_the_result_of_the_last_run_when_nothing_is_open() {
    let sandbox = Sandbox::with_skill("facts", WORKFLOW);
    let step = sandbox.start(&["facts"]);
    let next = sandbox
        .report(&step, &json!({ "facts": ["one\ntwo"] }))
        .ok()
        .step();
    sandbox.printed(next.command()).ok();
    let status = sandbox.run(&["status"]).ok().out;
    let offered = format!(
        "bugle run show {}  see the result of facts (completed)\n",
        step.run
    );
    assert!(status.contains(&offered), "{status}");
    let shown = sandbox.run(&["run", "show", &step.run]).ok().out;
    let (result, timeline) = shown
        .split_once("Result of collect")
        .unwrap()
        .1
        .split_once("started facts")
        .unwrap();
    assert!(result.contains("facts:\n    - one\n      two\n"), "{result}");
    assert!(timeline.contains("completed"), "{timeline}");
}

#[test]
fn a_person_sees_a_waiting_question_once_with_the_commands_that_answer_it() {
    let skill = "version: 1\nsteps:\n  ask:\n    title: Pick a name\n    do: Put this to the user.\n    tools: { deny: [Edit] }\n    ask: { question: \"First paragraph.\\n\\nWhich name?\" }\n    next: end\n";
    let sandbox = Sandbox::with_skill("asking", skill);
    let step = sandbox.start(&["asking"]);
    let mut terminal = Terminal::start(&sandbox.bugle(&["step", &step.run]), (100, 30));
    assert!(terminal.end().success());
    let screen = terminal.text();
    for text in [
        "First paragraph.",
        "Which name?",
        &format!("bugle decide '{}' \"TEXT\"", step.visit),
    ] {
        assert_eq!(screen.matches(text).count(), 1, "{text}: {screen}");
    }
    for text in [
        "Put this to the user",
        "Do not use these tools",
        "Write the answer to",
    ] {
        assert!(!screen.contains(text), "{text}: {screen}");
    }
}

#[test]
fn a_command_for_a_run_and_one_for_a_message_name_each_other() {
    let sandbox = Sandbox::with_skill("facts", WORKFLOW);
    let run = sandbox.start(&["facts"]).run;
    sandbox
        .run_as_person(&["decide", "m-abc123", "yes"])
        .fails(2, "`bugle answer m-abc123`");
    sandbox
        .run_as_person(&["answer", &run, "yes"])
        .fails(2, &format!("`bugle decide '{run}'`"));
}

#[test]
fn an_unknown_command_with_json_is_a_json_error_like_any_other() {
    let sandbox = Sandbox::new();
    let keys = |words: &[&str], exit: i32| {
        let answer = sandbox.run(words).exits(exit);
        assert_eq!(answer.err, "");
        let error = answer.json();
        let keys: Vec<String> = error["data"].as_object().unwrap().keys().cloned().collect();
        (error["kind"].clone(), keys, error)
    };
    let (kind, known, _) = keys(&["run", "show", "r-zzzzzz", "--json"], 4);
    let (unknown_kind, unknown, error) = keys(&["statsu", "--json"], 2);
    assert_eq!((unknown_kind, unknown), (kind, known));
    assert_eq!(error["data"]["message"], "unrecognized subcommand 'statsu'");
    keys(&["--format", "json", "task", "show"], 2);
}
