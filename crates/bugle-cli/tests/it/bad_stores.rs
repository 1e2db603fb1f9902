//! Stores that cannot be used: each says why, what to do, and loses nothing.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use serde_json::json;

use crate::harness::{Answer, Sandbox, answer, skip, where_mounting_is_possible};
use crate::samples::THREE;
use crate::shown::Step;

/// A run at its second step, and everything in one file.
fn settled() -> (Sandbox, Step) {
    let sandbox = Sandbox::with_skill("three", THREE);
    let first = sandbox.start(&["three"]);
    let second = sandbox.report(&first, &json!({ "word": "one" })).ok().step();
    fs::write(second.result_file(), "{\"word\": \"two\"}").unwrap();
    fold(&sandbox);
    (sandbox, second)
}

/// Folds the log into the file, so that the file is all there is.
fn fold(sandbox: &Sandbox) {
    let connection = Connection::open(sandbox.database()).unwrap();
    connection
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
}

/// The run is where it was, and goes on.
fn intact(sandbox: &Sandbox, second: &Step) {
    sandbox.verify();
    assert_eq!(sandbox.run(&["step"]).ok().step(), *second);
    let third = sandbox.printed(second.command()).ok().step();
    assert_eq!(third.step, "third");
    assert_eq!(sandbox.unfinished_files(), Vec::<std::path::PathBuf>::new());
}

/// The file that holds the store, to be put back later.
struct Kept(Vec<u8>);

impl Kept {
    fn from(sandbox: &Sandbox) -> Self {
        Self(fs::read(sandbox.database()).unwrap())
    }

    fn put_back(&self, sandbox: &Sandbox) {
        for log in ["bugle.db-wal", "bugle.db-shm"] {
            let _ = fs::remove_file(sandbox.bugle_home().join(log));
        }
        fs::write(sandbox.database(), &self.0).unwrap();
    }
}

/// A command that ends by reading a run, and one that ends by changing it.
fn both(sandbox: &Sandbox, second: &Step) -> [Answer; 2] {
    [
        sandbox.run(&["step", &second.run]),
        sandbox.printed(second.command()),
    ]
}

#[test]
fn a_file_that_is_no_database_stays_as_it_is() {
    let (sandbox, second) = settled();
    let kept = Kept::from(&sandbox);
    for garbage in [
        b"not a database, but a text of some length".repeat(300),
        vec![0xa5; 8192],
        b"short".to_vec(),
    ] {
        fs::write(sandbox.database(), &garbage).unwrap();
        for answer in both(&sandbox, &second) {
            let failed = answer.fails(1, "is damaged or not a database");
            assert!(failed.err.contains("Nothing was changed."), "{}", failed.err);
        }
        sandbox
            .run(&["store", "verify"])
            .fails(1, "is damaged or not a database");
        assert_eq!(fs::read(sandbox.database()).unwrap(), garbage);
        let failed = sandbox.run(&["runs", "--json"]).exits(1).json();
        assert_eq!(failed["data"]["exit"], 1);
    }
    // What needs no store works without one.
    sandbox.run(&["skill", "check", "three"]).ok();
    kept.put_back(&sandbox);
    intact(&sandbox, &second);
}

#[test]
fn a_file_that_was_cut_off_is_noticed_and_left_alone() {
    let (sandbox, second) = settled();
    let kept = Kept::from(&sandbox);
    let page = 4096;
    assert!(kept.0.len() > 4 * page, "{}", kept.0.len());
    for length in [100, page / 2, page, 2 * page, kept.0.len() - page] {
        kept.put_back(&sandbox);
        fs::write(sandbox.database(), &kept.0[..length]).unwrap();
        let verified = sandbox.run(&["store", "verify"]);
        assert_eq!(verified.code, Some(1), "cut to {length}: {verified:?}");
        for answer in both(&sandbox, &second) {
            assert!(matches!(answer.code, Some(0 | 1)), "cut to {length}: {answer:?}");
            if answer.code == Some(1) {
                answer.fails(1, "is damaged or not a database");
            }
        }
    }
    kept.put_back(&sandbox);
    intact(&sandbox, &second);
}

