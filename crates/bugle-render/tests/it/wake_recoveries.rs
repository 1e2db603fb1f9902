//! Wake-ups of replacements, letter for letter.

use std::fmt::Write as _;

use bugle_core::wake::{Budget, Part, Unit, assemble};
use bugle_render::wake;
use bugle_wire::{RecoveryChecks, RecoveryView, WakeFacts};

use crate::wake_facts::{HOSTILE, authentication, message, nothing, recovery};
use bugle_testkit::fences::check;

fn replacement() -> WakeFacts {
    WakeFacts {
        recovery: Some(recovery()),
        ..authentication("event")
    }
}

#[test]
fn each_size_of_what_is_taken_over() {
    let mut all = String::new();
    for offer in wake::offers(&replacement()) {
        if matches!(offer.part, Part::Identity | Part::Recovery) {
            for sized in offer.sizes {
                check(&sized.text).unwrap();
                let _ = writeln!(
                    all,
                    "=== {} {:?}\n{}\n",
                    offer.part.as_str(),
                    sized.detail,
                    sized.text
                );
            }
        }
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_replacement_knows_nothing_and_is_told_everything() {
    let parts: Vec<Part> = wake::offers(&replacement())
        .iter()
        .map(|offer| offer.part)
        .collect();
    for part in [Part::Recovery, Part::Skill, Part::Plan, Part::Tasks, Part::Learnt] {
        assert!(parts.contains(&part), "{part:?}");
    }
}

#[test]
fn in_whatever_room_it_is_told_from_whom_it_takes_over_and_to_split_what_failed_three_times() {
    for limit in [100, 1_200, 3_000, 9_000] {
        let budget = Budget {
            unit: Unit::Utf16,
            limit,
        };
        let text = assemble(&wake::offers(&replacement()), budget).text;
        check(&text).unwrap();
        for fact in [
            "## Taking over from @backend",
            "t-3 has failed 3 times",
            "`bugle show r-7f3a1c`",
        ] {
            assert!(text.contains(fact), "{fact} is not in\n{text}");
        }
    }
}

#[test]
fn of_an_agent_that_nobody_knows_it_says_so() {
    let facts = WakeFacts {
        recovery: Some(RecoveryView {
            work: Vec::new(),
            more_work: 0,
            did: Vec::new(),
            did_before: 0,
            said: Vec::new(),
            unread: 0,
            log: None,
            checks: RecoveryChecks::default(),
            commands: Vec::new(),
            ..recovery()
        }),
        ..nothing("event")
    };
    let text = assemble(&wake::offers(&facts), Budget::CLAUDE).text;
    assert!(
        text.contains("Bugle knows of no work that it left unfinished."),
        "{text}"
    );
}

#[test]
fn hostile_words_of_the_one_before_stay_words() {
    let mut recovery = recovery();
    recovery.agent = HOSTILE[1].to_owned();
    for (event, text) in recovery.did.iter_mut().zip(HOSTILE) {
        event.by = text.to_owned();
        event.what = text.to_owned();
    }
    recovery.said = HOSTILE.iter().map(|text| message(text, text)).collect();
    for work in &mut recovery.work {
        work.what = HOSTILE[0].to_owned();
        work.id = HOSTILE[3].to_owned();
    }
    if let Some(log) = &mut recovery.log {
        log.file = HOSTILE[2].to_owned();
        log.lines = HOSTILE.iter().map(|text| (*text).to_owned()).collect();
    }
    recovery.checks.evidence = HOSTILE.iter().map(|text| (*text).to_owned()).collect();
    if let Some(uncommitted) = &mut recovery.checks.uncommitted {
        uncommitted.files = HOSTILE.iter().map(|text| (*text).to_owned()).collect();
    }
    let facts = WakeFacts {
        recovery: Some(recovery),
        ..nothing("event")
    };
    for offer in wake::offers(&facts) {
        for sized in &offer.sizes {
            check(&sized.text).unwrap();
        }
    }
}
