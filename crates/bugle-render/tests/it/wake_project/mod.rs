//! An in-memory project: a run with its sub-agents, a task tree, and messages. It gives agents their wake-up facts and
//! executes the printed commands.

mod commands;
mod step;

use std::collections::BTreeMap;

use bugle_core::engine::{Assignment, Command, Decision, Escalation, Event, Origin, Refusal, Report};
use bugle_core::id::{ChildToken, RunId, TaskId, VisitToken};
use bugle_core::name::AgentName;
use bugle_core::reply::{
    LearntView, NextAction, OpenWork, TaskHolder, TaskLine, TaskName, WakeFacts, WakeMessage, WakePlan,
    WakeSkill,
};
use bugle_core::task::{Forest, Task, TaskCommand, TaskEvent, TaskState};
use bugle_core::wake::WakeReason;
use bugle_render::task_text;
use bugle_testkit::tasks::TaskTree;
use bugle_testkit::world::World;
use serde_json::{Value, json};

pub(crate) use commands::split;
use commands::{answer_file, next, result_file, task_commands, words_file};

use crate::support::with_word;
use crate::wake_facts::{nothing, position, task};

/// A new message is posted after this many events.
const EVENTS_A_MESSAGE: usize = 4;

/// Untrusted text that does not change, some of it misleading.
#[derive(Debug, Clone)]
pub(crate) struct Around {
    pub(crate) skill: Option<WakeSkill>,
    pub(crate) plan: Option<WakePlan>,
    pub(crate) learnt: Vec<String>,
    pub(crate) said: Vec<String>,
    /// A document that every step includes.
    pub(crate) document: String,
}

/// The project.
#[derive(Debug, Clone)]
pub(crate) struct Project {
    pub(crate) world: World,
    pub(crate) tree: TaskTree,
    pub(crate) around: Around,
    /// The contents of the named files.
    pub(crate) files: BTreeMap<String, Value>,
    /// The messages that the agent has read, in reading order.
    pub(crate) read: Vec<usize>,
    /// The number of messages that count as read.
    taken: usize,
}

/// The events of every run and task, and the messages that were read.
#[derive(Debug, PartialEq)]
pub(crate) struct Trace {
    runs: BTreeMap<RunId, Vec<Event>>,
    tasks: Vec<(TaskId, Vec<TaskEvent>)>,
    read: Vec<usize>,
}

impl Project {
    pub(crate) fn new(world: World, tree: TaskTree, around: Around) -> Self {
        Self {
            world,
            tree,
            around,
            files: BTreeMap::new(),
            read: Vec::new(),
            taken: 0,
        }
    }

    pub(crate) fn trace(&self) -> Trace {
        let runs = self.world.history().into_iter();
        let tasks = self.tree.in_order().into_iter();
        Trace {
            runs: runs
                .map(|(run, events)| (run.clone(), events.into_iter().cloned().collect()))
                .collect(),
            tasks: tasks
                .map(|task| (task.id.clone(), self.tree.events(&task.id).to_vec()))
                .collect(),
            read: self.read.clone(),
        }
    }

    /// The unread messages.
    fn unread(&self) -> std::ops::Range<usize> {
        let runs: usize = self.world.history().values().map(Vec::len).sum();
        let tasks = self.tree.in_order();
        let tasks: usize = tasks.iter().map(|task| self.tree.events(&task.id).len()).sum();
        let said = ((runs + tasks) / EVENTS_A_MESSAGE).min(self.around.said.len());
        self.taken..said.max(self.taken)
    }

    /// Delivers all unread messages.
    pub(crate) fn take(&mut self) {
        let unread = self.unread();
        self.taken = unread.end;
        self.read.extend(unread);
    }

    /// Marks this many messages as read.
    pub(crate) fn mark(&mut self, shown: usize) {
        self.taken += shown;
        assert!(self.taken <= self.unread().end);
    }

    /// The facts for the agent of a run. The main agent gets the tasks and the messages too.
    pub(crate) fn facts(&self, run: &RunId) -> WakeFacts {
        let step = self.step(run);
        let is_main = run == self.world.main();
        let mut facts = WakeFacts {
            next: next(step.as_ref()),
            step,
            ..nothing(WakeReason::Compact)
        };
        if !is_main {
            return facts;
        }
        facts.skill.clone_from(&self.around.skill);
        facts.plan.clone_from(&self.around.plan);
        facts.learnt = self
            .around
            .learnt
            .iter()
            .map(|what| LearntView {
                from: "note on Task 1".to_owned(),
                what: what.clone(),
            })
            .collect();
        let unread = self.unread();
        facts.messages = unread
            .map(|at| WakeMessage {
                id: Some(format!("m-{at}")),
                at: None,
                from: "@boss".to_owned(),
                text: self.around.said[at].clone(),
                answer_with: None,
                answers: None,
            })
            .collect();
        self.add_tasks(&mut facts);
        facts
    }

