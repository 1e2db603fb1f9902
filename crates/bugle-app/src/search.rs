//! Searches a project's messages, notes and results.

use bugle_core::engine::{Event, Recorded};
use bugle_core::reply::{Author, FoundKind, FoundText, SearchView};
use bugle_core::search::Query;
use bugle_core::task::TaskEvent;
use bugle_store::{Search, Store};

use crate::{AppError, Context, addresses, projects};

/// Maximum number of messages, run events and task events searched, newest first, unless `everything` is set.
const MAX_SEARCHED: u32 = 5_000;
/// Maximum number of candidates of each kind that are matched against the query.
const MAX_CANDIDATES: u32 = 2000;
/// Maximum number of characters in an excerpt.
const MAX_EXCERPT: usize = 160;

/// Messages, notes and results that contain all of the words, newest first. Searches only the newest rows unless
/// `everything` is set.
pub fn search(
    store: &mut Store,
    ctx: &Context,
    words: &str,
    limit: u32,
    everything: bool,
) -> Result<SearchView, AppError> {
    let query = Query::parse(words).ok_or_else(|| AppError::Usage {
        what: "the query has no words".to_owned(),
        hints: vec![
            "Pass at least one word. To find an exact phrase, put it in quotes: \"several words\"."
                .to_owned(),
        ],
    })?;
    let mut after = None;
    let mut found = match projects::project(store, ctx)? {
        Some(project) => {
            let plain = query.plain_words();
            let search = Search {
                project: &project,
                words: &plain,
                rows: (!everything).then_some(MAX_SEARCHED),
                limit: MAX_CANDIDATES,
            };
            let here = addresses::home(ctx);
            let mut found = Vec::new();
            let messages = store.messages_with(search)?;
            let events = store.events_with(search)?;
            let task_events = store.task_events_with(search)?;
            after = messages.after.max(events.after).max(task_events.after);
            for row in messages.rows {
                if query.finds(&row.text) {
                    let command = ctx.command(&["message", "list", "--from", &row.sender.seen_from(&here)]);
                    found.push(FoundText {
                        kind: FoundKind::Message,
                        at: row.at,
                        place: row.id.to_string(),
                        by: Author::Sender(row.sender.seen_from(&here)),
                        excerpt: query.excerpt(&row.text, MAX_EXCERPT),
                        command,
                    });
                }
            }
            for (run, recorded) in events.rows {
                for (kind, text) in searchable_texts(&recorded) {
                    if query.finds(&text) {
                        found.push(FoundText {
                            kind,
                            at: recorded.at,
                            place: run.to_string(),
                            by: Author::from(&recorded.by),
                            excerpt: query.excerpt(&text, MAX_EXCERPT),
                            command: ctx.command(&["run", "show", run.as_str()]),
                        });
                    }
                }
            }
            for (task, recorded) in task_events.rows {
                if let TaskEvent::Noted { text } = &recorded.event
                    && query.finds(text)
                {
                    found.push(FoundText {
                        kind: FoundKind::Note,
                        at: recorded.at,
                        place: task.to_string(),
                        by: Author::from(&recorded.by),
                        excerpt: query.excerpt(text, MAX_EXCERPT),
                        command: ctx.command(&["task", "show", task.as_str(), "--full"]),
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
        searched_after: after,
    })
}

/// The searchable strings of a run event, with their kinds.
fn searchable_texts(recorded: &Recorded) -> Vec<(FoundKind, String)> {
    match &recorded.event {
        Event::Noted { text, .. } => vec![(FoundKind::Note, text.clone())],
        Event::Ended { result, reason, .. } => {
            let result = result
                .iter()
                .map(|result| (FoundKind::Result, plain_text(result)));
            let reason = reason.iter().map(|reason| (FoundKind::Reason, reason.clone()));
            result.chain(reason).collect()
        }
        _ => Vec::new(),
    }
}

/// A result as text, without JSON syntax.
fn plain_text(result: &serde_json::Value) -> String {
    use serde_json::Value;
    match result {
        Value::Null => String::new(),
        Value::Bool(yes) => yes.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain_text).collect::<Vec<_>>().join("; "),
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, value)| format!("{name}: {}", plain_text(value)));
            fields.collect::<Vec<_>>().join("; ")
        }
    }
}
