//! The number of round trips that a command needs on a real Postgres server, from the schema check to the end
//! of the command.

use std::cell::RefCell;

use bugle_app::{
    App, AppError, DoneRequest, Purpose, Reply, RunSelector, hooks, messages, open_for, projects, runs,
    wakeup,
};
use bugle_client::hook::{HookCall, HookEvent, HookReply, ToolCall};
use bugle_core::id::{SessionId, VisitToken};
use bugle_core::message::AgentAddress;
use bugle_core::reply::WakeView;
use bugle_store::LoggedStatement;
use bugle_testkit::postgres;
use serde_json::json;

use super::wake::after_compaction;
use super::{OTHER_SESSION, SESSION, Workplace, hook_call, visit};
use crate::project::Project;

/// A workplace on a server; `None` if Postgres is not installed.
fn workplace() -> Option<Workplace> {
    if !postgres::is_available() {
        return None;
    }
    let server = postgres::shared();
    let url = server.url(&server.create_database());
    Some(Workplace::of(Project::on_server(&url)))
}

/// A command's answer, with the number of round trips and a log of the statements.
struct Measured<T> {
    answer: T,
    round_trips: u64,
    log: Vec<LoggedStatement>,
}

impl<T> Measured<T> {
    #[track_caller]
    fn at_most(self, most: u64) -> T {
        let line = |sent: &LoggedStatement| format!("{}: {} {}", sent.round_trip, sent.text, sent.parameters);
        let log: Vec<String> = self.log.iter().map(line).collect();
        assert!(
            self.round_trips <= most,
            "{} round trips: {log:#?}",
            self.round_trips
        );
        self.answer
    }
}

/// Runs `work` in an app that was just opened.
fn measure<T>(app: &mut App, work: impl FnOnce(&mut App) -> Result<T, AppError>) -> Measured<T> {
    app.store.start_statement_log();
    let answer = work(app).unwrap();
    Measured {
        answer,
        log: app.store.end_statement_log(),
        round_trips: app.store.round_trips(),
    }
}

impl Workplace {
    /// Runs a command as a separate process would.
    fn command<T>(
        &self,
        purpose: Purpose<'_>,
        work: impl FnOnce(&mut App) -> Result<T, AppError>,
    ) -> Measured<T> {
        let mut app = open_for(self.project.app.context.clone(), purpose, &mut |_| ()).unwrap();
        measure(&mut app, |app| {
            projects::follow_move(&mut app.store, &app.context)?;
            work(app)
        })
    }

    fn step_alone(&self, visit: &VisitToken) -> Measured<Reply> {
        let selector = RunSelector::Run(visit.run.clone());
        self.command(Purpose::Step(&selector), |app| {
            runs::step(&mut app.store, &app.context, &selector)
        })
    }

    fn done_alone(&self, visit: &VisitToken, result: Option<&str>) -> Measured<Reply> {
        let request = DoneRequest {
            visit: visit.clone(),
            result: result.map(str::to_owned),
            unanswered: false,
            stopped: None,
            note: None,
        };
        self.command(Purpose::Done(visit), |app| {
            runs::done(&mut app.store, &app.context, request)
        })
    }

    /// Wakes the acting session's agent as a separate process would.
    fn wake_alone(&self) -> Measured<WakeView> {
        let request = after_compaction();
        self.command(Purpose::Wake, |app| {
            let App { store, context } = app;
            wakeup::wake_and_write(store, context, &request, &|_| String::new(), &mut |_| Ok(()))
        })
    }

    /// Calls a hook as a separate process would.
    fn hook_alone(&self, call: &HookCall) -> Measured<HookReply> {
        let context = self.project.app.context.clone();
        let mut app = hooks::open(context, Some(call)).unwrap().unwrap();
        let sent = RefCell::new(None);
        let done = measure(&mut app, |app| {
            hooks::hook(
                &mut app.store,
                &app.context,
                call,
                &|_| String::new(),
                &mut |reply| {
                    *sent.borrow_mut() = Some(reply.clone());
                    Ok(())
                },
            )
        });
        Measured {
            answer: sent.take().unwrap(),
            round_trips: done.round_trips,
            log: done.log,
        }
    }

    fn tool_call(&self, event: HookEvent, name: &str) -> HookCall {
        let tool = ToolCall {
            name: name.to_owned(),
            input: json!({"file_path": "a.rs"}),
            response: json!(null),
        };
        HookCall {
            tool,
            ..hook_call(&self.project.app.context, event)
        }
    }
}

