//! Supervisor ticks: prompts, reports and restarts, and how many statements each tick runs.

use bugle_app::{ClaimedPrompt, ClientExit, StartedBy, SupervisorLock, Tick, messages, supervisor};
use bugle_core::agent::{AgentState, AgentStatus, Delivery, MAX_RECOVERIES};
use bugle_core::id::{SessionId, Timestamp};
use bugle_core::message::AgentAddress;
use bugle_store::{AgentRow, DeliveryRow, MailRange, ProcessId, ProjectId, SessionRow};

use crate::project::{NOW, Project};

/// A process that has ended: no system has such a large pid.
const GONE: ProcessId = ProcessId {
    pid: u32::MAX,
    started: 1,
};

/// A project with agents.
struct Team {
    project: Project,
    id: ProjectId,
    /// Holding the lock keeps messages from starting a supervisor.
    _lock: SupervisorLock,
}

impl Team {
    fn new() -> Self {
        let mut project = Project::new();
        project.add(["Begin"]);
        let ctx = &project.app.context;
        let id = project.app.store.find_project(&ctx.project).unwrap().unwrap();
        let lock = SupervisorLock::take(&ctx.bugle_home, StartedBy::Hand).unwrap();
        Self {
            project,
            id,
            _lock: lock,
        }
    }

    /// An idle Claude Code agent with a session, started by `lead`.
    fn idle(&self, name: &str) -> AgentRow {
        AgentRow {
            client: Some("claude".to_owned()),
            session: Some(SessionId(format!("s-{name}"))),
            started_by: Some(address("lead")),
            machine: self.project.app.store.machine().clone(),
            ..AgentRow::new(
                self.id.clone(),
                address(name),
                self.project.app.context.directory.display().to_string(),
                NOW,
            )
        }
    }

    fn add(&mut self, row: &AgentRow) {
        assert!(self.project.app.store.add_agent(row).unwrap());
    }

    /// Adds an agent whose last delivery is in this state.
    fn add_with_delivery(&mut self, row: &AgentRow, state: Delivery) {
        self.add(row);
        let delivery = DeliveryRow {
            project: self.id.clone(),
            agent: row.address.clone(),
            model: None,
            arguments: Vec::new(),
            wakeup: None,
            state,
            is_new_session: false,
            mail: None,
            changed_at: NOW,
        };
        self.project.app.store.keep_delivery(&delivery).unwrap();
    }

    fn say(&mut self, text: &str) {
        let (store, ctx) = (&mut self.project.app.store, &self.project.app.context);
        messages::say_on(store, ctx, "-", text).unwrap();
    }

    fn tick(&mut self) -> Tick {
        let (store, ctx) = (&mut self.project.app.store, &self.project.app.context);
        supervisor::supervise(store, ctx, &|at| at.0.to_string()).unwrap()
    }

    /// The number of statements that a tick runs.
    fn cost(&mut self) -> usize {
        let (store, ctx) = (&mut self.project.app.store, &self.project.app.context);
        let (tick, log) =
            store.log_statements(|store| supervisor::supervise(store, ctx, &|at| at.0.to_string()));
        tick.unwrap();
        log.len()
    }

    fn claim(&mut self, name: &str) -> Option<ClaimedPrompt> {
        let (store, ctx) = (&mut self.project.app.store, &self.project.app.context);
        supervisor::claim_prompt(store, ctx, &self.id.0, &address(name).to_string()).unwrap()
    }

    fn began(&mut self, claimed: &ClaimedPrompt, session: &str) {
        let (store, ctx) = (&mut self.project.app.store, &self.project.app.context);
        supervisor::client_began(store, ctx, claimed, session).unwrap();
    }

    fn ended(&mut self, claimed: &ClaimedPrompt, code: i32) {
        let (store, ctx) = (&mut self.project.app.store, &self.project.app.context);
        let exit = ClientExit {
            code: Some(code),
            ..ClientExit::default()
        };
        supervisor::client_ended(store, ctx, claimed, &exit).unwrap();
    }

    fn row(&mut self, name: &str) -> AgentRow {
        let row = self.project.app.store.agent(&self.id, &address(name));
        row.unwrap().unwrap()
    }

