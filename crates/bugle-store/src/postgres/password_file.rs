//! Password files (`~/.pgpass`), as libpq reads them: `host:port:database:user:password`, one line each.

use std::path::Path;

/// The connection that needs a password.
pub(super) struct Wanted<'a> {
    pub(super) host: &'a str,
    pub(super) port: u16,
    pub(super) database: &'a str,
    pub(super) user: &'a str,
}

/// The password in a file, if the file has one. The error is the reason that the file is ignored.
pub(super) fn find(file: &Path, wanted: &Wanted<'_>) -> Result<Option<String>, String> {
    let Ok(text) = std::fs::read_to_string(file) else {
        return Ok(None);
    };
    if is_open_to_others(file) {
        return Err(format!(
            "Bugle ignored the password file {} because other users can read it",
            file.display()
        ));
    }
    Ok(text.lines().find_map(|line| password(line, wanted)))
}

#[cfg(unix)]
fn is_open_to_others(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file).is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_open_to_others(_: &Path) -> bool {
    false
}

fn password(line: &str, wanted: &Wanted<'_>) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let fields = fields(line);
    let [host, port, database, user, password] = fields.as_slice() else {
        return None;
    };
    let port_wanted = wanted.port.to_string();
    let pairs = [
        (host, wanted.host),
        (port, port_wanted.as_str()),
        (database, wanted.database),
        (user, wanted.user),
    ];
    let matches = pairs
        .iter()
        .all(|(field, wanted)| field.as_str() == "*" || field.as_str() == *wanted);
    matches.then(|| password.clone())
}

/// The fields of a line. A backslash escapes the next character, and the password may contain colons.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let is_last = fields.len() == 5;
        let taken = match character {
            '\\' => characters.next(),
            ':' if !is_last => {
                fields.push(String::new());
                None
            }
            other => Some(other),
        };
        if let Some(field) = fields.last_mut() {
            field.extend(taken);
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    const WANTED: Wanted<'_> = Wanted {
        host: "db",
        port: 5432,
        database: "team",
        user: "ada",
    };

    #[test]
    fn the_first_matching_line_wins() {
        assert_eq!(password("db:5432:team:ada:one", &WANTED).as_deref(), Some("one"));
        assert_eq!(password("*:*:*:ada:a:b\\:c", &WANTED).as_deref(), Some("a:b:c"));
        assert_eq!(password("db:5433:team:ada:one", &WANTED), None);
        assert_eq!(password("# db:5432:team:ada:one", &WANTED), None);
        assert_eq!(password("db:5432", &WANTED), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_can_read_is_ignored() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pgpass");
        assert_eq!(find(&file, &WANTED), Ok(None));
        std::fs::write(&file, "*:*:*:*:open\n").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(find(&file, &WANTED).is_err());
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(find(&file, &WANTED), Ok(Some("open".to_owned())));
    }
}
