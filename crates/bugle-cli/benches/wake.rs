//! What a wake-up costs as a process: with a skill of 30 KB, a plan of 100 KB with 1,000 tasks, and 10,000 messages; and with
//! a million messages. "mail" is a wake-up that has a new message to tell, and so waits for the disk.
//!
//! Everything is measured in one interleaved run beside a bare process that reads one row of the same file. Numbers are
//! printed, never asserted.

#![expect(
    clippy::expect_used,
    reason = "a bench that cannot run has nothing else to say"
)]

mod support;

use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use bugle_core::id::{MessageId, Timestamp};
use bugle_core::message::{AgentAddress, Home, MessageKind};
use bugle_store::{Durability, NewMessage, Receiver, Store};

const ROUNDS: usize = 200;
/// A look counts tokens exactly and takes long: it has a run of its own, so that it does not slow down who comes after it.
const LOOKS: usize = 20;
const FEW: usize = 10_000;
const MANY: usize = 1_000_000;
const TASKS: usize = 1_000;

fn main() {
    if !support::was_floor() {
        measure();
    }
}

/// A home with a store, and a project with a plan, a skill and so many messages.
struct World {
    home: PathBuf,
    project: PathBuf,
}

impl World {
    fn with(folder: &Path, messages: usize) -> Self {
        let world = Self {
            home: folder.join(format!("home-{messages}")),
            project: folder.join(format!("project-{messages}")),
        };
        std::fs::create_dir_all(&world.home).expect("a folder");
        let skill = world.project.join(".claude/skills/big");
        std::fs::create_dir_all(&skill).expect("a folder");
        std::fs::write(skill.join("SKILL.md"), skill_text()).expect("a skill");
        std::fs::write(world.project.join("plan.md"), plan_text()).expect("a plan");
        world.run(&["plan", "import", "plan.md"]);
        let next = world.run(&["task", "next", "--json"]);
        let task = text_after(&next, "\"id\": \"");
        world.run(&["task", "edit", &task, "--skill", "big"]);
        world.run(&["task", "start", &task]);
        world.fill(messages);
        world
    }

    fn database(&self) -> PathBuf {
        self.home.join("bugle.db")
    }

    fn bugle(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bugle"));
        command
            .args(words)
            .env("BUGLE_HOME", &self.home)
            .env("HOME", &self.home)
            .env("CLAUDE_CODE_SESSION_ID", "june")
            .current_dir(&self.project)
            .stdin(Stdio::null());
        command
    }

    fn run(&self, words: &[&str]) -> String {
        let output = self.bugle(words).output().expect("it runs");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Messages to others and, the last few of them, to the agent that is woken.
    fn fill(&self, count: usize) {
        self.post(0..count - 5, "other");
        self.post(count - 5..count, "june");
    }

    fn post(&self, numbers: Range<usize>, to: &str) {
        let mut store = Store::open(&self.database(), Durability::Normal).expect("the store opens");
        let place = self.project.canonicalize().expect("a path");
        let project = store
            .find_project(&place.to_string_lossy())
            .expect("it can be looked for")
            .expect("there is one");
        let home = Home::new(&place.file_name().expect("a name").to_string_lossy(), None);
        let sender = AgentAddress::of_session("boss", &home).expect("an address");
        let to = AgentAddress::of_session(to, &home).expect("an address");
        store.transaction(|store| {
            for number in numbers {
                let id = MessageId::parse(&format!("m-{number:08}")).expect("an id");
                store.post(&NewMessage {
                    id: &id,
                    project: &project,
                    sender: &sender,
                    text: "The review is done, and two findings are left: names, and an error that is not handled.",
                    at: Timestamp(1),
                    kind: MessageKind::Say,
                    answers: None,
                    branch: home.branch(),
                    to: &[Receiver {
                        project: project.clone(),
                        agent: to.clone(),
                        wakes: true,
                    }],
                })?;
            }
            Ok::<_, bugle_store::StoreError>(())
        })
        .expect("they are kept");
    }
}

fn measure() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let few = World::with(folder.path(), FEW);
    let many = World::with(folder.path(), MANY);
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
        let world = if name.ends_with("many") { &many } else { &few };
        match name.split(',').next().unwrap_or_default() {
            "floor" => support::floor(&world.database(), "task"),
            "look" => world.bugle(&["wake", "--explain"]),
            "resume" => world.bugle(&["wake", "--reason", "resume"]),
            "mail" => {
                world.post(MANY + round..MANY + round + 1, "june");
                world.bugle(&["wake"])
            }
            _ => world.bugle(&["wake"]),
        }
    };
    let subjects = support::take_turns(&names, ROUNDS, command, |_| {});
    support::report(&subjects, "floor, few");
    println!();
    tell_growth(&subjects, &["floor", "wake", "mail"]);
    let looks = support::take_turns(&["look, few", "look, many"], LOOKS, command, |_| {});
    tell_growth(&looks, &["look"]);
}

fn tell_growth(subjects: &[support::Subject], names: &[&str]) {
    for name in names {
        let growth = support::median(subjects, &format!("{name}, many"))
            / support::median(subjects, &format!("{name}, few"));
        println!("{name}: {growth:.2}x from {FEW} to {MANY} messages");
    }
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
