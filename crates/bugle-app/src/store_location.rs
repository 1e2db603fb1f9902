//! Where the store is: a file in Bugle's home, or a Postgres database that a team shares. Only this module
//! chooses between them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use bugle_skill::{Settings, SettingsOwner, parse_settings};
use bugle_store::{
    CommitListener, ConnectionDefaults, Durability, MachineId, PasswordCommand, PlanFirst, ServerProbe,
    Store, StoreError,
};

use crate::machine::machine_id;
use crate::url_origin::UrlOrigin;
use crate::{AppError, fs_util};

/// The settings file, in the project's `.bugle` and in Bugle's home.
pub(crate) const SETTINGS_FILE: &str = "config.yaml";

/// The environment variable for the database URL.
pub(crate) const URL_VARIABLE: &str = "BUGLE_DATABASE_URL";

/// The environment variable for the password, as in `libpq`.
pub(crate) const PASSWORD_VARIABLE: &str = "PGPASSWORD";

/// The setting for the password command.
const PASSWORD_COMMAND: &str = "store_password_command";

/// The environment variables that complete a URL, as in `libpq`.
const LIBPQ_VARIABLES: [&str; 14] = [
    "HOME",
    "USER",
    "PGHOST",
    "PGPORT",
    "PGDATABASE",
    "PGUSER",
    PASSWORD_VARIABLE,
    "PGPASSFILE",
    "PGSERVICE",
    "PGSERVICEFILE",
    "PGSYSCONFDIR",
    "PGSSLMODE",
    "PGSSLROOTCERT",
    "PGCHANNELBINDING",
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
    /// The server's own URL, if `url` is a pooler's.
    direct: Option<String>,
    /// Bugle's home, which contains this machine's id.
    bugle_home: PathBuf,
    origin: UrlOrigin,
    variables: BTreeMap<String, String>,
    /// The words of the user's password command; empty if there is none.
    password_command: Vec<String>,
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
        if let Some(url) = text(URL_VARIABLE) {
            let command = user_settings(bugle_home, PASSWORD_COMMAND)?.store_password_command;
            return Ok(Self::Server(ServerUrl {
                origin: UrlOrigin::Variable(URL_VARIABLE),
                ..ServerUrl::new(variables, bugle_home, url, command)
            }));
        }
        let settings = user_settings(bugle_home, "store")?;
        Ok(match settings.store {
            Some(url) => Self::Server(ServerUrl {
                direct: settings.listen,
                origin: UrlOrigin::Settings(bugle_home.join(SETTINGS_FILE)),
                ..ServerUrl::new(variables, bugle_home, url, settings.store_password_command)
            }),
            None => Self::in_home(bugle_home),
        })
    }

    /// The file in Bugle's home.
    pub(crate) fn in_home(bugle_home: &Path) -> Self {
        Self::File(bugle_home.join("bugle.db"))
    }

    /// The database at a URL that the user names.
    pub(crate) fn server(
        variables: &dyn Fn(&str) -> Option<OsString>,
        bugle_home: &Path,
        url: String,
    ) -> Result<Self, AppError> {
        let settings = user_settings(bugle_home, PASSWORD_COMMAND)?;
        let command = settings.store_password_command;
        Ok(Self::Server(ServerUrl::new(variables, bugle_home, url, command)))
    }

    /// The database URL; `None` for a file.
    pub(crate) fn url(&self) -> Option<&str> {
        match self {
            Self::File(_) => None,
            Self::Server(server) => Some(&server.url),
        }
    }

    /// Opens the database as the target of a copy.
    pub(crate) fn open_copy(&self) -> Result<Store, AppError> {
        Ok(match self {
            Self::File(file) => {
                if let Some(folder) = file.parent() {
                    fs_util::create_private_dir(folder)?;
                }
                Store::open_copy(file)?
            }
            Self::Server(server) => {
                Store::open_copy_url(&server.url, server).map_err(|error| server.explain(error))?
            }
        })
    }

    /// This machine's id in the store.
    pub(crate) fn machine(&self) -> Result<MachineId, AppError> {
        match self {
            Self::File(_) => Ok(MachineId::default()),
            Self::Server(server) => machine_id(&server.bugle_home),
        }
    }

    /// Whether several machines may use the store.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self, Self::Server(_))
    }

    /// Whether the store may exist. Always true for a server, which only `open` contacts.
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
            Self::Server(server) => {
                let machine = machine_id(&server.bugle_home)?;
                let opened = Store::open_url(&server.url, server, durability, report);
                opened.map_err(|error| server.explain(error))?.on_machine(machine)
            }
        })
    }

    /// Opens the store for one command. `plan` contains the command's first queries.
    pub(crate) fn open_with_plan(
        &self,
        plan: PlanFirst<'_>,
        report: &mut dyn FnMut(&str),
    ) -> Result<Store, AppError> {
        let Self::Server(server) = self else {
            return self.open(Durability::Full, report);
        };
        let machine = machine_id(&server.bugle_home)?;
        let store = Store::open_url_with_plan(&server.url, server, machine, plan, report);
        store.map_err(|error| server.explain(error))
    }

    /// Opens the store for a client's hook: waits only briefly and never upgrades an older store. `plan` contains the
    /// hook's first queries.
    pub(crate) fn open_for_hook(&self, plan: PlanFirst<'_>) -> Result<Store, AppError> {
        Ok(match self {
            Self::File(file) => Store::open_for_hook(file, Durability::Full)?,
            Self::Server(server) => {
                let machine = machine_id(&server.bugle_home)?;
                Store::open_url_for_hook(&server.url, server, machine, plan)?
            }
        })
    }
}

