//! Client sessions: calls hooks with the JSON of a real client, and runs commands as the session's agent.

use std::path::Path;
use std::process::Command;

use bugle_app::{App, agent_list, agents, hooks};
use bugle_app::{RegisterRequest, StartRequest, runs};
use bugle_client::Client;
use bugle_client::hook::{HookCall, HookReply};
use bugle_core::agent::AgentStatus;
use bugle_core::reply::StepView;
use serde_json::{Value, json};

use crate::project::Project;
use crate::reviewed::step;

impl Project {
    /// Calls a Claude Code hook in the acting session's main thread.
    #[track_caller]
    pub(crate) fn hook(&mut self, event: &str, facts: &Value) -> HookReply {
        let App { store, context } = &mut self.app;
        let call = HookCall::read(Client::Claude, event, &facts.to_string()).unwrap();
        let mut reply = None;
        hooks::hook(store, context, &call, &|_| String::new(), &mut |sent| {
            reply = Some(sent.clone());
            Ok(())
        })
        .unwrap();
        reply.unwrap()
    }

    /// Acts as this session from now on, and reports its start for this reason. Returns the text for the agent.
    #[track_caller]
    pub(crate) fn begin_session(&mut self, session: &str, source: &str) -> String {
        self.act_as(Some(session));
        self.woken(source)
    }

    /// Reports a start of the acting session for this reason. Returns the text for the agent.
    #[track_caller]
    pub(crate) fn woken(&mut self, source: &str) -> String {
        let reply = self.hook("SessionStart", &json!({ "source": source }));
        reply.context.unwrap_or_default()
    }

    /// Reports the end of the acting session.
    #[track_caller]
    pub(crate) fn end_session(&mut self, reason: &str) {
        let reply = self.hook("SessionEnd", &json!({ "reason": reason }));
        assert_eq!(reply, HookReply::default());
    }

    /// Reports a prompt of the user to the acting session. Returns the text for the agent.
    #[track_caller]
    pub(crate) fn prompt(&mut self, text: &str) -> String {
        let reply = self.hook("UserPromptSubmit", &json!({ "prompt": text }));
        reply.context.unwrap_or_default()
    }

    /// Reports that the acting session is about to stop. Returns the text that makes it continue instead.
    #[track_caller]
    pub(crate) fn stop(&mut self) -> Option<String> {
        self.hook("Stop", &json!({})).continue_with
    }

    /// Reports that the acting session is about to stop, after an earlier stop was refused.
    #[track_caller]
    pub(crate) fn stop_again(&mut self) -> Option<String> {
        let reply = self.hook("Stop", &json!({ "stop_hook_active": true }));
        reply.continue_with
    }

    /// Names the acting session's agent.
    #[track_caller]
    pub(crate) fn register(&mut self, name: &str) {
        let request = RegisterRequest {
            name: Some(name.to_owned()),
            ..RegisterRequest::default()
        };
        agents::register(&mut self.app.store, &self.app.context, &request).unwrap();
    }

    #[track_caller]
    pub(crate) fn status_of(&mut self, name: &str) -> AgentStatus {
        let shown = agent_list::show_agent(&mut self.app.store, &self.app.context, name);
        shown.unwrap().agent.status
    }

    /// Adds a skill to the project.
    pub(crate) fn write_skill(&self, name: &str, workflow: &str) {
        let folder = format!(".bugle/skills/{name}");
        let manifest = format!("---\nname: {name}\ndescription: A skill of a test.\n---\n");
        self.write(&format!("{folder}/SKILL.md"), &manifest);
        self.write(&format!("{folder}/workflow.yaml"), workflow);
    }

    /// Starts a run of a skill, and returns its first step.
    #[track_caller]
    pub(crate) fn start_skill(&mut self, name: &str) -> StepView {
        let request = StartRequest {
            skill: name.to_owned(),
            params: Vec::new(),
            task: None,
        };
        step(runs::start(&mut self.app.store, &self.app.context, request))
    }

    /// Makes the project a git repository with one commit on this branch.
    pub(crate) fn git_init(&mut self, branch: &str) {
        let folder = self.app.context.directory.clone();
        git(&folder, &["init", "--quiet", "--initial-branch", branch]);
        git(
            &folder,
            &["commit", "--quiet", "--allow-empty", "--message", "first"],
        );
        self.act_as(None);
    }

    /// Checks out a new branch.
    pub(crate) fn new_branch(&self, branch: &str) {
        git(
            &self.app.context.directory,
            &["checkout", "--quiet", "-b", branch],
        );
    }
}

/// Runs git in a folder, independent of the user's settings.
pub(crate) fn git(folder: &Path, arguments: &[&str]) {
    let run = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(run.status.success(), "{run:?}");
}
