//! The walkthroughs of the guide are executed, and its pictures are drawn again.

use std::fs;
use std::path::{Path, PathBuf};

use bugle_testkit::pictures::Scene;

use crate::support::guide_player::play;
use crate::support::sandbox::{Sandbox, answer};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

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
fn gates_and_children_are_what_happens() {
    play("docs/gates-and-children.md");
}

/// The scripts of a kind of scene, each with the name of its picture.
fn scenes(kind: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(ROOT).join("scripts/scenes").join(kind);
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let named = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (path.canonicalize().unwrap(), name)
    };
    let scenes: Vec<_> = paths.map(named).collect();
    assert!(!scenes.is_empty(), "there are scenes");
    scenes
}

#[test]
fn pictures_are_what_the_program_draws() {
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
            "{name}.svg is not what the program draws now; run scripts/pictures"
        );
    }
}

#[test]
fn the_commands_in_pictures_of_terminals_succeed() {
    for (script, name) in scenes("terminal") {
        let scene = Scene::read(&script).unwrap();
        let played = scene.play(Path::new(env!("CARGO_BIN_EXE_bugle")));
        assert!(played.is_ok(), "{name}: {}", played.unwrap_err());
        let picture = Path::new(ROOT).join(format!("docs/pictures/{name}.svg"));
        assert!(picture.is_file(), "{name}.svg is missing; run scripts/pictures");
    }
}
