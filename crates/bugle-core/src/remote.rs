//! Normalises a git remote's URL, so that all clones of a repository have the same remote, however the URL is
//! spelled.

/// The host and path of a remote: `git@Example.org:acme/shop.git` and `https://example.org:443/acme/shop` are both
/// `example.org/acme/shop`. `None` for a path or a file URL, which means something else on another machine.
pub fn normalised_remote(url: &str) -> Option<String> {
    let url = url.trim();
    let (host, path) = match url.split_once("://") {
        Some((scheme, _)) if scheme.eq_ignore_ascii_case("file") => return None,
        Some((_, rest)) => rest.split_once('/')?,
        // The short form of ssh, `host:path`. A slash before the colon makes the text a path, as in git.
        None => {
            let (host, path) = url.split_once(':')?;
            let is_path = host.contains(['/', '\\']) || path.starts_with('\\') || is_drive(host);
            (!is_path).then_some((host, path))?
        }
    };
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
    let host = without_port(host).to_ascii_lowercase();
    let is_plain = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
    (is_plain(&host) && is_plain(path)).then(|| format!("{host}/{path}"))
}

/// Whether the text before a colon is a drive letter.
fn is_drive(host: &str) -> bool {
    host.len() == 1 && host.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// A host without its port. The address of an IPv6 host is in brackets.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_spelling_of_a_remote_is_the_same() {
        for url in [
            "https://example.org/acme/shop.git",
            "https://example.org/acme/shop",
            "https://example.org/acme/shop/",
            "https://ada:secret@Example.ORG:8443/acme/shop.git",
            "http://example.org/acme/shop.git/",
            "ssh://git@example.org:2222/acme/shop.git",
            "ssh://example.org/acme/shop",
            "git://example.org/acme/shop.git",
            "git@example.org:acme/shop.git",
            "example.org:/acme/shop.git",
            " git@EXAMPLE.org:acme/shop\n",
        ] {
            assert_eq!(
                normalised_remote(url).as_deref(),
                Some("example.org/acme/shop"),
                "{url}"
            );
        }
    }

    #[test]
    fn the_case_of_a_path_counts_and_so_does_each_part() {
        let all: std::collections::BTreeSet<_> = [
            "https://example.org/acme/shop",
            "https://example.org/acme/Shop",
            "https://example.org/shop",
            "https://example.com/acme/shop",
            "https://[::1]:8080/acme/shop",
        ]
        .into_iter()
        .map(normalised_remote)
        .collect();
        assert_eq!(all.len(), 5);
        assert!(all.contains(&Some("[::1]/acme/shop".to_owned())), "{all:?}");
    }

    #[test]
    fn a_path_is_not_a_shared_remote() {
        for url in [
            "",
            "/srv/git/shop.git",
            "../shop.git",
            "./a:b",
            "shop.git",
            "file:///srv/git/shop.git",
            "C:\\git\\shop",
            "C:/git/shop",
            "https://example.org",
            "https:///acme/shop",
            "https://example.org/.git",
            "git@example.org:",
            "a b:c",
        ] {
            assert_eq!(normalised_remote(url), None, "{url}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_and_a_normalised_remote_has_no_secret(url in "\\PC{0,60}") {
            if let Some(remote) = normalised_remote(&url) {
                let host = remote.split('/').next().unwrap_or_default();
                prop_assert!(!host.contains('@'));
                prop_assert!(!remote.ends_with('/'));
            }
        }
    }
}
