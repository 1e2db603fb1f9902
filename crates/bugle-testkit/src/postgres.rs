//! A real Postgres server for tests, from installed binaries: one per test process, and one fresh database per test.
//!
//! A shell supervises the server. The shell's stdin closes when the test process drops the server or ends for any
//! reason. The shell then stops the server and removes its folder.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a test without its server fails here"
)]

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};

/// The owner of all databases.
pub const USER: &str = "bugle";
/// The owner's password. Connections through the socket need none.
pub const PASSWORD: &str = "s3cret";

/// An unprivileged user: Postgres refuses to run as root.
pub(crate) const UNPRIVILEGED: u32 = 65_534;
/// Debian's folder of installed versions.
const DEBIAN: &str = "/usr/lib/postgresql";

/// Starts the server, waits until stdin closes, and stops the server.
const SUPERVISE: &str = r#"
cd "$FOLDER" || exit 1
if [ -n "$PRIMARY" ]; then
  "$BIN/pg_basebackup" -d "$PRIMARY" -D data -R --checkpoint=fast --no-sync > log 2>&1 || { cat log; exit 1; }
else
  printf '%s' "$PASSWORD" > password
  "$BIN/initdb" -D data -U "$OWNER" -E UTF8 --locale=C --auth-local=trust --auth-host=scram-sha-256 \
    --pwfile=password --no-sync > log 2>&1 || { cat log; exit 1; }
fi
cat >> data/postgresql.conf <<END
listen_addresses = '127.0.0.1'
port = $PORT
unix_socket_directories = '$FOLDER'
max_connections = 400
shared_buffers = 32MB
fsync = off
full_page_writes = off
END
if [ -n "$TLS" ]; then
  key="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
  printf 'subjectAltName=DNS:localhost' > names
  { openssl req -x509 $key -days 2 -subj '/CN=Test authority' -keyout ca.key -out ca.crt &&
    openssl req $key -subj '/CN=localhost' -keyout data/server.key -out server.csr &&
    openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile names \
      -out data/server.crt; } > log 2>&1 || { cat log; exit 1; }
  chmod 600 data/server.key
  chmod 755 .
  echo 'ssl = on' >> data/postgresql.conf
fi
"$BIN/pg_ctl" -D data -l log -w -t 60 start > /dev/null || { cat log; exit 1; }
echo ready
cat > /dev/null
"$BIN/pg_ctl" -D data -m immediate -w stop > /dev/null 2>&1
cd / && rm -rf "$FOLDER"
"#;

/// Mounts a small disk for [`SMALL_DISK`] that only the server sees, and runs the script as an unprivileged user.
const WITH_SMALL_DISK: &str = r#"
mount -t tmpfs -o size=24m none /mnt || exit 1
install -d -o "$UNPRIVILEGED" -g "$UNPRIVILEGED" "$SMALL_DISK" || exit 1
exec setpriv --reuid "$UNPRIVILEGED" --regid "$UNPRIVILEGED" --clear-groups sh -c "$SUPERVISE"
"#;

/// The folder of a small disk, for a tablespace.
pub const SMALL_DISK: &str = "/mnt/space";

/// A server that runs as long as this value exists.
#[derive(Debug)]
pub struct Server {
    binaries: PathBuf,
    folder: PathBuf,
    port: u16,
    shell: Mutex<Child>,
    databases: AtomicU32,
}

/// Whether Postgres is installed. If not, prints that the test is skipped, or panics in CI.
pub fn is_available() -> bool {
    if binaries().is_some() {
        return true;
    }
    assert!(
        std::env::var_os("CI").is_none(),
        "Postgres is not installed: install the package postgresql"
    );
    eprintln!("skipped: Postgres is not installed (package postgresql)");
    false
}

