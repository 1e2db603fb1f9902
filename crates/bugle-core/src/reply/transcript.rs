//! An agent's output, in the same form for every client.

use serde::Serialize;
/// An entry in an agent's output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TranscriptItem {
    /// A process was started for the agent, with this wake-up as its prompt.
    Turn {
        /// The wake-up.
        wakeup: String,
    },
    /// The client reported the session's id.
    SessionIs {
        /// The id that resumes the session.
        id: String,
    },
    /// The agent printed text.
    Said {
        /// The text.
        text: String,
    },
    /// The agent used a tool.
    ToolUsed {
        /// The tool.
        tool: String,
        /// The tool's input: a command, a file, or JSON.
        input: String,
    },
    /// The tool's output.
    ToolResult {
        /// The output.
        output: String,
        /// Whether the tool failed.
        failed: bool,
    },
    /// The usage since the last entry of this kind.
    Cost {
        /// Tokens, including cached ones.
        tokens: u64,
        /// The cost in millionths of a dollar, if the client reports it.
        cost: u64,
    },
    /// The final message of a turn: the agent's answer.
    Final {
        /// The answer.
        text: String,
    },
    /// The client failed.
    Error {
        /// The client's error message.
        text: String,
    },
}