impl ConnectionDefaults for ServerUrl {
    fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }

    fn password_command(&self) -> Option<PasswordCommand> {
        let words = self.password_command.clone();
        (!words.is_empty()).then(|| PasswordCommand {
            words,
            directory: self.bugle_home.clone(),
        })
    }
}

impl ServerUrl {
    fn new(
        variables: &dyn Fn(&str) -> Option<OsString>,
        bugle_home: &Path,
        url: String,
        password_command: Vec<String>,
    ) -> Self {
        let variables = LIBPQ_VARIABLES
            .iter()
            .filter_map(|name| {
                let value = variables(name)?.into_string().ok()?;
                (!value.is_empty()).then(|| ((*name).to_owned(), value))
            })
            .collect();
        Self {
            url,
            direct: None,
            bugle_home: bugle_home.to_owned(),
            origin: UrlOrigin::Argument,
            variables,
            password_command,
        }
    }

    fn explain(&self, error: StoreError) -> AppError {
        self.origin.explain(error)
    }

    /// The server's URL to give to another person, without a password.
    pub(crate) fn url_for(&self, person: &str) -> String {
        Store::url_for_user(self.direct.as_ref().unwrap_or(&self.url), person)
    }

    /// The variable that contains a password, if there is one. Other processes do not receive it.
    pub(crate) fn password_variable(&self) -> Option<&'static str> {
        if self.origin.is_variable() && Store::has_password(&self.url) {
            return Some(URL_VARIABLE);
        }
        self.variables
            .contains_key(PASSWORD_VARIABLE)
            .then_some(PASSWORD_VARIABLE)
    }

    /// The server's URL as a `bugle` in a child process sees it: without a password from the environment.
    pub(crate) fn without_password_variables(&self) -> Self {
        let mut server = self.clone();
        server.variables.remove(PASSWORD_VARIABLE);
        if self.origin.is_variable() {
            server.url = Store::without_password(&self.url);
        }
        server
    }

    /// The URL, if it is from the environment.
    pub(crate) fn environment_url(&self) -> Option<&str> {
        self.origin.is_variable().then_some(self.url.as_str())
    }

    /// Listens for commits on a separate connection. Bypasses a pooler if the server's URL is known, because a pooler
    /// drops notifications.
    pub(crate) fn listen(&self) -> Result<CommitListener, StoreError> {
        match &self.direct {
            Some(direct) => CommitListener::open(direct, self),
            None => CommitListener::open(&self.url, self),
        }
    }

    /// The server behind a pooler, if its URL is known.
    pub(crate) fn direct(&self) -> Option<Self> {
        self.direct.clone().map(|direct| self.at(direct))
    }

    /// A database at another URL, completed with the same variables.
    pub(crate) fn at(&self, url: String) -> Self {
        Self {
            url,
            direct: None,
            ..self.clone()
        }
    }

    /// Opens the store, which must have the current schema.
    pub(crate) fn open(&self) -> Result<Store, StoreError> {
        Store::open_url(&self.url, self, Durability::Full, &mut |_| ())
    }

    /// Creates a probe for the server.
    pub(crate) fn probe(&self) -> Result<ServerProbe, StoreError> {
        ServerProbe::new(&self.url, self)
    }

    /// The URL for the user, without a password.
    pub(crate) fn printable(&self) -> Result<String, StoreError> {
        if Store::has_password(&self.url) {
            return Ok(self.probe()?.name().to_owned());
        }
        Ok(self.url.clone())
    }
}

/// The user's settings. Every hook calls this function. To save time, the file is parsed only if it contains the text
/// in `needed`.
fn user_settings(bugle_home: &Path, needed: &str) -> Result<Settings, AppError> {
    let file = bugle_home.join(SETTINGS_FILE);
    let Ok(text) = std::fs::read_to_string(&file) else {
        return Ok(Settings::default());
    };
    if !text.contains(needed) {
        return Ok(Settings::default());
    }
    parse_settings(&text, SettingsOwner::User).map_err(|why| AppError::Usage {
        what: format!("the settings in {} are invalid: {why}", file.display()),
        hints: vec![
            "Nothing was changed. Fix the settings file: Bugle reads the store's URL from it.".to_owned(),
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(home: &Path, url: Option<&str>) -> Result<StoreLocation, AppError> {
        let url = url.map(OsString::from);
        StoreLocation::find(&|name: &str| url.clone().filter(|_| name == URL_VARIABLE), home)
    }

    #[test]
    fn the_environment_overrides_the_users_settings_and_both_override_the_file() {
        let home = tempfile::tempdir().unwrap();
        let settings = home.path().join(SETTINGS_FILE);
        assert_eq!(found(home.path(), None).unwrap().url(), None);
        assert_eq!(found(home.path(), Some("")).unwrap().url(), None);
        std::fs::write(&settings, "store: postgres://db/team\n").unwrap();
        assert_eq!(
            found(home.path(), None).unwrap().url(),
            Some("postgres://db/team")
        );
        assert_eq!(
            found(home.path(), Some("postgres://db/own")).unwrap().url(),
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
