//! Agent names and states, which survive sessions and folders.

use serde_json::json;

use crate::support::agents::{in_session, status, texts, unread};
use crate::support::hook_client::{Client, GUARDED};
use crate::support::sandbox::Sandbox;

/// A session id in the format of real clients.
const LONG: &str = "550e8400-e29b-41d4-a716-446655440000";

/// The names and statuses of all listed agents.
fn agents(sandbox: &Sandbox, arguments: &[&str]) -> Vec<String> {
    let words: Vec<&str> = ["agents", "--json"]
        .into_iter()
        .chain(arguments.iter().copied())
        .collect();
    let list = sandbox.run(&words).ok().json();
    let branches = list["data"]["branches"].as_array().unwrap();
    let all = branches
        .iter()
        .flat_map(|branch| branch["agents"].as_array().unwrap());
    all.map(|agent| {
        format!(
            "{} {}",
            agent["name"].as_str().unwrap(),
            agent["status"].as_str().unwrap()
        )
    })
    .collect()
}

#[test]
fn hooks_update_the_state_of_an_agent() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let client = Client::claude(&sandbox);
    assert_eq!(client.hook("SessionStart", &json!({ "source": "startup" })), "");
    assert_eq!(
        agents(&sandbox, &[]),
        [""; 0],
        "no agent is registered where Bugle is not used"
    );
    sandbox.run(&["say", "hello", "--as", "lead"]).ok();
    client.hook("SessionStart", &json!({ "source": "startup" }));
    assert_eq!(agents(&sandbox, &[]), ["lead idle", "session-one busy"]);
    client.hook("Stop", &json!({}));
    assert_eq!(status(&sandbox, "session-one"), "idle");
    client.hook("UserPromptSubmit", &json!({ "prompt": "go on" }));
    assert_eq!(status(&sandbox, "session-one"), "busy");
    client.hook("SessionEnd", &json!({ "reason": "exit" }));
    assert_eq!(status(&sandbox, "session-one"), "complete");
}

#[test]
fn a_session_that_ends_with_open_work_is_not_complete() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let client = Client::claude(&sandbox);
    client.start(&["guarded"]);
    client.hook("SessionStart", &json!({ "source": "startup" }));
    // The agent's step is open, so its stop is refused and it stays busy.
    assert_ne!(client.hook("Stop", &json!({})), "");
    assert_eq!(status(&sandbox, "session-one"), "busy");
    client.hook("SessionEnd", &json!({ "reason": "exit" }));
    assert_eq!(status(&sandbox, "session-one"), "idle");
}

#[test]
fn an_agent_keeps_its_identity_on_another_branch_or_in_another_folder() {
    let sandbox = Sandbox::new();
    sandbox.git_init();
    let git = |arguments: &[&str]| sandbox.tool(&sandbox.project(), "git", arguments);
    git(&["checkout", "--quiet", "-b", "one"]);
    in_session(&sandbox, "impl", &["say", "here I am"]).ok();
    git(&["checkout", "--quiet", "-b", "two"]);
    let said = in_session(&sandbox, "impl", &["say", "@docs look", "--json"]);
    let message = said.ok().json()["data"]["message"].clone();
    assert_eq!(message["from"], "project:one:impl");
    assert_eq!(
        message["to"],
        json!(["project:one:docs"]),
        "the agent's own branch is preferred"
    );
    sandbox.run(&["say", "@one:impl answer", "--as", "docs"]).ok();
    let inbox = in_session(&sandbox, "impl", &["inbox", "--json"]).ok().json();
    assert_eq!(texts(&inbox["data"]["unread"]), ["@one:impl answer"]);
    let mut away = sandbox.bugle(&["say", "@docs from elsewhere", "--json"]);
    away.current_dir(sandbox.elsewhere())
        .env("CLAUDE_CODE_SESSION_ID", "impl");
    let said = crate::support::sandbox::answer(&mut away).ok().json();
    assert_eq!(said["data"]["message"]["from"], "project:one:impl");
    assert_eq!(
        agents(&sandbox, &["--all"]),
        ["impl idle", "docs idle"],
        "impl is one agent, not three"
    );
}

#[test]
fn a_session_with_a_long_id_gets_a_name_and_receives_messages_to_both_once() {
    let sandbox = Sandbox::new();
    // Send a message to the session before Bugle knows the session.
    sandbox
        .run(&["say", &format!("@{LONG} early"), "--as", "lead"])
        .ok();
    let client = Client::claude(&sandbox).session(LONG);
    let woken = client.hook("SessionStart", &json!({ "source": "startup" }));
    assert!(woken.contains("early"), "{woken}");
    let listed = agents(&sandbox, &[]);
    let name = listed[0].split(' ').next().unwrap();
    assert!(name.starts_with("claude-") && name.len() == 11, "{name}");
    let both = format!("@{LONG} @{name} for one");
    let said = sandbox.run(&["say", &both, "--as", "lead", "--json"]).ok().json();
    assert_eq!(said["data"]["message"]["to_here"], json!([name]));
    assert_eq!(said["data"]["unheard_of"], json!([]));
    assert_eq!(unread(&sandbox, name), std::slice::from_ref(&both));
    assert_eq!(unread(&sandbox, LONG), [both]);
    let told = client.hook("UserPromptSubmit", &json!({ "prompt": "go on" }));
    assert_eq!(told.matches("for one").count(), 1, "{told}");
    assert_eq!(unread(&sandbox, LONG), [""; 0]);
    assert!(told.contains(&format!("@{name}")), "{told}");
}