#[test]
fn what_was_changed_behind_its_back_is_named() {
    let (sandbox, second) = settled();
    let kept = Kept::from(&sandbox);
    let run = &second.run;
    for (statement, fault) in [
        (
            "UPDATE run SET step = 'third'",
            format!("run {run}: its row has another step than its events say"),
        ),
        (
            "UPDATE run SET status = 'completed'",
            format!("run {run}: its row has another status than its events say"),
        ),
        ("DELETE FROM event WHERE seq = 2", run.clone()),
        ("UPDATE event SET body = '{}' WHERE seq = 2", run.clone()),
        (
            "UPDATE blob SET content = x'00'",
            "is not what its hash says".to_owned(),
        ),
        ("DELETE FROM compiled", format!("run {run}: ")),
    ] {
        kept.put_back(&sandbox);
        let connection = Connection::open(sandbox.database()).unwrap();
        connection.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
        connection.execute(statement, []).unwrap();
        drop(connection);
        let verified = sandbox.run(&["store", "verify"]).exits(1);
        assert_eq!(verified.err, "");
        let fault_line = format!("fault: {fault}");
        assert!(
            verified
                .out
                .lines()
                .any(|line| line.starts_with("fault: ") && line.contains(&fault)),
            "{statement}: {fault_line:?} is not in:\n{}",
            verified.out
        );
        assert!(
            verified.out.ends_with("nothing was changed\n"),
            "{}",
            verified.out
        );
        let document = sandbox.run(&["store", "verify", "--json"]).exits(1).json();
        assert_eq!(document["kind"], "store");
        let step = sandbox.run(&["step", run]);
        assert!(matches!(step.code, Some(0 | 1)), "{statement}: {step:?}");
    }
    kept.put_back(&sandbox);
    intact(&sandbox, &second);
}

#[test]
fn a_store_of_a_newer_version_is_left_alone() {
    let (sandbox, second) = settled();
    let kept = Kept::from(&sandbox);
    let connection = Connection::open(sandbox.database()).unwrap();
    connection.execute_batch("PRAGMA user_version = 999").unwrap();
    drop(connection);
    fold(&sandbox);
    let newer = fs::read(sandbox.database()).unwrap();
    for answer in both(&sandbox, &second) {
        let failed = answer.fails(1, "has schema 999; this program knows up to");
        assert!(failed.err.contains("Install the newer bugle"), "{}", failed.err);
    }
    assert_eq!(fs::read(sandbox.database()).unwrap(), newer);
    kept.put_back(&sandbox);
    intact(&sandbox, &second);
}

