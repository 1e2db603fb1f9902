//! A cheating agent against the real hooks of Claude Code. Plays each trick once and reads the outcome from files and
//! the store. `docs/reference/tricks.md` lists the outcomes.

mod files;
mod ledger;
mod people;
mod reviews;
mod scene;
mod store;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::thread;

use scene::{Outcome, Played, Scene};

const BEGIN: &str = "<!-- BEGIN tricks: BUGLE_WRITE_GUIDE=1 cargo test --test clients cheats -->\n";
const END: &str = "<!-- END tricks -->\n";
const LEAST_TRICKS: usize = 40;

/// A part of the table of tricks.
struct Part {
    title: &'static str,
    scenes: Vec<fn() -> Scene>,
}

#[test]
fn the_tricks_page_lists_the_outcome_of_every_trick() {
    let parts = [
        Part {
            title: "Changing files while a step forbids edits",
            scenes: vec![files::direct, files::around],
        },
        Part {
            title: "Ending a step without doing it",
            scenes: vec![ledger::scene],
        },
        Part {
            title: "Passing a review",
            scenes: vec![reviews::scene],
        },
        Part {
            title: "Acting as the user, and removing Bugle",
            scenes: vec![people::scene],
        },
        Part {
            title: "Changing the store",
            scenes: vec![store::scene],
        },
    ];
    let Some(played) = play(&parts) else { return };
    let all: Vec<&Played> = played.iter().flatten().collect();
    assert!(all.len() >= LEAST_TRICKS, "only {} tricks", all.len());
    let unclear: Vec<&&Played> = all
        .iter()
        .filter(|trick| matches!(trick.outcome, Outcome::Unclear(_)))
        .collect();
    assert!(unclear.is_empty(), "{unclear:#?}");
    let mut text = summary(&all);
    for (part, played) in parts.iter().zip(&played) {
        text.push_str(&table(part.title, played));
    }
    compare(&text);
}

/// Plays all scenes in parallel, up to the number of clients that may run at once.
fn play(parts: &[Part]) -> Option<Vec<Vec<Played>>> {
    let started: Vec<Vec<_>> = parts
        .iter()
        .map(|part| {
            let start = |scene: &fn() -> Scene| {
                let scene = *scene;
                thread::spawn(move || scene::play(scene()))
            };
            part.scenes.iter().map(start).collect()
        })
        .collect();
    let ended = started.into_iter().map(|scenes| {
        let played: Option<Vec<Vec<Played>>> = scenes
            .into_iter()
            .map(|scene| {
                scene
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect();
        played.map(|played| played.concat())
    });
    ended.collect()
}

fn summary(played: &[&Played]) -> String {
    let count = |wanted: fn(&Outcome) -> bool| played.iter().filter(|trick| wanted(&trick.outcome)).count();
    format!(
        "{} tricks: {} prevented, {} recorded, {} not prevented.\n",
        played.len(),
        count(|outcome| *outcome == Outcome::Prevented),
        count(|outcome| matches!(outcome, Outcome::Recorded(_))),
        count(|outcome| *outcome == Outcome::NotPrevented),
    )
}

fn table(title: &str, played: &[Played]) -> String {
    let mut table = format!("\n### {title}\n\n| the agent | outcome |\n|---|---|\n");
    for trick in played {
        let outcome = match &trick.outcome {
            Outcome::Prevented => "prevented".to_owned(),
            Outcome::Recorded(command) => format!("recorded: `bugle {command}`"),
            Outcome::NotPrevented => "**not prevented**".to_owned(),
            Outcome::Unclear(why) => why.clone(),
        };
        let name = trick.name.replace('|', "\\|");
        writeln!(table, "| {name} | {outcome} |").unwrap();
    }
    table
}

/// Compares the page with the outcomes, or writes the page.
fn compare(text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/tricks.md");
    let page = fs::read_to_string(&file).unwrap();
    let (before, rest) = page
        .split_once(BEGIN)
        .expect("the page marks where the tables begin");
    let (shown, after) = rest.split_once(END).expect("the page marks where the tables end");
    if std::env::var_os("BUGLE_WRITE_GUIDE").is_some() {
        fs::write(&file, format!("{before}{BEGIN}{text}{END}{after}")).unwrap();
    } else {
        assert_eq!(shown, text, "BUGLE_WRITE_GUIDE=1 writes what was seen");
    }
}
