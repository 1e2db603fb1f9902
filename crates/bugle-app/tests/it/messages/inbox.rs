//! An agent's inbox, and the number of its unread messages.

use bugle_app::{InboxRequest, MAX_MESSAGE_BYTES, status};
use bugle_core::reply::{CommandView, Purpose};

use super::{texts, with_agents};
use crate::project::{Project, fails};

#[test]
fn an_inbox_shows_unread_messages_first_and_last_limits_to_the_newest() {
    let mut project = Project::new();
    for number in 1..=4 {
        let from = if number % 2 == 0 { "lead" } else { "docs" };
        project.say(from, &format!("@impl {number}"));
    }
    project.act_as(Some("impl"));
    let request = InboxRequest::default();
    let newest = InboxRequest {
        last: Some(2),
        ..request.clone()
    };
    let newest = project.inbox(&newest);
    assert_eq!(
        (texts(&newest.unread), newest.taken),
        (vec!["@impl 3", "@impl 4"], false)
    );
    let from_docs = InboxRequest {
        from: Some("docs".to_owned()),
        ..request.clone()
    };
    assert_eq!(texts(&project.inbox(&from_docs).unread), ["@impl 1", "@impl 3"]);
    let whole = project.inbox(&request);
    assert_eq!((whole.unread.len(), whole.taken), (4, true));
    assert!(project.inbox(&request).unread.is_empty());
    project.say("lead", "@impl 5");
    let all = InboxRequest {
        all: true,
        ..request.clone()
    };
    let shown = project.inbox(&all);
    assert_eq!((texts(&shown.unread), shown.read.len()), (vec!["@impl 5"], 4));
    let some = InboxRequest {
        from: Some("lead".to_owned()),
        last: Some(1),
        ..all
    };
    let some = project.inbox(&some);
    assert_eq!((texts(&some.read), some.earlier), (vec!["@impl 5"], true));
    // Reading another agent's inbox marks nothing as read.
    project.act_as(None);
    project.say("lead", "@impl 6");
    let of_impl = InboxRequest {
        whose: Some("impl".to_owned()),
        ..request
    };
    for _ in 0..2 {
        assert_eq!(texts(&project.inbox(&of_impl).unread), ["@impl 6"]);
    }
}

#[test]
fn a_program_that_reads_an_inbox_learns_how_to_name_the_reader() {
    let mut project = Project::new();
    project.say("lead", "hello");
    let unknown = project.try_inbox(&InboxRequest::default());
    let hints = fails(unknown, 2, "cannot identify the caller").join("\n");
    assert!(hints.contains("`--for NAME` to read"), "{hints}");
    assert!(hints.contains("`--for human` for user messages"), "{hints}");
    assert!(hints.contains("your name is `human`"), "{hints}");
    project.inbox(&InboxRequest {
        whose: Some("human".to_owned()),
        ..InboxRequest::default()
    });
}

#[test]
fn an_agents_status_counts_its_own_unread_messages() {
    let mut project = with_agents(&["ann"]);
    let messages = |project: &mut Project| {
        let shown = status::status(&mut project.app.store, &project.app.context);
        shown.unwrap().messages
    };
    assert_eq!(messages(&mut project), None);
    for text in ["@ann one", "@ann two"] {
        project.say("boss", text);
    }
    let unread = CommandView {
        purpose: Purpose::ReadMessages(2),
        command: "bugle inbox".to_owned(),
    };
    assert_eq!(messages(&mut project), Some(unread));
    project.inbox(&InboxRequest::default());
    assert_eq!(messages(&mut project), None);
}

#[test]
fn a_large_message_arrives_whole_and_a_wake_up_stays_bounded() {
    let mut project = with_agents(&[]);
    let mut text = "@impl ".to_owned();
    text.push_str(&"x".repeat(MAX_MESSAGE_BYTES - text.len()));
    project.say("lead", &text);
    project.begin_session("impl", "startup");
    let told = project.prompt("go on");
    assert!(told.len() < 20_000, "{}", told.len());
    let all = InboxRequest {
        all: true,
        ..InboxRequest::default()
    };
    let inbox = project.inbox(&all);
    assert_eq!([texts(&inbox.unread), texts(&inbox.read)].concat(), [text]);
}
