//! Formats times in the local time zone.

use bugle_core::id::Timestamp;

/// Date and time, to the second.
pub(crate) fn local_time(time: Timestamp) -> String {
    jiff::Timestamp::from_millisecond(time.0).map_or_else(
        |_| time.0.to_string(),
        |at| {
            at.to_zoned(jiff::tz::TimeZone::system())
                .strftime("%Y-%m-%d %H:%M:%S")
                .to_string()
        },
    )
}

/// Hours and minutes.
pub(crate) fn short_time(time: Timestamp) -> String {
    local_time(time).get(11..16).unwrap_or_default().to_owned()
}
