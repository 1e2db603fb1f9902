//! A project in memory: a run with its sub-agents, a tree of tasks, messages; what an agent in it is told, and the
//! commands that were printed to it, carried out.

use std::collections::BTreeMap;

use bugle_core::engine::{
    Assignment, ChildState, Command, Decision, Escalation, Event, Origin, Refusal, Report, children, needed,
};
use bugle_core::id::{ChildToken, RunId, TaskId, VisitToken};
use bugle_core::name::AgentName;
use bugle_core::shape::Shape;
use bugle_core::task::{Forest, Standing, Task, TaskCommand, TaskEvent, TaskState};
use bugle_render::task_words::{Whereabouts, label, sentence, spoken};
use bugle_render::{outline, words};
use bugle_testkit::tasks::TaskTree;
use bugle_testkit::world::World;
use bugle_wire::{
    AskView, ChildView, Choice, CommandView, DispatchView, FieldView, LearntView, NextAction, Position,
    ResourceView, ResultView, RetryView, StepView, TaskLine, WakeFacts, WakeMessage, WakePlan, WakeSkill,
};
use serde_json::{Value, json};

use crate::support::plain_step;
use crate::wake_facts::{command, nothing, position, task};

/// After so many events the next message is said.
const EVENTS_A_MESSAGE: usize = 4;

/// What is around the work and does not change: words of others, some of them meant to lead astray.
#[derive(Debug, Clone)]
pub(crate) struct Around {
    pub(crate) skill: Option<WakeSkill>,
    pub(crate) plan: Option<WakePlan>,
    pub(crate) learnt: Vec<String>,
    pub(crate) said: Vec<String>,
    /// A document that every step brings.
    pub(crate) document: String,
}

/// Everything there is.
#[derive(Debug, Clone)]
pub(crate) struct Project {
    pub(crate) world: World,
    pub(crate) tree: TaskTree,
    pub(crate) around: Around,
    /// What was written to files that were named.
    pub(crate) files: BTreeMap<String, Value>,
    /// The messages that the agent has read, in the order in which it did.
    pub(crate) read: Vec<usize>,
    /// How many messages count as read.
    taken: usize,
}

