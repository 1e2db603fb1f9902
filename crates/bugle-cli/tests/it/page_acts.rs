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
    assert!(
        after.main().contains("ended ok: because of &lt;b&gt;"),
        "the reason is kept: {}",
        after.body
    );
    let agent = sandbox.run(&["step", &run]).ok().step();
    assert!(agent.notices[0].contains("because of <b>"), "{agent:?}");

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
    assert_eq!(answered.header("Location"), Some("/?told=1"), "{}", answered.body);
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
fn on_the_page_it_is_the_person_who_acts() {
    let (sandbox, run) = asking();
    let mut command = sandbox.bugle(&["ui", "--port", "0", "--no-open"]);
    command.env("USER", "ada");
    let page = Page::of(command);
    assert_eq!(page.post(&format!("/runs/{run}/pause"), &[]).status, 303);
    assert!(
        page.get(&format!("/runs/{run}"))
            .main()
            .contains("by <bdi>ada</bdi>")
    );
}

/// The value of a hidden field in a page.
fn hidden(body: &str, name: &str) -> String {
    let rest = body.split(&format!("name=\"{name}\" value=\"")).nth(1);
    let rest = rest.unwrap_or_else(|| panic!("no field {name}: {body}"));
    rest.split('"').next().unwrap().replace("&amp;", "&")
}

#[test]
fn only_what_would_be_taken_can_be_confirmed() {
    let (sandbox, run) = asking();
    let page = Page::open(&sandbox);
    for question in ["visit=1&answer=maybe", "visit=7&answer=left%2C+mostly"] {
        let refused = page.get(&format!("/runs/{run}/decide?{question}"));
        assert_eq!(refused.status, 409, "{}", refused.body);
        assert!(
            refused.body.contains(&format!("href=\"/runs/{run}\">Go back")),
            "{}",
            refused.body
        );
    }
    sandbox.run(&["decide", &run, "it's right"]).ok();
    let old = page.get(&format!("/runs/{run}/decide?visit=1&answer=it%27s+right"));
    assert_eq!(old.status, 409, "{}", old.body);
}

#[test]
fn a_decision_about_a_review_says_what_follows_and_needs_a_reason() {
    let sandbox = crate::gates::reviewed();
    let waiting = crate::gates::at_the_limit(&sandbox);
    let run = &waiting.run;
    let visit = waiting.visit.split('#').nth(1).unwrap();
    let page = Page::open(&sandbox);
    let shown = page.get(&format!("/runs/{run}"));
    let asked = shown.main().split("id=\"decision\"").nth(1).unwrap();
    let asked = asked.split("</section>").next().unwrap();
    assert!(
        !asked.contains("bugle findings") && asked.contains("href=\"#reviews\""),
        "{asked}"
    );
    assert!(asked.contains("value=\"abort\" class=\"ends\""), "{asked}");
    let at = |answer: &str| format!("/runs/{run}/decide?visit={visit}&answer={answer}");
    let confirm = page.get(&at("abort"));
    assert!(
        confirm.main().contains("The run is given up."),
        "{}",
        confirm.body
    );
    assert!(!confirm.main().contains("goes on"), "{}", confirm.body);
    assert!(
        confirm.main().contains("name=\"why\" rows=\"3\" required>"),
        "{}",
        confirm.body
    );
    // Whoever gives no reason all the same comes back to the form, and reads nothing of files.
    let back = hidden(&confirm.body, "back");
    let fields = [
        ("visit", visit),
        ("answer", "abort"),
        ("why", "  "),
        ("back", &back),
    ];
    let refused = page.post(&format!("/runs/{run}/decide"), &fields);
    assert_eq!(refused.status, 409, "{}", refused.body);
    assert!(refused.body.contains("The reason is empty."), "{}", refused.body);
    assert!(!refused.body.contains(".txt"), "{}", refused.body);
    assert!(
        refused.body.contains(&at("abort").replace('&', "&amp;")),
        "{}",
        refused.body
    );
    let fields = [
        ("visit", visit),
        ("answer", "continue"),
        ("why", "one more round"),
    ];
    let mending = page.post(&format!("/runs/{run}/decide"), &fields);
    assert_eq!(mending.status, 303, "{}", mending.body);
    let gate = crate::gates::up_to_review(&sandbox, &sandbox.run(&["step", run]).ok().step());
    let judged = crate::gates::judge(&sandbox, &gate, &[crate::gates::finding("could", "naming")]);
    sandbox.printed(&judged.command).ok();
    let shown = page.get(&format!("/runs/{run}"));
    assert!(
        shown.main().contains("review 6, beyond the limit of 5"),
        "{}",
        shown.body
    );
}