/// The folder with the server's programs: the first on the PATH, or the newest in Debian's folder.
fn binaries() -> Option<PathBuf> {
    let complete = |folder: &Path| {
        ["initdb", "pg_ctl", "postgres", "createdb", "psql"]
            .iter()
            .all(|name| folder.join(name).is_file())
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path)
        .filter_map(|folder| fs::canonicalize(folder.join("initdb")).ok())
        .filter_map(|initdb| initdb.parent().map(Path::to_owned));
    let mut installed: Vec<(u32, PathBuf)> = fs::read_dir(DEBIAN)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let version = entry.file_name().to_str()?.parse().ok()?;
            Some((version, entry.path().join("bin")))
        })
        .collect();
    installed.sort_by(|one, other| other.cmp(one));
    on_path
        .chain(installed.into_iter().map(|(_, folder)| folder))
        .find(|folder| complete(folder))
}

/// The server that all tests of this process share.
pub fn shared() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(Server::start)
}

impl Server {
    /// Starts a separate server, for a test that stops it.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts a server with TLS. Its certificate is for `localhost`.
    pub fn start_with_tls() -> Self {
        Self::start_with(&[("TLS", "on")])
    }

    /// Starts a read-only replica of this server. It receives every change.
    #[must_use]
    pub fn start_replica(&self) -> Self {
        Self::start_with(&[("PRIMARY", &self.url("postgres"))])
    }

