//! Snapshots of wake-ups: for each reason, with many facts, with none and with hostile text, in large and small
//! budgets.

use std::fmt::Write as _;

use bugle_core::digest::{Claim, Detail};
use bugle_core::reply::{Author, TaskNotice, WakeFacts, WakePart, WakeView};
use bugle_core::wake::{Assembly, Budget, Part, PartResult, Unit, WakeReason, assemble};
use bugle_render::wake;
use bugle_testkit::fences::check;

use crate::support::{every_size, with_word};
use crate::wake_facts::{authentication, hostile, nothing};

const BUDGETS: [(&str, Budget); 4] = [
    ("9000-utf16", Budget::utf16(9_000)),
    ("9000-bytes", Budget::bytes(9_000)),
    (
        "3000-utf16",
        Budget {
            unit: Unit::Utf16,
            limit: 3_000,
        },
    ),
    (
        "1200-utf16",
        Budget {
            unit: Unit::Utf16,
            limit: 1_200,
        },
    ),
];

fn view(facts: &WakeFacts, budget: Budget, assembly: &Assembly) -> WakeView {
    WakeView {
        id: None,
        reason: facts.reason,
        agent: facts.agent.clone(),
        text: assembly.text.clone(),
        size: assembly.size,
        limit: budget.limit,
        unit: budget.unit.as_str().to_owned(),
        parts: assembly
            .parts
            .iter()
            .map(|picked| WakePart {
                part: picked.part,
                verdict: picked.verdict,
                detail: picked
                    .detail
                    .map(|detail| with_word(&Detail::ALL, detail.as_str())),
                size: picked.size,
                whole: picked.whole,
                needs: picked.needs,
                command: picked.command.clone(),
                stage: picked.stage.clone(),
            })
            .collect(),
        too_small: assembly.too_small,
        template: None,
        notices: Vec::new(),
        explain_agents: Vec::new(),
    }
}

/// The text of a wake-up, and below it the table of its parts.
fn page(facts: &WakeFacts, budget: Budget) -> String {
    let assembly = assemble(&wake::offers(facts), budget);
    check(&assembly.text).unwrap();
    let mut page = assembly.text.clone();
    let _ = write!(
        page,
        "\n\n===\n{}",
        wake::explain(&view(facts, budget, &assembly))
    );
    page
}

#[test]
fn the_design_example_for_each_reason() {
    for reason in WakeReason::ALL {
        let facts = authentication(reason);
        insta::assert_snapshot!(
            format!("wake_{}", reason.as_str()),
            page(&facts, Budget::utf16(9_000))
        );
    }
}

#[test]
fn the_design_example_in_small_budgets() {
    for (name, budget) in &BUDGETS[1..] {
        insta::assert_snapshot!(
            format!("wake_compact_{name}"),
            page(&authentication(WakeReason::Compact), *budget)
        );
    }
}

