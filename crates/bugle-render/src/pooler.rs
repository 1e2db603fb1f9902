//! A `PgBouncer` on the user's machine: its configuration, and text about its check.

use std::fmt::Write as _;

use bugle_core::reply::PoolerCheck;

/// The values in the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolerConfig {
    /// The server's host name, or the folder of its Unix socket.
    pub host: String,
    /// The server's port.
    pub port: u16,
    /// The database.
    pub database: String,
    /// The database user.
    pub user: String,
    /// The `sslmode` of connections to the server.
    pub sslmode: String,
    /// The file with trusted CA certificates.
    pub authorities: Option<String>,
    /// The folder for the pooler's files and its socket.
    pub folder: String,
    /// The port in the socket's name.
    pub pooler_port: u16,
    /// The lines for the user's settings.
    pub settings: Vec<String>,
    /// The settings file.
    pub settings_file: String,
    /// The command that prints this configuration.
    pub print: String,
    /// The command that checks the running pooler.
    pub check: String,
}

/// The configuration, with instructions as comments. Contains no password.
pub fn pooler_config(config: &PoolerConfig) -> String {
    let PoolerConfig { folder, .. } = config;
    let mut out =
        String::from("; PgBouncer configuration for Bugle: one user's processes on this machine.\n;\n");
    let steps = [
        format!("mkdir -p -m 700 {folder}"),
        format!("{} > {folder}/pgbouncer.ini", config.print),
        format!("install -m 600 /dev/null {folder}/users.txt"),
    ];
    for step in steps {
        let _ = writeln!(out, ";   {step}");
    }
    let _ = write!(
        out,
        ";\n; Write the user and the database password to users.txt, each in double quotes:\n;\n\
         ;   \"{}\" \"...\"\n;\n; Start the pooler as a user other than root:\n;\n;   pgbouncer -d {folder}/pgbouncer.ini\n;\n\
         ; Add to {}:\n;\n",
        config.user, config.settings_file
    );
    for line in &config.settings {
        let _ = writeln!(out, ";   {line}");
    }
    let _ = write!(
        out,
        ";\n; Check the pooler:\n;\n;   {}\n\n[databases]\n{} = host={} port={} dbname={}\n\n[pgbouncer]\n",
        config.check,
        name(&config.database),
        quoted(&config.host),
        config.port,
        quoted(&config.database)
    );
    let mut set = |key: &str, value: &str| {
        let _ = writeln!(out, "{}", format!("{key} = {value}").trim_end());
    };
    // Only programs of this user can reach the socket, so it needs no password.
    set("listen_addr", "");
    set("listen_port", &config.pooler_port.to_string());
    set("unix_socket_dir", folder);
    set("unix_socket_mode", "0700");
    set("auth_type", "trust");
    set("auth_file", &format!("{folder}/users.txt"));
    set("pidfile", &format!("{folder}/pgbouncer.pid"));
    set("logfile", &format!("{folder}/pgbouncer.log"));
    set("pool_mode", "transaction");
    set("max_client_conn", "400");
    set("default_pool_size", "10");
    set("min_pool_size", "1");
    set("server_connect_timeout", "5");
    set("server_login_retry", "1");
    set("query_wait_timeout", "10");
    set("server_idle_timeout", "3600");
    set("tcp_keepalive", "1");
    set("server_tls_sslmode", &config.sslmode);
    if let Some(file) = &config.authorities {
        set("server_tls_ca_file", file);
    }
    set("ignore_startup_parameters", "extra_float_digits");
    set("log_connections", "0");
    set("log_disconnections", "0");
    out
}

/// The result of checking a pooler that accepts connections.
pub fn pooler_check(check: &PoolerCheck) -> String {
    let notifications = match &check.notifications_from {
        Some(server) => format!("Notifications arrive from {server}."),
        None => "Notifications do not get through the pooler, so Bugle may notice changes from other machines up to \
                 five seconds late. To notice them immediately, set `listen` to the server's URL."
            .to_owned(),
    };
    format!(
        "{} answers: connecting and reading one row takes {}.{} ms. The pooler is in transaction mode: connections share \
         the server's processes. Transactions work. {notifications}",
        check.pooler,
        check.micros / 1000,
        check.micros / 100 % 10
    )
}

/// A database name, quoted as a key of `pgbouncer.ini`.
fn name(text: &str) -> String {
    let is_plain = text
        .chars()
        .all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if is_plain {
        text.to_owned()
    } else {
        format!("\"{}\"", text.replace('"', "\"\""))
    }
}

/// A value of a connection string.
fn quoted(text: &str) -> String {
    if text.contains([' ', '\'', '\t']) {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_quoted_where_needed() {
        assert_eq!(name("team_1"), "team_1");
        assert_eq!(name("my team"), "\"my team\"");
        assert_eq!(quoted("/run/post gres"), "'/run/post gres'");
        assert_eq!(quoted("db.example"), "db.example");
    }

    #[test]
    fn a_pooler_check_gives_the_time_in_milliseconds() {
        let check = PoolerCheck {
            pooler: "localhost:6432".to_owned(),
            micros: 1_270,
            notifications_from: None,
        };
        let text = pooler_check(&check);
        assert!(
            text.starts_with("localhost:6432 answers: connecting and reading one row takes 1.2 ms."),
            "{text}"
        );
    }
}
