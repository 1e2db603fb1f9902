//! Searching messages, notes and results of this project.

use bugle_core::engine::{Event, Recorded};
use bugle_core::search::Query;
use bugle_core::task::TaskEvent;
use bugle_store::{Search, SearchStore as _};
use bugle_wire::{FoundText, SearchView};

use crate::message::home;
use crate::{App, AppError};

/// How many messages, events of runs and events of tasks are searched, newest first, unless everything is.
const MOST_SEARCHED: u32 = 5_000;
/// How many candidates of each kind are compared word by word.
const MOST_READ: u32 = 2000;
/// How much of a text is shown.
const LONGEST_EXCERPT: usize = 160;

impl App {
    /// Messages, notes and results that contain all of these words, newest first. Only the newest are searched, unless
    /// `everything` is.
    pub fn search(&mut self, words: &str, limit: u32, everything: bool) -> Result<SearchView, AppError> {
        let query = Query::parse(words).ok_or_else(|| AppError::Usage {
            what: "there is no word to look for".to_owned(),
            hints: vec![
                "Every word has to be found; \"several words\" in quotes are looked for as they stand."
                    .to_owned(),
            ],
        })?;
        let mut after = None;
        let mut found = match self.project()? {
            Some(project) => {
                let plain = query.plain_words();
                let search = Search {
                    project: &project,
                    words: &plain,
                    rows: (!everything).then_some(MOST_SEARCHED),
                    limit: MOST_READ,
                };
                let here = home(&self.place);
                let mut found = Vec::new();
                let messages = self.store.messages_with(search)?;
                let events = self.store.events_with(search)?;
                let task_events = self.store.task_events_with(search)?;
                after = messages.after.max(events.after).max(task_events.after);
                for row in messages.rows {
                    if query.finds(&row.text) {
                        let command =
                            self.place
                                .command(&["messages", "--from", &row.sender.seen_from(&here)]);
                        found.push(FoundText {
                            kind: "message".to_owned(),
                            at: row.at.0,
                            place: row.id.to_string(),
                            by: row.sender.seen_from(&here),
                            excerpt: query.excerpt(&row.text, LONGEST_EXCERPT),
                            command,
                        });
                    }
                }
                for (run, recorded) in events.rows {
                    for (kind, text) in told(&recorded) {
                        if query.finds(&text) {
                            found.push(FoundText {
                                kind: kind.to_owned(),
                                at: recorded.at.0,
                                place: run.to_string(),
                                by: recorded.by.to_string(),
                                excerpt: query.excerpt(&text, LONGEST_EXCERPT),
                                command: self.place.command(&["show", run.as_str()]),
                            });
                        }
                    }
                }
                for (task, recorded) in task_events.rows {
                    if let TaskEvent::Noted { text } = &recorded.event
                        && query.finds(text)
                    {
                        found.push(FoundText {
                            kind: "note".to_owned(),
                            at: recorded.at.0,
                            place: task.to_string(),
                            by: recorded.by.to_string(),
                            excerpt: query.excerpt(text, LONGEST_EXCERPT),
                            command: self.place.command(&["task", "show", task.as_str(), "--full"]),
                        });
                    }
                }
                found
            }
            None => Vec::new(),
        };
        found.sort_by_key(|text| std::cmp::Reverse(text.at));
        let most = limit as usize;
        let more = found.len().saturating_sub(most) as u64;
        found.truncate(most);
        Ok(SearchView {
            found,
            more,
            searched_after: after.map(|moment| moment.0),
        })
    }
}

/// What an event of a run tells in words.
fn told(recorded: &Recorded) -> Vec<(&'static str, String)> {
    match &recorded.event {
        Event::Noted { text, .. } => vec![("note", text.clone())],
        Event::Ended { result, reason, .. } => {
            let result = result.iter().map(|result| ("result", in_words(result)));
            let reason = reason.iter().map(|reason| ("reason", reason.clone()));
            result.chain(reason).collect()
        }
        _ => Vec::new(),
    }
}

/// The texts and numbers in a result, without what only holds them together.
fn in_words(result: &serde_json::Value) -> String {
    use serde_json::Value;
    match result {
        Value::Null => String::new(),
        Value::Bool(yes) => yes.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(in_words).collect::<Vec<_>>().join("; "),
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, value)| format!("{name}: {}", in_words(value)));
            fields.collect::<Vec<_>>().join("; ")
        }
    }
}
