//! The amnesia test of wake-ups: an agent that knows only its last wake-up, within a hook's budget, acts exactly like
//! an agent with a full memory. The same is true for its sub-agents.
//!
//! An agent's abilities (answering a question, doing a step's work) follow from its position. It gets the position,
//! the files and the commands from the text alone.

use std::cell::{Cell, RefCell};

use bugle_core::engine::resolve_params;
use bugle_core::id::{RunId, VisitToken};
use bugle_core::shape::Shape;
use bugle_core::task::TaskCommand;
use bugle_core::wake::{Budget, assemble};
use bugle_render::{Format, step, wake};
use bugle_testkit::agent::SyntheticAgent;
use bugle_testkit::family::family;
use bugle_testkit::fences::{Scanned, check};
use bugle_testkit::strategy::valid_workflow;
use bugle_testkit::tasks::TaskTree;
use bugle_testkit::world::{World, seed_of};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::Value;

use crate::wake_project::{Around, Project, Trace, split};
use crate::wake_properties::{plan, skill, text, texts};

/// More actions than any of these projects needs.
const MOST_ACTS: u32 = 20_000;

/// An agent's knowledge about its work.
#[derive(Debug, Default)]
struct Known {
    /// The next commands, in order.
    commands: Vec<String>,
    /// The file for the result.
    result: Option<String>,
    /// The file for the answer.
    answer: Option<String>,
    /// The file for a decision's reason.
    reason: Option<String>,
    /// The sub-agents to start.
    starts: Vec<String>,
    /// The sub-agents that stopped with a question: the file for the answer, and the command that restarts them.
    stopped: Vec<(String, String)>,
    /// The file for an escalation's reason, and its command.
    way_out: Option<(String, String)>,
}

/// The source of an agent's knowledge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The agent's memory, which is complete.
    Memory,
    /// The agent's last wake-up.
    WakeUp,
}

struct Agents<'a> {
    project: Project,
    source: Source,
    forgets: &'a dyn Fn() -> bool,
    acts: Cell<u32>,
}

