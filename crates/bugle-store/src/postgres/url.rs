//! Parses a database URL: Bugle's own options, and the URL without its password.

use std::collections::BTreeMap;
use std::str::FromStr as _;

use tokio_postgres::Config;

/// The schemes of a Postgres URL.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

/// URL options that Bugle parses itself, because the driver does not know all of them.
pub(super) const OWN_OPTIONS: [&str; 5] =
    ["service", "sslmode", "sslrootcert", "passfile", "channel_binding"];

/// Whether a text is the URL of a Postgres database.
pub(crate) fn is_url(text: &str) -> bool {
    SCHEMES.iter().any(|scheme| text.starts_with(scheme))
}

/// Whether a URL contains a password.
pub(crate) fn has_password(url: &str) -> bool {
    let config = Config::from_str(&split(url).0);
    config.is_ok_and(|config| config.get_password().is_some_and(|password| !password.is_empty()))
}

/// The URL without its password, for a process that must not know the password.
pub(crate) fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = SCHEMES
        .iter()
        .find_map(|scheme| url.strip_prefix(scheme).map(|rest| (*scheme, rest)))
    else {
        return String::new();
    };
    let (user, address) = match rest.split_once('@') {
        None => (None, rest),
        Some((credentials, address)) => {
            // The driver ends the password at the first `@`. A password with an unescaped `@` must not leak either.
            let host = address.find(['/', '?']).unwrap_or(address.len());
            let address = address[..host]
                .rfind('@')
                .map_or(address, |at| &address[at + 1..]);
            (credentials.split(':').next(), address)
        }
    };
    let user = user.map_or(String::new(), |user| format!("{user}@"));
    let Some((base, query)) = address.split_once('?') else {
        return format!("{scheme}{user}{address}");
    };
    let options: Vec<&str> = query
        .split('&')
        .filter(|pair| decoded(pair.split('=').next().unwrap_or_default()) != "password")
        .collect();
    if options.is_empty() {
        return format!("{scheme}{user}{base}");
    }
    format!("{scheme}{user}{base}?{}", options.join("&"))
}

/// The URL without its password, for another user.
pub(crate) fn for_user(url: &str, user: &str) -> String {
    let url = without_password(url);
    let Some((scheme, rest)) = url.split_once("://") else {
        return url;
    };
    let address = rest.split_once('@').map_or(rest, |(_, address)| address);
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    let user = if user.chars().all(is_plain) { user } else { "USER" };
    let Some((base, query)) = address.split_once('?') else {
        return format!("{scheme}://{user}@{address}");
    };
    let options: Vec<&str> = query
        .split('&')
        .filter(|pair| !pair.starts_with("user="))
        .collect();
    if options.is_empty() {
        return format!("{scheme}://{user}@{base}");
    }
    format!("{scheme}://{user}@{base}?{}", options.join("&"))
}

/// Separates Bugle's own options from the URL.
pub(super) fn split(url: &str) -> (String, BTreeMap<String, String>) {
    let Some((base, query)) = url.split_once('?') else {
        return (url.to_owned(), BTreeMap::new());
    };
    let mut own = BTreeMap::new();
    let mut others = Vec::new();
    for pair in query.split('&') {
        match pair.split_once('=') {
            Some((key, value)) if OWN_OPTIONS.contains(&key) => {
                own.insert(key.to_owned(), decoded(value));
            }
            _ => others.push(pair),
        }
    }
    let rest = others.join("&");
    let url = if rest.is_empty() {
        base.to_owned()
    } else {
        format!("{base}?{rest}")
    };
    (url, own)
}

/// Percent-decodes a text. Keeps a `%` that starts no escape.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, others)) = rest.split_first() {
        let escaped = match (first, others) {
            (b'%', [high, low, ..]) => std::str::from_utf8(&[*high, *low])
                .ok()
                .and_then(|digits| u8::from_str_radix(digits, 16).ok()),
            _ => None,
        };
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &others[2..] } else { others };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_without_its_password_is_otherwise_the_same() {
        for (url, without) in [
            (
                "postgres://ada:s3cret@db:6543/team",
                "postgres://ada@db:6543/team",
            ),
            (
                "postgresql://ada@db/team?sslmode=require",
                "postgresql://ada@db/team?sslmode=require",
            ),
            (
                "postgres://:s3cret@/team?host=/run",
                "postgres://@/team?host=/run",
            ),
            ("postgres:///team?password=s3cret", "postgres:///team"),
            (
                "postgres:///team?user=ada&pass%77ord=s3cret&port=1",
                "postgres:///team?user=ada&port=1",
            ),
            ("postgres://ada:s3cret@db@db/team", "postgres://ada@db/team"),
            (
                "postgres://ada:s3/cret?s3cret@db/team?port=1",
                "postgres://ada@db/team?port=1",
            ),
            ("mysql://ada:s3cret@db/team", ""),
        ] {
            assert_eq!(without_password(url), without);
            assert!(!has_password(without), "{without}");
        }
    }

    #[test]
    fn a_url_for_another_user_has_no_password() {
        for (url, changed) in [
            (
                "postgres://ada:s3cret@db:6543/team",
                "postgres://ben@db:6543/team",
            ),
            (
                "postgres:///team?user=ada&host=/run",
                "postgres://ben@/team?host=/run",
            ),
            ("postgres:///team?user=ada", "postgres://ben@/team"),
            ("postgresql://db/team", "postgresql://ben@db/team"),
        ] {
            assert_eq!(for_user(url, "ben"), changed);
        }
    }
}
