//! What a person does on the page reaches the runs and the agents; what happens elsewhere reaches the page.

use serde_json::json;

use crate::harness::Sandbox;
use crate::page::{Page, VIEWS};
use crate::samples::{ASKING, THREE};

/// A session that speaks and asks.
const SESSION: &str = "CLAUDE_CODE_SESSION_ID";

fn asking() -> (Sandbox, String) {
    let sandbox = Sandbox::with_skill("asking", ASKING);
    let run = sandbox.start(&["asking"]).run;
    (sandbox, run)
}

/// Where a run stands, without what varies.
fn stands(sandbox: &Sandbox, run: &str) -> (String, Option<String>) {
    let (status, _, step) = sandbox.position(run);
    (status, step)
}

#[test]
fn a_decision_on_the_page_reaches_the_run() {
    let (sandbox, run) = asking();
    let page = Page::open(&sandbox);
    let now = page.get("/");
    assert!(now.main().contains("Which way?"), "{}", now.body);
    assert!(now.body.contains("<title>(1) Now · Bugle</title>"));
    let shown = page.get(&format!("/runs/{run}"));
    assert!(shown.main().contains("It waits for you"));
    assert!(
        shown.main().contains("value=\"it&#39;s right\""),
        "{}",
        shown.body
    );
    let confirm = page.get(&format!("/runs/{run}/decide?visit=1&answer=it%27s+right"));
    assert!(
        confirm.main().contains("Answer “it&#39;s right”?"),
        "{}",
        confirm.body
    );
    assert_eq!(
        stands(&sandbox, &run).0,
        "waiting",
        "to look at it decides nothing"
    );

    let fields = [
        ("visit", "1"),
        ("answer", "it's right"),
        ("why", "because of <b>"),
    ];
    let decided = page.post(&format!("/runs/{run}/decide"), &fields);
    assert_eq!(decided.status, 303, "{}", decided.body);
    assert_eq!(
        decided.header("Location"),
        Some(format!("/runs/{run}?done=decide").as_str())
    );
    assert_eq!(
        stands(&sandbox, &run),
        ("waiting".to_owned(), Some("explain".to_owned()))
    );
    let after = page.get(decided.header("Location").unwrap());
    assert!(after.main().contains("Your answer is recorded"));
    assert!(after.main().contains("by <bdi>a person</bdi>"), "{}", after.body);

    // Somebody who still sees the first question does not answer the second with it.
    let late = page.post(
        &format!("/runs/{run}/decide"),
        &[("visit", "1"), ("answer", "left, mostly")],
    );
    assert_eq!(late.status, 409, "{}", late.body);
    let free = page.post(
        &format!("/runs/{run}/decide"),
        &[("visit", "2"), ("answer", "one\r\ntwo")],
    );
    assert_eq!(free.status, 303, "{}", free.body);
    sandbox.verify();
}

#[test]
fn an_answer_that_is_none_of_the_choices_is_refused_with_the_words_of_the_rules() {
    let (sandbox, run) = asking();
    let page = Page::open(&sandbox);
    let refused = page.post(
        &format!("/runs/{run}/decide"),
        &[("visit", "1"), ("answer", "<sideways>")],
    );
    assert_eq!(refused.status, 409);
    assert!(refused.body.contains("The rules do not allow this") && refused.body.contains("left, mostly"));
    assert!(!refused.body.contains("<sideways>"));
    assert_eq!(page.post(&format!("/runs/{run}/decide"), &[]).status, 400);
    assert_eq!(
        stands(&sandbox, &run),
        ("waiting".to_owned(), Some("choose".to_owned()))
    );
}

#[test]
fn a_run_is_paused_resumed_and_rewound_each_after_a_question() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let step = sandbox.start(&["three"]);
    let run = step.run.clone();
    sandbox.report(&step, &json!({ "word": "one" })).ok();
    let page = Page::open(&sandbox);
    let at = |act: &str| format!("/runs/{run}/{act}");
    for act in ["pause", "resume", "rewind?visit=1"] {
        assert!(page.get(&at(act)).main().contains("Leave it as it is"));
    }
    assert_eq!(
        stands(&sandbox, &run),
        ("active".to_owned(), Some("second".to_owned()))
    );
    assert_eq!(page.post(&at("pause"), &[("why", "lunch")]).status, 303);
    assert_eq!(stands(&sandbox, &run).0, "paused");
    assert!(page.get(&format!("/runs/{run}")).main().contains("paused: lunch"));
    assert_eq!(
        page.post(&at("pause"), &[]).status,
        303,
        "to say it again changes nothing"
    );
    assert_eq!(page.post(&at("resume"), &[]).status, 303);
    assert_eq!(stands(&sandbox, &run).0, "active");
    assert_eq!(page.post(&at("rewind"), &[("visit", "1")]).status, 303);
    assert_eq!(
        stands(&sandbox, &run),
        ("active".to_owned(), Some("first".to_owned()))
    );
    assert!(
        page.get(&format!("/runs/{run}"))
            .main()
            .contains("left behind by a rewind")
    );
    assert_eq!(page.post(&at("rewind"), &[("visit", "99")]).status, 409);
    assert_eq!(page.post(&at("rewind"), &[]).status, 400);
    sandbox.verify();
}

