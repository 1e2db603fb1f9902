//! Agent names and states persist across sessions and folders.

use bugle_app::{
    AgentScope, App, AppError, InboxRequest, RegisterRequest, agent_list, agents, messages, wakeup,
};
use bugle_core::agent::AgentStatus;
use bugle_core::message::AgentAddress;
use bugle_core::reply::{AgentDetail, SaidMessage};
use bugle_core::role::AgentRole;

use crate::project::{Project, fails};

/// Session ids in the format of real clients.
const LONG: &str = "550e8400-e29b-41d4-a716-446655440000";
const OTHER: &str = "00000000-e29b-41d4-a716-446655440000";

impl Project {
    /// Posts a message as the agent with this name, and returns the message.
    #[track_caller]
    fn post(&mut self, name: &str, text: &str) -> SaidMessage {
        let said = messages::say(&mut self.app.store, &self.app.context, text, Some(name));
        said.unwrap().message
    }

    /// Posts a message as the acting session's agent.
    #[track_caller]
    fn post_here(&mut self, text: &str) -> SaidMessage {
        let said = messages::say(&mut self.app.store, &self.app.context, text, None);
        said.unwrap().message
    }

    /// The names and statuses of agents.
    #[track_caller]
    fn agents_in(&mut self, scope: AgentScope) -> Vec<String> {
        let list = agent_list::agents(&mut self.app.store, &self.app.context, scope).unwrap();
        let all = list.branches.iter().flat_map(|branch| &branch.agents);
        all.map(|agent| format!("{} {}", agent.name, agent.status))
            .collect()
    }

    #[track_caller]
    fn agents_here(&mut self) -> Vec<String> {
        self.agents_in(AgentScope::Here)
    }

    fn try_show_agent(&mut self, name: &str) -> Result<AgentDetail, AppError> {
        agent_list::show_agent(&mut self.app.store, &self.app.context, name)
    }

    fn try_register(&mut self, name: Option<&str>, role: AgentRole) -> Result<AgentAddress, AppError> {
        let request = RegisterRequest {
            name: name.map(str::to_owned),
            role: Some(role),
            ..RegisterRequest::default()
        };
        agents::register(&mut self.app.store, &self.app.context, &request)
    }

    /// The texts of an agent's unread messages.
    #[track_caller]
    fn unread_by(&mut self, name: &str) -> Vec<String> {
        let (store, context) = (&mut self.app.store, &self.app.context);
        let (list, _unused) = messages::unread_messages(store, context, Some(name)).unwrap();
        list.messages.into_iter().map(|message| message.text).collect()
    }
}

#[test]
fn hooks_update_the_state_of_an_agent() {
    let mut project = Project::new();
    assert_eq!(project.begin_session("session-one", "startup"), "");
    assert_eq!(
        project.agents_here(),
        [""; 0],
        "no agent is registered where Bugle is not used"
    );
    project.post("lead", "hello");
    project.woken("startup");
    assert_eq!(project.status_of("session-one"), AgentStatus::Busy);
    assert_eq!(project.stop(), None);
    assert_eq!(project.status_of("session-one"), AgentStatus::Idle);
    project.prompt("go on");
    assert_eq!(project.status_of("session-one"), AgentStatus::Busy);
    project.end_session("exit");
    assert_eq!(project.status_of("session-one"), AgentStatus::Complete);
}

#[test]
fn a_session_that_ends_with_open_work_is_not_complete() {
    let mut project = Project::new();
    project.act_as(Some("session-one"));
    project.start_run();
    project.woken("startup");
    // The agent's step is open, so its stop is refused and it stays busy.
    assert!(project.stop().is_some());
    assert_eq!(project.status_of("session-one"), AgentStatus::Busy);
    project.end_session("exit");
    assert_eq!(project.status_of("session-one"), AgentStatus::Idle);
    let shown = project.try_show_agent("session-one").unwrap();
    assert!(shown.agent.session_ended);
    project.woken("resume");
    project.prompt("go on");
    assert!(!project.try_show_agent("session-one").unwrap().agent.session_ended);
}

