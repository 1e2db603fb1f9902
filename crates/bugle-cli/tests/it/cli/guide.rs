//! The walkthroughs of the guide are executed, and its pictures drawn again.

use std::fs;

use crate::support::guide_player::play;
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
fn gates_and_children_are_what_happens() {
    play("docs/gates-and-children.md");
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