#[test]
fn a_refusal_is_decided_on_the_runs_current_state() {
    let Some(mut workplace) = workplace() else { return };
    let plan = workplace.start_run();
    let request = DoneRequest {
        visit: plan.clone(),
        result: None,
        unanswered: false,
        stopped: None,
        note: None,
    };
    let context = workplace.project.app.context.clone();
    let mut slow = open_for(context, Purpose::Done(&plan), &mut |_| ()).unwrap();
    let next = workplace.done_alone(&plan, Some(r#"{"parts": ["one"]}"#)).answer;
    let reply = runs::done(&mut slow.store, &slow.context, request).unwrap();
    assert_eq!(visit(&reply), visit(&next));
}

#[test]
fn step_needs_two_round_trips_and_done_four() {
    let Some(mut workplace) = workplace() else { return };
    let plan = workplace.start_run();
    let reply = workplace.step_alone(&plan).at_most(2);
    assert_eq!(visit(&reply), plan);
    let reply = workplace
        .done_alone(&plan, Some(r#"{"parts": ["one", "two"]}"#))
        .at_most(4);
    let build = visit(&reply);
    let reply = workplace.step_alone(&build).at_most(2);
    assert_eq!(visit(&reply), build);
}

#[test]
fn a_hook_before_a_tool_needs_two_round_trips() {
    let Some(mut workplace) = workplace() else { return };
    let allowed = workplace.tool_call(HookEvent::PreToolUse, "Read");
    workplace.hook_alone(&allowed).at_most(1);
    let plan = workplace.start_run();
    for _ in 0..2 {
        let reply = workplace.hook_alone(&allowed).at_most(2);
        assert_eq!(reply.deny, None);
    }
    workplace.done_alone(&plan, Some(r#"{"parts": ["one", "two"]}"#));
    let denied = workplace.tool_call(HookEvent::PreToolUse, "Write");
    let reply = workplace.hook_alone(&denied).at_most(2);
    assert!(reply.deny.is_some(), "{reply:?}");
}

#[test]
fn a_hook_during_a_turn_needs_two_round_trips() {
    let Some(mut workplace) = workplace() else { return };
    let context = workplace.project.app.context.clone();
    let call = |event| hook_call(&context, event);
    let typed = HookCall {
        typed: Some("Continue.".to_owned()),
        ..call(HookEvent::UserPromptSubmit)
    };
    // The agent may stop while no run is open.
    let reply = workplace.hook_alone(&call(HookEvent::Stop)).at_most(2);
    assert_eq!(reply, HookReply::default());
    workplace.start_run();
    for _ in 0..2 {
        workplace.hook_alone(&typed).at_most(2);
        let used = workplace.tool_call(HookEvent::PostToolUse, "Read");
        workplace.hook_alone(&used).at_most(2);
        let reply = workplace.hook_alone(&call(HookEvent::Stop)).at_most(2);
        assert!(reply.continue_with.is_some(), "{reply:?}");
    }
    workplace.hook_alone(&call(HookEvent::PreCompact)).at_most(2);
    workplace.hook_alone(&call(HookEvent::SessionEnd)).at_most(2);
}

#[test]
fn a_session_start_needs_five_round_trips_and_a_wake_up_four() {
    let Some(mut workplace) = workplace() else { return };
    workplace.start_run();
    let start = hook_call(&workplace.project.app.context, HookEvent::SessionStart);
    let reply = workplace.hook_alone(&start).at_most(5);
    assert!(reply.context.is_some_and(|text| text.contains("Plan the parts.")));
    let view = workplace.wake_alone().at_most(4);
    assert!(view.text.contains("Plan the parts."));
}

#[test]
fn a_wake_up_with_unread_messages_needs_four_round_trips() {
    let Some(mut workplace) = workplace() else { return };
    workplace.start_run();
    let name = workplace.agent_of(SESSION);
    workplace.act_as(OTHER_SESSION);
    for text in ["It is blue.", "It is round."] {
        workplace.logged(|store, context| messages::say(store, context, &format!("@{name} {text}"), None));
    }
    let (asked, _) =
        workplace.logged(|store, context| messages::ask(store, context, &format!("@{name} Is it?"), None));
    workplace.project.act_as(Some(SESSION));
    let view = workplace.wake_alone().at_most(4);
    assert!(view.text.contains("It is blue."), "{}", view.text);
    assert!(
        view.text.contains(&format!("answer {}", asked.message.id)),
        "{}",
        view.text
    );
    workplace.logged(|store, context| {
        messages::answer(store, context, Some(asked.message.id.as_str()), "It is.", None)
    });
    workplace.project.act_as(Some(OTHER_SESSION));
    let view = workplace.wake_alone().answer;
    assert!(view.text.contains("It is."), "{}", view.text);
}

#[test]
fn a_wake_up_beside_another_agents_task_needs_four_round_trips() {
    let Some(mut workplace) = workplace() else { return };
    workplace.start_run();
    workplace.act_as(OTHER_SESSION);
    let name = workplace.agent_of(OTHER_SESSION);
    workplace.project.act_as(Some(SESSION));
    workplace.logged(|store, context| messages::say(store, context, &format!("@{name} It is red."), None));
    workplace.project.act_as(Some(OTHER_SESSION));
    let view = workplace.wake_alone().at_most(4);
    for text in ["Task 1: Model", "It is red."] {
        assert!(view.text.contains(text), "{}", view.text);
    }
}

#[test]
fn a_status_line_needs_one_round_trip() {
    let Some(mut workplace) = workplace() else { return };
    workplace.start_run();
    let context = workplace.project.app.context.clone();
    let mut app = hooks::open(context, None).unwrap().unwrap();
    let line = measure(&mut app, |app| hooks::status_line(&mut app.store, &app.context)).at_most(1);
    assert!(line.unwrap().contains("Plan it"));
}

#[test]
fn a_prompt_begins_a_turn_that_ended_after_the_agent_was_read() {
    let Some(mut workplace) = workplace() else { return };
    let context = workplace.project.app.context.clone();
    let prompt = hook_call(&context, HookEvent::UserPromptSubmit);
    let mut slow = hooks::open(context.clone(), Some(&prompt)).unwrap().unwrap();
    workplace.hook_alone(&hook_call(&context, HookEvent::Stop));
    let session = context.session.clone().unwrap();
    let mut is_in_turn = || {
        let row = workplace.project.app.store.agent_of_session(&session);
        row.unwrap().unwrap().state.in_turn
    };
    assert!(!is_in_turn());
    hooks::hook(
        &mut slow.store,
        &slow.context,
        &prompt,
        &|_| String::new(),
        &mut |_| Ok(()),
    )
    .unwrap();
    assert!(is_in_turn());
}

#[test]
fn a_prompt_makes_the_id_of_a_new_session_an_alias_of_its_agent() {
    let Some(mut workplace) = workplace() else { return };
    let [old, new] = [SESSION, OTHER_SESSION].map(|id| SessionId(id.to_owned()));
    let store = &mut workplace.project.app.store;
    store.hand_over(&old, &new).unwrap();
    workplace.project.act_as(Some(OTHER_SESSION));
    let prompt = hook_call(&workplace.project.app.context, HookEvent::UserPromptSubmit);
    workplace.hook_alone(&prompt);
    let store = &mut workplace.project.app.store;
    let row = store.agent_of_session(&new).unwrap().unwrap();
    let own = AgentAddress::of_session(OTHER_SESSION, &row.address.home()).unwrap();
    let alias = store.agent(&row.project, &own).unwrap();
    assert_eq!(alias.unwrap().renamed, Some(row.address));
    workplace.hook_alone(&prompt).at_most(2);
}

/// Makes the server refuse to insert rows into a table.
fn refuse_inserts(url: &str, table: &str, code: &str) {
    let address = url.split('?').next().unwrap();
    let database = address.rsplit('/').next().unwrap();
    postgres::shared().sql(
        database,
        &format!(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
               RAISE EXCEPTION USING ERRCODE = '{code}';
             END $$;
             CREATE TRIGGER refuse BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION refuse()"
        ),
    );
}

#[test]
fn a_hook_fails_if_the_call_of_a_sub_agent_cannot_be_recorded() {
    let Some(mut workplace) = workplace() else { return };
    let plan = workplace.start_run();
    let context = workplace.project.app.context.clone();
    let call = HookCall {
        agent: Some("a-1".to_owned()),
        tool: ToolCall {
            name: "Bash".to_owned(),
            input: json!({"command": format!("bugle done {plan}")}),
            response: json!(null),
        },
        ..hook_call(&context, HookEvent::PreToolUse)
    };
    workplace.hook_alone(&call).at_most(2);
    refuse_inserts(&workplace.project.app.store.name(), "subagent_call", "P0001");
    let mut app = hooks::open(context, Some(&call)).unwrap().unwrap();
    let App { store, context } = &mut app;
    let done = hooks::hook(store, context, &call, &|_| String::new(), &mut |_| Ok(()));
    assert!(done.is_err(), "{done:?}");
}

#[test]
fn a_viewer_uses_a_new_clone_without_recording_it() {
    let Some(mut workplace) = workplace() else { return };
    let project = projects::follow_move(&mut workplace.project.app.store, &workplace.project.app.context);
    let key = project.unwrap().unwrap().0;
    workplace.project.enter_folder("clone");
    workplace
        .project
        .write(".bugle/config.yaml", &format!("project: {key}\n"));
    workplace.project.act_as(Some(SESSION));
    refuse_inserts(&workplace.project.app.store.name(), "project_place", "42501");
    let used = workplace.tool_call(HookEvent::PostToolUse, "Read");
    workplace.hook_alone(&used);
}