#[test]
fn a_run_that_is_given_up_on_the_page_is_said_to_be() {
    let sandbox = crate::gates::reviewed();
    let waiting = crate::gates::at_the_limit(&sandbox);
    let run = &waiting.run;
    let visit = waiting.visit.split('#').nth(1).unwrap();
    let page = Page::open(&sandbox);
    let finding = page.get(&format!("/runs/{run}/accept?visit={visit}&finding=1"));
    assert!(finding.main().contains("it accepts anything"), "{}", finding.body);
    assert_eq!(
        page.get(&format!("/runs/{run}/accept?visit={visit}&finding=9"))
            .status,
        404
    );
    let fields = [("visit", visit), ("finding", "1"), ("why", "known")];
    assert_eq!(page.post(&format!("/runs/{run}/accept"), &fields).status, 303);
    let timeline = sandbox.run(&["show", run]).ok().out;
    assert!(
        timeline.contains("accepted as a risk: 1 finding: known"),
        "{timeline}"
    );
    let shown = page.get(&format!("/runs/{run}"));
    assert!(shown.main().contains("taken as a risk</span>"), "{}", shown.body);
    assert!(!shown.main().contains("Take it as a risk"), "{}", shown.body);
    // With the last finding the gate is decided: another one is given up.
    let waiting = crate::gates::at_the_limit(&sandbox);
    let run = &waiting.run;
    let visit = waiting.visit.split('#').nth(1).unwrap();
    let fields = [("visit", visit), ("answer", "abort"), ("why", "no time")];
    let given_up = page.post(&format!("/runs/{run}/decide"), &fields);
    let after = page.get(given_up.header("Location").unwrap());
    assert!(after.main().contains("the run is given up"), "{}", after.body);
    assert!(!after.main().contains("the run goes on"), "{}", after.body);
    let other = sandbox.start(&["reviewed"]).run;
    assert!(
        page.get(&format!("/runs/{other}/cancel"))
            .main()
            .contains("Leave it as it is")
    );
    assert_eq!(
        page.post(&format!("/runs/{other}/cancel"), &[("why", "no")])
            .status,
        303
    );
    assert_eq!(stands(&sandbox, &other).0, "cancelled");
}

#[test]
fn what_a_person_was_told_is_on_the_first_page_until_they_have_read_it() {
    let sandbox = Sandbox::new();
    let backend = |words: &[&str]| sandbox.run_in_session(SESSION, "backend", words).ok();
    backend(&["say", "@human the port is 7717"]);
    backend(&["ask", "@human shall I go on?"]);
    let page = Page::open(&sandbox);
    let now = page.get("/");
    assert!(now.main().contains("the port is 7717"), "{}", now.body);
    assert_eq!(now.main().matches("shall I go on?").count(), 1, "{}", now.body);
    assert!(now.body.contains("<title>(2) Now"), "{}", now.body);
    // The question says where it comes from.
    assert!(now.main().contains("href=\"/agent?project="), "{}", now.body);
    assert!(now.main().contains("href=\"/channels?project="), "{}", now.body);
    let unread = now.body.split("Said to you, and not read").nth(1).unwrap();
    let fields = [
        ("project", hidden(unread, "project")),
        ("up_to", hidden(unread, "up_to")),
    ];
    let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
    assert_eq!(page.post("/read", &fields).status, 303);
    let after = page.get("/");
    assert!(!after.main().contains("the port is 7717"), "{}", after.body);
    assert!(
        after.main().contains("shall I go on?"),
        "what is asked is still to be answered: {}",
        after.body
    );
    assert!(
        sandbox
            .run(&["inbox", "--for", "human"])
            .ok()
            .out
            .contains("Nothing is unread")
    );
    assert_eq!(page.post("/read", &[]).status, 400);
}

