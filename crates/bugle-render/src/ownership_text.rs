//! Text about the session that owns a run.

use bugle_core::count::counted;
use bugle_core::ownership::Ownership;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// The notice that a run now belongs to this session.
pub(crate) fn taken_over(owner: &str, has_ended: bool) -> String {
    let ended = if has_ended {
        ", whose session has ended"
    } else {
        ""
    };
    format!("This run belonged to {owner}{ended}. It now belongs to this session.")
}

/// The notice that another session owns a run; `age` is the time since that session was last seen, in milliseconds.
pub(crate) fn held_elsewhere(name: &str, age: i64, command: &str) -> String {
    format!(
        "This run belongs to {name}, last active {}. If that session is gone, take the run over: `{command}`.",
        ago(age)
    )
}

/// The notice that names a run's owner; `None` if the run has no owner.
pub fn owner(ownership: Ownership, name: &str) -> Option<String> {
    match ownership {
        Ownership::Unowned => None,
        Ownership::Ended => Some(format!("This run belonged to {name}, whose session has ended.")),
        Ownership::MaybeActive => Some(format!("This run belongs to {name}.")),
    }
}

/// Like `taken_over`, for a session that received a run without asking; `pause` is the command that pauses the run.
pub fn handed_over(ownership: Ownership, name: &str, pause: &str) -> String {
    let notice = match ownership {
        Ownership::Unowned => {
            "This run was started outside any session. It now belongs to this session.".to_owned()
        }
        Ownership::Ended => taken_over(name, true),
        Ownership::MaybeActive => taken_over(name, false),
    };
    format!("{notice} If this session is for something else, pause the run: `{pause}`.")
}

/// A time in the past, such as `5 minutes ago`.
pub fn ago(milliseconds: i64) -> String {
    let (count, unit) = match milliseconds {
        ..MINUTE => return "less than a minute ago".to_owned(),
        MINUTE..HOUR => (milliseconds / MINUTE, "minute"),
        HOUR..DAY => (milliseconds / HOUR, "hour"),
        DAY.. => (milliseconds / DAY, "day"),
    };
    format!("{} ago", counted(count, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_uses_its_largest_unit() {
        let shown = [-5, 0, MINUTE - 1, MINUTE, 59 * MINUTE, HOUR, 47 * HOUR, 3 * DAY].map(ago);
        let wanted = [
            "less than a minute ago",
            "less than a minute ago",
            "less than a minute ago",
            "1 minute ago",
            "59 minutes ago",
            "1 hour ago",
            "1 day ago",
            "3 days ago",
        ];
        assert_eq!(shown, wanted);
    }
}
