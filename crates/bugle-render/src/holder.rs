//! What is said about whose a run is.

use bugle_core::agent::Holding;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// That a run is somebody's from now on; nothing if nobody had it.
pub fn taken(holding: Holding, name: &str) -> Option<String> {
    match holding {
        Holding::Nobody => None,
        Holding::Gone => Some(format!(
            "This run was with {name}, whose session is over: it goes on here."
        )),
        Holding::Perhaps => Some(format!("This run was with {name}: it goes on here now.")),
    }
}

/// That another session keeps a run; `age` is how long ago it was heard of, in milliseconds.
pub fn kept(name: &str, age: i64, command: &str) -> String {
    format!(
        "This run is with {name}, last heard of {}. If that one is no longer at it, `{command}` takes it over.",
        ago(age)
    )
}

/// Whose a run is, for somebody who only looks on; nothing if it is nobody's.
pub fn seen(holding: Holding, name: &str) -> Option<String> {
    match holding {
        Holding::Nobody => None,
        Holding::Gone => Some(format!("This run was with {name}, whose session is over.")),
        Holding::Perhaps => Some(format!("This run is with {name}.")),
    }
}

/// The same for somebody who was handed a run and did not ask for it; `pause` puts it aside.
pub fn handed(holding: Holding, name: &str, pause: &str) -> String {
    let says = taken(holding, name)
        .unwrap_or_else(|| "This run was begun outside any session: it goes on here.".to_owned());
    format!("{says} If this session is for something else, `{pause}` puts the run aside.")
}

/// How long ago so many milliseconds are.
pub fn ago(milliseconds: i64) -> String {
    let (count, unit) = match milliseconds {
        ..MINUTE => return "less than a minute ago".to_owned(),
        MINUTE..HOUR => (milliseconds / MINUTE, "minute"),
        HOUR..DAY => (milliseconds / HOUR, "hour"),
        DAY.. => (milliseconds / DAY, "day"),
    };
    let many = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{many} ago")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_told_in_the_unit_that_people_would_use() {
        let told = [-5, 0, MINUTE - 1, MINUTE, 59 * MINUTE, HOUR, 47 * HOUR, 3 * DAY].map(ago);
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
        assert_eq!(told, wanted);
    }
}
