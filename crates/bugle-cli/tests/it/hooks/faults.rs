//! Hooks that fail: the client sees nothing, its session continues, and the error is logged.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use serde_json::json;

use crate::support::hook_client::{Client, GUARDED};
use crate::support::sandbox::{Answer, Sandbox, answer, answer_with_input};

/// Every event of every client, because each could fail in its own way.
const EVENTS: [(&str, &str); 12] = [
    ("claude", "SessionStart"),
    ("claude", "UserPromptSubmit"),
    ("claude", "PreToolUse"),
    ("claude", "PostToolUse"),
    ("claude", "SubagentStart"),
    ("claude", "SubagentStop"),
    ("claude", "PreCompact"),
    ("claude", "PostCompact"),
    ("claude", "Stop"),
    ("claude", "SessionEnd"),
    ("gemini", "BeforeTool"),
    ("opencode", "tool.execute.before"),
];

/// A run whose step forbids editing, so that a working hook prints something.
fn guarded() -> Sandbox {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    Client::claude(&sandbox).start(&["guarded"]);
    sandbox
}

/// Asserts that every hook prints nothing.
#[track_caller]
fn silent(sandbox: &Sandbox) {
    let facts = json!({
        "source": "startup", "tool_name": "Edit", "tool_input": { "file_path": "a.rs" }, "stop_hook_active": false,
    });
    for (client, event) in EVENTS {
        let answer = Client::named(sandbox, client).hook(event, &facts);
        assert_eq!(answer, "", "{client} {event}");
    }
}

fn log(sandbox: &Sandbox) -> String {
    fs::read_to_string(sandbox.bugle_home().join("hook.log")).unwrap_or_default()
}

/// The names of everything under a folder.
fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn called(sandbox: &Sandbox, words: &[&str], input: &[u8]) -> Answer {
    let words: Vec<&str> = ["hook"].into_iter().chain(words.iter().copied()).collect();
    answer_with_input(&mut sandbox.bugle(&words), input)
}

#[test]
fn calls_that_are_not_understood_print_nothing() {
    let sandbox = guarded();
    for words in [
        vec![],
        vec!["Sneeze", "--client", "claude"],
        vec!["PreToolUse"],
        vec!["PreToolUse", "--client"],
        vec!["PreToolUse", "--client", "nobody"],
        vec!["PreToolUse", "--client", "claude", "--and", "more"],
    ] {
        let answer = called(&sandbox, &words, b"{}").ok();
        assert_eq!(answer.out, "", "{words:?}");
    }
    let log = log(&sandbox);
    assert!(log.contains("--client nobody` is not a valid call"), "{log}");
    assert!(
        log.contains("Sneeze: this version of Bugle does not know this event"),
        "{log}"
    );
}

#[test]
fn a_hook_answers_another_client_that_calls_it_if_bugle_knows_that_client() {
    let sandbox = guarded();
    let edit =
        json!({ "session_id": "session-one", "tool_name": "Edit", "tool_input": { "file_path": "a.rs" } });
    let called = |variables: &[(&str, &str)]| {
        let mut command = sandbox.bugle(&["hook", "PreToolUse", "--client", "claude"]);
        command.envs(variables.iter().copied());
        answer_with_input(&mut command, edit.to_string().as_bytes())
            .ok()
            .out
    };
    for (mark, is_known) in [
        ("GROK_SESSION_ID", true),
        ("QWEN_CODE_SESSION_ID", true),
        ("COPILOT_CLI", true),
        ("CURSOR_VERSION", false),
    ] {
        let answer = called(&[(mark, "session-one")]);
        assert_eq!(answer.contains("deny"), is_known, "{mark}: {answer}");
        assert_eq!(answer.is_empty(), !is_known, "{mark}: {answer}");
        let inside = called(&[(mark, "other"), ("CLAUDE_CODE_SESSION_ID", "session-one")]);
        assert!(
            inside.contains("deny"),
            "Claude Code started by that client, {mark}: {inside}"
        );
    }
    assert_eq!(log(&sandbox), "");
}

