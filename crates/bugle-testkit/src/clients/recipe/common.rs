//! What every recipe consists of.

use std::path::PathBuf;

use serde_json::Value;

use crate::clients::inside::PORT;

/// How to run a client.
pub(in crate::clients) struct Recipe {
    /// The client's settings files.
    pub(in crate::clients) files: fn(&Folders) -> Vec<(PathBuf, String)>,
    /// Variables that make the client talk only to the model, and stop early if the model fails.
    pub(in crate::clients) environment: fn(&Folders) -> Vec<(String, String)>,
    /// The client's arguments.
    pub(in crate::clients) arguments: fn(&Prompt<'_>) -> Vec<String>,
    /// Variables and arguments that make the client compact the conversation at [`CROWDED`](crate::clients::CROWDED)
    /// tokens.
    pub(in crate::clients) early_compaction: EarlyCompaction,
    /// The session id in a line of the client's output.
    pub(in crate::clients) session: fn(&Value) -> Option<String>,
    /// The client's final message in its output.
    pub(in crate::clients) answer: fn(&[Value]) -> Option<String>,
}

/// Folders of a sandbox.
pub(in crate::clients) struct Folders {
    /// The user's home.
    pub(in crate::clients) home: PathBuf,
    /// The repository that the client works in.
    pub(in crate::clients) project: PathBuf,
}

/// A prompt for a client.
pub(in crate::clients) struct Prompt<'a> {
    pub(in crate::clients) text: &'a str,
    /// The session to resume.
    pub(in crate::clients) session: Option<&'a str>,
    /// More arguments, before the prompt.
    pub(in crate::clients) arguments: &'a [String],
    /// Whether the client keeps running after the first turn.
    pub(in crate::clients) resident: bool,
}

/// Variables and arguments for an early compaction.
pub(in crate::clients) struct EarlyCompaction {
    pub(in crate::clients) variables: &'static [(&'static str, &'static str)],
    pub(in crate::clients) arguments: &'static [&'static str],
}

impl EarlyCompaction {
    /// A client that compacts early without further settings.
    pub(super) const NONE: Self = Self {
        variables: &[],
        arguments: &[],
    };
}

/// The model's address in the namespace.
pub(super) fn address() -> String {
    format!("http://127.0.0.1:{PORT}")
}

pub(super) fn owned(variables: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    variables.iter().map(owned).collect()
}

/// The text in a field of the last event that has this field.
pub(super) fn last_text(events: &[Value], path: &str) -> Option<String> {
    let mut texts = events
        .iter()
        .rev()
        .filter_map(|event| event.pointer(path)?.as_str());
    texts.next().map(str::to_owned)
}

/// The text in a field of an event.
pub(super) fn text(event: &Value, path: &str) -> Option<String> {
    event.pointer(path)?.as_str().map(str::to_owned)
}

pub(super) fn words(groups: &[&[&str]]) -> Vec<String> {
    groups.concat().into_iter().map(str::to_owned).collect()
}
