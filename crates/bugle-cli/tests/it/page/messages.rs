//! Questions and messages in the dashboard.

use super::actions::hidden;
use crate::support::page::Page;
use crate::support::sandbox::{SESSION, Sandbox};

#[test]
fn a_question_is_answered_in_the_dashboard_and_the_agent_continues() {
    let sandbox = Sandbox::new();
    let backend = |words: &[&str]| sandbox.run_in_session(SESSION, "backend", words).ok();
    backend(&["ask", "@human which port should it be?"]);
    let page = Page::open(&sandbox);
    let now = page.get("/");
    assert!(now.main().contains("which port should it be?"), "{}", now.body);
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
        after.main().contains("Nothing needs you: no open questions"),
        "{}",
        after.body
    );
    assert_eq!(
        page.post("/answer", &fields).status,
        400,
        "the question is already answered"
    );
}

#[test]
fn a_message_in_a_channel_reaches_the_agents_that_it_mentions() {
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
fn messages_to_a_person_are_on_the_first_page_until_read() {
    let sandbox = Sandbox::new();
    let backend = |words: &[&str]| sandbox.run_in_session(SESSION, "backend", words).ok();
    backend(&["say", "@human the port is 7717"]);
    backend(&["ask", "@human should I go on?"]);
    let page = Page::open(&sandbox);
    let now = page.get("/");
    assert!(now.main().contains("the port is 7717"), "{}", now.body);
    assert_eq!(now.main().matches("should I go on?").count(), 1, "{}", now.body);
    assert!(now.body.contains("<title>(2) Now"), "{}", now.body);
    // The question links to its agent and channel.
    assert!(now.main().contains("href=\"/agent?project="), "{}", now.body);
    assert!(now.main().contains("href=\"/channels?project="), "{}", now.body);
    let unread = now.body.split("Unread messages").nth(1).unwrap();
    let fields = [
        ("project", hidden(unread, "project")),
        ("up_to", hidden(unread, "up_to")),
    ];
    let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
    assert_eq!(page.post("/read", &fields).status, 303);
    let after = page.get("/");
    assert!(!after.main().contains("the port is 7717"), "{}", after.body);
    assert!(
        after.main().contains("should I go on?"),
        "the question is still open: {}",
        after.body
    );
    assert!(
        sandbox
            .run(&["inbox", "--for", "human"])
            .ok()
            .out
            .contains("No unread messages")
    );
    assert_eq!(page.post("/read", &[]).status, 400);
}

#[test]
fn a_question_is_answered_in_its_channel_and_stays_answered() {
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
        "the latest message comes first"
    );
    assert!(
        at("Write as @human") < at("which port?"),
        "the message box comes before the messages"
    );
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
        "an answer links to its question: {}",
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
        inbox(&["--all"]).contains(", answered question"),
        "{}",
        inbox(&["--all"])
    );
    assert!(!inbox(&[]).contains("which port?"), "{}", inbox(&[]));
}

#[test]
fn the_dashboard_reports_recipients_like_the_command_line() {
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
    assert!(aloud.contains("nobody was mentioned"), "{aloud}");
    let unknown = say("@nobody there?");
    assert!(unknown.contains("Unknown agents: nobody."), "{unknown}");
    // A message written on an agent's page goes to that agent.
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
    assert!(there.main().contains(" to backend."), "{}", there.body);
}
