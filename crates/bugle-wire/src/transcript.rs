//! What an agent of any client printed, in one form.

use serde::Serialize;

/// Something that an agent did, said or cost, whatever the client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TranscriptItem {
    /// A process was started for the agent, with this wake-up as its prompt.
    Turn {
        /// The wake-up.
        wakeup: String,
    },
    /// The client says which session this is.
    SessionIs {
        /// Its id, with which it can be resumed.
        id: String,
    },
    /// The agent said something on its way.
    Said {
        /// What.
        text: String,
    },
    /// The agent used a tool.
    ToolUsed {
        /// Which.
        tool: String,
        /// With what: a command, a file, or else the input as JSON.
        input: String,
    },
    /// What a tool answered.
    ToolResult {
        /// The answer.
        output: String,
        /// Whether the tool failed.
        failed: bool,
    },
    /// What was used up since the last time it was told.
    Cost {
        /// Tokens, those from a cache too.
        tokens: u64,
        /// Millionths of a dollar, where the client says how much.
        cost: u64,
    },
    /// The last words of a turn: its answer.
    Final {
        /// The answer.
        text: String,
    },
    /// The client could not go on.
    Error {
        /// Why, in its own words.
        text: String,
    },
}
