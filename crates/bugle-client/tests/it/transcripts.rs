//! Recorded output of real clients, converted to the common form, and the command lines that start clients.

use bugle_client::Client;
use bugle_client::launch::{LaunchOptions, Session};
use bugle_client::transcript::{Transcript, error_line, turn_line};
use bugle_core::reply::TranscriptItem;
use proptest::prelude::*;

/// Recorded from Claude Code 2.1.325, Codex 0.166.0, Gemini CLI 0.61.0, opencode 1.18.33 and Qwen Code 0.24.4. Fields
/// that only the client uses are omitted.
const SAMPLES: [(&str, Client, &str); 9] = [
    ("claude", Client::Claude, include_str!("transcripts/claude.jsonl")),
    (
        "claude, no such session",
        Client::Claude,
        include_str!("transcripts/claude-lost-session.jsonl"),
    ),
    (
        "claude, the model refuses",
        Client::Claude,
        include_str!("transcripts/claude-model-refuses.jsonl"),
    ),
    ("codex", Client::Codex, include_str!("transcripts/codex.jsonl")),
    (
        "codex, the model refuses",
        Client::Codex,
        include_str!("transcripts/codex-model-refuses.jsonl"),
    ),
    ("gemini", Client::Gemini, include_str!("transcripts/gemini.jsonl")),
    (
        "opencode",
        Client::Opencode,
        include_str!("transcripts/opencode.jsonl"),
    ),
    ("qwen", Client::Qwen, include_str!("transcripts/qwen.jsonl")),
    (
        "qwen, the model refuses",
        Client::Qwen,
        include_str!("transcripts/qwen-model-refuses.jsonl"),
    ),
];

fn read(client: Client, text: &str) -> Vec<TranscriptItem> {
    let mut transcript = Transcript::new(client);
    let mut items: Vec<TranscriptItem> = text.lines().flat_map(|line| transcript.read(line)).collect();
    items.extend(transcript.rest());
    items
}

#[test]
fn every_client_s_words_have_one_form() {
    let mut written = String::new();
    for (name, client, sample) in SAMPLES {
        written.push_str(&format!("== {name}\n"));
        for item in read(client, sample) {
            written.push_str(&serde_json::to_string(&item).unwrap());
            written.push('\n');
        }
    }
    insta::assert_snapshot!(written);
}

#[test]
fn a_new_process_starts_over_and_names_its_session_again() {
    let (_, client, sample) = SAMPLES[3];
    let twice = format!("{}\n{sample}{}\n{sample}", turn_line("w-1"), turn_line("w-2"));
    let items = read(client, &twice);
    let sessions = items
        .iter()
        .filter(|item| matches!(item, TranscriptItem::SessionIs { .. }));
    let answers = items
        .iter()
        .filter(|item| matches!(item, TranscriptItem::Final { .. }));
    assert_eq!((sessions.count(), answers.count()), (2, 2));
    let wanted = TranscriptItem::Turn {
        wakeup: "w-1".to_owned(),
    };
    assert_eq!(items[0], wanted);
}

#[test]
fn the_words_that_start_a_client() {
    let arguments = ["--one".to_owned(), "two words".to_owned()];
    let mut written = String::new();
    for client in Client::ALL {
        for session in [Session::New, Session::NewWithId("ID"), Session::Resumed("ID")] {
            let plain = LaunchOptions {
                session,
                model: None,
                arguments: &[],
            };
            let full = LaunchOptions {
                model: Some("small"),
                arguments: &arguments,
                ..plain
            };
            for options in [plain, full] {
                written.push_str(&format!("{:?}\n", client.run_command(&options)));
            }
        }
        written.push_str(&format!("{:?}\n", client.attach_command("ID")));
    }
    insta::assert_snapshot!(written);
}

proptest! {
    #[test]
    fn any_output_can_be_read(
        client in 0_usize..Client::ALL.len(),
        sample in 0_usize..SAMPLES.len(),
        cut in 0_usize..2000,
        noise in ".{0,40}",
    ) {
        let text = SAMPLES[sample].2;
        let cut = (0..=cut.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
        let text = format!("{noise}\n{}{noise}\n{}", &text[..cut], error_line(&noise));
        let items = read(Client::ALL[client], &text);
        prop_assert_eq!(items.last(), Some(&TranscriptItem::Error { text: noise }));
    }
}