/// What happened: to every run, to every task, and what was read.
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

    /// The messages that were said and do not count as read.
    fn unread(&self) -> std::ops::Range<usize> {
        let runs: usize = self.world.history().values().map(Vec::len).sum();
        let tasks = self.tree.in_order();
        let tasks: usize = tasks.iter().map(|task| self.tree.events(&task.id).len()).sum();
        let said = ((runs + tasks) / EVENTS_A_MESSAGE).min(self.around.said.len());
        self.taken..said.max(self.taken)
    }

    /// The agent has them all before its eyes.
    pub(crate) fn take(&mut self) {
        let unread = self.unread();
        self.taken = unread.end;
        self.read.extend(unread);
    }

    /// So many count as read; what the agent makes of them is its own business.
    pub(crate) fn mark(&mut self, told: usize) {
        self.taken += told;
        assert!(self.taken <= self.unread().end);
    }

    /// Everything there is to say to whoever works on a run. The main agent has the tasks and the messages as well.
    pub(crate) fn facts(&self, run: &RunId) -> WakeFacts {
        let step = self.step(run);
        let is_main = run == self.world.main();
        let mut facts = WakeFacts {
            next: next(step.as_ref()),
            step,
            ..nothing("compact")
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
                from: "noted with Task 1".to_owned(),
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
        self.tell_tasks(&mut facts);
        facts
    }

    fn tell_tasks(&self, facts: &mut WakeFacts) {
        let tasks: Vec<Task> = self.tree.in_order();
        let forest = Forest::new(&tasks);
        let Some(current) = forest.position() else { return };
        let view = |of: &Task| {
            let state = TaskState::of(of.standing, false, forest.is_begun(&of.id));
            let mut view = task(of.id.as_str(), &label(of), state.as_str());
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
        let told = sentence(&Whereabouts {
            label: &spoken(current),
            above: None,
            before: None,
            state: Some(TaskState::of(
                current.standing,
                false,
                forest.is_begun(&current.id),
            )),
            ready_to_close: children > 0 && open == 0,
            reason: current.reason.as_deref(),
            agent: current.agent.as_ref().map(AgentName::as_str),
            waits_for: &[],
            comes_after: &[],
            after: None,
        });
        let mut at = position(view(current), &told);
        at.commands = task_commands(current, children > 0);
        if facts.step.is_none() {
            facts.next = NextAction {
                says: told,
                commands: at.commands.clone(),
            };
        }
        facts.position = Some(at);
    }

    /// The step that a run is at, as an agent is told it.
    pub(crate) fn step(&self, run: &RunId) -> Option<StepView> {
        let state = self.world.state(run);
        let workflow = self.world.workflow(run);
        let visit = state.current()?;
        let step = workflow.step(&visit.step)?;
        let token = state.current_token()?;
        let is_child = matches!(state.origin, Origin::Child(_));
        let ask = if visit.judged.is_some() {
            let choice = |word: &str| decide(&token, word);
            Some(AskView {
                in_person: false,
                question: "How does it go on?".to_owned(),
                choices: ["continue", "accept", "abort"].map(choice).to_vec(),
                file: None,
                reason_file: Some(words_file(&token)),
            })
        } else {
            step.ask.as_ref().map(|ask| AskView {
                in_person: false,
                question: "Which way?".to_owned(),
                choices: ask.choices.iter().map(|answer| decide(&token, answer)).collect(),
                file: ask.choices.is_empty().then(|| words_file(&token)),
                reason_file: None,
            })
        };
        let dispatch = self.dispatch(run).filter(|_| visit.judged.is_none());
        let owes = !step.result.is_empty() && step.dispatch.is_none() && ask.is_none();
        let result = owes.then(|| ResultView {
            file: result_file(&token),
            outline: outline(&Shape::Object(step.result.clone())),
            fields: step
                .result
                .iter()
                .map(|field| FieldView {
                    name: field.name.to_string(),
                    expected: field.shape.to_string(),
                    required: true,
                    help: None,
                })
                .collect(),
            checks: Vec::new(),
        });
        let command = match &ask {
            None => Some(format!("bugle done '{token}'")),
            Some(ask) if ask.choices.is_empty() => Some(format!("bugle decide '{token}'")),
            Some(_) => None,
        };
        let escalations = if is_child && ask.is_none() {
            vec![Choice {
                answer: "needs_decision".to_owned(),
                command: format!("bugle done '{token}' --escalate needs_decision"),
            }]
        } else {
            Vec::new()
        };
        Some(StepView {
            position: Position {
                skill: state.skill.to_string(),
                run: run.to_string(),
                status: state.status.to_string(),
                visit: Some(token.to_string()),
                step: Some(step.id.to_string()),
            },
            title: step.title.clone(),
            action: "Do what the title says.\n\nDo it well.".to_owned(),
            resources: vec![ResourceView {
                name: "notes.md".to_owned(),
                purpose: "reference for this step".to_owned(),
                content: self.around.document.clone(),
            }],
            result,
            dispatch,
            ask,
            command,
            failure_file: (!escalations.is_empty()).then(|| words_file(&token)),
            escalations,
            ..plain_step()
        })
    }

    /// The sub-agents of the step that a run is at.
    fn dispatch(&self, run: &RunId) -> Option<DispatchView> {
        let state = self.world.state(run);
        let workflow = self.world.workflow(run);
        let (visit, token) = (state.current()?, state.current_token()?);
        let step = workflow.step(&visit.step)?;
        let dispatch = step.dispatch.as_ref()?;
        let reports = self.world.reports(run);
        let views: Vec<ChildView> = children(visit, &reports)
            .into_iter()
            .map(|(slot, _, report)| {
                let child = ChildToken {
                    parent: token.clone(),
                    slot,
                };
                let state = report.map_or(&ChildState::NotStarted, |report| &report.state);
                ChildView {
                    slot,
                    command: format!("bugle start --child '{child}'"),
                    context: Vec::new(),
                    run: report.map(|report| report.run.to_string()),
                    state: words::child_state(state),
                    reported: state.has_reported(),
                    retry: matches!(state, ChildState::Escalated(..)).then(|| RetryView {
                        answer_file: Some(answer_file(&child)),
                        command: format!("bugle retry '{child}'"),
                    }),
                }
            })
            .collect();
        Some(DispatchView {
            role: dispatch.role.to_string(),
            model: None,
            led_by_workflow: true,
            needed: needed(step, visit),
            reported: views.iter().filter(|view| view.reported).count(),
            asking: views.iter().filter(|view| view.retry.is_some()).count(),
            unanswered: (views.iter().any(|view| view.retry.is_some()))
                .then(|| format!("bugle done '{token}' --unanswered")),
            children: views,
        })
    }

    /// Carries out a command as it was printed; the run that a sub-agent works on, if it starts one.
    pub(crate) fn carry_out(&mut self, line: &str) -> Option<RunId> {
        let words = split(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["bugle", "start", "--child", token] => self.world.start_child(&token.parse().unwrap()).ok(),
            ["bugle", "retry", token] => {
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

    /// What was written for a visit. A reviewer makes the checks that its gate's first review fixed.
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
        // Said twice, it changes nothing, or is refused because it is over.
        let _ = self.tree.command(&id, command);
    }

    fn submit(&mut self, token: &VisitToken, command: Command<'_>) {
        let said = format!("{command:?}");
        match self.world.submit(&token.run, command).unwrap() {
            // Refused, because what was said a moment ago led to a place where the same words mean nothing any more.
            Decision::Accept(_)
            | Decision::Already
            | Decision::Refuse(Refusal::StaleVisit { .. } | Refusal::WrongStatus(_)) => {}
            other => panic!("{said}: {other:?}"),
        }
    }
}

fn next(step: Option<&StepView>) -> NextAction {
    let Some(step) = step else {
        return NextAction {
            says: "Nothing is open here.".to_owned(),
            commands: Vec::new(),
        };
    };
    let choices = step.ask.iter().flat_map(|ask| &ask.choices);
    let mut commands: Vec<CommandView> = choices
        .map(|choice| command(&choice.answer, &choice.command))
        .collect();
    commands.extend(step.command.iter().map(|line| command("when it is done", line)));
    NextAction {
        says: format!("The step \"{}\" is open.", step.title),
        commands,
    }
}

/// What goes on from a task, in the order in which the program offers it.
fn task_commands(task: &Task, is_group: bool) -> Vec<CommandView> {
    let done = command("when it is done", &format!("bugle task done {}", task.id));
    let begin = |does: &str| command(does, &format!("bugle task start {}", task.id));
    match task.standing {
        Standing::Active => vec![done],
        Standing::Blocked | Standing::Failed => vec![begin("try it again"), done],
        Standing::Pending if is_group => vec![done],
        _ => vec![begin("begin"), done],
    }
}

fn decide(token: &VisitToken, answer: &str) -> Choice {
    Choice {
        answer: answer.to_owned(),
        command: format!("bugle decide '{token}' '{}'", answer.replace('\'', r"'\''")),
    }
}

fn result_file(token: &VisitToken) -> String {
    format!("/work/{}/{}.json", token.run, token.visit)
}

fn words_file(token: &VisitToken) -> String {
    format!("/work/{}/{}.txt", token.run, token.visit)
}

fn answer_file(child: &ChildToken) -> String {
    format!(
        "/work/{}/{}-{}.txt",
        child.parent.run, child.parent.visit, child.slot
    )
}

/// The words of a command as a shell takes them.
pub(crate) fn split(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.chars();
    let mut quoted = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            '\\' if !quoted => word.get_or_insert_default().extend(letters.next()),
            ' ' if !quoted => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    words
}
