//! Permissions. Every entry point checks here: the command line, MCP, hooks and both dashboards.
//!
//! Three rules cover all actions. Anyone may do the work. Decisions belong to the user; an agent may relay a decision,
//! but only after the user has typed something. Trusting skills and accepting risks require a person who acts directly,
//! not through an agent.

use std::fmt;

use crate::code_help::CodeHelp;
use crate::id::{SessionId, Timestamp};

/// An action that needs a permission check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Start a run or a sub-agent's run.
    Start,
    /// End a step's visit.
    Finish,
    /// Add a note.
    Note,
    /// Release a run whose agent stopped without progress.
    Release,
    /// Resume a run, or take it over.
    Resume,
    /// Answer the question of an `ask` step.
    Answer,
    /// Answer the question of an `ask` step with `by: person`.
    AnswerInPerson,
    /// Decide how to continue at a gate's limit.
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
    /// Revoke trust in a skill's commands.
    RevokeTrust,
    /// Serve the dashboard.
    ServePage,
    /// Remove Bugle from a client's settings.
    RemoveSetup,
    /// Ignore plan order.
    WaiveOrder,
    /// Join, move or merge projects.
    ChangeProject,
    /// Change the members of a team or their roles.
    ChangeTeam,
    /// Move, replace or prune the store.
    ChangeStore,
    /// Skip a task that is not the agent's own.
    SkipTask,
    /// Remove a task that is not the agent's own.
    RemoveTask,
    /// Post a message or an answer as the user, `@human`.
    WriteAsUser,
}

/// The authority that an action needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Authority {
    /// Anyone.
    Anyone,
    /// Anyone but an agent.
    NoAgent,
    /// The user, directly or through an agent.
    User,
    /// A person who acts directly, not through an agent.
    Person,
}

impl Action {
    /// Every action.
    pub const ALL: [Self; 25] = [
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
        Self::ChangeTeam,
        Self::ChangeStore,
        Self::SkipTask,
        Self::RemoveTask,
        Self::WriteAsUser,
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
            | Self::ChangeTeam
            | Self::ChangeStore
            | Self::SkipTask
            | Self::RemoveTask => Authority::User,
            Self::AnswerInPerson
            | Self::AcceptRisks
            | Self::Trust
            | Self::RevokeTrust
            | Self::WriteAsUser => Authority::Person,
            Self::ServePage => Authority::NoAgent,
        }
    }

    /// Whether anyone may perform this action, so that Bugle need not identify the caller.
    pub fn is_free(self) -> bool {
        self.authority() == Authority::Anyone
    }

    /// Whether this action affects one run.
    pub fn is_about_run(self) -> bool {
        self.is_answer()
            || matches!(
                self,
                Self::AcceptRisks | Self::Pause | Self::Cancel | Self::Rewind | Self::Fork | Self::Upgrade
            )
    }

    /// Whether this action affects one task.
    pub fn is_about_task(self) -> bool {
        matches!(self, Self::SkipTask | Self::RemoveTask)
    }

    /// Whether the dashboard offers this action.
    pub fn is_on_page(self) -> bool {
        match self {
            Self::Fork | Self::Upgrade => false,
            Self::WriteAsUser => true,
            _ => self.is_about_run(),
        }
    }

    /// Whether this action answers a question that a run is waiting on.
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
            Self::ServePage => "serve the dashboard",
            Self::RemoveSetup => "remove Bugle from a client's settings",
            Self::WaiveOrder => "ignore a plan's order",
            Self::ChangeProject => "join, move or merge projects",
            Self::ChangeTeam => "change a team's members",
            Self::ChangeStore => "move, replace or prune the store",
            Self::SkipTask => "skip a task that is not yours",
            Self::RemoveTask => "remove a task that is not yours",
            Self::WriteAsUser => "write as `human`",
        })
    }
}

/// The caller, as seen by permission checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Caller {
    /// A person at a terminal or on the dashboard.
    Person,
    /// An agent.
    Agent {
        /// Whether the user has typed something in the agent's session since the question or action came up.
        heard: bool,
    },
    /// A program outside any session, such as a script.
    Program {
        /// Whether the program acts on a run that belongs to an agent's session.
        on_agents_run: bool,
    },
}

/// The result of a permission check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Right {
    /// Allowed, in the caller's name.
    Own,
    /// Allowed, in the user's name; the event records both names.
    Relayed,
    /// Not allowed.
    Refused(MissingAuthority),
}

/// Why an action is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MissingAuthority {
    /// The user has not typed anything in this session since the question or action came up.
    UserInput,
    /// Only a person may take this action, not an agent or a script.
    Person,
}

impl MissingAuthority {
    /// All reasons.
    pub const ALL: [Self; 2] = [Self::UserInput, Self::Person];

    /// The stable code.
    pub fn code(self) -> &'static str {
        self.help().code
    }

    /// The help text for the code.
    pub fn help(self) -> CodeHelp {
        match self {
            Self::UserInput => CodeHelp {
                code: "user-not-heard",
                explanation: "Only the user may make this decision, and Bugle has not seen any user input in this \
                              session since the question or action came up.",
                remedy: "Ask the user, end your turn, and run the command again after they reply. If Bugle refuses \
                         the command again, run `bugle doctor` to check whether hooks run.",
            },
            Self::Person => CodeHelp {
                code: "person-needed",
                explanation: "Only a person may take this action, not an agent or a script.",
                remedy: "Run the command in your own terminal, or use the dashboard (`bugle ui`).",
            },
        }
    }
}

/// Checks whether a caller may perform an action.
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

/// Whether user input is recent enough: at or after `since`, or any input if `since` is unknown.
pub fn is_heard(input: Option<Timestamp>, since: Option<Timestamp>) -> bool {
    input.is_some_and(|input| since.is_none_or(|since| input >= since))
}

/// Facts about a command's caller, derived from all parent processes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ancestry {
    /// The session of the nearest process whose environment names a session.
    pub session: Option<SessionId>,
    /// Whether any process is a client or has a client's environment variables.
    pub has_client: bool,
    /// Whether a client runs inside another client. If so, an agent wrote the inner client's prompts.
    pub is_nested: bool,
}

/// Facts about a command's caller, derived from one parent process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessFacts {
    /// The session named in the process's environment.
    pub session: Option<SessionId>,
    /// Whether the process's environment has a client's variables.
    pub is_marked: bool,
    /// Whether the process is a client.
    pub is_client: bool,
}

impl Ancestry {
    /// Combines the facts about all parent processes, nearest first.
    pub fn of(processes: impl IntoIterator<Item = ProcessFacts>) -> Self {
        let mut seen = Self::default();
        let mut clients = 0_u32;
        let mut was_client = false;
        for shown in processes {
            // A client and its launcher count as one client.
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