impl Agents<'_> {
    /// Works until nothing is left to do, or until the agent dies.
    fn work(&mut self, run: &RunId) {
        let is_main = run == self.project.world.main();
        loop {
            self.acts.set(self.acts.get() + 1);
            assert!(self.acts.get() < MOST_ACTS, "the work does not end");
            let known = match self.source {
                Source::Memory => self.remembered(run),
                Source::WakeUp => self.woken(run),
            };
            if known.commands.is_empty() {
                return;
            }
            if (self.forgets)() {
                // The agent died before it acted. A dead sub-agent is restarted by its orchestrator.
                if is_main {
                    continue;
                }
                return;
            }
            self.act(&known);
        }
    }

    /// The facts, taken from the state.
    fn remembered(&mut self, run: &RunId) -> Known {
        let facts = self.project.facts(run);
        if run == self.project.world.main() {
            self.project.take();
        }
        let commands = facts.next.commands.iter().map(|next| next.command.clone());
        let mut known = Known {
            commands: commands.collect(),
            ..Known::default()
        };
        let Some(view) = facts.step else { return known };
        known.result = view.result.map(|result| result.file);
        known.answer = view.ask.as_ref().and_then(|ask| ask.file.clone());
        known.reason = view.ask.and_then(|ask| ask.reason_file);
        for child in view.dispatch.into_iter().flat_map(|dispatch| dispatch.children) {
            if let Some(retry) = child.retry {
                known.stopped.push((retry.answer_file.unwrap(), retry.command));
            } else if !child.reported {
                known.starts.push(child.command);
            }
        }
        let way_out = view.escalations.first().map(|way| way.command.clone());
        known.way_out = view.failure_file.zip(way_out);
        known
    }

    /// The facts, taken from a wake-up's text alone.
    fn woken(&mut self, run: &RunId) -> Known {
        let assembly = assemble(&wake::offers(&self.project.facts(run)), Budget::utf16(9_000));
        assert_eq!(assembly.too_small, None, "{}", assembly.text);
        assert!(assembly.size <= Budget::utf16(9_000).limit, "{}", assembly.size);
        let text = &assembly.text;
        let scanned = check(text).unwrap_or_else(|fault| panic!("{fault}"));
        self.hear(&scanned, assembly.told);
        let mut known = Known {
            commands: commands(&scanned),
            ..Known::default()
        };
        let about_a_step = known
            .commands
            .first()
            .is_some_and(|line| !line.starts_with("bugle task "));
        if about_a_step {
            let page = self
                .page(&scanned)
                .unwrap_or_else(|| panic!("no step in:\n{text}"));
            known.read(&page);
        }
        known
    }

    /// The step's text. The wake-up quotes the text, perhaps shortened, or names the command that prints it.
    fn page(&self, scanned: &Scanned) -> Option<String> {
        let quoted = scanned.outside.iter().position(|line| {
            line.starts_with("Output of `bugle step ") || line.starts_with("Shortened output of `bugle step ")
        });
        if let Some(above) = quoted {
            let at = scanned.before.iter().position(|before| *before > above)?;
            return Some(scanned.quoted[at].clone());
        }
        let named = scanned.outside.iter().find_map(|line| {
            let (_, command) = line.split_once("Full step: `bugle step ")?;
            command.strip_suffix('`')
        })?;
        Some(step::step(
            &self.project.step(&named.parse().ok()?)?,
            Format::Markdown,
        ))
    }

    /// Records the messages in a wake-up as read, and fetches the other messages.
    fn hear(&mut self, scanned: &Scanned, told: usize) {
        self.project.mark(told);
        for line in scanned
            .outside
            .iter()
            .filter(|line| line.starts_with("**From @boss**"))
        {
            let (_, behind) = line.split_once(" (m-").unwrap();
            self.project
                .read
                .push(behind.split_once(')').unwrap().0.parse().unwrap());
        }
        let fetch = "`bugle message list --for june --unread --take`";
        if scanned.outside.iter().any(|line| line.ends_with(fetch)) {
            self.project.take();
        }
    }

    /// Runs the commands that the agent knows.
    fn act(&mut self, known: &Known) {
        if !known.starts.is_empty() || !known.stopped.is_empty() {
            for (file, command) in &known.stopped {
                self.write(file, "continue as you see fit".into());
                self.project.execute(command);
            }
            for command in &known.starts {
                if let Some(child) = self.project.execute(command) {
                    self.work(&child);
                }
                if (self.forgets)() {
                    return;
                }
            }
            return;
        }
        let mut line = known.commands[0].clone();
        let words = split(&line);
        if words[1] != "task" {
            let token: VisitToken = words[2].parse().unwrap();
            let mut chance = self.chance(&token);
            if let Some((file, way_out)) = known.way_out.as_ref().filter(|_| chance.one_in(12)) {
                self.write(file, "which of the two?".into());
                line.clone_from(way_out);
            } else if known.commands.len() > 1 {
                line.clone_from(if chance.one_in(2) {
                    &known.commands[0]
                } else {
                    known.commands.last().unwrap()
                });
            }
            if let Some(file) = &known.result {
                let workflow = self.project.world.workflow(&token.run);
                let visit = self.project.world.state(&token.run).visit(token.visit).unwrap();
                let expected = workflow.step(&visit.step).unwrap().result.clone();
                self.write(file, chance.value(&Shape::Object(expected)));
            }
            for file in known.answer.iter().chain(&known.reason) {
                self.write(file, "whatever you think".into());
            }
        }
        self.project.execute(&line);
        if (self.forgets)() {
            // The reply was lost: running the command again changes nothing.
            self.project.execute(&line);
        }
    }

    fn write(&mut self, file: &str, words: Value) {
        self.project.files.insert(file.to_owned(), words);
    }

    fn chance(&self, token: &VisitToken) -> SyntheticAgent {
        SyntheticAgent::new(
            &self.project.world.workflow(&token.run),
            seed_of(&token.to_string()),
        )
    }
}

impl Known {
    /// Reads a step, line by line.
    fn read(&mut self, page: &str) {
        let behind = |beginning: &str| {
            let found = page.lines().find_map(|line| line.strip_prefix(beginning));
            found.map(str::to_owned)
        };
        self.result = behind("Write the result as JSON to ");
        self.answer = behind("Write the answer to ");
        self.reason =
            behind("To accept, add the user's reason to the command with `--why`, or first write it to ");
        let lines = page.lines().map(str::trim);
        let starts = lines
            .clone()
            .filter(|line| line.starts_with("bugle start --child "));
        self.starts = starts.map(str::to_owned).collect();
        self.stopped = lines
            .clone()
            .filter_map(|line| {
                let (_, rest) = line.split_once("; to restart it, write the answer to ")?;
                let (file, command) = rest.split_once(" and run: ")?;
                Some((file.to_owned(), command.to_owned()))
            })
            .collect();
        let file = behind("If you are stuck, write the reason to ");
        let file = file.and_then(|rest| Some(rest.split_once(',')?.0.to_owned()));
        let way = lines
            .filter_map(|line| line.strip_prefix("- "))
            .find(|line| line.contains(" --escalate "));
        self.way_out = file.zip(way.map(str::to_owned));
    }
}

