//! Who may do what. Every door asks here: the command line, MCP, hooks, the page and the terminal view.
//!
//! Three rules cover all actions. Work is free for anyone. Decisions belong to the user: an agent may relay one, but only
//! after the user typed something. Trust and accepted risks belong to a person who acts through a channel of their own.

use std::fmt;

use crate::id::{SessionId, Timestamp};

/// Something that an actor wants to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Start a run, or a sub-agent's part of one.
    Start,
    /// End a visit.
    Finish,
    /// Add a note.
    Note,
    /// Release a run whose agent stopped without progress.
    Release,
    /// Resume a run, or take it over.
    Resume,
    /// Answer the question of an `ask` step.
    Answer,
    /// Answer the question of a step with `ask: { by: person }`.
    AnswerInPerson,
    /// Decide at a gate's limit.
    DecideGate,
    /// Accept findings as risks.
    AcceptRisks,
    /// Pause a run.
    Pause,
    /// Cancel a run.
    Cancel,
    /// Go back to an earlier visit.
    Rewind,
    /// Start a new run from an earlier visit.
    Fork,
    /// Move a run to another version of its skill.
    Upgrade,
    /// Trust a skill's commands.
    Trust,
    /// Revoke that trust.
    RevokeTrust,
    /// Serve the page.
    ServePage,
    /// Remove Bugle from a client's settings.
    RemoveSetup,
    /// Waive the order of a plan.
    WaiveOrder,
    /// Move or merge projects.
    ChangeProject,
    /// Replace or shorten the store.
    ChangeStore,
    /// Skip a task that is not the agent's own.
    SkipTask,
    /// Remove a task that is not the agent's own.
    RemoveTask,
}

/// Who has to stand behind an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Authority {
    /// No one in particular.
    Anyone,
    /// Anyone but an agent.
    NoAgent,
    /// The user: in person, or relayed by an agent.
    User,
    /// A person, through a channel of their own.
    Person,
}

impl Action {
    /// Every action.
    pub const ALL: [Self; 23] = [
        Self::Start,
        Self::Finish,
        Self::Note,
        Self::Release,
        Self::Resume,
        Self::Answer,
        Self::AnswerInPerson,
        Self::DecideGate,
        Self::AcceptRisks,
        Self::Pause,
        Self::Cancel,
        Self::Rewind,
        Self::Fork,
        Self::Upgrade,
        Self::Trust,
        Self::RevokeTrust,
        Self::ServePage,
        Self::RemoveSetup,
        Self::WaiveOrder,
        Self::ChangeProject,
        Self::ChangeStore,
        Self::SkipTask,
        Self::RemoveTask,
    ];

    fn authority(self) -> Authority {
        match self {
            Self::Start | Self::Finish | Self::Note | Self::Release | Self::Resume => Authority::Anyone,
            Self::Answer
            | Self::DecideGate
            | Self::Pause
            | Self::Cancel
            | Self::Rewind
            | Self::Fork
            | Self::Upgrade
            | Self::RemoveSetup
            | Self::WaiveOrder
            | Self::ChangeProject
            | Self::ChangeStore
            | Self::SkipTask
            | Self::RemoveTask => Authority::User,
            Self::AnswerInPerson | Self::AcceptRisks | Self::Trust | Self::RevokeTrust => Authority::Person,
            Self::ServePage => Authority::NoAgent,
        }
    }

    /// Whether anyone may do it, so that it does not matter who acts.
    pub fn is_free(self) -> bool {
        self.authority() == Authority::Anyone
    }

    /// Whether it is done to one run.
    pub fn is_about_run(self) -> bool {
        self.is_answer()
            || matches!(
                self,
                Self::AcceptRisks | Self::Pause | Self::Cancel | Self::Rewind | Self::Fork | Self::Upgrade
            )
    }

    /// Whether it is done to one task.
    pub fn is_about_task(self) -> bool {
        matches!(self, Self::SkipTask | Self::RemoveTask)
    }

    /// Whether the page offers it.
    pub fn is_on_page(self) -> bool {
        self.is_about_run() && !matches!(self, Self::Fork | Self::Upgrade)
    }

