//! An HTTP client for the dashboard.

use std::io::{BufRead as _, BufReader, Lines, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Instant;

use super::mcp_client::PATIENCE;
use super::sandbox::Sandbox;

/// A running `bugle ui`, stopped when the test ends.
pub(crate) struct Page {
    process: Child,
    pub(crate) port: u16,
    pub(crate) token: String,
    pass: OnceLock<String>,
}

/// A connection to the dashboard's event stream.
pub(crate) struct Listening(Lines<BufReader<TcpStream>>);

impl Listening {
    /// Waits for this event, with a time limit: an idle server still sends keep-alive lines.
    #[track_caller]
    pub(crate) fn hears(&mut self, word: &str) {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            let line = self.0.next().unwrap().unwrap();
            if line.strip_prefix("event: ") == Some(word) {
                return;
            }
        }
        panic!("no {word} event arrived in time");
    }
}

/// A response from the dashboard.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn parse(answer: &str) -> Self {
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        Self {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (own, value) = line.split_once(": ")?;
            own.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    /// The `main` element. The response must be a page.
    #[track_caller]
    pub(crate) fn main(&self) -> &str {
        assert_eq!(self.status, 200, "{}", self.body);
        let main = self
            .body
            .split_once("<main id=\"main\" tabindex=\"-1\">")
            .unwrap()
            .1;
        main.split_once("</main>").unwrap().0
    }
}

impl Page {
    pub(crate) fn open(sandbox: &Sandbox) -> Self {
        Self::of(sandbox.bugle(&["ui", "--port", "0", "--no-open"]))
    }

    pub(crate) fn of(mut command: Command) -> Self {
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(process.stdout.take().unwrap()).lines();
        let line = said.next().unwrap().unwrap();
        let address = line
            .strip_prefix("The dashboard is at http://127.0.0.1:")
            .unwrap_or_else(|| panic!("{line}"));
        let (port, token) = address.split_once("/?token=").unwrap();
        Self {
            process,
            port: port.parse().unwrap(),
            token: token.to_owned(),
            pass: OnceLock::new(),
        }
    }

    pub(crate) fn connect(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    /// Sends a request verbatim.
    pub(crate) fn raw(&self, request: &str) -> Reply {
        let mut answer = String::new();
        self.connect(request).read_to_string(&mut answer).unwrap();
        Reply::parse(&answer)
    }

    /// Sends a request with these headers, plus `Host` if it is missing.
    pub(crate) fn request(&self, line: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut text = format!(
            "{line} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n",
            body.len()
        );
        if !headers.iter().any(|(name, _)| *name == "Host") {
            text.push_str(&format!("Host: 127.0.0.1:{}\r\n", self.port));
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        self.raw(&format!("{text}\r\n{body}"))
    }

    /// The cookie, which the first use of the link sets.
    pub(crate) fn cookie(&self) -> String {
        let exchange = || {
            let reply = self.request(&format!("GET /?token={}", self.token), &[], "");
            assert_eq!(reply.status, 303, "{}", reply.body);
            let cookie = reply.header("Set-Cookie").unwrap();
            cookie.split(';').next().unwrap().to_owned()
        };
        self.pass.get_or_init(exchange).clone()
    }

    /// The link that gives a browser access.
    pub(crate) fn address(&self) -> String {
        format!("{}/?token={}", self.origin(), self.token)
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Gets a page, with the cookie.
    pub(crate) fn get(&self, path: &str) -> Reply {
        self.request(&format!("GET {path}"), &[("Cookie", &self.cookie())], "")
    }

    /// Posts a form the way this server's pages do.
    pub(crate) fn post(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let (cookie, origin) = (self.cookie(), self.origin());
        let headers = [
            ("Cookie", cookie.as_str()),
            ("Origin", origin.as_str()),
            ("Sec-Fetch-Site", "same-origin"),
            ("Content-Type", "application/x-www-form-urlencoded"),
        ];
        self.request(&format!("POST {path}"), &headers, &encoded(fields))
    }

    /// Opens the event stream.
    pub(crate) fn listen(&self) -> Listening {
        let request = format!(
            "GET /events HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nCookie: {}\r\n\r\n",
            self.port,
            self.cookie()
        );
        let mut lines = BufReader::new(self.connect(&request)).lines();
        // From this line on, the stream carries every event.
        assert!(lines.any(|line| line.unwrap() == ": listening"));
        Listening(lines)
    }

    /// Terminates the process; returns its exit code.
    pub(crate) fn end(mut self, sandbox: &Sandbox) -> Option<i32> {
        let id = self.process.id().to_string();
        sandbox.tool(&sandbox.project(), "sh", &["-c", &format!("kill -TERM {id}")]);
        self.process.wait().unwrap().code()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // Ignore errors: the process may have already exited.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Encodes form fields as a browser does.
pub(crate) fn encoded(fields: &[(&str, &str)]) -> String {
    let encode = |text: &str| -> String { text.bytes().map(|byte| format!("%{byte:02X}")).collect() };
    let pairs = fields
        .iter()
        .map(|(name, value)| format!("{}={}", encode(name), encode(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// The path of every view that is not about a single item.
pub(crate) const VIEWS: [&str; 7] = [
    "/",
    "/runs",
    "/plan",
    "/channels",
    "/agents",
    "/wakeups",
    "/skills",
];
