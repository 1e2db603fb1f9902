//! The subset of HTTP/1.1 that clients need: one request per connection, with `Content-Length` or chunked.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};

use serde_json::{Value, json};

use super::Request;

/// Maximum size of a request, so that an invalid length cannot exhaust memory.
const MAX_LENGTH: u64 = 64 * 1024 * 1024;

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Reads a request. The server numbers it later.
pub(super) fn read_request(connection: impl Read) -> io::Result<Request> {
    let mut reader = BufReader::new(connection);
    let first = read_line(&mut reader)?;
    let mut words = first.split(' ');
    let (Some(method), Some(path)) = (words.next(), words.next()) else {
        return Err(malformed("the request line has no path"));
    };
    let mut headers = BTreeMap::new();
    loop {
        let line = read_line(&mut reader)?;
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            headers.insert(name.trim().to_lowercase(), value.trim().to_owned());
        }
    }
    let body = read_body(&mut reader, &headers)?;
    Ok(Request::new(method, path, headers, parse(&body)))
}

fn read_line(reader: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line.trim_end().to_owned())
}

fn read_body(reader: &mut impl BufRead, headers: &BTreeMap<String, String>) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    let chunked = headers
        .get("transfer-encoding")
        .is_some_and(|coding| coding.eq_ignore_ascii_case("chunked"));
    if !chunked {
        let length = headers
            .get("content-length")
            .map_or(Ok(0), |length| length.parse());
        take(
            reader,
            length.map_err(|_| malformed("the content length is not a number"))?,
            &mut body,
        )?;
        return Ok(body);
    }
    loop {
        let line = read_line(reader)?;
        let length = line.split(';').next().unwrap_or_default();
        let length =
            u64::from_str_radix(length, 16).map_err(|_| malformed("a chunk length is not a number"))?;
        take(reader, length, &mut body)?;
        read_line(reader)?;
        if length == 0 {
            return Ok(body);
        }
    }
}

fn take(reader: &mut impl Read, length: u64, body: &mut Vec<u8>) -> io::Result<()> {
    if length + body.len() as u64 > MAX_LENGTH {
        return Err(malformed("the request is too large"));
    }
    if reader.take(length).read_to_end(body)? as u64 == length {
        Ok(())
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

/// Parses a JSON body. Any other body becomes a string, for the log.
fn parse(body: &[u8]) -> Value {
    if body.is_empty() {
        return Value::Null;
    }
    serde_json::from_slice(body).unwrap_or_else(|_| Value::String(String::from_utf8_lossy(body).into_owned()))
}

/// A complete response.
#[derive(Debug)]
pub(super) struct Response {
    status: u16,
    content_type: &'static str,
    body: String,
}

impl Response {
    pub(super) fn json(value: &Value) -> Self {
        Self {
            status: 200,
            content_type: "application/json",
            body: value.to_string(),
        }
    }

    /// An error response for every protocol.
    pub(super) fn failure(status: u16, message: &str) -> Self {
        let error = json!({ "type": "error", "error": { "type": "api_error", "message": message } });
        Self {
            status,
            ..Self::json(&error)
        }
    }

    /// A stream of server-sent events. Each event's name is also in its data.
    pub(super) fn events(events: &[Value]) -> Self {
        let event = |data: &Value| {
            let name = data["type"].as_str().unwrap_or_default();
            format!("event: {name}\ndata: {data}\n\n")
        };
        Self {
            status: 200,
            content_type: "text/event-stream",
            body: events.iter().map(event).collect(),
        }
    }

    /// A stream of server-sent events without names, and the data of a last event.
    pub(super) fn chunks(chunks: &[Value], last: Option<&str>) -> Self {
        let chunks = chunks.iter().map(Value::to_string);
        let data = chunks.chain(last.map(str::to_owned));
        Self {
            status: 200,
            content_type: "text/event-stream",
            body: data.map(|data| format!("data: {data}\n\n")).collect(),
        }
    }

    pub(super) fn write(&self, connection: &mut impl Write) -> io::Result<()> {
        write!(
            connection,
            "HTTP/1.1 {} Scripted\r\ncontent-type: {}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{}",
            self.status,
            self.content_type,
            self.body.len(),
            self.body
        )?;
        connection.flush()
    }
}