#[test]
fn a_question_is_answered_on_the_page_and_the_agent_goes_on() {
    let sandbox = Sandbox::new();
    let backend = |words: &[&str]| sandbox.run_in_session(SESSION, "backend", words).ok();
    backend(&["ask", "@human which port shall it be?"]);
    let page = Page::open(&sandbox);
    let now = page.get("/");
    assert!(now.main().contains("which port shall it be?"), "{}", now.body);
    let hidden = |name: &str| {
        let rest = now
            .body
            .split(&format!("name=\"{name}\" value=\""))
            .nth(1)
            .unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    let (project, question) = (hidden("project"), hidden("question"));
    let fields = [
        ("project", project.as_str()),
        ("question", &question),
        ("back", "//evil.example"),
        ("text", "7717"),
    ];
    let answered = page.post("/answer", &fields);
    assert_eq!(
        answered.header("Location"),
        Some("/?done=answer"),
        "{}",
        answered.body
    );
    assert!(backend(&["inbox"]).out.contains("7717"));
    let after = page.get("/");
    assert!(
        after.main().contains("Nothing. No agent has asked you anything"),
        "{}",
        after.body
    );
    assert_eq!(
        page.post("/answer", &fields).status,
        400,
        "it is answered already"
    );
}

#[test]
fn what_a_person_writes_on_a_channel_reaches_who_is_mentioned_there() {
    let sandbox = Sandbox::new();
    sandbox.git_init();
    sandbox.tool(
        &sandbox.project(),
        "git",
        &["checkout", "--quiet", "-b", "feature/login"],
    );
    let backend = |words: &[&str]| sandbox.run_in_session(SESSION, "backend", words).ok();
    backend(&["say", "I begin with the login"]);
    sandbox.tool(&sandbox.project(), "git", &["checkout", "--quiet", "-b", "other"]);
    let page = Page::open(&sandbox);
    let channels = page.get("/channels");
    assert!(
        channels.main().contains("I begin with the login"),
        "{}",
        channels.body
    );
    let rest = channels.body.split("name=\"project\" value=\"").nth(1).unwrap();
    let project = rest.split('"').next().unwrap();
    let fields = [
        ("project", project),
        ("branch", "feature/login"),
        ("text", "@backend\r\nmind the <tests> & \"all\""),
    ];
    let said = page.post("/say", &fields);
    assert_eq!(said.status, 303, "{}", said.body);
    let there = page.get(said.header("Location").unwrap());
    assert!(
        there
            .main()
            .contains("@backend\nmind the &lt;tests&gt; &amp; &quot;all&quot;"),
        "{}",
        there.body
    );
    let inbox = backend(&["inbox", "--json"]).json();
    assert_eq!(
        inbox["data"]["unread"][0]["text"],
        "@backend\nmind the <tests> & \"all\""
    );
    assert_eq!(inbox["data"]["unread"][0]["from_here"], "human");
    assert_eq!(
        page.post("/say", &[("project", project), ("branch", "x"), ("text", "  ")])
            .status,
        400
    );
    assert_eq!(
        page.post("/say", &[("project", "p-no"), ("branch", "x"), ("text", "y")])
            .status,
        404
    );
}

#[test]
fn a_page_is_told_when_another_process_has_changed_something() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let page = Page::open(&sandbox);
    let mut one = page.listen();
    let mut other = page.listen();
    let step = sandbox.start(&["three"]);
    one.hears("changed");
    other.hears("changed");
    assert!(page.get("/").main().contains(&step.run));
    sandbox.report(&step, &json!({ "word": "one" })).ok();
    one.hears("changed");
    assert!(page.get("/").main().contains("second"));
}

#[test]
fn a_store_that_goes_away_is_said_plainly_is_not_made_anew_and_is_seen_when_it_is_back() {
    let (sandbox, run) = asking();
    let page = Page::open(&sandbox);
    let mut told = page.listen();
    let (store, away) = (sandbox.bugle_home(), sandbox.root().join("away"));
    std::fs::rename(&store, &away).unwrap();
    told.hears("gone");
    for path in VIEWS.into_iter().chain([format!("/runs/{run}").as_str()]) {
        let reply = page.get(path);
        assert_eq!(reply.status, 503, "{path}");
        assert!(reply.body.contains("The store cannot be read"), "{}", reply.body);
        assert!(reply.body.contains("bugle.db"), "{}", reply.body);
    }
    assert_eq!(page.post(&format!("/runs/{run}/pause"), &[]).status, 503);
    assert!(!store.exists(), "nothing was made");
    std::fs::rename(&away, &store).unwrap();
    told.hears("changed");
    assert!(page.get("/").main().contains("Which way?"));

    // Another file takes its place, and nothing of the old one is left.
    let other = sandbox.root().join("other");
    std::fs::write(&other, "this is no database, and never was one").unwrap();
    for beside in ["bugle.db-wal", "bugle.db-shm"] {
        let _ = std::fs::remove_file(store.join(beside));
    }
    std::fs::rename(&other, sandbox.database()).unwrap();
    assert_eq!(page.get("/").status, 503);
}

#[test]
fn whoever_started_the_page_it_is_the_person_who_acts() {
    let (sandbox, run) = asking();
    let mut command = sandbox.bugle(&["ui", "--port", "0", "--no-open"]);
    command.env(SESSION, "some-agent").env("USER", "ada");
    let page = Page::of(command);
    assert_eq!(page.post(&format!("/runs/{run}/pause"), &[]).status, 303);
    assert!(
        page.get(&format!("/runs/{run}"))
            .main()
            .contains("by <bdi>ada</bdi>")
    );
}