    fn add_tasks(&self, facts: &mut WakeFacts) {
        let tasks: Vec<Task> = self.tree.in_order();
        let forest = Forest::new(&tasks);
        let Some(current) = forest.position() else { return };
        let view = |of: &Task| {
            let state = TaskState::of(of.status, false, forest.is_begun(&of.id));
            let mut view = task(
                of.id.as_str(),
                &TaskName::of(of).label(),
                with_word(&bugle_core::task::TaskState::ALL, state.as_str()),
            );
            view.reason.clone_from(&of.reason);
            view
        };
        let there = tasks.iter().filter(|task| task.removed.is_none());
        facts.tasks = there
            .map(|task| TaskLine {
                depth: u32::try_from(self.tree.above(&task.id).len()).unwrap(),
                current: task.id == current.id,
                task: view(task),
            })
            .collect();
        let (children, open) = forest.children(&current.id);
        let mut at = position(view(current));
        at.task.ready_to_close = children > 0 && open == 0;
        at.place.name = TaskName::of(current);
        at.place.holder = current
            .agent
            .as_ref()
            .map(|agent| TaskHolder::Other(agent.to_string()));
        at.commands = task_commands(current, children > 0);
        if facts.step.is_none() {
            facts.next = NextAction {
                open: Some(OpenWork::Unreadable(task_text::position(&at))),
                commands: at.commands.clone(),
            };
        }
        facts.position = Some(at);
    }

    /// Executes a printed command; returns the sub-agent's run if it starts one.
    pub(crate) fn execute(&mut self, line: &str) -> Option<RunId> {
        let words = split(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["bugle", "start", "--child", token] => self.world.start_child(&token.parse().unwrap()).ok(),
            ["bugle", "run", "retry", token] => {
                let token: ChildToken = token.parse().unwrap();
                let answer = self.written(&answer_file(&token)).unwrap();
                self.world.retry(&token, &answer).unwrap();
                None
            }
            ["bugle", "task", "start", id] => {
                self.change(
                    id,
                    &TaskCommand::Start {
                        agent: Some(AgentName::new("june").unwrap()),
                        run: None,
                        take_over: false,
                    },
                );
                None
            }
            ["bugle", "task", "done", id] => {
                self.change(id, &TaskCommand::Done);
                None
            }
            ["bugle", "done", token, rest @ ..] => {
                let token: VisitToken = token.parse().unwrap();
                let report = match rest {
                    [] => Report::Done(self.result(&token)),
                    ["--unanswered"] => Report::Unanswered,
                    ["--escalate", "needs_decision"] => Report::Escalated {
                        kind: Escalation::NeedsDecision,
                        reason: self.written(&words_file(&token)).unwrap(),
                    },
                    _ => panic!("no such command: {line}"),
                };
                let visit = token.visit;
                self.submit(
                    &token,
                    Command::Done {
                        visit,
                        report,
                        note: None,
                    },
                );
                None
            }
            ["bugle", "decide", token, answer @ ..] => {
                let token: VisitToken = token.parse().unwrap();
                let written = self.written(&words_file(&token));
                let (answer, reason) = match answer {
                    [] => (written, None),
                    [answer] => (Some((*answer).to_owned()), written),
                    _ => panic!("no such command: {line}"),
                };
                let visit = Some(token.visit);
                self.submit(
                    &token,
                    Command::Answer {
                        visit,
                        answer,
                        reason,
                    },
                );
                None
            }
            _ => panic!("no such command: {line}"),
        }
    }

    /// The result of a visit. A reviewer repeats the checks of its gate's first review.
    fn result(&self, token: &VisitToken) -> Option<Value> {
        let mut result = self.files.get(&result_file(token)).cloned()?;
        if let Origin::Child(origin) = &self.world.state(&token.run).origin
            && let Assignment::Review(brief) = &origin.assignment
            && !brief.checks.is_empty()
            && let Some(checks) = result.get_mut("checks")
        {
            *checks = json!(brief.checks);
        }
        Some(result)
    }

    fn written(&self, file: &str) -> Option<String> {
        self.files.get(file)?.as_str().map(str::to_owned)
    }

    fn change(&mut self, id: &str, command: &TaskCommand) {
        let id: TaskId = id.parse().unwrap();
        // A repeated command changes nothing, or is refused because the task is closed.
        let _ = self.tree.command(&id, command);
    }

    fn submit(&mut self, token: &VisitToken, command: Command<'_>) {
        let shown = format!("{command:?}");
        match self.world.submit(&token.run, command).unwrap() {
            // A repeated command is refused if the visit or the run has ended.
            Decision::Accept(_)
            | Decision::Already
            | Decision::Refuse(Refusal::StaleVisit { .. } | Refusal::WrongStatus(_)) => {}
            other => panic!("{shown}: {other:?}"),
        }
    }
}