#[test]
fn bugle_alone_prints_nothing_to_a_hook_and_the_status_to_a_person() {
    let sandbox = guarded();
    for input in [
        "{\"hook_event_name\":\"PreToolUse\"}",
        "\u{feff} {\"a\": \"\\ud800\"}",
        "{",
    ] {
        let answer = answer_with_input(&mut sandbox.bugle(&[]), input.as_bytes()).ok();
        assert_eq!((answer.out.as_str(), answer.err.as_str()), ("", ""), "{input}");
    }
    let status = answer(&mut sandbox.bugle(&[])).ok();
    assert!(status.out.contains("guarded"), "{}", status.out);
}

#[test]
fn malformed_input_prints_nothing() {
    let sandbox = guarded();
    let nothing = answer(&mut sandbox.bugle(&["hook", "PreToolUse", "--client", "claude"]));
    assert_eq!(nothing.ok().out, "", "empty input");
    for input in [
        b"".as_slice(),
        b"[]",
        b"null",
        b"\"PreToolUse\"",
        b"\xff\xfe\x00",
        b"{\"session_id\": 7, \"tool_name\": [], \"tool_input\": \"x\", \"cwd\": {}}",
    ] {
        for event in ["PreToolUse", "Stop", "PostToolUse", "SessionStart"] {
            let before = log(&sandbox).lines().count();
            let answer = called(&sandbox, &[event, "--client", "claude"], input).ok();
            let shown = String::from_utf8_lossy(&input[..input.len().min(80)]);
            assert_eq!(answer.out, "", "{event}: {shown}");
            // A JSON object may belong to another session. Anything else is an error and is logged.
            let is_object =
                serde_json::from_slice::<serde_json::Value>(input).is_ok_and(|value| value.is_object());
            let logged = usize::from(!is_object);
            assert_eq!(log(&sandbox).lines().count() - before, logged, "{event}: {shown}");
        }
    }
}

#[test]
fn without_a_store_a_hook_creates_none() {
    let sandbox = Sandbox::new();
    silent(&sandbox);
    assert!(!sandbox.bugle_home().exists());
    assert_eq!(names(&sandbox.home()), Vec::<String>::new());
    assert_eq!(names(&sandbox.project()), Vec::<String>::new());
    // Hooks create no store in an existing folder either.
    fs::create_dir(sandbox.bugle_home()).unwrap();
    silent(&sandbox);
    assert_eq!(names(&sandbox.bugle_home()), Vec::<String>::new());
}

/// A way to damage a store, with a name.
type Damage<'a> = (&'a str, &'a dyn Fn(&Path));

#[test]
fn a_broken_or_newer_store_prints_nothing_and_is_left_unchanged() {
    let newer = |path: &Path| {
        let connection = Connection::open(path).unwrap();
        connection.execute_batch("PRAGMA user_version = 999").unwrap();
    };
    let garbage = |path: &Path| fs::write(path, b"this was a database once".repeat(500)).unwrap();
    let empty = |path: &Path| fs::write(path, b"").unwrap();
    let folder = |path: &Path| {
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
    };
    let damages: [Damage<'_>; 4] = [
        ("newer", &newer),
        ("garbage", &garbage),
        ("empty", &empty),
        ("folder", &folder),
    ];
    for (name, damage) in damages {
        let sandbox = guarded();
        for side in ["bugle.db-wal", "bugle.db-shm"] {
            let connection = Connection::open(sandbox.database()).unwrap();
            connection
                .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
                .unwrap();
            drop(connection);
            let _ = fs::remove_file(sandbox.bugle_home().join(side));
        }
        damage(&sandbox.database());
        let before = fs::read(sandbox.database()).unwrap_or_default();
        silent(&sandbox);
        let after = fs::read(sandbox.database()).unwrap_or_default();
        if name != "empty" {
            assert!(before == after, "{name}: the file has changed");
            assert!(log(&sandbox).contains(" Stop: "), "{name}: {}", log(&sandbox));
        }
    }
}

