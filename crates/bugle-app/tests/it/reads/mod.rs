//! Commands read each row once, and do not read unrelated rows.

mod plan_import;
mod round_trips;
mod runs;
mod wake;

use std::collections::BTreeMap;

use bugle_app::{App, AppError, Context, DoneRequest, Reply, StartRequest, hooks, runs as run_commands};
use bugle_client::Client;
use bugle_client::hook::{HookCall, HookEvent, ToolCall};
use bugle_core::id::{SessionId, TaskId, VisitToken};
use bugle_store::{LoggedStatement, Store};

use crate::project::{Project, start};

const SESSION: &str = "0a1b2c3d-1111-4222-8333-444455556666";
const OTHER_SESSION: &str = "0e5f6a7b-1111-4222-8333-444455556666";

/// A workflow in which an agent plans, sub-agents build the parts, and another sub-agent reviews them.
const WORKFLOW: &str = "
version: 1
steps:
  plan:
    title: Plan it
    do: Plan the parts.
    result:
      parts: { type: array, items: string }
    next: build
  build:
    title: Build the parts
    do: 'Build {{ child.part }}.'
    dispatch: { role: developer, for_each: state.plan.parts, as: part, limit: 12 }
    next: review
  review:
    title: Review the whole
    do: An agent that did not build it reads all of it.
    dispatch: { role: quality-reviewer, workflow: agents/review.yaml }
    gate: { name: Soundness, rework: plan, limit: 5 }
    next: { ok: deliver, fail: plan }
  deliver:
    title: Deliver it
    do: Deliver it.
    next: end
";

const REVIEWER: &str = "
version: 1
steps:
  judge:
    title: Judge
    do: Look, and say what you found.
    result:
      checks: { type: array, items: string, min: 1 }
      findings: findings
    next: end
";

const PLAN: &str = "# Login

## Phase 1

### Task 1: Model

Write it.

### Task 2: Form

Write it.

## Phase 2

### Task 3: Sessions

Write them.
";

/// A project with a skill and a plan, in which a session is working on the plan's first task.
struct Workplace {
    project: Project,
    /// The plan's first task.
    task: TaskId,
}

impl Workplace {
    fn new() -> Self {
        Self::of(Project::new())
    }

    fn of(mut project: Project) -> Self {
        let folder = project.app.context.directory.clone();
        let skill = folder.join(".bugle/skills/ship");
        std::fs::create_dir_all(skill.join("agents")).unwrap();
        let manifest = "---\nname: ship\ndescription: Ships it.\n---\n\nRun `bugle start ship`.\n";
        std::fs::write(skill.join("SKILL.md"), manifest).unwrap();
        std::fs::write(skill.join("workflow.yaml"), WORKFLOW).unwrap();
        std::fs::write(skill.join("agents/review.yaml"), REVIEWER).unwrap();
        std::fs::write(folder.join("plan.md"), PLAN).unwrap();
        project.act_as(Some(SESSION));
        hook(&mut project.app, HookEvent::SessionStart);
        let task = project.import("plan.md").position.unwrap().task.id;
        project.change(&task, &start(None, false));
        Self { project, task }
    }

    /// From now on, acts as this session. Calls its session start hook first.
    fn act_as(&mut self, session: &str) {
        self.project.act_as(Some(session));
        hook(&mut self.project.app, HookEvent::SessionStart);
    }

    /// The name of a session's agent.
    fn agent_of(&mut self, session: &str) -> String {
        let row = self
            .project
            .app
            .store
            .agent_of_session(&SessionId(session.to_owned()));
        row.unwrap().unwrap().address.name().to_owned()
    }

    /// Starts a run of the skill and returns its first visit.
    fn start_run(&mut self) -> VisitToken {
        let request = StartRequest {
            skill: "ship".to_owned(),
            params: Vec::new(),
            task: None,
        };
        let App { store, context } = &mut self.project.app;
        visit(&run_commands::start(store, context, request).unwrap())
    }

    fn done(&mut self, visit: &VisitToken, result: Option<&str>) -> (Reply, Vec<LoggedStatement>) {
        let request = DoneRequest {
            visit: visit.clone(),
            result: result.map(str::to_owned),
            unanswered: false,
            stopped: None,
            note: None,
        };
        self.logged(|store, context| run_commands::done(store, context, request))
    }

    /// Runs a closure and logs the statements that it executes.
    #[track_caller]
    fn logged<T>(
        &mut self,
        work: impl FnOnce(&mut Store, &Context) -> Result<T, AppError>,
    ) -> (T, Vec<LoggedStatement>) {
        let App { store, context } = &mut self.project.app;
        let (done, log) = store.log_statements(|store| work(store, context));
        (done.unwrap(), log)
    }
}

/// The visit in a reply.
fn visit(reply: &Reply) -> VisitToken {
    match reply {
        Reply::Step(view) => view.position.visit.clone().unwrap(),
        Reply::End(_) => panic!("the run is over"),
    }
}

/// Calls a hook in the acting session's main thread.
fn hook(app: &mut App, event: HookEvent) -> Vec<LoggedStatement> {
    let App { store, context } = app;
    let call = hook_call(context, event);
    let (done, log) =
        store.log_statements(|store| hooks::hook(store, context, &call, &|_| String::new(), &mut |_| Ok(())));
    done.unwrap();
    log
}

/// A hook call of the acting session's main thread.
fn hook_call(context: &Context, event: HookEvent) -> HookCall {
    HookCall {
        typed: None,
        client: Client::Claude,
        event,
        event_name: String::new(),
        reported_event: None,
        session: context.session.as_ref().map(|session| session.0.clone()),
        directory: None,
        agent: None,
        agent_type: None,
        cause: None,
        tool: ToolCall::default(),
        changed_input: None,
        stop_hook_active: false,
        background_agents: None,
    }
}

/// Fails if a statement ran twice with the same parameters.
#[track_caller]
fn assert_read_once(command: &str, log: &[LoggedStatement]) {
    assert_read_once_except(command, log, &[]);
}

/// Like [`assert_read_once`], except for statements that start with one of these strings.
#[track_caller]
fn assert_read_once_except(command: &str, log: &[LoggedStatement], exceptions: &[&str]) {
    let is_checked = |text: &str| {
        let transaction = ["BEGIN", "COMMIT", "PRAGMA"];
        let mut others = transaction.iter().chain(exceptions);
        !others.any(|beginning| text.starts_with(beginning))
    };
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for LoggedStatement { text, parameters, .. } in log {
        if is_checked(text) {
            *counts.entry((text, parameters)).or_default() += 1;
        }
    }
    assert!(!counts.is_empty());
    counts.retain(|_, count| *count > 1);
    assert!(counts.is_empty(), "{command}: {counts:#?}");
}
