//! Executes the guide's walkthroughs and redraws its pictures.

use std::fs;
use std::path::{Path, PathBuf};

use bugle_testkit::pictures::Scene;
use bugle_testkit::postgres;

use crate::support::guide_player::{play, play_section, play_with, section_titles};
use crate::support::sandbox::{Sandbox, answer};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

#[test]
fn the_readme_example_matches_the_program() {
    play("README.md");
}

#[test]
fn the_tour_matches_the_program() {
    play("docs/tour.md");
}

#[test]
fn the_skill_walkthrough_matches_the_program() {
    play("docs/writing-a-skill.md");
}

#[test]
fn the_review_walkthrough_matches_the_program() {
    play("docs/reviews.md");
}

#[test]
fn the_message_walkthrough_matches_the_program() {
    play("docs/agents.md");
}

#[test]
fn the_teams_walkthrough_matches_the_program() {
    if !postgres::is_available() {
        return;
    }
    let server = postgres::shared();
    server.sql("postgres", "CREATE DATABASE bugle");
    play_with("docs/teams.md", &server.variables());
}

const COOKBOOK: &str = "docs/cookbook.md";

/// One test per cookbook recipe, each in its own sandbox.
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

/// The scripts for one kind of scene, each with its picture's name.
fn scenes(kind: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(ROOT).join("scripts/scenes").join(kind);
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let named = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (path.canonicalize().unwrap(), name)
    };
    let scenes: Vec<_> = paths.map(named).collect();
    assert!(!scenes.is_empty(), "no scenes found");
    scenes
}

#[test]
fn pictures_match_what_the_program_draws() {
    for (script, name) in scenes("graph") {
        let sandbox = Sandbox::new();
        let mut command = sandbox.command("bash", &sandbox.home());
        command
            .args(["-euo", "pipefail"])
            .arg(script)
            .env("REPOSITORY", ROOT);
        let drawn = answer(&mut command).ok().out;
        let picture = Path::new(ROOT).join(format!("docs/pictures/{name}.svg"));
        assert!(
            fs::read_to_string(&picture).unwrap() == drawn,
            "{name}.svg is out of date; run scripts/pictures"
        );
    }
}

#[test]
fn the_commands_in_terminal_pictures_succeed() {
    for (script, name) in scenes("terminal") {
        let scene = Scene::read(&script).unwrap();
        let played = scene.play(Path::new(env!("CARGO_BIN_EXE_bugle")));
        assert!(played.is_ok(), "{name}: {}", played.unwrap_err());
        let picture = Path::new(ROOT).join(format!("docs/pictures/{name}.svg"));
        assert!(picture.is_file(), "{name}.svg is missing; run scripts/pictures");
    }
}