#[test]
fn a_database_of_somebody_else_is_not_taken_over() {
    let (sandbox, second) = settled();
    let kept = Kept::from(&sandbox);
    for schema in [0, 1] {
        kept.put_back(&sandbox);
        fs::remove_file(sandbox.database()).unwrap();
        let connection = Connection::open(sandbox.database()).unwrap();
        let statements = format!("CREATE TABLE run (other TEXT); PRAGMA user_version = {schema}");
        connection.execute_batch(&statements).unwrap();
        drop(connection);
        for answer in both(&sandbox, &second) {
            answer.fails(1, "bugle.db");
        }
        let connection = Connection::open(sandbox.database()).unwrap();
        let tables: i64 = connection
            .query_row(
                "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table'",
                [],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(tables, 1, "nothing was added");
    }
    kept.put_back(&sandbox);
    intact(&sandbox, &second);
}

#[test]
fn a_store_that_somebody_writes_to_for_long_can_be_read_and_is_waited_for() {
    let (sandbox, second) = settled();
    let mut connection = Connection::open(sandbox.database()).unwrap();
    let held = connection
        .transaction_with_behavior(rusqlite::TransactionBehavior::Exclusive)
        .unwrap();
    assert_eq!(
        sandbox.run(&["step"]).ok().step(),
        second,
        "reading waits for nobody"
    );
    let failed = sandbox
        .printed(second.command())
        .fails(1, "is locked by another process");
    assert!(failed.err.contains("Nothing was changed."), "{}", failed.err);
    assert!(second.result_file().exists(), "the result is still there");
    held.rollback().unwrap();
    intact(&sandbox, &second);
}

#[test]
fn a_home_that_is_a_file_is_refused() {
    let (sandbox, second) = settled();
    let file = sandbox.root().join("file");
    sandbox.write(&file, "precious");
    for home in [file.clone(), file.join("below")] {
        let failed = answer(sandbox.bugle(&["start", "three"]).env("BUGLE_HOME", &home));
        let failed = failed.fails(2, file.to_str().unwrap());
        assert!(
            failed.err.contains("BUGLE_HOME"),
            "it says what to do: {}",
            failed.err
        );
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
    let directory = sandbox.root().join("odd");
    fs::create_dir_all(directory.join("bugle.db")).unwrap();
    answer(sandbox.bugle(&["runs"]).env("BUGLE_HOME", &directory)).fails(1, "cannot be opened");
    answer(
        sandbox
            .bugle(&["runs"])
            .env_remove("BUGLE_HOME")
            .env_remove("HOME"),
    )
    .fails(2, "neither HOME nor BUGLE_HOME is set");
    intact(&sandbox, &second);
}

#[test]
fn without_bugle_home_the_store_is_in_the_home() {
    let sandbox = Sandbox::with_skill("three", THREE);
    answer(sandbox.bugle(&["start", "three"]).env_remove("BUGLE_HOME")).ok();
    assert!(sandbox.home().join(".bugle/bugle.db").is_file());
    answer(sandbox.bugle(&["start", "three"]).env("BUGLE_HOME", "")).ok();
    assert!(!sandbox.bugle_home().exists());
}

#[test]
fn only_its_owner_can_look_into_a_store() {
    use std::os::unix::fs::PermissionsExt as _;
    let (sandbox, second) = settled();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o077;
    assert_eq!(mode(&sandbox.bugle_home()), 0);
    assert_eq!(mode(second.result_file().parent().unwrap()), 0);
}

#[test]
fn whatever_the_umask_only_the_owner_reads_the_store_and_wider_rights_are_taken_away() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::with_skill("three", THREE);
    let wide = "umask 0; bugle start three; echo '{}' | bugle hook SessionStart --client claude; echo x | bugle hook Nonsense";
    answer(sandbox.command("sh", &sandbox.project()).args(["-c", wide])).exits(0);
    let modes = || -> Vec<(String, u32)> {
        let mut found = vec![(
            ".".to_owned(),
            sandbox.bugle_home().metadata().unwrap().permissions().mode() & 0o077,
        )];
        for entry in fs::read_dir(sandbox.bugle_home()).unwrap().map(Result::unwrap) {
            let mode = entry.metadata().unwrap().permissions().mode() & 0o077;
            found.push((entry.file_name().into_string().unwrap(), mode));
        }
        found
    };
    let open = |modes: &[(String, u32)]| modes.iter().filter(|(_, mode)| *mode != 0).count();
    assert!(modes().len() > 4 && open(&modes()) == 0, "{:?}", modes());
    for (name, _) in modes() {
        let path = sandbox.bugle_home().join(name);
        let mode = if path.is_dir() { 0o755 } else { 0o644 };
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }
    answer(
        sandbox
            .command("sh", &sandbox.project())
            .args(["-c", "umask 0; bugle runs"]),
    )
    .ok();
    let left: Vec<_> = modes()
        .into_iter()
        .filter(|(name, mode)| *mode != 0 && (name.starts_with("bugle.db") || name == "."))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_store_that_cannot_be_written_says_so() {
    let (sandbox, second) = settled();
    let home = sandbox.bugle_home();
    let home = home.display();
    let script = format!(
        "mount --bind '{home}' '{home}'; mount -o remount,ro,bind '{home}'; exec {}",
        second.command()
    );
    let Some(answer) = where_mounting_is_possible(&sandbox, &script) else {
        return skip("no file system can be mounted");
    };
    let failed = answer.exits(1);
    assert!(failed.err.starts_with("bugle: the database "), "{}", failed.err);
    assert!(
        failed.err.contains("written"),
        "it says what is wrong: {}",
        failed.err
    );
    assert!(second.result_file().exists(), "the result is still there");
    intact(&sandbox, &second);
    let fresh = sandbox.root().join("fresh");
    fs::create_dir(&fresh).unwrap();
    let fresh = fresh.display();
    let script = format!(
        "mount --bind '{fresh}' '{fresh}'; mount -o remount,ro,bind '{fresh}'; BUGLE_HOME='{fresh}' exec bugle start three"
    );
    let failed = where_mounting_is_possible(&sandbox, &script).unwrap().exits(1);
    assert!(failed.err.starts_with("bugle: the database "), "{}", failed.err);
}

#[test]
fn a_full_disk_loses_nothing_and_the_same_command_goes_on_later() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let home = sandbox.bugle_home();
    fs::create_dir(&home).unwrap();
    let script = format!(
        "
        mount -t tmpfs -o size=1m none '{home}'
        cd ../project
        bugle start three > ../first
        run=$(sed -n 's/.* visit=\"\\([^#]*\\)#.*/\\1/p' ../first | head -n 1)
        echo '{{\"word\": \"one\"}}' > '{home}'/work/$run/1.json
        cat /dev/zero > '{home}'/filler 2> /dev/null || true
        for attempt in 1 2 3; do
            code=0
            bugle done \"$run#1\" > ../full-out 2> ../full-err || code=$?
            echo \"done $code\"
            test ! -s ../full-out
            sed 's/^bugle: //; s/^/  /' ../full-err
        done
        code=0
        bugle start three > ../full-out 2> ../full-err || code=$?
        echo \"start $code\"
        sed 's/^bugle: //; s/^/  /' ../full-err
        bugle step $run > ../again
        cmp ../first ../again
        rm '{home}'/filler
        bugle store verify
        bugle done \"$run#1\" > ../second
        grep -o 'step=\"[a-z]*\"' ../second
        bugle runs
        ",
        home = home.display()
    );
    let Some(answer) = where_mounting_is_possible(&sandbox, &script) else {
        return skip("no file system can be mounted");
    };
    let answer = answer.ok();
    let told = "  Nothing was changed. Make room on the disk, then run the same command again.";
    assert_eq!(answer.out.matches("done 1\n").count(), 3, "{}", answer.out);
    assert_eq!(answer.out.matches("start 1\n").count(), 1, "{}", answer.out);
    assert_eq!(
        answer.out.matches("there is no room left").count(),
        4,
        "{}",
        answer.out
    );
    assert_eq!(answer.out.matches(told).count(), 4, "{}", answer.out);
    assert!(answer.out.contains("all is as its events say"), "{}", answer.out);
    assert!(answer.out.contains("step=\"second\""), "{}", answer.out);
    assert_eq!(answer.out.matches("three").count(), 1, "one run: {}", answer.out);
}

#[cfg(unix)]
#[test]
fn a_store_that_its_owner_made_read_only_stays_so() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new();
    sandbox.run(&["task", "add", "Parse it"]).ok();
    let (file, folder) = (sandbox.database(), sandbox.bugle_home());
    let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    set(&file, 0o444);
    set(&folder, 0o555);
    // Whether it can be read then depends on who runs the test; what it may be written by does not.
    sandbox.run(&["task", "list"]);
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(&folder)), (0o400, 0o500));
    set(&folder, 0o700);
}
