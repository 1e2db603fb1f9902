//! The pages of the guide that walk through something are walked through.

use crate::played::play;

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
