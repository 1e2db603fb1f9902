//! Counts what the agents of a walk see and return.

use std::collections::BTreeSet;
use std::fmt;

/// Shorter lines, such as tags and commands, may repeat.
const LINE: usize = 40;

/// The accounts of a walk's agents: the main agent, then its sub-agents in the order of their starts.
#[derive(Debug, Default)]
pub(crate) struct Accounts(Vec<Account>);

/// What one agent saw and returned, in characters.
#[derive(Debug)]
struct Account {
    name: String,
    steps: usize,
    shown: usize,
    /// The shown text outside the steps' prompts.
    frame: usize,
    returned: usize,
    /// The characters of lines that the agent had seen before.
    repeated: usize,
    seen: BTreeSet<String>,
}

impl Accounts {
    /// Opens a new agent's account; returns its number.
    pub(crate) fn open(&mut self, name: String) -> usize {
        self.0.push(Account {
            name,
            steps: 0,
            shown: 0,
            frame: 0,
            returned: 0,
            repeated: 0,
            seen: BTreeSet::new(),
        });
        self.0.len() - 1
    }

    /// An agent sees an answer. `prompt` is the length of the step's prompt.
    pub(crate) fn shows(&mut self, agent: usize, answer: &str, prompt: Option<usize>) {
        let account = &mut self.0[agent];
        let length = answer.chars().count();
        account.shown += length;
        account.frame += length - prompt.unwrap_or(length).min(length);
        account.steps += usize::from(prompt.is_some());
        for line in answer.lines().map(str::trim) {
            let length = line.chars().count();
            if length >= LINE && !account.seen.insert(line.to_owned()) {
                account.repeated += length;
            }
        }
    }

    /// An agent returns a result.
    pub(crate) fn returns(&mut self, agent: usize, characters: usize) {
        self.0[agent].returned += characters;
    }

    /// The characters that all agents saw.
    pub(crate) fn shown(&self) -> usize {
        self.0.iter().map(|account| account.shown).sum()
    }

    /// The share of characters that agents saw again, in percent.
    pub(crate) fn repeated(&self) -> usize {
        let repeated: usize = self.0.iter().map(|account| account.repeated).sum();
        100 * repeated / self.shown().max(1)
    }
}

impl fmt::Display for Accounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:32} {:>5} {:>8} {:>6} {:>8} {:>8}",
            "agent", "steps", "shown", "frame", "repeated", "returned"
        )?;
        for account in &self.0 {
            let share = |part: usize| format!("{}%", 100 * part / account.shown.max(1));
            writeln!(
                f,
                "{:32} {:>5} {:>8} {:>6} {:>8} {:>8}",
                account.name,
                account.steps,
                account.shown,
                share(account.frame),
                share(account.repeated),
                account.returned
            )?;
        }
        let returned: usize = self.0.iter().map(|account| account.returned).sum();
        write!(
            f,
            "total: {} shown, {} % repeated, {returned} returned",
            self.shown(),
            self.repeated()
        )
    }
}