#[test]
fn hooks_end_while_the_store_is_locked() {
    let sandbox = guarded();
    let connection = Connection::open(sandbox.database()).unwrap();
    connection.execute_batch("BEGIN EXCLUSIVE").unwrap();
    // These hooks write. The first one waits for the lock, and all end while the lock is still held.
    let events = [
        "Stop",
        "PreCompact",
        "PostCompact",
        "UserPromptSubmit",
        "Stop",
        "SessionEnd",
    ];
    for event in events {
        let facts = json!({ "stop_hook_active": false, "prompt": "go on" });
        assert_eq!(Client::claude(&sandbox).hook(event, &facts), "");
    }
    // Readers do not wait for a writer.
    let edit = json!({ "file_path": "a.rs" });
    assert_ne!(Client::claude(&sandbox).denied("Edit", &edit), "");
    connection.execute_batch("ROLLBACK").unwrap();
    let log = log(&sandbox);
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines.len(), events.len(), "{log}");
    // On a busy machine, a hook's time limit can pass before it has tried often enough.
    let mut later = lines.iter().skip_while(|line| line.ends_with("timed out"));
    assert!(
        later.next().unwrap().contains("is locked by another process"),
        "{log}"
    );
    for line in later {
        assert!(line.contains("this hook did not wait"), "{log}");
    }
    assert_ne!(Client::claude(&sandbox).stop(false), "");
}

#[test]
fn unusable_homes_and_folders_print_nothing() {
    let sandbox = guarded();
    let facts = json!({ "session_id": "session-one", "tool_name": "Edit", "tool_input": {}, "cwd": "/gone/for/good" });
    let gone = called(
        &sandbox,
        &["PreToolUse", "--client", "claude"],
        facts.to_string().as_bytes(),
    );
    assert!(
        gone.ok().out.contains("deny"),
        "the session is recognised in every folder"
    );
    for (home, bugle_home) in [
        ("", ""),
        ("/dev/null", "/dev/null/x"),
        ("relative", "also/relative"),
    ] {
        for event in ["PreToolUse", "Stop", "SessionStart"] {
            let mut command = sandbox.bugle(&["hook", event, "--client", "claude"]);
            command.env("HOME", home).env("BUGLE_HOME", bugle_home);
            let answer = answer_with_input(&mut command, facts.to_string().as_bytes());
            assert_eq!(answer.ok().out, "", "{home} {bugle_home} {event}");
        }
    }
    let mut command = sandbox.bugle(&["hook", "Stop", "--client", "claude"]);
    command.env_remove("HOME").env_remove("BUGLE_HOME");
    assert_eq!(answer_with_input(&mut command, b"{}").ok().out, "");
    // The current folder may be gone, too.
    let folder = sandbox.root().join("gone");
    fs::create_dir(&folder).unwrap();
    let program = sandbox.root().join("bin/bugle");
    let line = format!(
        "rmdir {} && echo '{{\"session_id\":\"other\"}}' | {} hook Stop --client claude",
        folder.display(),
        program.display()
    );
    let answer = answer(sandbox.command("sh", &folder).arg("-c").arg(line));
    assert_eq!(answer.ok().out, "");
}

#[test]
fn the_log_of_faults_is_bounded() {
    let sandbox = guarded();
    let file = sandbox.bugle_home().join("hook.log");
    for _ in 0..3 {
        fs::write(&file, "0 Stop: an old fault\n".repeat(20_000)).unwrap();
        for _ in 0..2 {
            called(&sandbox, &["Stop", "--client", "nobody"], b"{}").ok();
        }
    }
    assert!(fs::metadata(&file).unwrap().len() < 10_000);
    let logs: Vec<String> = names(&sandbox.bugle_home())
        .into_iter()
        .filter(|name| name.starts_with("hook.log"))
        .collect();
    assert_eq!(logs, ["hook.log", "hook.log.1"]);
}
