//! Where the store is: a file in Bugle's home, or a Postgres database that a team shares. Only this module
//! chooses between them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use bugle_skill::parse_settings;
use bugle_store::{CommitListener, Durability, Store, StoreError};

use crate::{AppError, fs_util};

/// The settings file, in the project's `.bugle` and in Bugle's home.
pub(crate) const SETTINGS_FILE: &str = "config.yaml";

/// The environment variable for the database URL.
pub(crate) const URL_VARIABLE: &str = "BUGLE_DATABASE_URL";

/// The environment variables that complete a URL, as in `libpq`.
const LIBPQ_VARIABLES: [&str; 13] = [
    "HOME",
    "USER",
    "PGHOST",
    "PGPORT",
    "PGDATABASE",
    "PGUSER",
    "PGPASSWORD",
    "PGPASSFILE",
    "PGSERVICE",
    "PGSERVICEFILE",
    "PGSYSCONFDIR",
    "PGSSLMODE",
    "PGSSLROOTCERT",
];

/// Where the store is.
#[derive(Debug, Clone)]
pub enum StoreLocation {
    /// A file.
    File(PathBuf),
    /// A database on a server.
    Server(ServerUrl),
}

/// A database URL and the variables that complete it. Never printed, because it may contain a password.
#[derive(Clone)]
pub struct ServerUrl {
    url: String,
    variables: BTreeMap<String, String>,
}

impl std::fmt::Debug for ServerUrl {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("ServerUrl")
    }
}

impl StoreLocation {
    /// The database from the environment or the user's settings; otherwise the file in Bugle's home. Ignores project
    /// settings: a cloned project must not send the user's data to a server.
    pub(crate) fn find(
        variables: &dyn Fn(&str) -> Option<OsString>,
        bugle_home: &Path,
    ) -> Result<Self, AppError> {
        let text = |name: &str| {
            variables(name)
                .and_then(|value| value.into_string().ok())
                .filter(|value| !value.is_empty())
        };
        let url = match text(URL_VARIABLE) {
            Some(url) => Some(url),
            None => url_in_settings(&bugle_home.join(SETTINGS_FILE))?,
        };
        let Some(url) = url else {
            return Ok(Self::File(bugle_home.join("bugle.db")));
        };
        let variables = LIBPQ_VARIABLES
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), text(name)?)))
            .collect();
        Ok(Self::Server(ServerUrl { url, variables }))
    }

    /// Whether the store may exist. Checks only for a file; `open` contacts a server.
    pub fn may_exist(&self) -> bool {
        match self {
            Self::File(file) => file.exists(),
            Self::Server(_) => true,
        }
    }

    /// Opens the store. Creates a missing store; upgrades a store with an older schema.
    pub(crate) fn open(
        &self,
        durability: Durability,
        report: &mut dyn FnMut(&str),
    ) -> Result<Store, AppError> {
        Ok(match self {
            Self::File(file) => {
                if let Some(folder) = file.parent() {
                    fs_util::create_private_dir(folder)?;
                    fs_util::restrict_permissions(folder, file);
                }
                Store::open_reporting(file, durability, report)?
            }
            Self::Server(server) => Store::open_url(&server.url, &server.variables(), durability, report)?,
        })
    }

    /// Opens the store for a client's hook: waits only briefly and never upgrades an older store.
    pub(crate) fn open_for_hook(&self) -> Result<Store, StoreError> {
        match self {
            Self::File(file) => Store::open_for_hook(file, Durability::Full),
            Self::Server(server) => {
                Store::open_url_for_hook(&server.url, &server.variables(), Durability::Full)
            }
        }
    }
}

impl ServerUrl {
    /// Listens for commits on the server, on a separate connection.
    pub(crate) fn listen(&self) -> Result<CommitListener, StoreError> {
        CommitListener::open(&self.url, &self.variables())
    }

    fn variables(&self) -> impl Fn(&str) -> Option<String> {
        |name: &str| self.variables.get(name).cloned()
    }
}

/// The URL in the user's settings. Does not parse a file without the word `store`, because every hook calls this.
fn url_in_settings(file: &Path) -> Result<Option<String>, AppError> {
    let Ok(text) = std::fs::read_to_string(file) else {
        return Ok(None);
    };
    if !text.contains("store") {
        return Ok(None);
    }
    let settings = parse_settings(&text).map_err(|why| AppError::Usage {
        what: format!("the settings in {} are invalid: {why}", file.display()),
        hints: vec![
            "Nothing was changed. Correct the settings: they may contain the store's URL.".to_owned(),
        ],
    })?;
    Ok(settings.store)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(home: &Path, url: Option<&str>) -> Result<StoreLocation, AppError> {
        let url = url.map(OsString::from);
        StoreLocation::find(&|name: &str| url.clone().filter(|_| name == URL_VARIABLE), home)
    }

    fn url(location: &StoreLocation) -> Option<&str> {
        match location {
            StoreLocation::File(_) => None,
            StoreLocation::Server(server) => Some(&server.url),
        }
    }

    #[test]
    fn the_environment_comes_before_the_users_settings_and_both_before_the_file() {
        let home = tempfile::tempdir().unwrap();
        let settings = home.path().join(SETTINGS_FILE);
        assert_eq!(url(&found(home.path(), None).unwrap()), None);
        assert_eq!(url(&found(home.path(), Some("")).unwrap()), None);
        std::fs::write(&settings, "store: postgres://db/team\n").unwrap();
        assert_eq!(
            url(&found(home.path(), None).unwrap()),
            Some("postgres://db/team")
        );
        assert_eq!(
            url(&found(home.path(), Some("postgres://db/own")).unwrap()),
            Some("postgres://db/own")
        );
        std::fs::write(&settings, "store: [\n").unwrap();
        assert!(found(home.path(), None).is_err());
    }

    #[test]
    fn a_password_is_never_shown() {
        let home = tempfile::tempdir().unwrap();
        let location = found(home.path(), Some("postgres://ada:s3cret@db/team")).unwrap();
        assert!(!format!("{location:?}").contains("s3cret"));
    }
}
