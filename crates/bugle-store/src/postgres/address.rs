//! The server's address and credentials: from the URL, then a service file, then libpq's environment variables.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use tokio_postgres::Config;
use tokio_postgres::config::{ChannelBinding, Host, SslMode as DriverMode};

use super::defaults::{ConnectionDefaults, Variables};
use super::limits::Limits;
use super::password_command::PasswordCommand;
use super::tls::{Roots, SslMode};
use super::url::{OWN_OPTIONS, is_url, split};
use super::{password_file, service_file};
use crate::StoreError;

/// The default port.
const DEFAULT_PORT: u16 = 5432;

/// A server, a database on it, and credentials.
pub(super) struct Address {
    /// The driver's configuration, including the password.
    pub(super) config: Config,
    pub(super) mode: SslMode,
    pub(super) roots: Roots,
    /// The database's name for messages, without the password.
    pub(super) name: String,
    /// Why Bugle ignored the password file.
    pub(super) note: Option<String>,
    /// The command that prints the password, if no other source has it.
    pub(super) password_command: Option<PasswordCommand>,
}

impl Address {
    /// Completes a URL with the service file, the environment and the password file.
    pub(super) fn find(url: &str, defaults: &dyn ConnectionDefaults) -> Result<Self, StoreError> {
        let variables: Variables<'_> = &|name| defaults.variable(name);
        // Errors do not repeat the URL, because it may contain a password.
        let unusable = |why: String| StoreError::BadAddress { why };
        if !is_url(url) {
            return Err(unusable("the URL does not start with postgres://".to_owned()));
        }
        let (url, mut options) = split(url);
        let mut config = Config::from_str(&url).map_err(|error| unusable(explain(&error)))?;
        let service = options
            .remove("service")
            .or_else(|| variables("PGSERVICE"))
            .filter(|name| !name.is_empty());
        if let Some(service) = service {
            let found = service_file::read(&service, variables).map_err(unusable)?;
            apply(&mut config, &mut options, found).map_err(unusable)?;
        }
        complete(&mut config, &mut options, variables).map_err(unusable)?;
        let option = |name: &str, variable: &str| {
            let given = options.get(name).cloned().or_else(|| variables(variable));
            given.filter(|value| !value.is_empty())
        };
        let mode = match option("sslmode", "PGSSLMODE") {
            None => SslMode::Prefer,
            Some(text) => SslMode::parse(&text).ok_or_else(|| {
                unusable(format!(
                    "invalid sslmode `{text}`: use disable, prefer, require, verify-ca or verify-full"
                ))
            })?,
        };
        let (mode, roots) = roots(mode, option("sslrootcert", "PGSSLROOTCERT"), variables);
        let note = add_password(&mut config, options.get("passfile").cloned(), variables);
        // Connections through a local socket are not encrypted.
        let mode = if is_local(&config) { SslMode::Disable } else { mode };
        config.ssl_mode(match mode {
            SslMode::Disable => DriverMode::Disable,
            SslMode::Prefer => DriverMode::Prefer,
            SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull => DriverMode::Require,
        });
        if let Some(text) = option("channel_binding", "PGCHANNELBINDING") {
            config.channel_binding(channel_binding(&text).map_err(unusable)?);
        }
        if config.get_application_name().is_none() {
            config.application_name("bugle");
        }
        let password_command = if has_password(&config) {
            None
        } else {
            defaults.password_command()
        };
        let name = name_of(&config);
        Ok(Self {
            config,
            mode,
            roots,
            name,
            note,
            password_command,
        })
    }

    /// Whether the server is behind a local socket.
    pub(super) fn is_local(&self) -> bool {
        is_local(&self.config)
    }

    /// The driver's configuration, with the password from the user's command if no other source has it.
    pub(super) fn with_password(&self, limits: &Limits) -> Result<Config, StoreError> {
        let mut config = self.config.clone();
        if let Some(command) = &self.password_command {
            let password = command.run(limits.password());
            config.password(password.map_err(|why| StoreError::SignIn {
                database: self.name.clone(),
                why,
            })?);
        }
        Ok(config)
    }
}

fn is_local(config: &Config) -> bool {
    let mut hosts = config.get_hosts().iter();
    hosts.all(|host| !matches!(host, Host::Tcp(_)))
}