#[test]
fn an_agent_keeps_its_identity_on_another_branch_or_in_another_folder() {
    let mut project = Project::new();
    project.git_init("one");
    let here = project.app.context.directory.clone();
    project.act_as(Some("impl"));
    project.post_here("here I am");
    project.new_branch("two");
    let said = project.post_here("@docs look");
    assert_eq!(said.from, "project:one:impl");
    assert_eq!(
        said.to,
        ["project:one:docs"],
        "the agent's own branch is preferred"
    );
    project.act_as(None);
    project.post("docs", "@one:impl answer");
    project.act_as(Some("impl"));
    let mut unread = Vec::new();
    let (store, context) = (&mut project.app.store, &project.app.context);
    messages::inbox(store, context, &InboxRequest::default(), &mut |inbox| {
        unread.clone_from(&inbox.unread);
        Ok(())
    })
    .unwrap();
    assert_eq!(unread[0].text, "@one:impl answer");
    let elsewhere = here.with_file_name("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    project.enter(&elsewhere, Some("impl"));
    assert_eq!(project.post_here("@docs from elsewhere").from, "project:one:impl");
    let all = project.agents_in(AgentScope::All);
    assert_eq!(all, ["impl idle"], "impl is one agent, not three");
}

#[test]
fn a_session_with_a_long_id_gets_a_name_and_receives_messages_to_both_once() {
    let mut project = Project::new();
    // Send a message to the session before Bugle knows the session.
    project.post("lead", &format!("@{LONG} early"));
    let woken = project.begin_session(LONG, "startup");
    assert!(woken.contains("early"), "{woken}");
    let name = project.try_show_agent("claude").unwrap().agent.name;
    assert!(name.starts_with("claude-") && name.len() == 11, "{name}");
    let both = format!("@{LONG} @{name} for one");
    let (store, context) = (&mut project.app.store, &project.app.context);
    let said = messages::say(store, context, &both, Some("lead")).unwrap();
    assert_eq!(said.message.to_here, std::slice::from_ref(&name));
    assert_eq!(said.unheard_of, [""; 0]);
    assert_eq!(project.unread_by(&name), std::slice::from_ref(&both));
    assert_eq!(project.unread_by(LONG), [both]);
    let told = project.prompt("go on");
    assert_eq!(told.matches("for one").count(), 1, "{told}");
    assert_eq!(project.unread_by(LONG), [""; 0]);
    assert!(told.contains(&format!("@{name}")), "{told}");
}

#[test]
fn a_cleared_session_continues_as_the_same_agent() {
    let mut project = Project::new();
    project.post("lead", "hello");
    project.begin_session(LONG, "startup");
    let before = project.try_show_agent("claude").unwrap().agent;
    project.end_session("clear");
    project.begin_session(OTHER, "clear");
    let after = project.try_show_agent("claude").unwrap();
    assert_eq!(after.agent.address, before.address);
    assert_eq!(after.agent.status, AgentStatus::Busy);
    assert_eq!(after.session.as_deref(), Some(OTHER));
}

#[test]
fn a_renamed_agent_receives_messages_under_both_names() {
    let mut project = Project::new();
    project.act_as(Some("s-1"));
    project.post_here("hello");
    project.post("lead", "@s-1 before");
    let registered = project.try_register(Some("backend"), AgentRole::Developer);
    assert_eq!(registered.unwrap().to_string(), "project:-:backend");
    project.post("lead", "@s-1 @backend after");
    assert_eq!(
        project.unread_by("backend"),
        ["@s-1 before", "@s-1 @backend after"]
    );
    assert_eq!(project.agents_here(), ["backend idle"]);
    assert_eq!(project.post_here("who am I?").from_here, "backend");
    // Registering again changes nothing; another session cannot take the name.
    project.register("backend");
    project.act_as(Some("s-2"));
    let taken = project.try_register(Some("backend"), AgentRole::Developer);
    fails(taken, 2, "an agent named project:-:backend already exists");
    assert_eq!(project.post_here("who am I?").from_here, "s-2");
    project.act_as(Some("s-3"));
    for name in ["human", "bugle", "all", "not a name", "5", "main:x"] {
        fails(project.try_register(Some(name), AgentRole::Developer), 2, "");
    }
    project.act_as(None);
    let generated = project
        .try_register(None, AgentRole::Explore)
        .unwrap()
        .to_string();
    assert!(generated.starts_with("project:-:explore-"), "{generated}");
}

#[test]
fn an_archived_agent_comes_back_when_it_is_mentioned() {
    let mut project = Project::new();
    for name in ["one", "two"] {
        project.act_as(Some(name));
        project.post_here("hello");
    }
    let (store, context) = (&mut project.app.store, &project.app.context);
    agent_list::archive_agent(store, context, "one").unwrap();
    let listed = agent_list::agents(store, context, AgentScope::Here).unwrap();
    assert_eq!(listed.archived, 1);
    assert_eq!(project.agents_here(), ["two idle"]);
    let all = project.agents_in(AgentScope::All);
    assert_eq!(all, ["one archived", "two idle"]);
    project.post_here("to nobody");
    assert_eq!(project.status_of("one"), AgentStatus::Archived);
    project.post_here("@one are you there?");
    assert_eq!(project.agents_here(), ["one idle", "two idle"]);
}

#[test]
fn wrong_and_ambiguous_names_are_errors() {
    let mut project = Project::new();
    let unknown = project.try_show_agent("anybody");
    fails(unknown, 4, "there is no agent anybody");
    for name in ["impl-1", "impl-2", "backend"] {
        project.act_as(Some(name));
        project.post_here("hello");
    }
    project.act_as(None);
    let unclear = project.try_show_agent("impl");
    let hints = fails(unclear, 2, "impl matches several agents").join("\n");
    assert!(hints.contains("impl-1") && hints.contains("impl-2"), "{hints}");
    project.app.context.acting_as = Some("lead".to_owned());
    let (store, context) = (&mut project.app.store, &project.app.context);
    let near = agent_list::archive_agent(store, context, "bakcend");
    let hints = fails(near, 4, "there is no agent bakcend").join("\n");
    assert!(hints.contains("Did you mean backend?"), "{hints}");
    let said = messages::say(store, context, "@bakcend look", None).unwrap();
    assert_eq!(said.near, ["backend"]);
    let asked = messages::ask(store, context, "@bakcend2 look?", None);
    let hints = fails(asked, 4, "there is no agent @bakcend2; nothing was posted");
    for hint in [
        "`bugle agent list --all --as lead` lists the agents.",
        "To register, bakcend2 must run `bugle agent register bakcend2` in its own session.",
    ] {
        assert!(hints.iter().any(|line| line.contains(hint)), "{hint}: {hints:?}");
    }
    let status = project.status_of("back");
    assert_eq!(status, AgentStatus::Idle, "a prefix of the name is enough");
}

#[test]
fn wake_ups_are_listed_only_for_an_agent_that_exists() {
    let mut project = Project::new();
    project.act_as(Some("session-one"));
    project.register("lead");
    let App { store, context } = &mut project.app;
    let list = wakeup::wakeups(store, context, Some("lead"), 10).unwrap();
    assert_eq!(
        bugle_render::wake::list(&list, &|_| String::new()),
        "No wake-ups are recorded for @lead.\n"
    );
    let unknown = wakeup::wakeups(store, context, Some("led"), 10);
    let hints = fails(unknown, 4, "there is no agent led");
    assert!(hints[0].starts_with("Did you mean lead?"), "{hints:?}");
}
