//! The sources of the store's password, and the processes that must not receive it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use bugle_testkit::postgres::{PASSWORD, Server, USER};
use serde_json::json;

use crate::runs::evidence_files::expecting;
use crate::support::agent_project::Place;
use crate::support::sandbox::{Answer, Sandbox, answer, answer_with_input};
use crate::support::test_store::{database, sandbox_with_file, sandbox_with_store};

/// The URL of a database that asks for a password, without the password.
fn url_without_password(server: &Server, database: &str) -> String {
    server.network_url(USER, "", database).replace(":@", "@")
}

fn write_private(sandbox: &Sandbox, file: &Path, text: &str) {
    sandbox.write(file, text);
    fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
}

/// Adds the password to the user's password file.
fn write_password_file(sandbox: &Sandbox) {
    let line = format!("*:*:*:{USER}:{PASSWORD}\n");
    write_private(sandbox, &sandbox.home().join(".pgpass"), &line);
}

/// Runs a command with the password in `PGPASSWORD` too.
fn run(sandbox: &Sandbox, arguments: &[&str]) -> Answer {
    answer(sandbox.bugle(arguments).env("PGPASSWORD", PASSWORD))
}

/// Asserts that an environment has the store's URL, but no password.
#[track_caller]
fn assert_has_no_password(environment: &Path) {
    let text = fs::read_to_string(environment).unwrap();
    assert!(text.contains("BUGLE_DATABASE_URL=postgres://"), "{text}");
    assert!(!text.contains(PASSWORD) && !text.contains("PGPASSWORD"), "{text}");
}

#[test]
fn an_agent_reaches_the_store_without_the_password_in_its_environment() {
    let Some((server, database)) = database() else {
        return;
    };
    let url = server.network_url(USER, PASSWORD, &database);
    let place = Place::of(sandbox_with_store(url));
    let sandbox = &place.sandbox;
    write_password_file(sandbox);
    // The runner leads the process group of its agent.
    place.behave(
        "env > \"$HOME/environment\"; bugle task add 'From the agent' > \"$HOME/added\" 2>&1
         runner=$(cut -d' ' -f5 /proc/$$/stat); tr '\\0' '\\n' < /proc/$runner/environ > \"$HOME/runner\"",
    );
    run(sandbox, &["spawn", "claude", "a", "--name", "star"]).ok();
    let [environment, runner] = ["environment", "runner"].map(|file| sandbox.home().join(file));
    assert_has_no_password(&environment);
    assert_has_no_password(&runner);
    let tasks = sandbox.run(&["task", "list"]).ok().out;
    assert!(tasks.contains("From the agent"), "{tasks}");
    // The supervisor starts agents in the same way.
    fs::remove_file(&environment).unwrap();
    place.say("lead", "@star once more");
    run(sandbox, &["up", "--once"]).ok();
    assert_has_no_password(&environment);
    assert_has_no_password(&runner);
}

#[test]
fn an_agent_that_could_not_sign_in_is_not_started() {
    let Some((server, database)) = database() else {
        return;
    };
    let in_url = sandbox_with_store(server.network_url(USER, PASSWORD, &database));
    let beside_url = sandbox_with_store(url_without_password(server, &database));
    for (sandbox, variable) in [(in_url, "BUGLE_DATABASE_URL"), (beside_url, "PGPASSWORD")] {
        let place = Place::of(sandbox);
        let words = format!("the password is only in {variable}");
        let command = |arguments: &[&str]| {
            let mut command = place.sandbox.bugle(arguments);
            if variable == "PGPASSWORD" {
                command.env("PGPASSWORD", PASSWORD);
            }
            answer(&mut command)
        };
        for arguments in [["spawn", "claude", "a"].as_slice(), &["up", "--once"]] {
            let refused = command(arguments).fails(3, &words);
            assert!(refused.err.contains("store_password_command"), "{}", refused.err);
            assert!(!refused.err.contains(PASSWORD), "{}", refused.err);
        }
        assert_eq!(place.calls().len(), 0);
        assert_eq!(server.sql(&database, "SELECT COUNT(*) FROM agent"), "0");
        assert_eq!(server.sql(&database, "SELECT COUNT(*) FROM launch"), "0");
    }
    // The agent starts if the server needs no password.
    let place = Place::of(sandbox_with_store(server.url(&database)));
    run(&place.sandbox, &["spawn", "claude", "a"]).ok();
    assert_eq!(place.calls().len(), 1);
}

#[test]
fn evidence_commands_and_the_notifier_do_not_receive_the_password() {
    let Some((server, database)) = database() else {
        return;
    };
    let place = Place::of(sandbox_with_store(server.network_url(USER, PASSWORD, &database)));
    let sandbox = &place.sandbox;
    sandbox.skill_at(
        &sandbox.bugle_home().join("skills/proof"),
        "proof",
        &expecting("command: env > environment"),
    );
    let step = run(sandbox, &["start", "proof"]).ok().step();
    run(sandbox, &["done", &step.visit]).ok().end();
    assert_has_no_password(&sandbox.project().join("environment"));
    let heard = place.pipe("heard");
    place.settings(&format!(
        "notify: [sh, -c, 'env > {0}.part; cat {0}.part > {0}']\n",
        heard.display()
    ));
    run(sandbox, &["say", "@human hello", "--as", "star"]).ok();
    fs::read(&heard).unwrap();
    assert_has_no_password(&sandbox.home().join("heard.part"));
}

