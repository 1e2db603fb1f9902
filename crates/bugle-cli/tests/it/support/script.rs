//! Scripted agents. Their reports come from a script, and they know only Bugle's output.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Map, Value};

use super::account::Accounts;
use super::reply::{Shown, Step};
use super::sandbox::{Answer, Sandbox};

/// An agent's memory between two commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Memory {
    /// The answer to the last command.
    Keeps,
    /// Nothing: the agent asks for its step before each report.
    Forgets,
}

/// The results and answers to submit during one run.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) skill: String,
    /// The steps in visit order.
    pub(crate) visits: Vec<String>,
    pub(crate) params: Map<String, Value>,
    /// The files in the project at the start.
    files: Map<String, Value>,
    /// One result per visit to each step.
    results: BTreeMap<String, Vec<Value>>,
    /// A person's answers to the steps' questions.
    answers: BTreeMap<String, Vec<Value>>,
    /// Files that are written before a step is reported.
    writes: BTreeMap<String, Vec<Value>>,
    /// A dishonest agent's attempts on a step's first visit: changes to the result, and words from the refusal.
    cheats: BTreeMap<String, Vec<Value>>,
    /// The sub-agents' scripts, for each visit to each step.
    children: BTreeMap<String, Vec<Value>>,
    /// Why a sub-agent escalates instead of doing its work.
    escalate: Option<(String, String)>,
    /// The answer to the escalation, and the restarted sub-agent's script.
    answered: Option<(String, Box<Script>)>,
}

impl Script {
    pub(crate) fn read(file: &str) -> Self {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/skills/walks");
        let text = fs::read_to_string(format!("{folder}/{file}")).unwrap();
        Self::parse(&serde_json::from_str(&text).unwrap())
    }

    fn parse(document: &Value) -> Self {
        let map = |name: &str| document[name].as_object().cloned().unwrap_or_default();
        let lists = |name: &str| -> BTreeMap<String, Vec<Value>> {
            let list = |value: Value| match value {
                Value::Array(list) => list,
                single => vec![single],
            };
            map(name)
                .into_iter()
                .map(|(step, value)| (step, list(value)))
                .collect()
        };
        let word = |name: &str| document[name].as_str().map(str::to_owned);
        let words = word("visits").unwrap_or_default();
        Self {
            skill: word("skill").unwrap_or_default(),
            visits: words.split_whitespace().map(str::to_owned).collect(),
            params: map("params"),
            files: map("files"),
            results: lists("steps"),
            answers: lists("answers"),
            writes: lists("writes"),
            cheats: lists("cheats"),
            children: lists("children"),
            escalate: word("escalate").zip(word("why")),
            answered: word("answer").map(|answer| (answer, Box::new(Self::parse(&document["again"])))),
        }
    }

    /// The result for the next visit to a step.
    pub(crate) fn next_result(&mut self, step: &str) -> Value {
        next(&mut self.results, step, "result")
    }

    fn assert_all_used(&self) {
        for (kind, lists) in [
            ("steps", &self.results),
            ("answers", &self.answers),
            ("writes", &self.writes),
            ("cheats", &self.cheats),
            ("children", &self.children),
        ] {
            for (step, left) in lists {
                assert!(left.is_empty(), "{kind} of {step}: left over {left:?}");
            }
        }
    }
}

fn next(lists: &mut BTreeMap<String, Vec<Value>>, step: &str, what: &str) -> Value {
    let list = lists
        .get_mut(step)
        .unwrap_or_else(|| panic!("no {what} for {step}"));
    assert!(!list.is_empty(), "one visit too many to {step}: no {what}");
    list.remove(0)
}

/// The result of a walk.
pub(crate) struct Walked {
    pub(crate) visits: Vec<String>,
    /// What all agents saw and returned.
    pub(crate) accounts: Accounts,
    /// Every printed step, including the sub-agents'.
    pub(crate) printed: Vec<String>,
    /// Bugle's home.
    pub(crate) bugle_home: String,
}