    /// Starts a server that can use [`SMALL_DISK`]; `None` if this process cannot mount file systems.
    pub fn start_with_small_disk() -> Option<Self> {
        let mut probe = Command::new("unshare");
        probe.args(["--mount", "mount", "-t", "tmpfs", "none", "/mnt"]);
        let probed = probe.stderr(Stdio::null()).status();
        if !rustix::process::geteuid().is_root() || !probed.is_ok_and(|status| status.success()) {
            return None;
        }
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "sh", "-c", WITH_SMALL_DISK])
            .env("SUPERVISE", SUPERVISE)
            .env("SMALL_DISK", SMALL_DISK)
            .env("UNPRIVILEGED", UNPRIVILEGED.to_string());
        Some(Self::start_by(command))
    }

    fn start_with(variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new("sh");
        command.args(["-c", SUPERVISE]).envs(variables.iter().copied());
        if rustix::process::geteuid().is_root() {
            command.uid(UNPRIVILEGED).gid(UNPRIVILEGED);
        }
        Self::start_by(command)
    }

    /// Starts a server with a command that runs the script.
    fn start_by(mut command: Command) -> Self {
        let binaries = binaries().expect("Postgres is installed");
        let folder = tempfile::Builder::new()
            .prefix("bugle-pg-")
            .tempdir()
            .expect("a temporary folder")
            .keep();
        if rustix::process::geteuid().is_root() {
            chown(&folder, Some(UNPRIVILEGED), Some(UNPRIVILEGED)).expect("the folder gets an owner");
        }
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|free| free.local_addr())
            .expect("a free port")
            .port();
        command
            .env("BIN", &binaries)
            .env("FOLDER", &folder)
            .env("OWNER", USER)
            .env("PASSWORD", PASSWORD)
            .env("PORT", port.to_string())
            .env("LC_ALL", "C")
            .current_dir("/")
            // Ctrl-C must end only the tests, not the server. The shell stops the server when the tests have ended.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut shell = command.spawn().expect("sh runs");
        let mut said = String::new();
        let mut lines = BufReader::new(shell.stdout.take().expect("the output is a pipe"));
        loop {
            let before = said.len();
            lines.read_line(&mut said).expect("the output is text");
            if said[before..].trim_end() == "ready" {
                break;
            }
            assert!(said.len() > before, "Postgres does not start:\n{said}");
        }
        Self {
            binaries,
            folder,
            port,
            shell: Mutex::new(shell),
            databases: AtomicU32::new(0),
        }
    }

    /// Creates an empty database and returns its name.
    pub fn create_database(&self) -> String {
        self.copy_database("template0")
    }

    /// Creates a copy of a database to which no process is connected, and returns its name.
    pub fn copy_database(&self, template: &str) -> String {
        let name = format!("test{}", self.databases.fetch_add(1, Ordering::Relaxed));
        self.run("createdb", &["-T", template, &name]);
        name
    }

    /// Creates an empty database on [`SMALL_DISK`] and returns its name.
    pub fn create_database_on_small_disk(&self) -> String {
        self.sql(
            "postgres",
            &format!("CREATE TABLESPACE small LOCATION '{SMALL_DISK}'"),
        );
        self.run("createdb", &["-T", "template0", "-D", "small", "small"]);
        "small".to_owned()
    }

    /// The URL of a database through the server's socket.
    pub fn url(&self, database: &str) -> String {
        format!(
            "postgres://{USER}@/{database}?host={}&port={}",
            self.folder.display(),
            self.port
        )
    }

    /// The URL of a database through the server's socket, for another user.
    pub fn url_as(&self, user: &str, database: &str) -> String {
        self.url(database).replacen(USER, user, 1)
    }

    /// The URL of a database through the network, where the server asks for a password.
    pub fn network_url(&self, user: &str, password: &str, database: &str) -> String {
        format!("postgres://{user}:{password}@127.0.0.1:{}/{database}", self.port)
    }

    /// The URL of a database at a host name, with these options.
    pub fn named_url(&self, host: &str, database: &str, options: &str) -> String {
        format!(
            "postgres://{USER}:{PASSWORD}@{host}:{}/{database}?{options}",
            self.port
        )
    }

    /// The server's port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The variables with which libpq finds the server's socket.
    pub fn variables(&self) -> [(&'static str, String); 3] {
        [
            ("PGHOST", self.folder.display().to_string()),
            ("PGPORT", self.port.to_string()),
            ("PGUSER", USER.to_owned()),
        ]
    }

    /// The certificate of the CA that signed the server's certificate.
    pub fn authority(&self) -> PathBuf {
        self.folder.join("ca.crt")
    }

    /// Executes statements in a database; returns the values, one row per line.
    pub fn sql(&self, database: &str, statements: &str) -> String {
        let arguments = ["-d", database, "-v", "ON_ERROR_STOP=1", "-qAtc", statements];
        self.run("psql", &arguments)
    }

    /// Executes statements in a database as another user; returns the values, or the server's errors.
    pub fn sql_as(&self, user: &str, database: &str, statements: &str) -> Result<String, String> {
        let mut command = self.command("psql");
        command
            .args(["-h", &self.folder.to_string_lossy(), "-U", user])
            .args(["-p", &self.port.to_string(), "-d", database])
            .args(["-v", "ON_ERROR_STOP=1", "-qAtc", statements]);
        let output = command.output().expect("psql runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        if output.status.success() {
            Ok(text(&output.stdout))
        } else {
            Err(text(&output.stderr))
        }
    }

    /// Stops the server without a clean shutdown.
    pub fn crash(&self) {
        self.control(&["-m", "immediate", "-w", "stop"]);
    }

    /// Starts the server after a crash.
    pub fn restart(&self) {
        self.control(&["-w", "-t", "60", "-l", "log", "start"]);
    }

    fn control(&self, arguments: &[&str]) {
        let mut command = self.command("pg_ctl");
        command.arg("-D").arg(self.folder.join("data")).args(arguments);
        // The server inherits the output and would keep a pipe open.
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        assert!(status.expect("pg_ctl runs").success(), "pg_ctl {arguments:?}");
    }

    fn run(&self, program: &str, arguments: &[&str]) -> String {
        let mut command = self.command(program);
        command
            .args(["-h", &self.folder.to_string_lossy(), "-U", USER])
            .args(["-p", &self.port.to_string()])
            .args(arguments);
        let output = command.output().expect("the program runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program} {arguments:?}: {errors}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(self.binaries.join(program.as_ref()));
        command.current_dir(&self.folder);
        if rustix::process::geteuid().is_root() {
            command.uid(UNPRIVILEGED).gid(UNPRIVILEGED);
        }
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Ok(mut shell) = self.shell.lock() {
            drop(shell.stdin.take());
            let _ = shell.wait();
        }
    }
}
