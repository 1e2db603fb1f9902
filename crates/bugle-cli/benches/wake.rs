//! Measures wake-ups as whole processes: with a skill of 30 KB, a plan of 100 KB with 1,000 tasks, and 10,000 or a
//! million messages. "mail" is a wake-up with a new message, which waits for the disk.
//!
//! All measurements are interleaved with those of a minimal process that reads one row of the same file. Prints the
//! durations and asserts nothing about them.

#![expect(
    clippy::expect_used,
    reason = "a bench that cannot run has nothing else to say"
)]

mod mailbox;
mod support;

use std::fmt::Write as _;
use std::path::Path;

use bugle_testkit::bench::{Place, report, report_growth, take_turns};
use mailbox::post;

const ROUNDS: usize = 200;
/// The number of rounds for `wake --explain`. This command counts tokens, which is slow. It is measured separately, so
/// that it does not slow down the other measurements.
const LOOKS: usize = 20;
const FEW: usize = 10_000;
const MANY: usize = 1_000_000;
const TASKS: usize = 1_000;
/// The woken agent.
const AGENT: &str = "june";

fn main() {
    if !support::was_floor() {
        measure();
    }
}

/// A project with a plan, a skill and this many messages. The last few messages are for the woken agent.
fn with_messages(folder: &Path, messages: usize) -> Place {
    let place = Place::new(env!("CARGO_BIN_EXE_bugle"), folder, &messages.to_string());
    let skill = place.project.join(".claude/skills/big");
    std::fs::create_dir_all(&skill).expect("a folder");
    std::fs::write(skill.join("SKILL.md"), skill_text()).expect("a skill");
    std::fs::write(place.project.join("plan.md"), plan_text()).expect("a plan");
    place.run(AGENT, &["plan", "import", "plan.md"]);
    let next = place.run(AGENT, &["task", "next", "--json"]);
    let task = text_after(&next, "\"id\": \"");
    place.run(AGENT, &["task", "edit", &task, "--skill", "big"]);
    place.run(AGENT, &["task", "start", &task]);
    post(&place, 0..messages - 5, "other");
    post(&place, messages - 5..messages, AGENT);
    place
}

fn measure() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let few = with_messages(folder.path(), FEW);
    let many = with_messages(folder.path(), MANY);
    let names = [
        "floor, few",
        "floor, many",
        "wake, few",
        "wake, many",
        "resume, few",
        "mail, few",
        "mail, many",
    ];
    let command = |name: &str, round: usize| {
        let place = if name.ends_with("many") { &many } else { &few };
        match name.split(',').next().unwrap_or_default() {
            "floor" => support::floor(&place.database(), "task"),
            "look" => place.bugle(Some(AGENT), &["wake", "--explain"]),
            "resume" => place.bugle(Some(AGENT), &["wake", "--reason", "resume"]),
            "mail" => {
                post(place, MANY + round..MANY + round + 1, AGENT);
                place.bugle(Some(AGENT), &["wake"])
            }
            _ => place.bugle(Some(AGENT), &["wake"]),
        }
    };
    let subjects = take_turns(&names, ROUNDS, command, |_| {});
    report(&subjects, "floor, few");
    println!();
    let growth = format!("from {FEW} to {MANY} messages");
    report_growth(&subjects, &["floor", "wake", "mail"], &growth);
    let looks = take_turns(&["look, few", "look, many"], LOOKS, command, |_| {});
    report_growth(&looks, &["look"], &growth);
}

fn text_after(text: &str, mark: &str) -> String {
    let at = text.find(mark).expect("it is there") + mark.len();
    text[at..].split('"').next().unwrap_or_default().to_owned()
}

fn skill_text() -> String {
    let mut text = "---\nname: big\ndescription: Use in the bench.\n---\n".to_owned();
    for section in 0..30 {
        let _ = write!(text, "\n## Rules for part {section} of the parser\n\n");
        for line in 0..12 {
            let _ = writeln!(
                text,
                "- Check the input of part {section} before use, and say what is wrong with line {line}."
            );
        }
    }
    text
}

fn plan_text() -> String {
    let mut text =
        "# Parser\n\n**Goal:** measure\n\n## Global Constraints\n\n- No new dependency\n".to_owned();
    for task in 1..=TASKS {
        let _ = write!(
            text,
            "\n### Task {task}: Add part {task} of the parser\n\n**Files:**\n- Modify: `src/part_{task}.rs`\n\n- [ ] Step 1\n"
        );
    }
    text
}