#[test]
fn with_a_file_as_store_agents_keep_the_users_variables() {
    let place = Place::of(sandbox_with_file());
    place.behave("env > \"$HOME/environment\"");
    run(&place.sandbox, &["spawn", "claude", "a"]).ok();
    let text = fs::read_to_string(place.sandbox.home().join("environment")).unwrap();
    assert!(text.contains(&format!("PGPASSWORD={PASSWORD}")), "{text}");
}

/// A sandbox whose settings name a store that asks for a password, and this password command.
fn sandbox_with_command(server: &Server, database: &str, command: &str) -> Sandbox {
    let sandbox = sandbox_with_file();
    let url = url_without_password(server, database);
    let settings = format!("store: {url}\nstore_password_command: {command}\n");
    sandbox.write(&settings_file(&sandbox), settings);
    sandbox
}

fn settings_file(sandbox: &Sandbox) -> PathBuf {
    sandbox.bugle_home().join("config.yaml")
}

#[test]
fn a_command_prints_the_password() {
    let Some((server, database)) = database() else {
        return;
    };
    let sandbox = sandbox_with_command(server, &database, "[cat, secret]");
    // The command runs in Bugle's home.
    let secret = sandbox.bugle_home().join("secret");
    write_private(&sandbox, &secret, &format!("{PASSWORD}\nsecond line\n"));
    sandbox.run(&["task", "add", "Task"]).ok();
    let project = sandbox.project();
    let call = json!({ "session_id": "s", "cwd": project, "hook_event_name": "UserPromptSubmit", "prompt": "hello" });
    let mut hook = sandbox.bugle(&["hook", "UserPromptSubmit", "--client", "claude"]);
    answer_with_input(&mut hook, call.to_string().as_bytes()).ok();
    assert!(!sandbox.bugle_home().join("hook.log").exists());
    assert_eq!(server.sql(&database, "SELECT COUNT(*) FROM session"), "1");
    // An agent runs the same command.
    let place = Place::of(sandbox);
    let url = url_without_password(server, &database);
    place.settings(&format!(
        "supervisor: by-hand\nstore: {url}\nstore_password_command: [cat, secret]\n"
    ));
    place.behave("env > \"$HOME/environment\"; bugle task add 'From the agent' > \"$HOME/added\" 2>&1");
    place.spawn("star", "a", &[]);
    let environment = fs::read_to_string(place.sandbox.home().join("environment")).unwrap();
    assert!(!environment.contains(PASSWORD), "{environment}");
    let tasks = place.sandbox.run(&["task", "list"]).ok().out;
    assert!(tasks.contains("From the agent"), "{tasks}");
}

#[test]
fn a_command_without_a_password_is_a_plain_error() {
    let Some((server, database)) = database() else {
        return;
    };
    for (command, why) in [
        ("[no-such-program]", "`no-such-program` did not start"),
        (
            "[sh, -c, 'echo wr0ng; exit 1']",
            "the password command `sh` failed",
        ),
        ("[\"true\"]", "printed no password"),
        ("[echo, wr0ng]", "password authentication failed"),
    ] {
        let sandbox = sandbox_with_command(server, &database, command);
        let failed = sandbox.run(&["run", "list"]).fails(1, why);
        assert!(
            failed.err.contains("cannot sign in to the database"),
            "{}",
            failed.err
        );
        assert!(failed.err.contains("Nothing was changed."), "{}", failed.err);
        assert!(!failed.err.contains("wr0ng"), "{}", failed.err);
        assert!(!sandbox.database().exists());
    }
    // A hook does not wait for a command that hangs.
    let sandbox = sandbox_with_command(server, &database, "[sh, -c, 'echo wr0ng; sleep 600']");
    let call = json!({ "session_id": "s", "cwd": sandbox.project(), "hook_event_name": "Stop" });
    let mut hook = sandbox.bugle(&["hook", "Stop", "--client", "claude"]);
    let answered = answer_with_input(&mut hook, call.to_string().as_bytes()).ok();
    assert_eq!(answered.out, "");
    let log = fs::read_to_string(sandbox.bugle_home().join("hook.log")).unwrap();
    assert!(
        log.contains("did not finish within") && !log.contains("wr0ng"),
        "{log}"
    );
}

#[test]
fn a_project_cannot_name_a_password_command() {
    let Some((server, database)) = database() else {
        return;
    };
    let place = Place::of(sandbox_with_store(server.url(&database)));
    let settings = place.sandbox.project().join(".bugle/config.yaml");
    place
        .sandbox
        .write(&settings, "store_password_command: [touch, ran]\n");
    for words in [["spawn", "claude", "a"].as_slice(), &["task", "list"]] {
        place.sandbox.run(words).fails(
            2,
            "line 1: `store_password_command` is allowed only in the settings in Bugle's home",
        );
    }
    for folder in [place.sandbox.project(), place.sandbox.bugle_home()] {
        assert!(!folder.join("ran").exists());
    }
}
