//! Following what an agent prints, for as long as it runs.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::time::Duration;

use bugle_app::{App, AppError, Place};
use bugle_wire::transcript::{Transcript, TranscriptItem};

use super::changes::Changes;
use crate::end;

/// A client that prints nothing may have ended: that is looked at so often at least.
const AT_LEAST: Duration = Duration::from_secs(2);

/// Calls `show` with everything that an agent did and does, until its process is over.
pub fn follow(
    place: Place,
    name: &str,
    show: &mut dyn FnMut(&TranscriptItem) -> Result<(), AppError>,
) -> Result<(), AppError> {
    crate::mcp::run(async {
        let mut app = App::open(place)?;
        let (path, client) = app.agent_log_file(name)?;
        let cannot = |source| AppError::File {
            what: "cannot read",
            path: path.clone(),
            source,
        };
        let folder = path.parent().unwrap_or(&path);
        let mut changes = Changes::of(folder, "")?;
        let mut source = BufReader::new(File::open(&path).map_err(cannot)?);
        let mut transcript = Transcript::new(client);
        let mut line = String::new();
        let asked = end::asked();
        tokio::pin!(asked);
        loop {
            // Whether it runs is looked at first: what it prints before its end is not missed.
            let running = app.agent_is_running(name)?;
            while source.read_line(&mut line).map_err(cannot)? > 0 && line.ends_with('\n') {
                for item in transcript.read(&line) {
                    show(&item)?;
                }
                line.clear();
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
