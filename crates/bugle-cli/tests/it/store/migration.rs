//! Migrating an older store: only after a verified backup, never in a hook, safe against kills.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use serde_json::json;

use crate::support::hook_client::Client;
use crate::support::mounting::where_mounting_is_possible;
use crate::support::sandbox::{Sandbox, answer, skip};

/// A store of an older version.
const OLD: &str = include_str!("schema-8.sql");
const OLD_SCHEMA: i64 = 8;

/// A sandbox with a store of an older version and a checkpointed log.
fn outdated() -> Sandbox {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.bugle_home()).unwrap();
    write_old_store(&sandbox.database());
    sandbox
}

fn write_old_store(file: &Path) {
    let connection = Connection::open(file).unwrap();
    connection.pragma_update(None, "journal_mode", "WAL").unwrap();
    connection.execute_batch(OLD).unwrap();
}

fn backup(sandbox: &Sandbox) -> PathBuf {
    sandbox
        .bugle_home()
        .join(format!("bugle.db.schema-{OLD_SCHEMA}.backup"))
}

fn schema(file: &Path) -> i64 {
    let connection = Connection::open(file).unwrap();
    connection
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .unwrap()
}

/// Asserts that the backup is sound, has the older schema, and contains every event.
#[track_caller]
fn is_complete(backup: &Path) {
    let connection = Connection::open_with_flags(backup, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let text = |statement: &str| -> String {
        connection
            .query_row(statement, [], |row| row.get::<_, rusqlite::types::Value>(0))
            .map(|value| format!("{value:?}"))
            .unwrap()
    };
    assert_eq!(text("PRAGMA integrity_check"), "Text(\"ok\")");
    assert_eq!(text("PRAGMA user_version"), format!("Integer({OLD_SCHEMA})"));
    assert_eq!(text("SELECT COUNT(*) FROM event"), "Integer(19)");
}

#[test]
fn an_older_store_is_upgraded_by_the_next_command_after_a_backup() {
    let sandbox = outdated();
    fs::write(backup(&sandbox), "half a copy").unwrap();
    fs::write(sandbox.bugle_home().join("bugle.db.schema-8.backup.part"), "left").unwrap();
    let shown = sandbox.run(&["show", "r-cp4rm6", "--json"]).ok().json();
    assert_eq!(shown["data"]["summary"]["position"]["status"], "waiting");
    is_complete(&backup(&sandbox));
    assert!(schema(&sandbox.database()) > OLD_SCHEMA);
    assert_eq!(sandbox.unfinished_files(), [""; 0].map(PathBuf::from));
    sandbox.verify();
    sandbox.run(&["decide", "r-cp4rm6", "go"]).ok().end();
    sandbox.verify();
}

#[test]
fn a_hook_starts_the_upgrade_of_an_older_store_in_the_background() {
    let sandbox = outdated();
    let client = Client::claude(&sandbox);
    let said = client.hook("SessionStart", &json!({ "source": "startup" }));
    assert_eq!(said, "", "the client does not wait for the upgrade");
    let log = fs::read_to_string(sandbox.bugle_home().join("hook.log")).unwrap();
    assert!(log.contains("and hooks do not upgrade it"), "{log}");
    // The store is upgraded only once, by this command or by the process that the hook started.
    sandbox.run(&["store", "migrate"]).ok();
    is_complete(&backup(&sandbox));
    sandbox.verify();
}

#[test]
fn a_hook_that_cannot_start_the_upgrade_changes_nothing() {
    let sandbox = outdated();
    let before = fs::read(sandbox.database()).unwrap();
    let body = Client::claude(&sandbox).body("SessionStart", &json!({ "source": "startup" }));
    // No process can be started, so only the hook itself could have touched the store.
    let mut command = sandbox.command("strace", &sandbox.project());
    command.args([
        "-qqq",
        "--output=/dev/null",
        "--inject=clone,clone3,fork,vfork:error=EAGAIN",
        "bugle",
    ]);
    command.args(["hook", "SessionStart", "--client", "claude"]);
    if sandbox
        .command("strace", sandbox.root())
        .arg("true")
        .output()
        .is_err()
    {
        return skip("there is no strace");
    }
    let answer = crate::support::sandbox::answer_with_input(&mut command, body.as_bytes());
    assert_eq!((answer.code, answer.out.as_str()), (Some(0), ""), "{answer:?}");
    assert_eq!(fs::read(sandbox.database()).unwrap(), before);
    assert!(!backup(&sandbox).exists());
}

#[test]
fn an_upgrade_killed_at_any_write_leaves_the_old_store_or_the_new_one_with_its_backup() {
    const CALLS: [(&str, u32); 6] = [
        ("pwrite64", 14),
        ("fsync", 3),
        ("fdatasync", 4),
        ("rename", 1),
        ("unlink", 3),
        ("ftruncate", 2),
    ];
    let sandbox = Sandbox::new();
    if sandbox
        .command("strace", sandbox.root())
        .arg("true")
        .output()
        .is_err()
    {
        return skip("there is no strace");
    }
    let (mut before, mut after) = (0, 0);
    for (call, times) in CALLS {
        for time in (1..=times).map(|time| time * time.div_ceil(3)) {
            let sandbox = outdated();
            let mut command = sandbox.command("strace", &sandbox.project());
            let inject = format!("--inject={call}:signal=KILL:when={time}");
            command.args(["-qqq", "-f", "--output=/dev/null", &inject, "bugle", "runs"]);
            answer(&mut command);
            if schema(&sandbox.database()) == OLD_SCHEMA {
                before += 1;
            } else {
                after += 1;
                is_complete(&backup(&sandbox));
            }
            // Every file with its final name is complete, upgraded or not.
            if backup(&sandbox).exists() {
                is_complete(&backup(&sandbox));
            }
            sandbox.run(&["runs"]).ok();
            is_complete(&backup(&sandbox));
            sandbox.verify();
        }
    }
    assert!(before > 5, "{before} kills before the upgrade, {after} after it");
}

#[test]
fn an_upgrade_without_space_for_the_backup_leaves_the_store_unchanged() {
    let sandbox = Sandbox::new();
    let home = sandbox.bugle_home();
    fs::create_dir(&home).unwrap();
    let made = sandbox.root().join("made.db");
    write_old_store(&made);
    Connection::open(&made)
        .unwrap()
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    let script = format!(
        "
        mount -t tmpfs -o size=1m none '{home}'
        cp '{made}' '{home}/bugle.db'
        cat /dev/zero > '{home}'/filler 2> /dev/null || true
        truncate -s -98304 '{home}'/filler
        code=0
        bugle run list > ../out 2> ../err || code=$?
        echo \"code $code\"
        cat ../err
        ls '{home}'
        cmp '{made}' '{home}/bugle.db' && echo same
        rm '{home}'/filler
        bugle store verify
        ls '{home}'
        ",
        home = home.display(),
        made = made.display(),
    );
    let Some(answer) = where_mounting_is_possible(&sandbox, &script) else {
        return skip("no file system can be mounted");
    };
    let answer = answer.exits(0);
    let (full, free) = answer
        .out
        .split_once("same\n")
        .unwrap_or_else(|| panic!("{answer:?}"));
    assert!(full.contains("code 1\n"), "{full}");
    assert!(
        full.contains("the disk is full") || full.contains("cannot back up"),
        "{full}"
    );
    assert!(!full.contains("backup\n") && !full.contains("part"), "{full}");
    assert!(
        free.contains("no errors found") && free.contains("schema-8.backup"),
        "{free}"
    );
}

#[test]
fn many_commands_at_once_upgrade_a_store_once() {
    let sandbox = outdated();
    let commands = (0..8).map(|_| sandbox.bugle(&["runs", "--all"])).collect();
    for answer in crate::support::sandbox::all_at_once(commands) {
        answer.ok();
    }
    is_complete(&backup(&sandbox));
    sandbox.verify();
}
