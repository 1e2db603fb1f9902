//! Recipients, order, and which messages an agent has read.

use bugle_app::{MAX_MESSAGE_BYTES, MessageRequest, messages};

use super::{ALL, last, texts, to};
use crate::project::{Project, fails};

#[test]
fn messages_are_shown_in_order_and_last_limits_to_the_newest() {
    let mut project = Project::new();
    for number in 1..=7 {
        let from = if number % 2 == 0 { "lead" } else { "backend" };
        project.say(from, &format!("number {number}"));
    }
    assert_eq!(
        texts(&project.listed(&last(3)).messages),
        ["number 5", "number 6", "number 7"]
    );
    assert_eq!(project.listed(&last(ALL)).messages.len(), 7);
    let from_lead = MessageRequest {
        from: Some("lead".to_owned()),
        ..last(2)
    };
    assert_eq!(
        texts(&project.listed(&from_lead).messages),
        ["number 4", "number 6"]
    );
    assert!(project.listed(&to("lead")).messages.is_empty());
    assert!(project.listed(&last(6)).earlier);
    assert!(!project.listed(&last(7)).earlier);
    assert!(project.listed(&last(0)).messages.is_empty());
}

#[test]
fn only_mentioned_agents_receive_a_message() {
    let mut project = Project::new();
    assert_eq!(project.say("lead", "nobody by name"), [""; 0]);
    assert_eq!(project.say("lead", "@Backend, the spec is ready."), ["backend"]);
    assert_eq!(project.say("lead", "@docs @backend: both"), ["backend", "docs"]);
    assert_eq!(project.say("lead", "@lead to myself, @docs"), ["docs"]);
    let unclear = "bob@example.com likes @types/node and `@backend`, but @feature/login:impl-1.";
    assert_eq!(project.say("lead", unclear), ["feature/login:impl-1"]);
    assert_eq!(project.say("lead", "@human please look"), ["human"]);
    // A name that was only mentioned may be a typo, so `@all` does not include it.
    project.say("backend", "I have read it.");
    assert_eq!(project.say("docs", "@all good morning"), ["backend", "lead"]);
    assert_eq!(
        texts(&project.listed(&to("backend")).messages),
        [
            "@Backend, the spec is ready.",
            "@docs @backend: both",
            "@all good morning"
        ]
    );
    assert_eq!(
        texts(&project.listed(&to("human")).messages),
        ["@human please look"]
    );
    assert_eq!(project.listed(&to("@feature/login:impl-1")).messages.len(), 1);
}

#[test]
fn code_after_an_at_sign_mentions_only_known_agents() {
    let mut project = Project::new();
    for text in [
        "@Override public void",
        "@media (max-width: 10px)",
        "@import url",
        "@param x the y",
        "@return",
        "@Test void a()",
        "@dataclass",
    ] {
        assert_eq!(project.say("lead", text), [""; 0], "{text}");
    }
    let said = project.try_say("lead", "@Test or @backend").unwrap();
    assert_eq!(said.message.to_here, ["backend"]);
    assert_eq!(said.taken_for_code, ["test"]);
    let (store, context) = (&mut project.app.store, &project.app.context);
    let asked = messages::ask(store, context, "@param which?", Some("lead"));
    fails(asked, 4, "there is no agent @param");
    // A mentioned name is a recipient if it is known or includes a branch.
    assert_eq!(project.say("lead", "@main:test look"), ["main:test"]);
    project.register("test");
    assert_eq!(project.say("lead", "@Test look"), ["test"]);
}

#[test]
fn a_message_is_unread_for_each_agent_until_that_agent_reads_it() {
    let mut project = Project::new();
    project.say("lead", "@backend @docs one");
    project.say("lead", "@backend two");
    let both = ["@backend @docs one", "@backend two"];
    assert_eq!(project.unread("backend"), both);
    assert_eq!(project.unread("backend"), both, "listing marks nothing as read");
    assert_eq!(texts(&project.take("backend").messages), both);
    assert_eq!(project.unread("backend"), [""; 0]);
    assert_eq!(project.unread("docs"), ["@backend @docs one"]);
    assert_eq!(
        project.listed(&to("backend")).messages.len(),
        2,
        "the message stays in the history"
    );
    project.say("docs", "@backend three");
    assert_eq!(project.unread("backend"), ["@backend three"]);
    assert_eq!(project.unread("lead"), [""; 0]);
}

#[test]
fn a_long_inbox_is_read_in_parts_and_the_rest_is_counted() {
    let mut project = Project::new();
    for _ in 0..60 {
        project.say("lead", "@backend look");
    }
    let first = project.take("backend");
    assert_eq!((first.messages.len(), first.more_unread), (50, 10));
    assert_eq!(project.take("backend").messages.len(), 10);
    assert_eq!(project.take("backend").messages.len(), 0);
}

#[test]
fn a_session_has_a_name_and_other_callers_pass_one() {
    let mut project = Project::new();
    project.act_as(Some("5e55-One"));
    let (store, context) = (&mut project.app.store, &project.app.context);
    let said = messages::say(store, context, "@5e55-two look", None).unwrap();
    assert_eq!(said.message.from, "project:-:5e55-one");
    assert_eq!(said.unheard_of, ["5e55-two"]);
    project.act_as(Some("5e55-two"));
    let (store, context) = (&mut project.app.store, &project.app.context);
    let (unread, _unused) = messages::unread_messages(store, context, None).unwrap();
    assert_eq!(unread.messages[0].from_here, "5e55-one");
    project.act_as(None);
    let (store, context) = (&mut project.app.store, &project.app.context);
    let said = messages::say(store, context, "who am I?", None);
    fails(said, 2, "cannot identify the caller");
    let unread = messages::unread_messages(store, context, None);
    fails(unread, 2, "cannot identify the caller");
}