#[test]
fn a_cleared_session_continues_as_the_same_agent() {
    let sandbox = Sandbox::new();
    sandbox.run(&["say", "hello", "--as", "lead"]).ok();
    let client = Client::claude(&sandbox).session(LONG);
    client.hook("SessionStart", &json!({ "source": "startup" }));
    let others = |all: Vec<String>| -> Vec<String> {
        let sender = |agent: &String| agent.starts_with("lead ");
        all.into_iter().filter(|agent| !sender(agent)).collect()
    };
    let before = others(agents(&sandbox, &[]));
    client.hook("SessionEnd", &json!({ "reason": "clear" }));
    let other = "00000000-e29b-41d4-a716-446655440000";
    client
        .session(other)
        .hook("SessionStart", &json!({ "source": "clear" }));
    let after = others(agents(&sandbox, &[]));
    assert_eq!(after.len(), 1);
    assert_eq!(after[0].split(' ').next(), before[0].split(' ').next());
    assert!(after[0].ends_with("busy"), "{after:?}");
}

#[test]
fn a_renamed_agent_receives_messages_under_both_names() {
    let sandbox = Sandbox::new();
    in_session(&sandbox, "s-1", &["say", "hello"]).ok();
    sandbox.run(&["say", "@s-1 before", "--as", "lead"]).ok();
    let registered = in_session(
        &sandbox,
        "s-1",
        &["agent", "register", "backend", "--role", "developer"],
    );
    assert_eq!(registered.ok().out, "Registered project:-:backend.\n");
    sandbox.run(&["say", "@s-1 @backend after", "--as", "lead"]).ok();
    assert_eq!(
        unread(&sandbox, "backend"),
        ["@s-1 before", "@s-1 @backend after"]
    );
    assert_eq!(agents(&sandbox, &[]), ["backend idle", "lead idle"]);
    let said = in_session(&sandbox, "s-1", &["say", "who am I?", "--json"])
        .ok()
        .json();
    assert_eq!(said["data"]["message"]["from_here"], "backend");
    // Registering again changes nothing; another session cannot take the name.
    in_session(&sandbox, "s-1", &["agent", "register", "backend"]).ok();
    in_session(&sandbox, "s-2", &["agent", "register", "backend"])
        .fails(2, "an agent named project:-:backend already exists");
    for name in ["human", "bugle", "all", "not a name", "5", "main:x"] {
        assert_eq!(
            in_session(&sandbox, "s-3", &["agent", "register", name]).code,
            Some(2),
            "{name}"
        );
    }
    let made_up = sandbox.run(&["agent", "register", "--role", "explore"]).ok().out;
    assert!(made_up.starts_with("Registered project:-:explore-"), "{made_up}");
}

#[test]
fn an_archived_agent_comes_back_when_it_is_mentioned() {
    let sandbox = Sandbox::new();
    for name in ["one", "two"] {
        in_session(&sandbox, name, &["say", "hello"]).ok();
    }
    sandbox.run(&["agent", "archive", "one"]).ok();
    assert_eq!(agents(&sandbox, &[]), ["two idle"]);
    assert_eq!(agents(&sandbox, &["--all"]), ["one archived", "two idle"]);
    let shown = sandbox.run(&["agents"]).ok().out;
    assert!(shown.contains("1 more is archived"), "{shown}");
    sandbox.run(&["say", "to nobody", "--as", "two"]).ok();
    assert_eq!(status(&sandbox, "one"), "archived");
    sandbox.run(&["say", "@one are you there?", "--as", "two"]).ok();
    assert_eq!(agents(&sandbox, &[]), ["one idle", "two idle"]);
}

