//! Messages between agents at work: when a message keeps an agent from stopping, and the limit on an exchange.

use bugle_core::agent::AgentStatus;

use super::with_agents;
use crate::project::{Project, fails};

/// Posts a message as one session, one second after the last call, and lets another session stop. Returns the text that
/// makes that session continue.
#[track_caller]
fn exchange(project: &mut Project, turn: i64, text: &str) -> Option<String> {
    let (speaker, other) = if turn % 2 == 0 {
        ("ping", "pong")
    } else {
        ("pong", "ping")
    };
    project.set_clock(turn * 1_000);
    project.say_as(speaker, &format!("@{other} {text}"));
    project.act_as(Some(other));
    project.stop()
}

#[test]
fn a_ping_pong_stops_and_is_reported_once() {
    let mut project = with_agents(&["ping", "pong"]);
    let mut woken = 0;
    for turn in 0..20 {
        let kept = exchange(&mut project, turn, &format!("and you? {turn}"));
        woken += usize::from(kept.is_some());
    }
    assert_eq!(woken, 12, "after so many turns, the agents may stop");
    let told = project.unread("human");
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("have answered each other 12 times"), "{told:?}");
    // The message is not lost: it is delivered when the agent wakes for another reason.
    project.act_as(Some("pong"));
    let prompted = project.prompt("go on");
    assert!(prompted.contains("and you? 12"), "{prompted}");
    // A message from a person to one of the agents resets the count.
    project.act_as(None);
    project.say("human", "@ping go on");
    project.act_as(Some("ping"));
    project.stop();
    assert!(exchange(&mut project, 20, "well?").is_some());
    assert_eq!(project.unread("human").len(), 1);
}

#[test]
fn an_exchange_that_makes_progress_is_no_ping_pong() {
    let mut project = with_agents(&["ping", "pong"]);
    for turn in 0..30 {
        if turn % 6 == 5 {
            project.act_as(Some("pong"));
            project.add([&*format!("Part {turn}")]);
        }
        exchange(&mut project, turn, "next");
    }
    assert_eq!(project.unread("human"), [""; 0]);
}

#[test]
fn an_agent_does_not_wake_itself() {
    let mut project = with_agents(&["alone"]);
    let said = project.say_as("alone", "@alone note to self, @all too");
    assert_eq!(said.to_here, ["lead"]);
    assert_eq!(project.stop(), None);
    let asked = project.ask_as("alone", "@alone what now?");
    fails(asked, 4, "the question mentions only you");
    assert_eq!(project.status_of("alone"), AgentStatus::Idle);
}

#[test]
fn a_busy_agent_gets_all_messages_together_at_the_end_of_its_turn() {
    let mut project = with_agents(&["busy"]);
    for number in 1..=3 {
        project.say("lead", &format!("@busy number {number}"));
    }
    let kept = project.stop().unwrap();
    let places: Vec<usize> = (1..=3)
        .map(|number| kept.find(&format!("number {number}")).unwrap())
        .collect();
    assert!(places.is_sorted(), "{kept}");
    assert_eq!(project.stop_again(), None, "once");
}