    fn delivery(&mut self, name: &str) -> DeliveryRow {
        let row = self.project.app.store.delivery(&self.id, &address(name));
        row.unwrap().unwrap()
    }

    /// Unread messages to an agent or the user, with their times.
    fn unread(&mut self, name: &str) -> Vec<(i64, String)> {
        let (store, ctx) = (&mut self.project.app.store, &self.project.app.context);
        let unread = messages::unread_messages(store, ctx, Some(name)).unwrap().0;
        let messages = unread.messages.into_iter();
        messages.map(|message| (message.at.0, message.text)).collect()
    }
}

fn address(name: &str) -> AgentAddress {
    AgentAddress::new("project", "-", name).unwrap()
}

/// The names of the agents that need a runner after a tick.
fn started(tick: &Tick) -> Vec<&str> {
    tick.to_start.iter().map(|agent| agent.agent.name()).collect()
}

#[test]
fn a_message_becomes_a_prompt_and_the_end_of_the_turn_a_report() {
    let mut team = Team::new();
    let idle = team.idle("impl");
    team.add(&idle);
    assert_eq!(started(&team.tick()), [""; 0]);
    team.say("@impl Look at the tests.");

    let tick = team.tick();
    assert_eq!((started(&tick), tick.moved), (vec!["impl"], false));
    let delivery = team.delivery("impl");
    assert_eq!((delivery.state, delivery.changed_at), (Delivery::Taken, NOW));
    assert_eq!(delivery.mail, Some(MailRange { after: 0, up_to: 1 }));
    // Until a runner claims the prompt, every tick asks for a runner and makes no second prompt.
    let again = team.tick();
    assert_eq!((started(&again), again.notes.len()), (vec!["impl"], 0));
    assert_eq!(team.delivery("impl"), delivery);

    team.project.set_clock(1_000);
    let claimed = team.claim("impl").unwrap();
    assert!(team.claim("impl").is_none(), "a prompt is claimed once");
    assert_eq!(claimed.agent, address("impl"));
    let prompt = std::fs::read_to_string(&claimed.prompt).unwrap();
    assert!(prompt.contains("Look at the tests."), "{prompt}");
    assert!(
        claimed.command.contains(&"s-impl".to_owned()),
        "{:?}",
        claimed.command
    );
    let row = team.row("impl");
    assert_eq!(row.changed_at, Timestamp(NOW.0 + 1_000));
    assert_eq!(row.spent.wakeups, 1);
    let tick = team.tick();
    assert_eq!(tick.running[0].process, row.process);

    team.began(&claimed, "s-impl");
    assert_eq!(team.delivery("impl").state, Delivery::Confirmed);
    team.ended(&claimed, 0);
    assert_eq!(team.delivery("impl").state, Delivery::Exited);
    assert_eq!(team.row("impl").process, None);

    team.project.set_clock(5_000);
    assert!(team.tick().moved);
    assert_eq!(team.delivery("impl").state, Delivery::Settled);
    let report = "@impl exited with code 0. Status: complete; unread messages: 0; no open run or task. \
                  `bugle agent result impl` prints the agent's answer.";
    assert_eq!(team.unread("lead"), [(NOW.0 + 5_000, report.to_owned())]);
    let quiet = team.tick();
    assert_eq!(
        (started(&quiet), quiet.moved, quiet.next),
        (Vec::new(), false, None)
    );
    assert_eq!(team.unread("lead").len(), 1, "the end is reported once");
}

#[test]
fn messages_of_an_undelivered_prompt_become_unread_again() {
    let mut team = Team::new();
    let idle = team.idle("impl");
    team.add(&idle);
    team.say("@impl Look.");
    team.tick();
    let claimed = team.claim("impl").unwrap();
    assert_eq!(team.unread("impl").len(), 0);
    team.ended(&claimed, 1);
    assert_eq!(team.delivery("impl").state, Delivery::Failed);
    assert_eq!(team.unread("impl").len(), 1);
    let told = team.unread("human");
    assert!(told[0].1.contains("Cannot start @impl in claude"), "{told:?}");
    // Only a later message causes another attempt.
    assert_eq!(started(&team.tick()), [""; 0]);
    team.say("@impl Look again.");
    assert_eq!(started(&team.tick()), ["impl"]);
}

