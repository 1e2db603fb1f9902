//! The environment variables by which a command finds its session's run. The rules are tested in `bugle-app`.

use crate::support::sandbox::Sandbox;
use crate::support::workflows::THREE;

#[test]
fn each_clients_variable_selects_the_sessions_run() {
    for variable in ["CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID"] {
        let sandbox = Sandbox::with_skill("three", THREE);
        let in_session = |words: &[&str]| sandbox.run_in_session(variable, "session-one", words);
        let own = in_session(&["start", "three"]).ok().step();
        let other = sandbox.start(&["three"]);
        assert_eq!(in_session(&["step"]).ok().step(), own, "{variable}");
        let failed = sandbox
            .run(&["step"])
            .fails(2, "several runs are open in this project");
        for run in [&own.run, &other.run] {
            let command = format!("bugle step {run}");
            assert!(failed.err.contains(&command), "{}", failed.err);
        }
        let shown = sandbox.run(&["show", &own.run, "--json"]).ok().json();
        assert_eq!(shown["data"]["timeline"][0]["by"], "agent session-one");
    }
}