#[test]
fn agents_are_shown_as_a_tree_with_a_status_sign_for_each() {
    let sandbox = Sandbox::new();
    sandbox.run(&["say", "hello", "--as", "lead"]).ok();
    let client = |session| Client::claude(&sandbox).session(session);
    for session in ["busy-one", "idle-one", "done-one", "blocked-one"] {
        client(session).hook("SessionStart", &json!({ "source": "startup" }));
    }
    client("idle-one").hook("Stop", &json!({}));
    client("done-one").hook("SessionEnd", &json!({ "reason": "exit" }));
    in_session(&sandbox, "blocked-one", &["ask", "@human may I?"]).ok();
    sandbox.run(&["say", "@busy-one hello", "--as", "lead"]).ok();
    let tree = "project:-\n  ? blocked-one  blocked   claude\n  * busy-one     busy      claude  1 unread\n  \
                o done-one     complete  claude\n  - idle-one     idle      claude\n  - lead         idle\n";
    assert_eq!(sandbox.run(&["agents"]).ok().out, tree);
    let shown = sandbox.run(&["agent", "show", "blocked"]).ok().out;
    assert!(
        shown.starts_with("? project:-:blocked-one (blocked)\n"),
        "{shown}"
    );
    assert!(
        shown.contains("Asked human and is waiting for the answer:\n    @human may I?\n"),
        "{shown}"
    );
}

#[test]
fn wrong_and_ambiguous_names_are_errors() {
    let sandbox = Sandbox::new();
    sandbox
        .run(&["agent", "show", "anybody"])
        .fails(4, "there is no agent anybody");
    for name in ["impl-1", "impl-2", "backend"] {
        in_session(&sandbox, name, &["say", "hello"]).ok();
    }
    let unclear = sandbox.run(&["agent", "show", "impl"]);
    let unclear = unclear.fails(2, "impl matches several agents");
    assert!(
        unclear.err.contains("impl-1") && unclear.err.contains("impl-2"),
        "{}",
        unclear.err
    );
    let near = sandbox.run(&["agent", "archive", "bakcend"]);
    let near = near.fails(4, "there is no agent bakcend");
    assert!(near.err.contains("Did you mean backend?"), "{}", near.err);
    assert_eq!(status(&sandbox, "back"), "idle", "a prefix of the name is enough");
    let said = sandbox.run(&["say", "@bakcend look", "--as", "lead"]).ok().out;
    assert!(said.contains("Did you mean backend?"), "{said}");
    let asked = sandbox.run(&["ask", "@bakcend2 look?", "--as", "lead"]);
    let asked = asked.fails(4, "there is no agent @bakcend2; nothing was posted");
    for hint in [
        "`bugle agent list --all --as lead` lists the agents.",
        "To register, bakcend2 must run `bugle agent register bakcend2` in its own session.",
    ] {
        assert!(asked.err.contains(hint), "{hint}: {}", asked.err);
    }
}

#[test]
fn the_user_learns_how_to_register_an_unknown_agent() {
    let sandbox = Sandbox::new();
    let ask = ["ask", "@ann Which port?"];
    let asked = sandbox.run_as_person(&ask).fails(4, "there is no agent @ann");
    for hint in [
        "`bugle agent list --all` lists the agents.",
        "`bugle agent register ann` registers ann.",
    ] {
        assert!(asked.err.contains(hint), "{hint}: {}", asked.err);
    }
    sandbox.run(&["agent", "register", "ann"]).ok();
    sandbox.run_as_person(&ask).ok();
}

/// A store without the project.
fn fresh() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox
        .run_in(&sandbox.elsewhere(), &["say", "hello", "--as", "lead"])
        .ok();
    sandbox
}

/// Whether a new session receives a message to `@all`.
fn hears_all(sandbox: &Sandbox) -> bool {
    let client = Client::claude(sandbox);
    assert_eq!(client.hook("SessionStart", &json!({ "source": "startup" })), "");
    assert_eq!(client.hook("UserPromptSubmit", &json!({ "prompt": "go on" })), "");
    sandbox.run(&["say", "--as", "boss", "@all hello"]).ok();
    let told = client.hook("UserPromptSubmit", &json!({ "prompt": "go on" }));
    told.contains("@all hello")
}

#[test]
fn a_session_is_an_agent_from_its_first_hook_in_a_used_project() {
    let in_git = fresh();
    in_git.git_init();
    let with_skills = fresh();
    with_skills.write(&with_skills.project().join(".bugle/config.yaml"), "");
    let set_up = fresh();
    set_up.run(&["setup", "claude", "--project"]).ok();
    for sandbox in [in_git, with_skills, set_up] {
        assert!(hears_all(&sandbox));
        assert_eq!(agents(&sandbox, &[]), ["boss idle", "session-one busy"]);
    }
}

#[test]
fn a_folder_in_which_a_client_is_only_opened_leaves_no_trace() {
    for set_up_for_all in [false, true] {
        let sandbox = fresh();
        if set_up_for_all {
            sandbox.run(&["setup", "claude", "--user"]).ok();
        }
        let count = |table: &str| sandbox.sql_count(&format!("SELECT 1 FROM {table}"));
        let before = ["project", "session", "agent"].map(count);
        let client = Client::claude(&sandbox);
        for folder in [sandbox.project(), sandbox.home()] {
            for event in ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"] {
                let facts = json!({ "source": "startup", "prompt": "x", "cwd": folder });
                assert_eq!(client.hook(event, &facts), "");
            }
        }
        assert_eq!(["project", "session", "agent"].map(count), before);
    }
}