#[test]
fn a_crashed_agent_is_restarted_after_its_backoff() {
    let mut team = Team::new();
    let busy = AgentRow {
        task: Some("Build it".to_owned()),
        state: AgentState::new(true),
        process: Some(GONE),
        ..team.idle("impl")
    };
    team.add_with_delivery(&busy, Delivery::Confirmed);
    assert!(team.tick().moved, "the crash is recorded");
    assert_eq!(team.row("impl").state.status, AgentStatus::Failed);
    for waited in [0, 1_999] {
        team.project.set_clock(waited);
        let tick = team.tick();
        assert_eq!((started(&tick), tick.moved), (Vec::new(), false));
        assert_eq!(tick.next, Some(Timestamp(NOW.0 + 2_000)));
    }
    team.project.set_clock(2_000);
    let tick = team.tick();
    assert_eq!((started(&tick), tick.next), (vec!["impl"], None));
    assert_eq!(team.row("impl").recoveries, 1);
    let delivery = team.delivery("impl");
    assert!(delivery.state == Delivery::Taken && delivery.is_new_session);
    let report = team.unread("lead");
    assert!(
        report[0].1.contains("Bugle is restarting the agent (restart 1)."),
        "{report:?}"
    );
    assert_eq!(report.len(), 1);
}

#[test]
fn an_agent_that_crashed_too_often_is_reported_to_the_user_once() {
    let mut team = Team::new();
    let failed = AgentRow {
        task: Some("Build it".to_owned()),
        state: AgentState {
            status: AgentStatus::Failed,
            ..AgentState::new(false)
        },
        exit_code: Some(-9),
        recoveries: MAX_RECOVERIES,
        ..team.idle("impl")
    };
    team.add_with_delivery(&failed, Delivery::Exited);
    let tick = team.tick();
    assert_eq!((started(&tick), tick.moved), (Vec::new(), true));
    assert_eq!(team.delivery("impl").state, Delivery::Settled);
    let told = team.unread("human");
    assert!(
        told[0]
            .1
            .contains("The agent crashed 4 times, so Bugle will not restart it."),
        "{told:?}"
    );
    assert!(!team.tick().moved);
    assert_eq!(team.unread("human").len(), 1);
}

#[test]
fn a_session_that_is_open_in_another_client_is_not_prompted() {
    let mut team = Team::new();
    let idle = team.idle("impl");
    team.add(&idle);
    let id = SessionId("s-impl".to_owned());
    let mut session = SessionRow::new(id, "claude", idle.directory.clone(), NOW);
    team.project.app.store.keep_session(&session).unwrap();
    team.say("@impl Look.");
    assert_eq!(started(&team.tick()), [""; 0]);
    session.ended = Some("exit".to_owned());
    team.project.app.store.keep_session(&session).unwrap();
    assert_eq!(started(&team.tick()), ["impl"]);
}

#[test]
fn a_tick_reads_all_working_agents_with_one_query() {
    let mut alone = Team::new();
    let late = alone.idle("late");
    alone.add(&late);
    alone.say("@late Look.");
    let waking = alone.cost();
    let asking_for_a_runner = alone.cost();

    let mut team = Team::new();
    assert_eq!(team.cost(), 1, "no agent to supervise");
    let names: Vec<String> = (0..10).map(|number| format!("impl-{number}")).collect();
    for name in &names {
        let idle = team.idle(name);
        team.add(&idle);
        team.say(&format!("@{name} Look."));
    }
    team.tick();
    for name in &names {
        let claimed = team.claim(name).unwrap();
        team.began(&claimed, &format!("s-{name}"));
    }
    assert_eq!(team.tick().running.len(), 10);
    assert_eq!(team.cost(), 1);
    let late = team.idle("late");
    team.add(&late);
    team.say("@late Look.");
    assert_eq!(team.cost(), waking, "agents without an action cost nothing");
    assert_eq!((team.cost(), asking_for_a_runner), (1, 1));
}