/// Runs a skill to completion in its own project.
pub(crate) fn walk(file: &str, memory: Memory) -> Walked {
    let sandbox = Sandbox::new();
    sandbox.git_init();
    let mut script = Script::read(file);
    for (path, content) in &script.files {
        sandbox.write(&sandbox.project().join(path), content.as_str().unwrap());
    }
    let params = sandbox.root().join("params.json");
    sandbox.write(&params, Value::Object(script.params.clone()).to_string());
    let first = sandbox
        .run(&["start", &script.skill, "--params-file", params.to_str().unwrap()])
        .ok();
    let mut player = Player {
        sandbox: &sandbox,
        memory,
        accounts: Accounts::default(),
        printed: Vec::new(),
    };
    let (visits, last) = player.play(first, &mut script, None);
    script.assert_all_used();
    let Shown::End(end) = last.shown() else {
        panic!("{}", last.out)
    };
    assert_eq!(end.status, "completed");
    // A walk may return problems in `also_found`.
    let expected = |notice: &String| notice.contains("outside the run's work");
    assert!(end.notices.iter().all(expected), "{:?}", end.notices);
    assert_eq!(sandbox.position(&end.run), ("completed".to_owned(), None, None));
    let findings = sandbox.printed(&end.command).ok();
    assert!(findings.out.contains("completed"), "{}", findings.out);
    sandbox.run(&["step"]).fails(4, "no run is open in this project");
    sandbox.verify();
    let left_behind = sandbox.bugle_home().join("work").join(&end.run);
    assert!(
        !left_behind.exists(),
        "submitted results are in the store, not in files"
    );
    Walked {
        visits,
        accounts: player.accounts,
        printed: player.printed,
        bugle_home: sandbox.bugle_home().display().to_string(),
    }
}

/// The visit and slot of the step that started a sub-agent.
fn name_of(command: &str) -> &str {
    command.rsplit(' ').next().unwrap().trim_matches('\'')
}

/// The agents of a walk: the main agent and its sub-agents.
struct Player<'a> {
    sandbox: &'a Sandbox,
    memory: Memory,
    accounts: Accounts,
    printed: Vec<String>,
}

