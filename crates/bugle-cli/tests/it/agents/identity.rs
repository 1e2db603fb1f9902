//! The printed lists of agents, and the folders in which a client's session becomes an agent.

use serde_json::json;

use crate::support::agents::in_session;
use crate::support::hook_client::Client;
use crate::support::sandbox::Sandbox;

/// The names and statuses of the listed agents.
fn agents(sandbox: &Sandbox) -> Vec<String> {
    let list = sandbox.run(&["agents", "--json"]).ok().json();
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
fn registered_and_archived_agents_are_printed() {
    let sandbox = Sandbox::new();
    let registered = in_session(&sandbox, "s-1", &["agent", "register", "backend"]);
    assert_eq!(registered.ok().out, "Registered project:-:backend.\n");
    sandbox.run(&["agent", "register", "docs"]).ok();
    sandbox.run(&["agent", "archive", "docs"]).ok();
    let shown = sandbox.run(&["agents"]).ok().out;
    assert!(shown.contains("1 more is archived"), "{shown}");
    let near = sandbox.run(&["agent", "show", "bakcend"]);
    let near = near.fails(4, "there is no agent bakcend");
    assert!(near.err.contains("Did you mean backend?"), "{}", near.err);
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
        assert_eq!(agents(&sandbox), ["boss idle", "session-one busy"]);
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