#[test]
fn agents_of_two_projects_are_separate_unless_the_project_is_named() {
    let mut project = Project::new();
    project.say("lead", "@backend here");
    project.enter_folder("elsewhere/project");
    project.say("lead", "@backend there");
    assert_eq!(texts(&project.listed(&last(ALL)).messages), ["@backend there"]);
    project.enter_folder("project");
    assert_eq!(texts(&project.listed(&last(ALL)).messages), ["@backend here"]);
    assert_eq!(project.unread("backend"), ["@backend here"]);
    let lost = project.try_say("lead", "@elsewhere:-:backend hello");
    fails(lost, 4, "there is no project `elsewhere`; nothing was posted");
    project.enter_folder("elsewhere");
    project.say("backend", "I am here");
    project.enter_folder("project");
    assert_eq!(
        project.say("lead", "@elsewhere:-:backend hello"),
        ["elsewhere:-:backend"]
    );
    project.enter_folder("elsewhere");
    let unread = project.take("backend").messages;
    assert_eq!(unread[0].from_here, "project:-:lead");
    assert_eq!(unread[0].to_here, ["backend"]);
    let unclear = project.try_say("backend", "@project:-:lead which?");
    fails(unclear, 2, "several projects");
}

#[test]
fn an_answered_question_counts_as_read() {
    let mut project = Project::new();
    project.say("backend", "here I am");
    project.say("lead", "@backend first");
    let (store, context) = (&mut project.app.store, &project.app.context);
    let asked = messages::ask(store, context, "@backend which one?", Some("lead")).unwrap();
    project.say("lead", "@backend last");
    assert_eq!(
        project.unread("backend"),
        ["@backend first", "@backend which one?", "@backend last"]
    );
    let (store, context) = (&mut project.app.store, &project.app.context);
    let question = Some(asked.message.id.as_str());
    messages::answer(store, context, question, "the left one", Some("backend")).unwrap();
    let left = ["@backend first", "@backend last"];
    assert_eq!(project.unread("backend"), left);
    project.check();
    assert_eq!(texts(&project.take("backend").messages), left);
    assert_eq!(project.unread("backend"), [""; 0]);
    project.check();
}

#[test]
fn a_branch_is_part_of_an_address() {
    let mut project = Project::new();
    project.git_init("first");
    project.new_branch("feature/Login");
    let said = project.try_say("Impl-1", "@backend @main:docs").unwrap().message;
    assert_eq!(said.from, "project:feature/Login:impl-1");
    assert_eq!(said.to, ["project:feature/Login:backend", "project:main:docs"]);
    assert_eq!(said.to_here, ["backend", "main:docs"]);
    project.new_branch("main");
    assert_eq!(project.unread("docs").len(), 1);
    assert_eq!(project.unread("backend"), [""; 0]);
}

#[test]
fn a_channel_shows_the_messages_of_a_branch() {
    let mut project = Project::new();
    project.git_init("first");
    for branch in ["one", "two"] {
        project.new_branch(branch);
        for number in 1..=2 {
            project.say("impl", &format!("{branch} {number}"));
        }
    }
    let mut channel = |branch: Option<&str>, last: u32| {
        let (store, context) = (&mut project.app.store, &project.app.context);
        messages::channel(store, context, branch, last).unwrap().messages
    };
    assert_eq!(texts(&channel(None, ALL)), ["two 1", "two 2"]);
    assert_eq!(texts(&channel(Some("one"), 1)), ["one 2"]);
    assert_eq!(texts(&channel(Some("three"), ALL)), [""; 0]);
}

#[test]
fn empty_oversized_and_binary_messages_are_refused() {
    let mut project = Project::new();
    for text in ["", "  \n "] {
        fails(project.try_say("lead", text), 2, "the message is empty");
    }
    let long = "x".repeat(MAX_MESSAGE_BYTES + 1);
    fails(project.try_say("lead", &long), 2, "the message is larger than");
    fails(
        project.try_say("lead", "@human \0\u{1}"),
        2,
        "the message contains a NUL byte",
    );
    let (store, context) = (&mut project.app.store, &project.app.context);
    let asked = messages::ask(store, context, "@human \0", Some("lead"));
    fails(asked, 2, "the message contains a NUL byte");
    project.say("lead", &long[1..]);
    assert_eq!(project.listed(&last(ALL)).messages.len(), 1);
}

#[test]
fn an_invalid_address_is_an_error() {
    let mut project = Project::new();
    project.say("lead", "hello");
    let said = project.try_say("not a name", "hello");
    fails(said, 2, "is not an agent address");
    fails(project.try_say("all", "hello"), 2, "addresses every agent");
    let (store, context) = (&mut project.app.store, &project.app.context);
    let listed = messages::messages(store, context, &to("a:b:c:d"));
    fails(listed, 2, "is not an agent address");
    assert_eq!(project.listed(&last(ALL)).messages.len(), 1);
}