/// Whether a password is known. As in libpq, `user:@host` has none.
fn has_password(config: &Config) -> bool {
    config.get_password().is_some_and(|password| !password.is_empty())
}

/// The `channel_binding` option, as libpq spells it.
fn channel_binding(text: &str) -> Result<ChannelBinding, String> {
    Ok(match text {
        "disable" => ChannelBinding::Disable,
        "prefer" => ChannelBinding::Prefer,
        "require" => ChannelBinding::Require,
        _ => {
            return Err(format!(
                "invalid channel_binding `{text}`: use disable, prefer or require"
            ));
        }
    })
}

/// The cause of an error in a URL. The driver's own message does not include it.
fn explain(error: &tokio_postgres::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// Fills in missing options from a service.
fn apply(
    config: &mut Config,
    options: &mut BTreeMap<String, String>,
    service: BTreeMap<String, String>,
) -> Result<(), String> {
    let (no_host, no_port) = (config.get_hosts().is_empty(), config.get_ports().is_empty());
    for (key, value) in service {
        match key.as_str() {
            "host" if no_host => {
                config.host(&value);
            }
            "port" if no_port => {
                let port = value
                    .parse()
                    .map_err(|_| format!("the service's port `{value}` is not a port number"))?;
                config.port(port);
            }
            "dbname" if config.get_dbname().is_none() => {
                config.dbname(&value);
            }
            "user" if config.get_user().is_none() => {
                config.user(&value);
            }
            "password" if config.get_password().is_none() => {
                config.password(&value);
            }
            key if OWN_OPTIONS.contains(&key) => {
                options.entry(key.to_owned()).or_insert(value);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Fills in missing options from the environment, then from libpq's defaults.
fn complete(
    config: &mut Config,
    options: &mut BTreeMap<String, String>,
    variables: Variables<'_>,
) -> Result<(), String> {
    let given = [
        ("host", "PGHOST"),
        ("port", "PGPORT"),
        ("dbname", "PGDATABASE"),
        ("user", "PGUSER"),
        ("user", "USER"),
    ];
    for (key, variable) in given {
        if let Some(value) = variables(variable).filter(|value| !value.is_empty()) {
            apply(config, options, BTreeMap::from([(key.to_owned(), value)]))?;
        }
    }
    if config.get_hosts().is_empty() {
        let sockets = "/var/run/postgresql";
        config.host(if cfg!(unix) && Path::new(sockets).exists() {
            sockets
        } else {
            "localhost"
        });
    }
    Ok(())
}

/// The trusted CA certificates. As in libpq, a certificate file turns `require` into `verify-ca`.
fn roots(mode: SslMode, given: Option<String>, variables: Variables<'_>) -> (SslMode, Roots) {
    let file = match given {
        Some(given) if given == "system" => return (mode, Roots::System),
        Some(given) => Some(PathBuf::from(given)),
        None => variables("HOME")
            .map(|home| PathBuf::from(home).join(".postgresql/root.crt"))
            .filter(|file| file.exists()),
    };
    match file {
        None => (mode, Roots::System),
        Some(file) if mode == SslMode::Require => (SslMode::VerifyCa, Roots::File(file)),
        Some(file) => (mode, Roots::File(file)),
    }
}

/// Adds the password if it is not in the URL. If the password file was ignored, returns the reason.
fn add_password(config: &mut Config, passfile: Option<String>, variables: Variables<'_>) -> Option<String> {
    if has_password(config) {
        return None;
    }
    if let Some(password) = variables("PGPASSWORD").filter(|password| !password.is_empty()) {
        config.password(password);
        return None;
    }
    let file = passfile
        .or_else(|| variables("PGPASSFILE"))
        .filter(|file| !file.is_empty())
        .map(PathBuf::from)
        .or_else(|| variables("HOME").map(|home| PathBuf::from(home).join(".pgpass")))?;
    let user = config.get_user().unwrap_or_default();
    let wanted = password_file::Wanted {
        host: &host_of(config),
        port: port_of(config),
        database: config.get_dbname().unwrap_or(user),
        user,
    };
    match password_file::find(&file, &wanted) {
        Ok(Some(password)) => {
            config.password(password);
            None
        }
        Ok(None) => None,
        Err(why) => Some(why),
    }
}

pub(super) fn port_of(config: &Config) -> u16 {
    config.get_ports().first().copied().unwrap_or(DEFAULT_PORT)
}

/// The host as written in password files, where a local socket is `localhost`.
fn host_of(config: &Config) -> String {
    match config.get_hosts().first() {
        Some(Host::Tcp(host)) => host.clone(),
        _ => "localhost".to_owned(),
    }
}

fn name_of(config: &Config) -> String {
    let user = config.get_user().map_or(String::new(), |user| format!("{user}@"));
    let database = config.get_dbname().or(config.get_user()).unwrap_or_default();
    let port = match port_of(config) {
        DEFAULT_PORT => String::new(),
        port => format!(":{port}"),
    };
    match config.get_hosts().first() {
        Some(Host::Tcp(host)) => format!("postgres://{user}{host}{port}/{database}"),
        #[cfg(unix)]
        Some(Host::Unix(folder)) => {
            format!("postgres://{user}{port}/{database}?host={}", folder.display())
        }
        _ => format!("postgres://{user}{port}/{database}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(url: &str, variables: &[(&str, &str)]) -> Address {
        let variables = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Address::find(url, &variables).unwrap()
    }

    #[test]
    fn the_name_has_no_password() {
        let address = found("postgres://ada:s3cret@db.example:6543/team", &[]);
        assert_eq!(address.name, "postgres://ada@db.example:6543/team");
        assert_eq!(address.config.get_password(), Some("s3cret".as_bytes()));
        let socket = found("postgres://ada@/team?host=/run/postgresql", &[]);
        assert_eq!(socket.name, "postgres://ada@/team?host=/run/postgresql");
        assert_eq!(socket.mode, SslMode::Disable);
    }

    #[test]
    fn a_url_that_cannot_be_read_is_not_repeated() {
        let none = |_: &str| None;
        for url in [
            "mysql://ada:s3cret@db/team",
            "postgres://ada:s3cret@db:port/team",
            "postgres://ada:s3cret@db/team?sslmode=always",
        ] {
            let Err(error) = Address::find(url, &none) else {
                panic!("{url} was read")
            };
            assert!(!error.to_string().contains("s3cret"), "{error}");
        }
    }

    #[test]
    fn the_password_comes_from_the_url_then_from_the_environment() {
        let variables = [("PGPASSWORD", "other")];
        let password = |url: &str| found(url, &variables).config.get_password().map(<[u8]>::to_vec);
        assert_eq!(password("postgres://ada:own@db/team"), Some(b"own".to_vec()));
        assert_eq!(password("postgres://ada@db/team"), Some(b"other".to_vec()));
    }

    #[test]
    fn sslmode_is_read_as_libpq_does() {
        let mode = |url: &str| found(url, &[]).mode;
        assert_eq!(mode("postgres://db/team"), SslMode::Prefer);
        assert_eq!(mode("postgres://db/team?sslmode=require"), SslMode::Require);
        let verified = found(
            "postgres://db/team?sslmode=require&sslrootcert=%2Fetc%2Fca.pem",
            &[],
        );
        assert_eq!(verified.mode, SslMode::VerifyCa);
        assert_eq!(verified.roots, Roots::File("/etc/ca.pem".into()));
        let system = found(
            "postgres://db/team?sslrootcert=system",
            &[("PGSSLMODE", "verify-full")],
        );
        assert_eq!((system.mode, system.roots), (SslMode::VerifyFull, Roots::System));
    }

    #[test]
    fn a_service_completes_the_url() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("services");
        std::fs::write(
            &file,
            "[other]\nhost=no\n\n# comment\n[team]\nhost=db.example\nport = 6000\nuser=ada\ndbname=bugle\npassword=p w\n",
        )
        .unwrap();
        let variables = [("PGSERVICEFILE", file.to_str().unwrap()), ("PGSERVICE", "team")];
        let address = found("postgres:///own", &variables);
        assert_eq!(address.name, "postgres://ada@db.example:6000/own");
        assert_eq!(address.config.get_password(), Some("p w".as_bytes()));
        let address = found("postgres://?service=team", &variables[..1]);
        assert_eq!(address.name, "postgres://ada@db.example:6000/bugle");
    }
}
