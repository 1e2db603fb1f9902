//! Formats times in the local time zone.

/// Date and time, to the second.
pub(crate) fn local_time(milliseconds: i64) -> String {
    jiff::Timestamp::from_millisecond(milliseconds).map_or_else(
        |_| milliseconds.to_string(),
        |at| {
            at.to_zoned(jiff::tz::TimeZone::system())
                .strftime("%Y-%m-%d %H:%M:%S")
                .to_string()
        },
    )
}

/// Hours and minutes.
pub(crate) fn short_time(milliseconds: i64) -> String {
    local_time(milliseconds)
        .get(11..16)
        .unwrap_or_default()
        .to_owned()
}
