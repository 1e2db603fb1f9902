//! An agent's inbox.

use bugle_app::{AppError, InboxRequest, messages};
use bugle_core::reply::InboxView;

use super::texts;
use crate::project::{Project, fails};

impl Project {
    fn try_inbox(&mut self, request: &InboxRequest) -> Result<InboxView, AppError> {
        let mut shown = None;
        messages::inbox(&mut self.app.store, &self.app.context, request, &mut |inbox| {
            shown = Some(inbox.clone());
            Ok(())
        })?;
        Ok(shown.unwrap())
    }

    #[track_caller]
    fn inbox(&mut self, request: &InboxRequest) -> InboxView {
        self.try_inbox(request).unwrap()
    }
}

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
    assert!(hints.contains("pass `--for human`"), "{hints}");
    project.inbox(&InboxRequest {
        whose: Some("human".to_owned()),
        ..InboxRequest::default()
    });
}
