//! Text about the store as a whole: backups and moves.

use bugle_core::count::counted;
use bugle_core::reply::{BackupView, StoreMove, StoreSwitch};

use crate::project::remote_conflict;

/// A finished backup.
pub fn backup(view: &BackupView) -> String {
    format!(
        "Backed up {} and {} to {}. No errors found.",
        counted(view.runs, "run"),
        counted(view.tasks, "task"),
        view.file
    )
}

/// A finished move, and the remaining steps.
pub fn moved(view: &StoreMove) -> String {
    let StoreMove {
        source,
        target,
        copied,
        faults,
        switch,
        overriding_variable,
        conflicts,
    } = view;
    let mut sentences = vec![match copied {
        None => format!("{target} already contains all rows of {source}."),
        Some(rows) => format!("Copied {} from {source} to {target}.", counted(*rows, "row")),
    }];
    sentences.push(match faults {
        0 => "The stores are identical, and no errors were found.".to_owned(),
        count => format!(
            "The stores are identical; both have the same {}.",
            counted(*count, "error")
        ),
    });
    sentences.push(switched(target, switch));
    if let Some(variable) = overriding_variable {
        sentences.push(format!("{variable} is set and takes precedence. Unset it."));
    }
    sentences
        .push("The old store was not changed. Commands that are still running may write to it.".to_owned());
    let mut text = sentences.join(" ");
    for conflict in conflicts {
        text.push('\n');
        text.push_str(&remote_conflict(conflict));
    }
    text
}

fn switched(target: &str, switch: &StoreSwitch) -> String {
    let settings = &switch.settings;
    match (&switch.error, &switch.line) {
        (None, Some(line)) => format!("Bugle now uses {target}: {settings} contains `{line}`."),
        (None, None) => format!("Bugle now uses {target}: {settings} no longer contains `store`."),
        (Some(error), Some(line)) => {
            format!("Bugle does not use the copy yet: {error}. Add this line to {settings}: {line}")
        }
        (Some(error), None) => {
            format!("Bugle does not use the copy yet: {error}. Remove `store` from {settings}.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved_to(switch: StoreSwitch) -> StoreMove {
        StoreMove {
            source: "/home/ada/.bugle/bugle.db".to_owned(),
            target: "postgres://db/team".to_owned(),
            copied: Some(12),
            faults: 0,
            switch,
            overriding_variable: None,
            conflicts: Vec::new(),
        }
    }

    #[test]
    fn a_move_says_what_bugle_uses_now() {
        let mut switch = StoreSwitch {
            settings: "config.yaml".to_owned(),
            line: Some("store: postgres://db/team".to_owned()),
            error: None,
        };
        assert_eq!(
            moved(&moved_to(switch.clone())),
            "Copied 12 rows from /home/ada/.bugle/bugle.db to postgres://db/team. The stores are identical, and no errors were \
             found. Bugle now uses postgres://db/team: config.yaml contains `store: postgres://db/team`. The old store \
             was not changed. Commands that are still running may write to it."
        );
        switch.error = Some("the disk is full".to_owned());
        let text = moved(&moved_to(switch));
        let left = "Bugle does not use the copy yet: the disk is full. Add this line to config.yaml: store: postgres://db/team";
        assert!(text.contains(left), "{text}");
    }
}
