//! Where the store is: a file in Bugle's home, or a Postgres database that a team shares. This is the one place that
//! chooses between them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use bugle_skill::parse_settings;
use bugle_store::{CommitListener, Durability, Store, StoreError};

use crate::{AppError, fs_util};

/// The settings file, in the project's `.bugle` and in Bugle's home.
pub(crate) const SETTINGS_FILE: &str = "config.yaml";

/// The variable with the URL of a database.
pub(crate) const URL_VARIABLE: &str = "BUGLE_DATABASE_URL";

/// The variables that complete a URL, as `libpq` reads them.
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

/// The URL of a database, with what completes it. It may have a password, so it is never shown.
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
    /// The database that the environment or the user's settings name; otherwise the file in Bugle's home. A project's
    /// settings cannot choose: a cloned project must not be able to send what agents do to a server.
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

    /// Whether there may be a store. Only a file is looked for; a server is asked when the store is opened.
    pub fn may_exist(&self) -> bool {
        match self {
            Self::File(file) => file.exists(),
            Self::Server(_) => true,
        }
    }

    /// Opens the store: creates it if there is none, and upgrades an older one.
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

    /// Opens the store for a client's hook, which does not wait long and upgrades nothing.
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
    /// Waits for commits on the server, on a connection of its own.
    pub(crate) fn listen(&self) -> Result<CommitListener, StoreError> {
        CommitListener::open(&self.url, &self.variables())
    }

    fn variables(&self) -> impl Fn(&str) -> Option<String> {
        |name: &str| self.variables.get(name).cloned()
    }
}

/// The URL in the user's settings. A file that does not mention a store is not parsed, since every hook comes here.
fn url_in_settings(file: &Path) -> Result<Option<String>, AppError> {
    let Ok(text) = std::fs::read_to_string(file) else {
        return Ok(None);
    };
    if !text.contains("store") {
        return Ok(None);
    }
    let settings = parse_settings(&text).map_err(|why| AppError::Usage {
        what: format!("the settings in {} are invalid: {why}", file.display()),
        hints: vec!["Nothing was changed: the settings may name the store. Correct them.".to_owned()],
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
