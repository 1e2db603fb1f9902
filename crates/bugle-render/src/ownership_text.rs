//! Text about the session that owns a run.

use bugle_core::count::counted;
use bugle_core::ownership::Ownership;
use bugle_core::reply::RunOwner;

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

/// The notice about the owner of a run that an agent continues; `None` if no notice is needed.
pub(crate) fn owner(owner: &RunOwner) -> Option<String> {
    let name = &owner.name;
    let Some(pause) = &owner.handed_over else {
        return match owner.ownership {
            Ownership::Unowned => None,
            Ownership::Ended => Some(format!("This run belonged to {name}, whose session has ended.")),
            Ownership::MaybeActive => Some(format!("This run belongs to {name}.")),
        };
    };
    let notice = match owner.ownership {
        Ownership::Unowned => {
            "This run was started outside any session. It now belongs to this session.".to_owned()
        }
        Ownership::Ended => taken_over(name, true),
        Ownership::MaybeActive => taken_over(name, false),
    };
    Some(format!(
        "{notice} If this session is for something else, pause the run: `{pause}`."
    ))
}

/// A time in the past, such as `5 minutes ago`.
pub(crate) fn ago(milliseconds: i64) -> String {
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