#[test]
fn a_question_is_answered_in_its_channel_and_stands_as_answered_from_then_on() {
    let sandbox = Sandbox::new();
    let backend = |words: &[&str]| sandbox.run_in_session(SESSION, "backend", words).ok();
    backend(&["say", "the first thing"]);
    backend(&["ask", "@human which port?"]);
    let page = Page::open(&sandbox);
    let channel = page.get("/channels");
    let at = |text: &str| {
        channel
            .main()
            .find(text)
            .unwrap_or_else(|| panic!("{text}: {}", channel.body))
    };
    assert!(
        at("which port?") < at("the first thing"),
        "the latest comes first"
    );
    assert!(at("Write as @human") < at("which port?"), "and the box before it");
    let box_of = channel.body.split("action=\"/answer\"").nth(1).unwrap();
    let fields = [
        ("project", hidden(box_of, "project")),
        ("question", hidden(box_of, "question")),
        ("back", hidden(box_of, "back")),
        ("text", "7717".to_owned()),
    ];
    let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
    let answered = page.post("/answer", &fields);
    assert_eq!(answered.status, 303, "{}", answered.body);
    let after = page.get(answered.header("Location").unwrap());
    assert!(after.main().contains("question, answered"), "{}", after.body);
    assert!(
        after.main().contains(&format!("href=\"#{}\"", fields[1].1)),
        "an answer says what it answers: {}",
        after.body
    );
    assert!(!after.main().contains("action=\"/answer\""), "{}", after.body);
    let inbox = |words: &[&str]| {
        sandbox
            .run(&[&["inbox", "--for", "human"], words].concat())
            .ok()
            .out
    };
    assert!(
        inbox(&["--all"]).contains("asking; answered"),
        "{}",
        inbox(&["--all"])
    );
    assert!(!inbox(&[]).contains("which port?"), "{}", inbox(&[]));
}

#[test]
fn whoever_speaks_on_the_page_is_told_what_the_command_line_tells() {
    let sandbox = Sandbox::new();
    sandbox.run_in_session(SESSION, "backend", &["say", "hello"]).ok();
    let page = Page::open(&sandbox);
    let channel = page.get("/channels");
    let (project, branch) = (hidden(&channel.body, "project"), hidden(&channel.body, "branch"));
    let say = |text: &str| {
        let fields = [("project", project.as_str()), ("branch", &branch), ("text", text)];
        let said = page.post("/say", &fields);
        assert_eq!(said.status, 303, "{}", said.body);
        page.get(said.header("Location").unwrap()).main().to_owned()
    };
    let aloud = say("for the record");
    assert!(aloud.contains("is said to nobody by name"), "{aloud}");
    let unknown = say("@nobody there?");
    assert!(unknown.contains("Not heard of here before: nobody."), "{unknown}");
    // On an agent's own page, what is written is for that agent.
    let agents = page.get("/agents");
    let address = agents
        .main()
        .split("href=\"/agent?")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .unwrap()
        .replace("&amp;", "&");
    let agent = page.get(&format!("/agent?{address}"));
    let fields = ["project", "branch", "to", "back"].map(|name| (name, hidden(&agent.body, name)));
    let mut fields: Vec<(&str, &str)> = fields
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    fields.push(("text", "come here"));
    let said = page.post("/say", &fields);
    let there = page.get(said.header("Location").unwrap());
    assert!(there.main().contains("@backend come here"), "{}", there.body);
    assert!(there.main().contains("is said to backend."), "{}", there.body);
}
