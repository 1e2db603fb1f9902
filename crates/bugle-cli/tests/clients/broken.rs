//! With Bugle broken, a session works as if Bugle were not there: hooks deny nothing, block no stop, print nothing
//! and end quickly.

use std::fs;
use std::path::PathBuf;

use bugle_testkit::clients::{Client, Finished, Sandbox};
use bugle_testkit::model_server::{Reply, turns};
use rusqlite::Connection;

use crate::work::set_up;

const GUARDED: &str = "version: 1
steps:
  look:
    title: Look only
    do: Look at notes.txt.
    tools: { deny: [Edit, Write] }
    result:
      found: { type: string }
    next: end
";

#[derive(Debug, Clone, Copy)]
enum Fault {
    Corrupt,
    Locked,
    Missing,
    Gone,
}

impl Fault {
    /// Breaks Bugle. The returned connection keeps the store locked.
    fn happen(self, store: &PathBuf, program: &PathBuf) -> Option<Connection> {
        match self {
            Self::Corrupt => {
                for ending in ["", "-wal", "-shm"] {
                    let mut file = store.clone().into_os_string();
                    file.push(ending);
                    fs::write(file, "no store at all, ".repeat(4_000)).unwrap();
                }
            }
            Self::Locked => {
                let connection = Connection::open(store).unwrap();
                // Without this pragma, other processes could still read the store from its log.
                connection
                    .pragma_update(None, "locking_mode", "EXCLUSIVE")
                    .unwrap();
                connection.execute_batch("BEGIN EXCLUSIVE").unwrap();
                return Some(connection);
            }
            Self::Missing => fs::remove_dir_all(store.parent().unwrap()).unwrap(),
            Self::Gone => fs::remove_file(program).unwrap(),
        }
        None
    }
}

/// Asserts that no hook has printed anything.
fn assert_hooks_silent(finished: &Finished, from: usize) {
    for request in &finished.requests()[from..] {
        let news = request.news();
        let told = ["Bugle: ", "Wake-up", "Your turn is not over"];
        let by_hooks = [
            "hook error",
            "hook additional context",
            "hook success",
            "hook feedback",
        ];
        for word in told.into_iter().chain(by_hooks) {
            assert!(!news.contains(word), "{word:?} is in {news}\n{finished}");
        }
    }
}

/// Bugle breaks in the middle of a step that forbids writing, and is still broken in the next session.
fn broken(client: Client, fault: Fault) {
    let Some(sandbox) = set_up(client, &[("guarded", GUARDED)]) else {
        return;
    };
    let store = sandbox.bugle_home().join("bugle.db");
    let program = sandbox.program();
    let (send, held) = std::sync::mpsc::channel();
    let mut script = turns(
        "",
        [
            Reply::shell("bugle start guarded"),
            Reply::shell("echo new > notes.txt; echo done"),
            Reply::text("Written."),
        ],
    );
    let finished = sandbox
        .launch("Look at the notes.")
        .run(move |request| {
            if request.number == 2 {
                let news = request.news();
                assert!(news.contains("Look at notes.txt."), "{news}");
                send.send(fault.happen(&store, &program)).unwrap();
            }
            script(request)
        })
        .ok();
    let _held = held.recv().unwrap();
    assert_eq!(finished.answer(), "Written.", "{finished}");
    assert_eq!(finished.requests().len(), 3, "{finished}");
    assert_hooks_silent(&finished, 2);
    let notes = fs::read_to_string(sandbox.project().join("notes.txt")).unwrap();
    assert_eq!(notes, "new\n");
    next_session(&sandbox);
}

fn next_session(sandbox: &Sandbox) {
    let model = turns("", [Reply::shell("echo fine"), Reply::text("All is well.")]);
    let finished = sandbox.launch("Is all well?").run(model).ok();
    assert_eq!(finished.answer(), "All is well.");
    assert_eq!(finished.requests().len(), 2, "{finished}");
    assert_hooks_silent(&finished, 0);
}

#[test]
fn claude_works_beside_a_corrupt_store() {
    broken(Client::Claude, Fault::Corrupt);
}

#[test]
fn codex_works_beside_a_corrupt_store() {
    broken(Client::Codex, Fault::Corrupt);
}

#[test]
fn claude_works_beside_a_locked_store() {
    broken(Client::Claude, Fault::Locked);
}

#[test]
fn codex_works_beside_a_locked_store() {
    broken(Client::Codex, Fault::Locked);
}

#[test]
fn claude_works_without_a_store() {
    broken(Client::Claude, Fault::Missing);
}

#[test]
fn codex_works_without_a_store() {
    broken(Client::Codex, Fault::Missing);
}

#[test]
fn claude_works_without_the_program() {
    broken(Client::Claude, Fault::Gone);
}

#[test]
fn codex_works_without_the_program() {
    broken(Client::Codex, Fault::Gone);
}