    /// Whether it answers a question that a run waits on.
    pub fn is_answer(self) -> bool {
        matches!(self, Self::Answer | Self::AnswerInPerson | Self::DecideGate)
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Start => "start a run",
            Self::Finish => "end a step",
            Self::Note => "add a note",
            Self::Release => "release a run",
            Self::Resume => "resume a run",
            Self::Answer | Self::AnswerInPerson => "answer this question",
            Self::DecideGate => "decide at this gate",
            Self::AcceptRisks => "accept findings as risks",
            Self::Pause => "pause this run",
            Self::Cancel => "cancel this run",
            Self::Rewind => "rewind this run",
            Self::Fork => "fork this run",
            Self::Upgrade => "upgrade this run",
            Self::Trust => "trust a skill",
            Self::RevokeTrust => "revoke trust in a skill",
            Self::ServePage => "serve the page",
            Self::RemoveSetup => "remove Bugle from a client's settings",
            Self::WaiveOrder => "waive the order of a plan",
            Self::ChangeProject => "move or merge projects",
            Self::ChangeStore => "replace or prune the store",
            Self::SkipTask => "skip a task that is not yours",
            Self::RemoveTask => "remove a task that is not yours",
        })
    }
}

/// Who acts, as far as it matters for what they may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Caller {
    /// A person at their terminal or on the page.
    Person,
    /// An agent.
    Agent {
        /// Whether its user typed something since the matter came up.
        heard: bool,
    },
    /// A program outside any session: a script, a scheduler.
    Program {
        /// Whether it acts on a run that an agent's session holds.
        on_agents_run: bool,
    },
}

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Right {
    /// They may, in their own name.
    Own,
    /// They may, in the user's name; both names are recorded.
    Relayed,
    /// They may not.
    Refused(MissingAuthority),
}

/// What is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MissingAuthority {
    /// The user typed nothing in this session since the matter came up.
    UserInput,
    /// A person has to do this.
    Person,
}

impl MissingAuthority {
    /// A stable word for it.
    pub fn code(self) -> &'static str {
        match self {
            Self::UserInput => "user-not-heard",
            Self::Person => "person-needed",
        }
    }
}

/// Whether a caller may do something.
pub fn right(action: Action, caller: Caller) -> Right {
    match (action.authority(), caller) {
        (_, Caller::Person)
        | (Authority::Anyone, _)
        | (Authority::NoAgent, Caller::Program { .. })
        | (Authority::User, Caller::Program { on_agents_run: false }) => Right::Own,
        (Authority::User, Caller::Agent { heard: true }) => Right::Relayed,
        (Authority::User, Caller::Agent { heard: false }) => Right::Refused(MissingAuthority::UserInput),
        (Authority::NoAgent | Authority::Person, Caller::Agent { .. })
        | (Authority::User, Caller::Program { on_agents_run: true })
        | (Authority::Person, Caller::Program { .. }) => Right::Refused(MissingAuthority::Person),
    }
}

/// Whether input at one moment can be about what came up at another. Without such a moment, any input can.
pub fn is_heard(input: Option<Timestamp>, since: Option<Timestamp>) -> bool {
    input.is_some_and(|input| since.is_none_or(|since| input >= since))
}

/// What the processes above a command show about who runs it, from the nearest one up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ancestry {
    /// The nearest session that one of them names.
    pub session: Option<SessionId>,
    /// Whether one of them is a client, or carries a client's mark.
    pub has_client: bool,
    /// Whether a client runs below another client: what its prompts say, an agent wrote.
    pub is_nested: bool,
}

/// What one process shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessFacts {
    /// The session that its environment names.
    pub session: Option<SessionId>,
    /// Whether its environment carries the mark of a client.
    pub is_marked: bool,
    /// Whether it is a client's own process.
    pub is_client: bool,
}

impl Ancestry {
    /// What processes show together, given from the nearest one up.
    pub fn of(processes: impl IntoIterator<Item = ProcessFacts>) -> Self {
        let mut seen = Self::default();
        let mut clients = 0_u32;
        let mut was_client = false;
        for shown in processes {
            // A client that a launcher of the same client started is one client.
            clients += u32::from(shown.is_client && !was_client);
            was_client = shown.is_client;
            seen.has_client |= shown.is_client || shown.is_marked || shown.session.is_some();
            match (&seen.session, shown.session) {
                (None, session) => seen.session = session,
                (Some(own), Some(other)) => seen.is_nested |= *own != other,
                (Some(_), None) => {}
            }
        }
        seen.is_nested |= clients > 1;
        seen
    }
}

#[cfg(test)]
#[path = "rights_tests.rs"]
mod tests;
