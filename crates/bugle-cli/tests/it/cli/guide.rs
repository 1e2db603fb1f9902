//! The walkthroughs of the guide are executed, and its pictures drawn again.

use std::fs;

use crate::support::guide_player::{play, play_section, section_titles};
use crate::support::sandbox::Sandbox;

#[test]
fn the_example_in_the_readme_is_what_happens() {
    play("README.md");
}

#[test]
fn the_tour_is_what_happens() {
    play("docs/tour.md");
}

#[test]
fn writing_a_skill_is_what_happens() {
    play("docs/writing-a-skill.md");
}

#[test]
fn reviews_and_sub_agents_are_what_happens() {
    play("docs/reviews.md");
}

#[test]
fn agents_and_messages_are_what_happens() {
    play("docs/agents.md");
}

const COOKBOOK: &str = "docs/cookbook.md";

/// One test per recipe of the cookbook, each in a sandbox of its own.
macro_rules! recipes {
    ($($name:ident: $title:literal,)*) => {
        $(
            #[test]
            fn $name() {
                play_section(COOKBOOK, $title);
            }
        )*

        #[test]
        fn every_recipe_is_played() {
            assert_eq!(section_titles(COOKBOOK), [$($title),*]);
        }
    };
}

recipes! {
    a_run_continues_in_another_session: "Continue a run in another session",
    a_waiting_run_is_answered: "Answer a waiting run",
    a_wake_up_explains_what_it_left_out: "See why a wake-up left something out",
    two_terminals_claim_tasks_of_a_plan: "Import a plan and claim tasks from two terminals",
    an_agent_waits_for_an_answer: "Make an agent wait for another agent's answer",
    a_built_in_skill_is_ejected_and_changed: "Eject and change a built-in skill",
    a_gate_is_added_to_a_skill: "Add a gate to a skill",
    a_step_requires_a_command_to_succeed: "Require a command to succeed before a step ends",
    a_risk_is_accepted: "Accept a risk",
    a_run_goes_back_to_an_earlier_step: "Go back to an earlier step",
    json_is_printed_for_scripts: "Script Bugle with --json",
    one_of_two_clients_is_removed: "Set up two clients and remove one",
}

#[test]
fn pictures_are_what_the_program_draws() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/pictures");
    let sandbox = Sandbox::new();
    let mut number = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let skill = path.file_stem().unwrap().to_str().unwrap();
        let drawn = sandbox
            .run(&["skill", "graph", skill, "--format", "svg"])
            .ok()
            .out;
        assert!(
            fs::read_to_string(&path).unwrap() == drawn,
            "{} is not what is drawn now; scripts/pictures draws it anew",
            path.display()
        );
        number += 1;
    }
    assert!(number > 0, "there are pictures");
}