#[test]
fn with_nothing_open_it_says_so() {
    let mut all = String::new();
    for reason in WakeReason::ALL {
        let _ = writeln!(all, "{}\n", page(&nothing(reason), Budget::utf16(9_000)));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn hostile_text_stays_quoted() {
    for (name, budget) in BUDGETS {
        insta::assert_snapshot!(
            format!("wake_hostile_{name}"),
            page(&hostile(WakeReason::Compact), budget)
        );
    }
    for reason in WakeReason::ALL {
        page(&hostile(reason), Budget::bytes(9_000));
    }
}

#[test]
fn each_size_of_each_part() {
    let offers = wake::offers(&authentication(WakeReason::Compact));
    insta::assert_snapshot!(every_size(&offers));
}

#[test]
fn an_agent_with_memory_sees_only_new_facts() {
    for reason in [WakeReason::Resume, WakeReason::Mention, WakeReason::Event] {
        let mut offers = wake::offers(&authentication(reason));
        offers.retain(|offer| offer.known.is_none() || !offer.sizes.is_empty());
        let parts: Vec<Part> = offers.iter().map(|offer| offer.part).collect();
        assert_eq!(
            parts,
            [
                Part::Identity,
                Part::Position,
                Part::Step,
                Part::Questions,
                Part::Messages,
                Part::Rest,
                Part::NextAction
            ]
        );
        assert_eq!(offers[0].sizes[0].text.lines().count(), 1);
        assert_eq!(offers[2].sizes[0].detail, Detail::Pointer);
    }
}

#[test]
fn the_design_example_says_what_the_next_action_needs() {
    for (_, budget) in BUDGETS {
        let text = assemble(&wake::offers(&authentication(WakeReason::Compact)), budget).text;
        for fact in [
            "bugle task done t-5",
            "bugle task start t-6",
            "\"Spec review\" is in progress",
            "r-7f3a1c#2",
            "@june",
            "spec-reviewer",
        ] {
            assert!(text.contains(fact), "{fact} is not in\n{text}");
        }
    }
}

#[test]
fn all_commands_call_the_program_like_the_given_ones() {
    let mut facts = authentication(WakeReason::Compact);
    if let Some(step) = &mut facts.step {
        step.command = Some("'/opt/a b/bugle' done 'r-7f3a1c#2'".to_owned());
    }
    let offers = wake::offers(&facts);
    let texts: String = offers
        .iter()
        .flat_map(|offer| &offer.sizes)
        .map(|sized| sized.text.as_str())
        .collect();
    for command in [
        "step r-7f3a1c",
        "task list",
        "run show r-7f3a1c",
        "run list --open",
    ] {
        assert!(
            texts.contains(&format!("`'/opt/a b/bugle' {command}`")),
            "{command}"
        );
    }
    assert!(texts.contains("`'/opt/a b/bugle' message list --for "), "{texts}");
}

#[test]
fn a_table_says_that_the_budget_is_too_small() {
    let budget = Budget {
        unit: Unit::Bytes,
        limit: 100,
    };
    let facts = authentication(WakeReason::Compact);
    let assembly = assemble(&wake::offers(&facts), budget);
    let view = WakeView {
        ..view(&facts, budget, &assembly)
    };
    insta::assert_snapshot!(format!("{}\n\n===\n{}", view.text, wake::explain(&view)));
}

#[test]
fn a_plan_with_too_many_tasks_to_count_has_a_lower_bound() {
    let facts = WakeFacts {
        closed: None,
        total: 1_000,
        ..authentication(WakeReason::Resume)
    };
    let text = assemble(&wake::offers(&facts), Budget::utf16(9_000)).text;
    assert!(text.contains("Authentication: at least 1000 tasks."), "{text}");
    assert!(!text.contains("tasks closed"), "{text}");
}

#[test]
fn the_xml_element_contains_any_text() {
    let facts = hostile(WakeReason::Compact);
    let assembly = assemble(&wake::offers(&facts), Budget::utf16(9_000));
    let xml = wake::xml(&view(&facts, Budget::utf16(9_000), &assembly));
    let document = roxmltree::Document::parse(&xml).unwrap();
    let root = document.root_element();
    assert_eq!(root.attribute("reason"), Some("compact"));
    assert_eq!(root.children().count(), 1);
    assert_eq!(root.text().unwrap().trim(), assembly.text.trim());
}

#[test]
fn a_person_is_not_addressed_as_an_agent() {
    let mut facts = authentication(WakeReason::Compact);
    facts.activity[0].by = Author::Program;
    facts.messages[0].from = "the caller".to_owned();
    let text = assemble(&wake::offers(&facts), Budget::utf16(9_000)).text;
    assert!(text.contains("10:20 a program outside any session: "), "{text}");
    assert!(text.contains("**From the caller**"), "{text}");
    assert!(
        !text.contains("@a program") && !text.contains("@the caller"),
        "{text}"
    );
}

#[test]
fn a_short_skill_is_shown_in_full_and_a_long_one_by_its_matching_sections() {
    let mut facts = authentication(WakeReason::Compact);
    let text = assemble(&wake::offers(&facts), Budget::utf16(9_000)).text;
    assert!(text.contains("Full text:\n"), "{text}");
    assert!(text.contains("Small models for mechanics."), "{text}");
    let skill = facts.skill.as_mut().unwrap();
    skill.sections[3].full = "Small models for mechanics. ".repeat(300);
    let text = assemble(&wake::offers(&facts), Budget::utf16(9_000)).text;
    assert!(
        text.contains("Sections for this stage of the work, review, then fix (2, in full):"),
        "{text}"
    );
    assert!(!text.contains("Small models for mechanics."), "{text}");
    // The list of sections that are not shown must not contain the shown ones.
    let (_, others) = text.split_once("Sections not shown:\n").unwrap();
    let others = others.split_once("\n\n").unwrap().0;
    assert_eq!(
        others,
        "- Overview (44 characters)\n- Model choice (1137 characters)"
    );
}

#[test]
fn a_skill_without_a_matching_section_shows_its_beginning() {
    let mut facts = authentication(WakeReason::Compact);
    let skill = facts.skill.as_mut().unwrap();
    for section in &mut skill.sections {
        (section.claim, section.score) = (Claim::Unrelated, 0);
        section.full.push_str(&"More of it. ".repeat(300));
    }
    let text = assemble(&wake::offers(&facts), Budget::utf16(9_000)).text;
    assert!(text.contains("One agent a task."), "{text}");
    assert!(!text.contains("- Overview ("), "{text}");
}

#[test]
fn the_plan_does_not_repeat_what_the_tasks_show() {
    let mut facts = authentication(WakeReason::Compact);
    let notice = facts.plan.as_ref().unwrap().notices[0].clone();
    let shown = TaskNotice::Plan(notice);
    facts.position.as_mut().unwrap().notices.push(shown);
    let text = assemble(&wake::offers(&facts), Budget::utf16(9_000)).text;
    let words = "The plan was removed from the task tree.";
    assert_eq!(text.matches(words).count(), 1, "{text}");
}

#[test]
fn a_dependency_is_shown_with_its_title() {
    let mut facts = authentication(WakeReason::Compact);
    facts.tasks[6].task.waits_for.push("t-99".parse().unwrap());
    facts.waited_for.push(bugle_core::reply::TaskName {
        id: "t-99".parse().unwrap(),
        numbered: Some("Phase 9".to_owned()),
        title: "Ship".to_owned(),
    });
    let text = assemble(&wake::offers(&facts), Budget::utf16(9_000)).text;
    let waits = "waiting for Task 2: Add login endpoint (t-3), Phase 9: Ship (t-99)";
    assert!(text.contains(waits), "{text}");
}

#[test]
fn a_part_that_is_dropped_is_named_with_the_command_that_shows_it() {
    let budget = Budget {
        unit: Unit::Utf16,
        limit: 1_200,
    };
    let assembly = assemble(&wake::offers(&authentication(WakeReason::Compact)), budget);
    let dropped = assembly
        .parts
        .iter()
        .filter(|picked| picked.verdict == PartResult::LeftOut);
    let names: Vec<&str> = dropped.map(|picked| picked.part.title()).collect();
    assert!(!names.is_empty());
    let line = format!(
        "Left out to save space (`bugle wake --reason compact --budget 1000000` prints everything): {}.",
        names.join(", ")
    );
    assert!(assembly.text.contains(&line), "{line}\n{}", assembly.text);
}