impl Player<'_> {
    /// Plays a run to completion; returns the visited steps and the last answer. `started_by` is a sub-agent's start
    /// command.
    fn play(
        &mut self,
        first: Answer,
        script: &mut Script,
        started_by: Option<&str>,
    ) -> (Vec<String>, Answer) {
        let mut answer = first;
        let mut visited: Vec<(String, String)> = Vec::new();
        let name = started_by.map_or_else(|| script.skill.clone(), |command| name_of(command).to_owned());
        let agent = self.accounts.open(name);
        loop {
            let prompt = match answer.shown() {
                Shown::Step(step) => Some(step.action.chars().count()),
                _ => None,
            };
            self.accounts.shows(agent, &answer.out, prompt);
            if self.memory == Memory::Forgets && matches!(answer.shown(), Shown::Step(_)) {
                answer = self.forgotten(&answer, started_by);
            }
            let step = match answer.shown() {
                Shown::Step(step) => step,
                Shown::Refused(refused) => panic!("{refused:?}"),
                Shown::End(_) | Shown::LastWord(_) => break,
            };
            self.printed.push(answer.out.clone());
            if visited.last().is_none_or(|(visit, _)| *visit != step.visit) {
                visited.push((step.visit.clone(), step.step.clone()));
            }
            // Some walks reach a loop's limit or answer a question; no other notice is expected.
            let expected = |notice: &String| {
                notice.contains("reached its limit") || notice.contains("An earlier attempt stopped")
            };
            assert!(step.notices.iter().all(expected), "{:?}", step.notices);
            answer = self.obey(agent, &step, script).ok();
        }
        (visited.into_iter().map(|(_, step)| step).collect(), answer)
    }

    /// The text that an agent without memory sees: the same step and, for a sub-agent, its role.
    fn forgotten(&self, answer: &Answer, started_by: Option<&str>) -> Answer {
        match started_by {
            None => {
                let again = self.sandbox.run(&["step"]).ok();
                assert_eq!(again.out, answer.out, "`step` repeats the last command's output");
                again
            }
            Some(command) => {
                let again = self.sandbox.printed(command).ok();
                let (now, before) = (again.step(), answer.step());
                assert_eq!((now.visit, now.action), (before.visit, before.action));
                again
            }
        }
    }

    /// Follows a step: writes the result to its file and runs its command.
    fn obey(&mut self, agent: usize, step: &Step, script: &mut Script) -> Answer {
        if let Some((kind, why)) = &script.escalate {
            let way = step.escalations.iter().find(|way| way.answer == *kind).unwrap();
            fs::write(step.escalation_file.as_ref().unwrap(), why).unwrap();
            return self.sandbox.printed(&way.command);
        }
        if script.writes.contains_key(&step.step) {
            let files = next(&mut script.writes, &step.step, "files");
            for (path, content) in files.as_object().unwrap() {
                let path = self.sandbox.project().join(path);
                self.sandbox.write(&path, content.as_str().unwrap());
            }
        }
        if step.question.is_some() {
            return self.answer(step, script);
        }
        if step.dispatches {
            let scripts = next(&mut script.children, &step.step, "sub-agents");
            let scripts = scripts.as_array().unwrap();
            assert_eq!(scripts.len(), step.starts.len(), "sub-agents of {}", step.step);
            let mut asks = false;
            for (document, command) in scripts.iter().zip(&step.starts) {
                let mut child = Script::parse(document);
                let first = self.sandbox.printed(command).ok();
                let (_, last) = self.play(first, &mut child, Some(command));
                assert!(matches!(last.shown(), Shown::LastWord(_)), "{}", last.out);
                child.assert_all_used();
                asks |= child.escalate.is_some() && child.answered.is_none();
                if let Some((answer, mut again)) = child.answered {
                    self.restart(command, &answer, &mut again);
                }
            }
            return if asks {
                self.sandbox.end_unanswered(step)
            } else {
                self.sandbox.printed(step.command())
            };
        }
        let result = script.next_result(&step.step);
        self.accounts.returns(agent, result.to_string().chars().count());
        if let Some(why) = result.get("fail").filter(|_| step.failure.is_some()) {
            let (command, file) = step.failure.as_ref().unwrap();
            fs::write(file, why.as_str().unwrap()).unwrap();
            return self.sandbox.printed(command);
        }
        for cheat in script
            .cheats
            .get_mut(&step.step)
            .into_iter()
            .flat_map(std::mem::take)
        {
            self.cheat(step, &result, &cheat);
        }
        match &step.result_file {
            Some(_) => self.sandbox.report(step, &result),
            None => self.sandbox.printed(step.command()),
        }
    }

    /// Submits a dishonest result, which must be refused.
    fn cheat(&self, step: &Step, honest: &Value, cheat: &Value) {
        let mut result = honest.clone();
        for (field, value) in cheat["with"].as_object().unwrap() {
            result[field] = value.clone();
        }
        let answer = self.sandbox.report(step, &result).exits(3);
        let says = cheat["says"].as_str().unwrap();
        assert!(
            answer.out.contains(says),
            "{} does not say {says:?}:\n{}",
            step.step,
            answer.out
        );
    }

    /// Restarts a stopped sub-agent with an answer, and plays its run to completion.
    fn restart(&mut self, command: &str, answer: &str, script: &mut Script) {
        self.sandbox
            .run(&["retry", name_of(command), "--answer", answer])
            .ok();
        let first = self.sandbox.printed(command).ok();
        let told = first.step().notices.iter().any(|notice| notice.contains(answer));
        assert!(told, "{}", first.out);
        let (_, last) = self.play(first, script, Some(command));
        assert!(matches!(last.shown(), Shown::LastWord(_)), "{}", last.out);
        script.assert_all_used();
    }

    fn answer(&self, step: &Step, script: &mut Script) -> Answer {
        let said = next(&mut script.answers, &step.step, "answer");
        let said = said.as_str().unwrap();
        if let Some(file) = &step.reason_file {
            fs::write(file, "the user said so").unwrap();
        }
        if let Some(choice) = step.choices.iter().find(|choice| choice.answer == said) {
            return self.sandbox.printed(&choice.command);
        }
        fs::write(step.answer_file.as_ref().unwrap(), said).unwrap();
        self.sandbox.printed(step.command())
    }
}
