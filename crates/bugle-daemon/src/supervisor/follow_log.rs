//! Follows an agent's log while the agent is running.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Seek as _};
use std::time::Duration;

use bugle_app::{App, AppError, Context, supervisor};
use bugle_client::transcript::Transcript;
use bugle_core::reply::TranscriptItem;

use super::file_events::FileEvents;
use crate::shutdown;

/// How often to check whether a silent client has exited.
const AT_LEAST: Duration = Duration::from_secs(2);

/// Calls `show` with the entries of an agent's log (only the last `tail` if set), then with new entries until the
/// agent's process ends.
pub fn follow_log(
    ctx: Context,
    name: &str,
    tail: Option<usize>,
    show: &mut dyn FnMut(&TranscriptItem) -> Result<(), AppError>,
) -> Result<(), AppError> {
    crate::serve::block_on(async {
        let mut app = App::open(ctx)?;
        let (path, client) = supervisor::agent_log_file(&mut app.store, &app.context, name)?;
        let cannot = |source| AppError::File {
            what: "cannot read",
            path: path.clone(),
            source,
        };
        let folder = path.parent().unwrap_or(&path);
        let mut changes = FileEvents::watch(folder, "")?;
        let mut source = BufReader::new(File::open(&path).map_err(cannot)?);
        let mut transcript = Transcript::new(client);
        let mut line = String::new();
        let mut is_first = true;
        let asked = shutdown::requested();
        tokio::pin!(asked);
        loop {
            // Check whether the agent is running before reading, so that its last output is not missed.
            let running = supervisor::agent_is_running(&mut app.store, &app.context, name)?;
            let mut items = Vec::new();
            let mut read = |source: &mut BufReader<File>| {
                while source.read_line(&mut line).map_err(cannot)? > 0 && line.ends_with('\n') {
                    items.extend(transcript.read(&line));
                    line.clear();
                }
                source.stream_position().map_err(cannot)
            };
            let position = read(&mut source)?;
            if fs::metadata(&path).is_ok_and(|now| now.len() < position) {
                // The log was rotated. Read the rest of the old file first; it no longer grows.
                read(&mut source)?;
                source = BufReader::new(File::open(&path).map_err(cannot)?);
                read(&mut source)?;
            }
            let surplus = tail
                .filter(|_| is_first)
                .map_or(0, |tail| items.len().saturating_sub(tail));
            is_first = false;
            for item in items.iter().skip(surplus) {
                show(item)?;
            }
            if !running {
                for item in transcript.rest() {
                    show(&item)?;
                }
                return Ok(());
            }
            tokio::select! {
                () = changes.next() => {}
                () = tokio::time::sleep(AT_LEAST) => {}
                () = &mut asked => return Ok(()),
            }
        }
    })
}
