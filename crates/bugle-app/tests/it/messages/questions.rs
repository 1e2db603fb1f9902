//! Questions and answers between agents.

use bugle_app::InboxRequest;
use bugle_core::agent::AgentStatus;
use bugle_core::reply::OpenQuestion;

use super::with_agents;
use crate::project::fails;

/// Asserts that this is the only open question, and that Bugle suggests the command to answer it.
#[track_caller]
fn assert_open(questions: &[OpenQuestion], text: &str) {
    let [question] = questions else {
        panic!("{questions:?}")
    };
    assert_eq!(question.message.text, text);
    let command = format!("bugle answer {} -", question.message.id);
    assert_eq!(question.answer_with, command);
}

#[test]
fn a_question_stays_in_every_wake_up_and_in_the_inbox_until_it_is_answered() {
    let mut project = with_agents(&["asker", "expert"]);
    let text = "@expert which port & host?";
    project.ask_as("asker", text).unwrap();
    let first = project.begin_session("expert", "compact");
    assert!(
        first.contains("## New messages") && first.contains("which port & host?"),
        "{first}"
    );
    for _ in 0..2 {
        let again = project.woken("compact");
        assert!(again.contains("## Unanswered questions"), "{again}");
        assert!(
            again.contains("which port & host?") && again.contains("bugle answer m-"),
            "{again}"
        );
        assert!(!again.contains("## New messages"), "{again}");
    }
    let resumed = project.woken("resume");
    assert!(resumed.contains("which port & host?"), "{resumed}");
    assert_open(&project.inbox(&InboxRequest::default()).questions, text);
    assert_open(&project.take("expert").questions, text);
    project.answer_as("expert", None, "8080").unwrap();
    let woken = project.woken("compact");
    assert!(
        !woken.contains("which port"),
        "an answered question is no longer shown: {woken}"
    );
    let inbox = project.inbox(&InboxRequest::default());
    assert!(inbox.questions.is_empty() && inbox.unread.is_empty(), "{inbox:?}");
}

#[test]
fn a_wake_up_says_that_its_agent_waits_for_an_answer() {
    let mut project = with_agents(&["asker", "expert"]);
    project.ask_as("asker", "@expert which port?").unwrap();
    let waits = "**Waiting for an answer:** you asked @expert";
    for reason in ["startup", "resume", "compact"] {
        let woken = project.woken(reason);
        assert!(woken.contains(waits) && woken.contains("which port?"), "{woken}");
        assert!(!woken.contains("Nothing is open here."), "{woken}");
    }
    project.answer_as("expert", None, "8080").unwrap();
    let answered = project.begin_session("asker", "compact");
    assert!(!answered.contains("Waiting for an answer"), "{answered}");
}

#[test]
fn an_asking_agent_is_blocked_until_the_answer() {
    let mut project = with_agents(&["asker", "expert"]);
    let question = project.ask_as("asker", "@expert which port?").unwrap().id;
    assert_eq!(project.status_of("asker"), AgentStatus::Blocked);
    // The agent ends its turn and its process, and stays blocked.
    assert_eq!(project.stop(), None);
    project.end_session("exit");
    assert_eq!(project.status_of("asker"), AgentStatus::Blocked);
    let answered = project.answer_as("asker", None, "nothing");
    fails(answered, 4, "there is no open question to @asker");
    let answered = project.answer_as("expert", None, "8080").unwrap();
    assert_eq!(answered.answers.as_ref(), Some(&question));
    assert_eq!(answered.to_here, ["asker"]);
    assert_eq!(project.status_of("asker"), AgentStatus::Idle);
    assert_eq!(project.unread("asker"), ["8080"]);
    let named = Some(question.as_str());
    let again = project.answer_as("expert", named, "again");
    fails(again, 2, &format!("{question} has already been answered"));
    let own = project.answer_as("asker", named, "myself");
    fails(own, 2, &format!("{question} is not addressed to you"));
}

#[test]
fn an_answer_in_the_same_turn_keeps_the_asker_working() {
    let mut project = with_agents(&["asker"]);
    let question = project.ask_as("asker", "@human may I?").unwrap().id;
    project.act_as(None);
    project.app.context.acting_as = Some("human".to_owned());
    let (store, context) = (&mut project.app.store, &project.app.context);
    let answered = bugle_app::messages::answer(store, context, None, "You may.", None).unwrap();
    assert_eq!(answered.message.answers, Some(question));
    assert_eq!(project.status_of("asker"), AgentStatus::Busy);
    project.act_as(Some("asker"));
    let kept = project.stop().unwrap();
    assert!(kept.contains("You may."), "{kept}");
    assert_eq!(project.stop_again(), None);
    assert_eq!(project.status_of("asker"), AgentStatus::Idle);
}

#[test]
fn with_several_questions_the_answer_must_name_one() {
    let mut project = with_agents(&["one", "two", "expert"]);
    let first = project.ask_as("one", "@expert first?").unwrap().id;
    let second = project.ask_as("two", "@expert second?").unwrap().id;
    let unclear = project.answer_as("expert", None, "yes");
    let hints = fails(unclear, 2, "several questions are open");
    for question in [&first, &second] {
        assert!(hints.contains(&format!("bugle answer {question} -")), "{hints:?}");
    }
    project.answer_as("expert", Some(first.as_str()), "yes").unwrap();
    let statuses = ["one", "two"].map(|name| project.status_of(name));
    assert_eq!(statuses, [AgentStatus::Busy, AgentStatus::Blocked]);
    project.answer_as("expert", None, "no").unwrap();
    assert_eq!(project.unread("two"), ["no"]);
    let asked = project.ask_as("expert", "who?");
    fails(asked, 2, "the question does not mention an agent or the user");
    let unknown = project.answer_as("expert", Some("m-zzzz"), "x");
    fails(unknown, 4, "there is no message m-zzzz");
    let invalid = project.answer_as("expert", Some("nonsense"), "x");
    fails(invalid, 2, "is not a message id");
}

#[test]
fn a_placeholder_is_no_answer() {
    let mut project = with_agents(&["asker", "expert"]);
    let question = project.ask_as("asker", "@expert which port?").unwrap().id;
    for text in ["...", " .. ", "\u{2026}", question.as_str()] {
        let answered = project.answer_as("expert", None, text);
        fails(answered, 2, "the answer is missing");
    }
    assert_eq!(project.status_of("asker"), AgentStatus::Blocked);
}