/// The commands of the last part: indented, or between fences if they have several lines.
fn commands(scanned: &Scanned) -> Vec<String> {
    let Some(from) = scanned.outside.iter().position(|line| line == "## Next action") else {
        return Vec::new();
    };
    let lines = scanned.outside.iter().enumerate().skip(from);
    let indented = lines.filter_map(|(at, line)| Some((at, line.strip_prefix("    ")?.to_owned())));
    let quoted = scanned
        .before
        .iter()
        .zip(&scanned.quoted)
        .filter(|(at, _)| **at > from);
    let mut commands: Vec<(usize, String)> = indented.collect();
    commands.extend(quoted.map(|(at, text)| (*at, text.clone())));
    commands.sort_by_key(|(at, _)| *at);
    commands.into_iter().map(|(_, command)| command).collect()
}

/// The trace of a project in which agents forget at these moments.
fn played(project: &Project, source: Source, forgets: &dyn Fn() -> bool) -> Trace {
    let mut agents = Agents {
        project: project.clone(),
        source,
        forgets,
        acts: Cell::new(0),
    };
    let main = agents.project.world.main().clone();
    agents.work(&main);
    assert!(
        !agents.project.world.state(&main).status.is_open(),
        "the run has ended"
    );
    agents.project.trace()
}

/// Untrusted text, from empty to larger than the budget.
fn long_text() -> impl Strategy<Value = String> {
    (text(), prop_oneof![3 => 1..4_usize, 1 => 100..400_usize]).prop_map(|(text, times)| text.repeat(times))
}

prop_compose! {
    fn around()(
        skill in option::of(skill()),
        plan in option::of(plan()),
        learnt in texts(2),
        said in vec(long_text(), 0..6),
        document in long_text(),
    ) -> Around {
        Around { skill, plan, learnt, said, document }
    }
}

/// A task tree with some tasks closed, failed, blocked or removed.
fn tree() -> impl Strategy<Value = TaskTree> {
    vec(
        (any::<prop::sample::Index>(), any::<bool>(), text(), 0..9_u8),
        0..8,
    )
    .prop_map(|tasks| {
        let mut tree = TaskTree::new();
        let mut ids = Vec::new();
        for (parent, top, title, _) in &tasks {
            let parent = (!top && !ids.is_empty()).then(|| parent.get(&ids));
            let id = tree.add(parent, title);
            ids.push(id);
        }
        for (id, (.., title, fate)) in ids.iter().zip(&tasks) {
            let reason = || format!("Because {title}");
            let command = match fate {
                0 => TaskCommand::Done,
                1 => TaskCommand::Skip {
                    reason: Some(reason()),
                },
                2 => TaskCommand::Fail { reason: reason() },
                3 => TaskCommand::Block { reason: reason() },
                4 => TaskCommand::Remove,
                5 => TaskCommand::Note(reason()),
                _ => continue,
            };
            // Some changes are refused and leave the tree unchanged.
            let _ = tree.command(id, &command);
        }
        tree
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_agent_that_knows_only_its_wake_ups_acts_like_one_that_never_forgets(
        main in valid_workflow(),
        child in valid_workflow(),
        tree in tree(),
        around in around(),
        seed in any::<u64>(),
        often in 2..=6_u64,
    ) {
        let (workflow, children) = family(main, &child);
        let mut chance = SyntheticAgent::new(&workflow, seed);
        let params = resolve_params(&workflow, &chance.params(&workflow)).unwrap();
        // A list that is too long for its dispatch is refused at the start.
        let Ok(world) = World::start(workflow, children, params) else { return Ok(()) };
        let project = Project::new(world, tree, around);
        let remembered = played(&project, Source::Memory, &|| false);
        let dice = RefCell::new(chance);
        let forgotten = played(&project, Source::WakeUp, &|| dice.borrow_mut().one_in(often));
        prop_assert_eq!(remembered, forgotten);
    }
}
