//! The store's location and permissions, and errors when it cannot be written.

use std::fs;
use std::path::Path;

use super::{intact, settled};
use crate::support::mounting::where_mounting_is_possible;
use crate::support::sandbox::{Sandbox, answer, skip};
use crate::support::workflows::THREE;

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
            "the error says what to do: {}",
            failed.err
        );
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
    let directory = sandbox.root().join("odd");
    fs::create_dir_all(directory.join("bugle.db")).unwrap();
    answer(sandbox.bugle(&["runs"]).env("BUGLE_HOME", &directory)).fails(1, "cannot open the database");
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
fn without_bugle_home_the_store_is_in_the_home_folder() {
    let sandbox = Sandbox::with_skill("three", THREE);
    answer(sandbox.bugle(&["start", "three"]).env_remove("BUGLE_HOME")).ok();
    assert!(sandbox.home().join(".bugle/bugle.db").is_file());
    answer(sandbox.bugle(&["start", "three"]).env("BUGLE_HOME", "")).ok();
    assert!(!sandbox.bugle_home().exists());
}

#[test]
fn only_its_owner_can_read_a_store() {
    use std::os::unix::fs::PermissionsExt as _;
    let (sandbox, second) = settled();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o077;
    assert_eq!(mode(&sandbox.bugle_home()), 0);
    assert_eq!(mode(second.result_file().parent().unwrap()), 0);
}

#[test]
fn any_umask_keeps_the_store_private_and_wider_permissions_are_removed() {
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
            .args(["-c", "umask 0; bugle run list"]),
    )
    .ok();
    let left: Vec<_> = modes()
        .into_iter()
        .filter(|(name, mode)| *mode != 0 && (name.starts_with("bugle.db") || name == "."))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn an_unwritable_store_is_reported() {
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
    assert!(
        failed.err.starts_with("bugle: cannot write to the database "),
        "{}",
        failed.err
    );
    assert!(
        failed.err.contains("write permission"),
        "the error says what to do: {}",
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
    assert!(
        failed.err.starts_with("bugle: cannot ") && failed.err.contains(" the database "),
        "{}",
        failed.err
    );
}

#[test]
fn a_full_disk_loses_nothing_and_the_same_command_works_later() {
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
        bugle run list
        ",
        home = home.display()
    );
    let Some(answer) = where_mounting_is_possible(&sandbox, &script) else {
        return skip("no file system can be mounted");
    };
    let answer = answer.ok();
    let told = "  Nothing was changed. Free some disk space, then run the same command again.";
    assert_eq!(answer.out.matches("done 1\n").count(), 3, "{}", answer.out);
    assert_eq!(answer.out.matches("start 1\n").count(), 1, "{}", answer.out);
    assert_eq!(
        answer.out.matches("the disk is full").count(),
        4,
        "{}",
        answer.out
    );
    assert_eq!(answer.out.matches(told).count(), 4, "{}", answer.out);
    assert!(answer.out.contains("no errors found"), "{}", answer.out);
    assert!(answer.out.contains("step=\"second\""), "{}", answer.out);
    assert_eq!(answer.out.matches("three").count(), 1, "one run: {}", answer.out);
}

#[cfg(unix)]
#[test]
fn a_store_that_its_owner_made_read_only_stays_read_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new();
    sandbox.run(&["task", "add", "Parse it"]).ok();
    let (file, folder) = (sandbox.database(), sandbox.bugle_home());
    let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    set(&file, 0o444);
    set(&folder, 0o555);
    // Only the permissions are checked: whether the file can be written depends on the user who runs the test.
    sandbox.run(&["task", "list"]);
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(&folder)), (0o400, 0o500));
    set(&folder, 0o700);
}
