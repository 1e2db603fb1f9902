//! An agent's output, in the same form for every client.

variants! {
    #[serde(tag = "kind", rename_all = "snake_case")]
    TranscriptItem {
        Turn {
            wakeup: String,
        }
        SessionIs {
            id: String,
        }
        Said {
            text: String,
        }
        ToolUsed {
            tool: String,
            input: String,
        }
        ToolResult {
            output: String,
            failed: bool,
        }
        Cost {
            tokens: u64,
            cost: u64,
        }
        Final {
            text: String,
        }
        Error {
            text: String,
        }
    }
}
