//! Messages in a wake-up: how many are shown, and how much of each.

use bugle_core::reply::WakeMessage;
use bugle_core::wake::{Budget, Unit, WakeReason, assemble};
use bugle_render::wake;

use crate::wake_facts::{authentication, message, nothing};

#[test]
fn messages_that_are_not_shown_are_counted() {
    let mut facts = nothing(WakeReason::Mention);
    facts.more_messages = 3;
    let text = assemble(&wake::offers(&facts), Budget::utf16(9_000)).text;
    assert!(
        text.contains("3 unread messages are not shown: `bugle message list --for "),
        "{text}"
    );
    facts.messages = (0..9)
        .map(|at| message(&format!("agent-{at}"), &"word ".repeat(500)))
        .collect();
    let offers = wake::offers(&facts);
    for limit in [400, 4_000, 100_000] {
        let text = assemble(
            &offers,
            Budget {
                unit: Unit::Bytes,
                limit,
            },
        )
        .text;
        let shown = (0..9)
            .filter(|at| text.contains(&format!("**From @agent-{at}**")))
            .count();
        let hidden = format!("{} more are not shown: `bugle message list --for ", 12 - shown);
        assert!(text.contains(&hidden), "{hidden}\n{text}");
    }
}

#[test]
fn as_many_messages_are_shown_in_full_as_fit() {
    let mut facts = nothing(WakeReason::Mention);
    facts.messages = (0..40)
        .map(|at| message(&format!("agent-{at}"), &"word ".repeat(100)))
        .collect();
    let assembly = assemble(&wake::offers(&facts), Budget::utf16(9_000));
    let text = &assembly.text;
    assert_eq!(assembly.told, 16, "{text}");
    assert!(
        text.contains("**From @agent-15**") && !text.contains("left out"),
        "{text}"
    );
    assert!(
        text.contains("24 more are not shown: `bugle message list --for "),
        "{text}"
    );
    assert!(
        Budget::utf16(9_000).limit - assembly.size < 600,
        "{}",
        assembly.size
    );
    // An agent without memory gets a message in full or not at all.
    facts.reason = bugle_core::wake::WakeReason::Compact;
    facts.remembers = false;
    facts.messages = vec![message("boss", &"word ".repeat(4_000))];
    let assembly = assemble(&wake::offers(&facts), Budget::utf16(9_000));
    assert_eq!(assembly.told, 0, "{}", assembly.text);
    assert!(
        assembly
            .text
            .contains("1 unread message is not shown (1 from @boss): `bugle message list --for "),
        "{}",
        assembly.text
    );
}

#[test]
fn a_message_that_is_too_long_is_cut_to_the_budget() {
    let mut facts = nothing(WakeReason::Mention);
    facts.messages = vec![
        message("boss", &"word ".repeat(4_000)),
        message("june", "And me?"),
    ];
    let assembly = assemble(&wake::offers(&facts), Budget::utf16(9_000));
    let text = &assembly.text;
    assert_eq!(assembly.told, 1, "{text}");
    assert!((8_990..=9_000).contains(&assembly.size), "{}", assembly.size);
    assert!(
        text.contains(" characters are left out: `bugle message list m-31`"),
        "{text}"
    );
    assert!(
        text.contains("1 more is not shown: `bugle message list --for "),
        "{text}"
    );
    // Even without any budget, every wake-up shows a message.
    let budget = Budget {
        unit: Unit::Bytes,
        limit: 0,
    };
    assert_eq!(assemble(&wake::offers(&facts), budget).told, 1);
}

#[test]
fn a_message_that_is_not_stored_keeps_its_beginning() {
    let unkept = WakeMessage {
        id: None,
        at: None,
        from: "the caller".to_owned(),
        text: format!("Begin here. {}", "word ".repeat(5_000)),
        answer_with: None,
        answers: None,
    };
    let mut facts = authentication(WakeReason::Mention);
    facts.messages.push(unkept);
    for limit in [0, 3_000, 9_000] {
        let budget = Budget {
            unit: Unit::Utf16,
            limit,
        };
        let text = assemble(&wake::offers(&facts), budget).text;
        assert!(text.contains("Begin here. word"), "{limit}: {text}");
        assert!(
            text.contains(
                "23011 characters are left out: Bugle does not store this message; ask the sender for the rest"
            ),
            "{limit}: {text}"
        );
    }
    let budget = Budget {
        unit: Unit::Utf16,
        limit: 100_000,
    };
    assert!(
        !assemble(&wake::offers(&facts), budget)
            .text
            .contains("left out: Bugle")
    );
}

#[test]
fn a_mention_without_unread_messages_says_so() {
    let text = assemble(&wake::offers(&nothing(WakeReason::Mention)), Budget::utf16(9_000)).text;
    assert!(text.contains("you have already read it"), "{text}");
    assert!(!text.contains("You have new messages."), "{text}");
}
