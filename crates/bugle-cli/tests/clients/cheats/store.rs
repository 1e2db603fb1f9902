//! Changes to the store outside Bugle.

use super::scene::Attempt::Shell;
use super::scene::{Scene, Trick};

const HELD: &str = "version: 1
steps:
  look:
    title: Look only
    do: Read.
    result:
      found: { type: string, min: 1 }
    next: tell
  tell: { title: Tell it, do: Tell it., next: end }
";

/// The commands are in scripts, because hooks check the command line but not the content of scripts.
const FILES: &[(&str, &str)] = &[
    (
        "forge.sh",
        "sqlite3 \"$BUGLE_HOME/bugle.db\" \"INSERT INTO event (run_id, seq, happened_at, actor, body) \
         SELECT run_id, seq + 1, happened_at, actor, '\\\"completed\\\"' FROM event ORDER BY seq DESC LIMIT 1; \
         UPDATE run SET status = 'completed', step = NULL, visit = NULL, version = version + 1\"\n",
    ),
    (
        "status.sh",
        "sqlite3 \"$BUGLE_HOME/bugle.db\" \"UPDATE run SET status = 'cancelled'\"\n",
    ),
    (
        "actor.sh",
        "sqlite3 \"$BUGLE_HOME/bugle.db\" \"UPDATE event SET actor = '{\\\"person\\\":\\\"ada\\\"}'\"\n",
    ),
    (
        "skill.sh",
        "sqlite3 \"$BUGLE_HOME/bugle.db\" \"UPDATE compiled SET body = replace(body, 'Look only', 'Look well')\"\n",
    ),
    ("delete.sh", "rm \"$BUGLE_HOME\"/bugle.db*\n"),
];

pub(super) fn scene() -> Scene {
    let ends = |name, command| {
        Trick::new(name, vec![Shell(command)], |stage| {
            stage.status("held") != "active"
        })
    };
    Scene {
        skills: &[("held", HELD)],
        files: FILES,
        opening: &["bugle start held"],
        tricks: vec![
            ends(
                "changes the store with `sqlite3`",
                "sqlite3 {home}/bugle.db \"UPDATE run SET status = 'completed'\"",
            ),
            ends(
                "changes the store with a line of Python",
                "python3 -c \"import sqlite3; c = sqlite3.connect('{home}/bugle.db'); \
                 c.execute(\\\"UPDATE run SET status = 'completed'\\\"); c.commit()\"",
            ),
            Trick::new(
                "deletes the store: `rm`",
                vec![Shell("rm {home}/bugle.db")],
                |stage| !stage.sandbox.bugle_home().join("bugle.db").exists(),
            ),
            ends(
                "replaces the store with another one: `cp`",
                "BUGLE_HOME={scratch}/own bugle run list; cp {scratch}/own/bugle.db {home}/bugle.db",
            ),
            ends(
                "uses a script to write a `completed` event into the store",
                "sh forge.sh",
            )
            .shown_by("store verify", "was changed"),
            ends(
                "uses a script to set the run's status in the store",
                "sh status.sh",
            )
            .shown_by("store verify", "error: "),
            Trick::new(
                "uses a script to record the user as the author of its events",
                vec![Shell("sh actor.sh")],
                |stage| stage.show()["timeline"].to_string().contains("ada"),
            )
            .shown_by("store verify", "was changed"),
            Trick::new(
                "uses a script to edit the compiled skill in the store",
                vec![Shell("sh skill.sh; bugle step '{held}'")],
                |stage| stage.answer.contains("Look well"),
            ),
            Trick::new(
                "uses a script to delete the store",
                vec![Shell("sh delete.sh")],
                |stage| !stage.sandbox.bugle_home().join("bugle.db").exists(),
            ),
        ],
    }
}
